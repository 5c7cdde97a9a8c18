/* run_columns.h -- the column of the RUNS section for each member of struct
 * mpdata_run, for the writer and the reader.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/resident_format.h"

/* X(COLUMN, member, kind); the kinds are those of json/json_form.h. */
#define MPDATA_INDEX_RUN_COLUMNS(X)                     \
    X(RUN_ID, run_id, ID)                               \
    X(COUNT, count, NUMBER)                             \
    X(KIND, kind, KIND)                                 \
    X(PID, pid, NUMBER)                                 \
    X(START_NS, start_ns, NUMBER)                       \
    X(DURATION_NS, duration_ns, NUMBER)                 \
    X(CLOCK_RESOLUTION_NS, clock_resolution_ns, NUMBER) \
    X(TRUNCATED_STACKS, truncated_stacks, NUMBER)       \
    X(DROPPED_BLOCKS, dropped_blocks, NUMBER)           \
    X(EXECUTABLE, executable, PATH)                     \
    X(HOST, host, STRING)                               \
    X(OPTIONS, options, STRING)                         \
    X(TOOL, tool, STRING)                               \
    X(CELL_BYTES, cell_bytes, NUMBER)                   \
    X(OWN_MEMORY_BYTES, own_memory_bytes, NUMBER)       \
    X(FOREIGN_FREES, foreign_frees, NUMBER)             \
    X(STACK_DEPTH_MAX, stack_depth_max, NUMBER)         \
    X(OWN_TIME_NS, own_time_ns, NUMBER)                 \
    X(TIMED_CALLS, timed_calls, NUMBER)                 \
    X(CONTEXTS, contexts, NUMBER)                       \
    X(EPOCH, epoch, NUMBER)                             \
    X(DUMP, dump, NUMBER)                               \
    X(LIVE, has_live, BIT)                              \
    X(HANDLER_JUMPS, handler_jumps, NUMBER)             \
    X(PEAK_BYTES, peak_bytes, NUMBER)                   \
    X(PEAK_NS, peak_ns, NUMBER)                         \
    X(SAMPLE_PERIOD, sample_period_bytes, NUMBER)       \
    X(ACCESS_PERIOD, access_period, NUMBER)             \
    X(BURSTS, bursts, NUMBER)                           \
    X(CONTEXT_CHECKS, context_checks, NUMBER)           \
    X(CONTEXT_DIFFERENCES, context_differences, NUMBER) \
    X(KNOWN_LEAKS, known_leaks, STRING)                 \
    X(OTHER_MALLOC, has_other_malloc, BIT)              \
    X(MIDDLE, is_middle, BIT)                           \
    X(ALIVE_NS, alive_ns, NUMBER)                       \
    X(AFTER_NS, after_ns, NUMBER)                       \
    MPROF_RESIDENT(MPDATA_INDEX_RUN_RESIDENT_, X)
#define MPDATA_INDEX_RUN_RESIDENT_(X, tag, NAME, member, help) \
    X(NAME, member, NUMBER)
