/* bench.h -- the measured part of a small program.
 *
 * Between bench_begin() and bench_end() lies what is measured: CPU time of the
 * process and wall time, printed on stderr, or, where BENCH_STEPS is set,
 * nothing but two breakpoints, between which bench/steps.c counts instructions.
 * What a program computes goes to stdout through bench_result(), so that runs
 * can be compared.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BENCH_H
#define BENCH_H

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

/* ops: what the time is divided by. */
static inline void bench_end(long ops)
{
    if (bench_is_stepped)
        __asm__ volatile("int3" ::: "memory");
    const double cpu = bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - bench_cpu_ns;
    const double wall = bench_clock_ns(CLOCK_MONOTONIC) - bench_wall_ns;
    fprintf(stderr, "bench: cpu %.4f wall %.4f ns/op\n", cpu / (double)ops,
            wall / (double)ops);
}

/* What is measured is run before, from the same place: for the profiler another
 * place is another call stack. */
#define BENCH_WARM_UP_FIRST(is_measured)                            \
    _Pragma("clang loop unroll(disable)") for (int is_measured = 0; \
                                               is_measured < 2; is_measured++)

static inline void bench_result(unsigned long result)
{
    printf("result %lu\n", result);
}

/* The number that is the program's argument i, or what it is without one. */
static inline long bench_argument(int argc, char **argv, int i, long otherwise)
{
    return argc > i ? atol(argv[i]) : otherwise;
}

/* A fixed sequence of numbers that look random. */
static inline unsigned bench_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

#define BENCH_NOINLINE __attribute__((noinline))
/* After a recursive call: keeps the compiler from making it a loop. */
#define BENCH_KEEP_FRAME(value) __asm__ volatile("" : "+r"(value))

#endif
