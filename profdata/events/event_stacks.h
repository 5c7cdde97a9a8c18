/* event_stacks.h -- the call stacks of a log, in order.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/events/event_frames.h"

struct mpdata_event_stack {
    uint32_t flags;
    mpdata_ref node;        /* of the innermost frame */
    struct mpdata_str name; /* of the program's events here */
};

/* Init it with _init(). */
struct mpdata_event_stacks {
    struct mpdata_event_frames frames;
    struct mpdata_vec rows;  /* struct mpdata_event_stack */
    struct mpdata_vec nodes; /* struct mpdata_raw_node */
    struct mpdata_vec last;  /* mpdata_ref, nodes of the one that is read */
};

void mpdata_event_stacks_init(struct mpdata_event_stacks *s);
void mpdata_event_stacks_fini(struct mpdata_event_stacks *s);
struct mpdata_event_stack *
mpdata_event_stacks_at(const struct mpdata_event_stacks *s, uint32_t i);
/* Adds a call stack: the outermost `shared` frames of the one before, then
 * those of _frame(). The first one of a block shares 0. False without memory.
 */
bool mpdata_event_stacks_begin(struct mpdata_event_stacks *s, uint32_t flags,
                               uint32_t shared);
bool mpdata_event_stacks_frame(struct mpdata_event_stacks *s,
                               const struct mpdata_log_frame *frame);
bool mpdata_event_stacks_name(struct mpdata_event_stacks *s, uint32_t i,
                              struct mpdata_str name);
/* Copies binaries, frames and nodes to *raw. False without memory. */
bool mpdata_event_stacks_finish(struct mpdata_event_stacks *s,
                                struct mpdata_raw *raw);
/* Moves a vector to an array of a dump. False without memory. */
bool mpdata_event_stacks_move(struct mpdata_vec *from, void *to,
                              uint32_t *count);
