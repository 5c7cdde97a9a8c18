// A thread holds the dynamic linker's lock while another thread forks: the
// child, where nobody releases the lock, allocates all the same. In a static
// program call stacks are found with the help of functions that take this lock.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %build/bin/memprof-clang-%llvm-version -static -fmemory-profile -O1 -pthread %s -o static
// RUN: %build/bin/memprof-clang-%llvm-version -fmemory-profile -O1 -pthread %s -o dynamic
// RUN: for how in static dynamic; do for context in value walk; do env MEMPROF_OPTIONS=context=$context ./$how || exit 1; done; done
// RUN: ls *.raw | count 8
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int begun[2], ended[2];

static int wait_for_end(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)info, (void)size, (void)unused;
    return write(begun[1], "", 1) != 1 || read(ended[0], &(char){0}, 1) != 1
               ? 2
               : 1;
}

static void *hold(void *unused)
{
    if (dl_iterate_phdr(wait_for_end, NULL) != 1)
        abort();
    return unused;
}

__attribute__((noinline)) static void allocate(void)
{
    char *volatile text = strdup("text");

    free(text);
    free(realloc(malloc(10), 1000));
}

int main(void)
{
    pthread_t thread;
    int status;

    if (pipe(begun) || pipe(ended) ||
        pthread_create(&thread, NULL, hold, NULL) ||
        read(begun[0], &(char){0}, 1) != 1)
        return 1;
    const pid_t child = fork();
    if (child == 0) {
        alarm(60); // instead of a deadlock
        allocate();
        exit(0);
    }
    waitpid(child, &status, 0);
    if (write(ended[1], "", 1) != 1 || pthread_join(thread, NULL))
        return 1;
    return status != 0;
}
