/* log_at.h -- what both forms of a log's summary need: the heap over time, and
 * what another tool's log does not have.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/events/event_stats.h"

#define LOG_AT_PEAKS 5u

/* The heap at the end of a step, and what happened since the row before. */
struct log_at {
    uint64_t ns;
    uint64_t bytes;
    uint64_t blocks;
    struct mpdata_event_step since;
};

/* Adds a step; steps come in order. */
void log_at_move(struct log_at *at, const struct mpdata_event_stats *stats,
                 uint32_t i);
/* Steps in a row of the table. */
uint32_t log_at_row_steps(const struct mpdata_event_stats *stats,
                          uint64_t every_ns);
/* The fullest moments, far from each other. Returns their number. */
unsigned log_at_peaks(const struct mpdata_event_stats *stats,
                      struct log_at *peaks);
/* The least size of a class. */
uint64_t log_at_low(unsigned class);
const char *log_at_change(const struct mpdata_log_change *change);
/* Those that allocated most blocks first. */
void log_at_sort_threads(const struct mpdata_event_stats *stats);
/* Calls visit for what another tool's log does not have. */
void log_at_missing(const struct mpdata_log_traits *traits,
                    void (*visit)(void *context, const char *what),
                    void *context);
