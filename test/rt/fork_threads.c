// Children of a program whose other threads allocate, free and dump: each child runs,
// allocates at once in all sizes, dumps, and ends. It has its own counts.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -O1 -fno-builtin %s -o %t
// RUN: timeout 300 %t > files
// RUN: ls | grep '[.]raw$' | count 101
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata $(cat files) | uniq -c | \
// RUN:   FileCheck %s --match-full-lines --implicit-check-not={{.}}
// CHECK: {{ *}}100 40 20
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, CHILDREN = 100 };
static volatile int stop;

static void *work(void *unused)
{
    char *kept[256] = {0};
    unsigned seed = 7;

    while (!stop) {
        seed = seed * 1103515245 + 12345;
        const unsigned i = seed >> 24;
        free(kept[i]);
        kept[i] = malloc((seed >> 8 & 7) == 0 ? 300000 : seed >> 8 & 4095);
    }
    for (int i = 0; i < 256; i++)
        free(kept[i]);
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < CHILDREN; i++) {
        int status = 0;
        const pid_t pid = fork();

        if (pid == 0) {
            void *p[40];
            for (int k = 0; k < 40; k++)
                p[k] = memset(malloc((size_t)1 << k % 20), 1, 1);
            for (int k = 0; k < 20; k++)
                free(p[k]);
            exit(0);
        }
        if (waitpid(pid, &status, 0) != pid || status != 0)
            return 1;
        printf("memprof.profraw.%d.raw\n", (int)pid);
        fflush(stdout); /* so that the next child does not print it again */
    }
    stop = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
