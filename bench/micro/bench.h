/* bench.h -- the measured part of a small program.
 *
 * The code between bench_begin() and bench_end() is measured: CPU time of the
 * process and wall time are printed to stderr. If BENCH_STEPS is set, both
 * functions are only breakpoints, between which bench/steps.c counts
 * instructions. bench_result() prints the result of a program to stdout, so
 * that runs can be compared.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double bench_cpu_ns, bench_wall_ns;
static int bench_is_stepped;

static inline double bench_clock_ns(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline void bench_begin(void)
{
    bench_is_stepped = getenv("BENCH_STEPS") != NULL;
    bench_wall_ns = bench_clock_ns(CLOCK_MONOTONIC);
    bench_cpu_ns = bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (bench_is_stepped)
        __asm__ volatile("int3" ::: "memory");
}

/* ops: number of operations; the time is divided by it. */
static inline void bench_end(long ops)
{
    if (bench_is_stepped)
        __asm__ volatile("int3" ::: "memory");
    const double cpu = bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - bench_cpu_ns;
    const double wall = bench_clock_ns(CLOCK_MONOTONIC) - bench_wall_ns;
    fprintf(stderr, "bench: cpu %.4f wall %.4f ns/op\n", cpu / (double)ops,
            wall / (double)ops);
}

/* Runs the measured code once before measuring, from the same call site,
 * because another call site would be another call stack for the profiler. */
#define BENCH_WARM_UP_FIRST(is_measured)                            \
    _Pragma("clang loop unroll(disable)") for (int is_measured = 0; \
                                               is_measured < 2; is_measured++)

static inline void bench_result(unsigned long result)
{
    printf("result %lu\n", result);
}

/* The number in the program's argument i, or the default. */
static inline long bench_argument(int argc, char **argv, int i, long otherwise)
{
    return argc > i ? atol(argv[i]) : otherwise;
}

/* A fixed pseudo-random sequence. */
static inline unsigned bench_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

#define BENCH_NOINLINE __attribute__((noinline))
/* Used after a recursive call, so that the compiler does not make it a loop. */
#define BENCH_KEEP_FRAME(value) __asm__ volatile("" : "+r"(value))
