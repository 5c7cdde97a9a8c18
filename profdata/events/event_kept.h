/* event_kept.h -- what a log has by call stack beside the events of its blocks:
 * events and pools of the program, and cells. The runtime kept it until the
 * end.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/set.h"
#include "profdata/events/event_log.h"
#include "profdata/events/event_stacks.h"

/* Cells of the blocks of a call stack, or of its live blocks. */
struct mpdata_event_cells {
    uint32_t stack; /* the key, with the next */
    uint32_t is_live;
    uint64_t size; /* of the histogram, or 0: places */
    size_t first;  /* words */
    size_t count;
};

/* Init it with _init(). */
struct mpdata_event_kept {
    struct mpdata_vec tagged; /* struct mpdata_raw_tagged; node: the stack */
    struct mpdata_vec mibs;   /* struct mprof_mib */
    struct mpdata_set cells;  /* struct mpdata_event_cells */
    struct mpdata_cells_builder words;
    bool is_of_moment; /* leaves out what is of the whole run */
    bool is_there;     /* the log has it */
};

void mpdata_event_kept_init(struct mpdata_event_kept *k);
void mpdata_event_kept_fini(struct mpdata_event_kept *k);
/* Add what a visitor of a log gets. name: index of its string. False without
 * memory. */
bool mpdata_event_kept_tagged(struct mpdata_event_kept *k,
                              const struct mpdata_log_tagged *t, uint32_t name);
bool mpdata_event_kept_cells(struct mpdata_event_kept *k,
                             const struct mpdata_log_cells *cells);
/* Adds the cells of a call stack to its context c: its histogram, or places to
 * `details`. False without memory. */
bool mpdata_event_kept_add(const struct mpdata_event_kept *k, uint32_t stack,
                           bool is_live, struct mpdata_raw_context *c,
                           struct mprof_mib *mib, struct mpdata_vec *details);
/* Says what the log does not have, or NULL. is_whole: it has its end. */
const char *mpdata_event_kept_lacks(const struct mpdata_event_kept *k,
                                    bool is_whole);
/* Moves the rest to a dump. False without memory. */
bool mpdata_event_kept_finish(struct mpdata_event_kept *k,
                              const struct mpdata_event_stacks *stacks,
                              struct mpdata_raw *raw);
