// The command "sample": estimates stay right when the rate changes while blocks live, from
// and to recording all blocks, in threads that were there before, and whoever frees a block.
// RUN: %memprof-clang -fmemory-profile -gline-tables-only -O1 -fno-builtin %s -o %t -lpthread
// RUN: python3 %S/Inputs/control.py %memprofdata %t %t.d sample
// RUN: python3 %S/Inputs/control.py %memprofdata %t %t.d sample-leaks
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNT = 20000, KEPT = 5000 };

static int to_thread[2], from_thread[2];
static void *volatile kept[2][KEPT];

__attribute__((noinline)) static void *make(int i)
{
    return malloc(1 + (size_t)i * 7919 % 999);
}

/* Blocks of the rounds before, of this thread and the other one, end. */
static void work(int me)
{
    for (int i = 0; i < COUNT; i++) {
        void *const p = make(i);
        if (i % 4 != 0) {
            free(p);
            continue;
        }
        free(kept[(me + i / 4) % 2][i / 4]);
        kept[(me + i / 4) % 2][i / 4] = p;
    }
    for (int i = 0; i < KEPT; i += 2)
        kept[me][i] = realloc(kept[me][i], 200);
}

static void *run(void *unused)
{
    char c;

    while (read(to_thread[0], &c, 1) == 1) {
        work(1);
        if (write(from_thread[1], &c, 1) != 1)
            return unused;
    }
    return NULL;
}

/* A round for each byte of stdin. */
int main(void)
{
    pthread_t thread;
    char c;

    if (pipe(to_thread) || pipe(from_thread) ||
        pthread_create(&thread, NULL, run, NULL))
        return 9;
    while (read(0, &c, 1) == 1) {
        if (write(to_thread[1], &c, 1) != 1 || read(from_thread[0], &c, 1) != 1)
            return 9;
        work(0);
        puts("done");
        fflush(stdout);
    }
    close(to_thread[1]);
    pthread_join(thread, NULL);
    return 3;
}
