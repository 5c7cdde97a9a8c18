/* unfinished.c -- a profile written while counts wait in registers: a loop that
 * never ends by itself sweeps a block; another thread writes the profile, and
 * prints how many steps were done before that, or the loop faults after 5,000,000
 * steps.
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

static const volatile int *swept;

/* Reads `bad` in step `steps`; a multiple of ELEMENTS is done when each element
 * says so. */
__attribute__((noinline)) static void sweep(int *block, unsigned steps,
                                            const int *bad)
{
    for (unsigned i = 0; i != ~0u; i++)
        block[i % ELEMENTS] += i == steps ? *bad : 1;
}

static void on_fault(int number)
{
    (void)number;
    __memprof_profile_dump();
    _exit(0);
}

static void *dump(void *nothing)
{
    long done;

    do
        usleep(10000);
    while (swept[ELEMENTS - 1] < 2000);
    done = (long)swept[ELEMENTS - 1] * ELEMENTS;
    __memprof_profile_dump();
    printf("steps %ld\n", done);
    fflush(stdout);
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
    swept = block;
    pthread_create(&thread, NULL, dump, NULL);
    for (;;)
        sweep(block, ~0u, block);
}
