// Threads allocate from more and more call stacks until SIGKILL: the file is valid at
// any moment, and after a pause it has every block.
// RUN: rm -rf %t.dir && mkdir -p %t.dir/all %t.dir/some && cd %t.dir
// RUN: %memprof-clang -fmemory-profile -g -O1 -fno-builtin -pthread %s -o %t
// RUN: cd some
// RUN: for i in 0 1 2 3; do env MEMPROF_OPTIONS=continuous=1 %t $i; test $? = 137 || exit 1; done
// RUN: ls -A | count 4
// RUN: %memprofdata check *.raw
// RUN: cd ../all && env MEMPROF_OPTIONS=continuous=1 %t > ../want; test $? = 137
// RUN: %memprofdata check *.raw
// RUN: python3 %S/Inputs/ended_in.py %memprofdata *.raw walk > ../have
// RUN: diff ../want ../have
// No process waits for locks of the killed ones.
// RUN: python3 %S/Inputs/no_helpers.py %t.dir
#include "Inputs/many_stacks.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

enum { THREADS = 4 };

static _Atomic long blocks;
static _Atomic int is_over;

static void *work(void *argument)
{
    const unsigned start = *(unsigned *)argument;

    for (unsigned i = 0; !is_over; i++) {
        const unsigned path = (start + i / 2000) % 1000;

        walk(path, path + 20);
        blocks += 20;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static unsigned starts[THREADS];
    pthread_t threads[THREADS];

    for (unsigned i = 0; i < THREADS; i++) {
        starts[i] = 250 * i;
        pthread_create(&threads[i], NULL, work, &starts[i]);
    }
    wait_for_snapshot();
    if (argc > 1) {
        usleep((useconds_t)atoi(argv[1]) * 270000);
        raise(SIGKILL);
    }
    is_over = 1;
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("walk %ld\n", (long)blocks);
    fflush(stdout);
    wait_for_snapshot();
    raise(SIGKILL);
    return 1;
}
