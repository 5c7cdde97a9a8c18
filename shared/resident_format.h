/* resident_format.h -- what the resident memory of a run consists of: facts in
 * META of raw profiles, columns of RUNS in indexed ones, at the run's highest
 * reading (PEAK) and at the dump (END).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

/* Y(X, number, NAME, name, text); X is passed through. */
#define MPROF_RESIDENT_KINDS(Y, X, base, M, m, when)                     \
    Y(X, base + 0, M##_BLOCKS, m##_blocks, when "live heap blocks")      \
    Y(X, base + 1, M##_HELD, m##_held, when "held by the allocator")     \
    Y(X, base + 2, M##_MAPPED, m##_mapped, when "mapped by the program") \
    Y(X, base + 3, M##_STACKS, m##_stacks, when "stacks")                \
    Y(X, base + 4, M##_CODE, m##_code, when "code and data")             \
    Y(X, base + 5, M##_SHARED, m##_shared, when "shared")                \
    Y(X, base + 6, M##_PROFILER, m##_profiler, when "the profiler")      \
    Y(X, base + 7, M##_OTHER, m##_other, when "other")
#define MPROF_RESIDENT_PEAK(Y, X)                      \
    MPROF_RESIDENT_KINDS(Y, X, 90, RSS_PEAK, rss_peak, \
                         "resident at the highest reading: ")
#define MPROF_RESIDENT_END(Y, X) \
    MPROF_RESIDENT_KINDS(Y, X, 100, RSS_END, rss_end, "resident at the dump: ")
#define MPROF_RESIDENT(Y, X)  \
    MPROF_RESIDENT_PEAK(Y, X) \
    MPROF_RESIDENT_END(Y, X)  \
    Y(X, 110, RSS_HIGHEST, rss_highest, "most resident memory, by the kernel")

/* The kinds, numbered from 0. */
enum mprof_resident_kind {
#define Y(X, number, name, member, text) name,
    MPROF_RESIDENT_KINDS(Y, , 0, MPROF_RESIDENT, resident, "")
#undef Y
        MPROF_RESIDENT_COUNT
};
