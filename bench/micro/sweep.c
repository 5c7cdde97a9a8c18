/* sweep.c -- counting only: reads and writes every element of a 16 MiB array.
 *
 * usage: sweep SWEEPS ELEMENTS
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench/micro/bench.h"

BENCH_NOINLINE static void sweep(int *a, long n, int by)
{
    for (long i = 0; i < n; i++)
        a[i] += by;
}

int main(int argc, char **argv)
{
    const long sweeps = bench_argument(argc, argv, 1, 500);
    const long n = bench_argument(argc, argv, 2, 4l << 20);
    int *const a = (int *)calloc((size_t)n, sizeof(*a));
    unsigned long result = 0;

    sweep(a, n, 1);
    bench_begin();
    for (long s = 0; s < sweeps; s++)
        sweep(a, n, (int)s);
    bench_end(sweeps * n);
    for (long i = 0; i < n; i += 1001)
        result += (unsigned)a[i];
    bench_result(result);
    free(a);
    return 0;
}
