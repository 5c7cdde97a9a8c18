/* pair.c -- pairs of malloc and free at a given call depth. Each pair enters
 * all frames again. Four call sites take turns, with four sizes.
 *
 * usage: pair PAIRS DEPTH
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench/micro/bench.h"

BENCH_NOINLINE static unsigned long pair(long i)
{
    char *volatile block;

    switch (i & 3) {
    case 0:
        block = (char *)malloc(16);
        break;
    case 1:
        block = (char *)malloc(48);
        break;
    case 2:
        block = (char *)malloc(100);
        break;
    default:
        block = (char *)malloc(240);
        break;
    }
    block[0] = (char)i;
    const unsigned long result = (unsigned long)block[0];
    free(block);
    return result;
}

BENCH_NOINLINE static unsigned long descend(long depth, long i)
{
    if (depth <= 0)
        return pair(i);
    unsigned long result = descend(depth - 1, i);
    BENCH_KEEP_FRAME(result);
    return result;
}

/* main and pair are two of the frames. */
static unsigned long run(long pairs, long depth)
{
    unsigned long result = 0;

    for (long i = 0; i < pairs; i++)
        result += descend(depth - 3, i & 15);
    return result;
}

int main(int argc, char **argv)
{
    const long pairs = bench_argument(argc, argv, 1, 1000000);
    const long depth = bench_argument(argc, argv, 2, 5);
    unsigned long result = 0;

    BENCH_WARM_UP_FIRST(is_measured)
    {
        if (is_measured)
            bench_begin();
        result = run(is_measured ? pairs : 1000, depth);
    }
    bench_end(pairs);
    bench_result(result);
    return 0;
}
