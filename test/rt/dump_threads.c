// Dumps while other threads allocate: every file is complete, and over all files no
// ended block is lost or counted twice.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -O1 -fmemory-profile %ours-rt %debugflags %s -o %t -lpthread
// RUN: %t && ls | count 11
// RUN: python3 %S/Inputs/ended_blocks.py %memprofdata *.raw | FileCheck %s
// CHECK: 400000
#include <sanitizer/memprof_interface.h>
#include <pthread.h>
#include <stdlib.h>

static void *work(void *unused)
{
    for (int i = 0; i < 100000; i++) {
        char *volatile p = malloc(i % 500 + 1000);

        p[0] = 1;
        free(p);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 10; i++)
        __memprof_profile_dump();
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
