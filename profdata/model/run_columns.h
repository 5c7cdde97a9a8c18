/* run_columns.h -- which column of the RUNS section holds which member of
 * struct mpdata_run, for the writer and the reader.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_RUN_COLUMNS_H
#define MPDATA_RUN_COLUMNS_H

/* X(COLUMN, member) */
#define MPDATA_INDEX_RUN_COLUMNS(X)             \
    X(RUN_ID, run_id)                           \
    X(COUNT, count)                             \
    X(KIND, kind)                               \
    X(PID, pid)                                 \
    X(START_NS, start_ns)                       \
    X(DURATION_NS, duration_ns)                 \
    X(CLOCK_RESOLUTION_NS, clock_resolution_ns) \
    X(TRUNCATED_STACKS, truncated_stacks)       \
    X(DROPPED_BLOCKS, dropped_blocks)           \
    X(EXECUTABLE, executable)                   \
    X(HOST, host)                               \
    X(OPTIONS, options)                         \
    X(TOOL, tool)                               \
    X(CELL_BYTES, cell_bytes)                   \
    X(OWN_MEMORY_BYTES, own_memory_bytes)       \
    X(FOREIGN_FREES, foreign_frees)             \
    X(STACK_DEPTH_MAX, stack_depth_max)         \
    X(OWN_TIME_NS, own_time_ns)                 \
    X(TIMED_CALLS, timed_calls)                 \
    X(CONTEXTS, contexts)                       \
    X(EPOCH, epoch)                             \
    X(DUMP, dump)                               \
    X(LIVE, has_live)                           \
    X(HANDLER_JUMPS, handler_jumps)             \
    X(PEAK_BYTES, peak_bytes)                   \
    X(PEAK_NS, peak_ns)                         \
    X(SAMPLE_PERIOD, sample_period_bytes)       \
    X(CONTEXT_CHECKS, context_checks)           \
    X(CONTEXT_DIFFERENCES, context_differences) \
    X(KNOWN_LEAKS, known_leaks)                 \
    X(OTHER_MALLOC, has_other_malloc)           \
    X(MIDDLE, is_middle)

/* Those that are strings. */
#define MPDATA_INDEX_RUN_STRINGS(X) \
    X(HOST, host)                   \
    X(OPTIONS, options)             \
    X(TOOL, tool)                   \
    X(KNOWN_LEAKS, known_leaks)

#endif
