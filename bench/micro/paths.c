/* paths.c -- pairs of malloc and free, 20 frames from main, on 64 call paths in
 * random order.
 *
 * usage: paths PAIRS
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench/micro/bench.h"

#define DEPTH 20
#define PATH_BITS 6

BENCH_NOINLINE static unsigned long pair(unsigned path)
{
    char *volatile block = (char *)malloc(48);

    block[0] = (char)path;
    const unsigned long result = (unsigned long)block[0];
    free(block);
    return result;
}

/* Two functions; at each level, one bit of the path chooses between them. */
BENCH_NOINLINE static unsigned long left(unsigned depth, unsigned path);
BENCH_NOINLINE static unsigned long right(unsigned depth, unsigned path);

static inline unsigned long descend(unsigned depth, unsigned path)
{
    if (depth == 0)
        return pair(path);
    return path >> depth % PATH_BITS & 1 ? left(depth - 1, path)
                                         : right(depth - 1, path);
}

BENCH_NOINLINE static unsigned long left(unsigned depth, unsigned path)
{
    unsigned long result = descend(depth, path);

    BENCH_KEEP_FRAME(result);
    return result;
}

BENCH_NOINLINE static unsigned long right(unsigned depth, unsigned path)
{
    unsigned long result = descend(depth, path);

    BENCH_KEEP_FRAME(result);
    return result + 1;
}

/* main and pair are two of the frames. */
static unsigned long run(long pairs, unsigned *seed)
{
    unsigned long result = 0;

    for (long i = 0; i < pairs; i++)
        result += descend(DEPTH - 3, bench_random(seed) % (1u << PATH_BITS));
    return result;
}

int main(int argc, char **argv)
{
    const long pairs = bench_argument(argc, argv, 1, 1000000);
    unsigned seed = 3;
    unsigned long result = 0;

    BENCH_WARM_UP_FIRST(is_measured)
    {
        if (is_measured)
            bench_begin();
        result = run(is_measured ? pairs : 10000, &seed);
    }
    bench_end(pairs);
    bench_result(result);
    return 0;
}
