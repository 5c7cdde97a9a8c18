/* queue.c -- pairs of malloc and free with 10,000 live blocks of 16 to 527
 * bytes; the oldest is freed first. Measures a pair without warm caches.
 *
 * usage: queue PAIRS LIVE
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench/micro/bench.h"

#define LIVE_MAX 100000
static char *blocks[LIVE_MAX];

BENCH_NOINLINE static unsigned long run(long pairs, long live, unsigned *seed)
{
    unsigned long result = 0;

    for (long i = 0, at = 0; i < pairs; i++) {
        if (blocks[at] != NULL) {
            result += (unsigned char)blocks[at][0];
            free(blocks[at]);
        }
        blocks[at] = (char *)malloc(16 + bench_random(seed) % 512);
        blocks[at][0] = (char)i;
        at = at + 1 == live ? 0 : at + 1;
    }
    return result;
}

int main(int argc, char **argv)
{
    const long pairs = bench_argument(argc, argv, 1, 1000000);
    const long live = bench_argument(argc, argv, 2, 10000);
    unsigned seed = 3;
    unsigned long result = 0;

    BENCH_WARM_UP_FIRST(is_measured)
    {
        if (is_measured)
            bench_begin();
        result = run(is_measured ? pairs : 10 * live, live, &seed);
    }
    bench_end(pairs);
    bench_result(result);
    for (long i = 0; i < live; i++)
        free(blocks[i]);
    return 0;
}
