/* pair_cost.c -- measures a pair of malloc and free.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/pair_cost.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* The fastest round counts: others may have been interrupted. */
#define ROUNDS 10
#define PAIRS 100

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

double mpdata_pair_cost_ns(uint64_t bytes)
{
    double fastest_ns = 0;

    if (bytes > MPDATA_PAIR_BYTES_MAX)
        return 0;
    for (int round = 0; round < ROUNDS; round++) {
        const double start_ns = now_ns();

        for (int i = 0; i < PAIRS; i++) {
            void *volatile block = malloc(bytes);

            if (block == NULL)
                return 0;
            free(block);
        }
        const double ns = now_ns() - start_ns;

        fastest_ns = round == 0 ? ns : fmin(fastest_ns, ns);
    }
    return fastest_ns / PAIRS;
}
