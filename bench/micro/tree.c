/* tree.c -- a recursive tree with 131,072 leaves. Each leaf allocates and has a
 * different call stack, 18 frames from main.
 *
 * usage: tree LEVELS
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench/micro/bench.h"

BENCH_NOINLINE static unsigned long walk(long levels, unsigned long path)
{
    unsigned long sum;

    if (levels == 0) {
        unsigned long *volatile leaf = (unsigned long *)malloc(sizeof(*leaf));
        *leaf = path;
        sum = *leaf;
        free(leaf);
        return sum;
    }
    sum = walk(levels - 1, 2 * path);
    sum += walk(levels - 1, 2 * path + 1);
    BENCH_KEEP_FRAME(sum);
    return sum;
}

int main(int argc, char **argv)
{
    const long levels = bench_argument(argc, argv, 1, 17);

    bench_begin();
    const unsigned long result = walk(levels, 1);
    bench_end(1l << levels);
    bench_result(result);
    return 0;
}
