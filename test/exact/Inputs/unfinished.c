/* unfinished.c -- a profile written while counts wait in registers: a loop that
 * never ends by itself sweeps a block; another thread writes the profile, or the
 * loop faults after 5,000,000 steps.
 *
 * usage: unfinished dump|fault
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int __memprof_profile_dump(void);

#define ELEMENTS 1024
#define STEPS 5000000u

/* Reads `bad` in step `steps`. */
__attribute__((noinline)) static void sweep(int *block, unsigned steps,
                                            const int *bad)
{
    for (unsigned i = 0; i != ~0u; i++)
        block[i % ELEMENTS] += i == steps ? *bad : (int)i;
}

static void on_fault(int number)
{
    (void)number;
    __memprof_profile_dump();
    _exit(0);
}

static void *dump(void *nothing)
{
    usleep(300000);
    __memprof_profile_dump();
    _exit(0);
    return nothing;
}

int main(int argc, char **argv)
{
    int *const block = calloc(ELEMENTS, sizeof(*block));
    pthread_t thread;

    if (argc > 1 && strcmp(argv[1], "fault") == 0) {
        signal(SIGSEGV, on_fault);
        sweep(block, STEPS, (const int *)8);
        return 1;
    }
    pthread_create(&thread, NULL, dump, NULL);
    for (;;)
        sweep(block, ~0u, block);
}
