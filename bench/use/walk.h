/* walk.h -- what a walk costs: time, and the pages that it touches.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <stdio.h>
#include <time.h>

static inline double walk_now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* The kernel forgets which pages were referenced. */
static inline void walk_forget_pages(void)
{
    FILE *const file = fopen("/proc/self/clear_refs", "w");

    if (file == NULL)
        return;
    fputs("1", file);
    fclose(file);
}

static inline long walk_referenced_kib(void)
{
    FILE *const file = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    long kib = 0;

    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        sscanf(line, "Referenced: %ld", &kib);
    if (file != NULL)
        fclose(file);
    return kib;
}

/* The line that bench/measure.py reads. */
static inline void walk_report(double us, unsigned long sum)
{
    fprintf(stderr, "bench: walk %.0f pages %ld\n", us,
            walk_referenced_kib() / 4);
    printf("%lu\n", sum);
}
