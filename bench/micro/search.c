/* search.c -- a recursive search with 228,100 call stacks that allocate, up to
 * LEVELS frames deep. Each step allocates one block, and then one to four
 * blocks, one at a time, at a second call site.
 *
 * usage: search LEVELS
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench/micro/bench.h"

BENCH_NOINLINE static unsigned long search(long levels, unsigned *seed)
{
    unsigned long *volatile own = (unsigned long *)malloc(40);
    unsigned long sum = 1;

    *own = (unsigned long)levels;
    for (unsigned i = bench_random(seed) % 4 + 1; i > 0; i--) {
        char *volatile next = (char *)malloc(16 + i);
        *next = (char)i;
        sum += (unsigned long)*next;
        free(next);
    }
    if (levels > 0)
        sum += search(levels - 1, seed);
    if (levels > 3)
        sum += search(levels - 4, seed);
    sum += *own;
    free(own);
    return sum;
}

int main(int argc, char **argv)
{
    const long levels = bench_argument(argc, argv, 1, 34);
    unsigned seed = 7;

    bench_begin();
    const unsigned long result = search(levels, &seed);
    bench_end(1);
    bench_result(result);
    return 0;
}
