/* block_fold.h -- the blocks of another tool's log: single beginnings and ends
 * become what a profile keeps of them. Call stacks are the caller's numbers
 * until the end.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/set.h"
#include "profdata/events/event_choice.h"
#include "profdata/events/event_live.h"
#include "profdata/model/profile.h"

/* Init it with _init(). */
struct mpdata_block_fold {
    struct mpdata_set rows;  /* by call stack */
    struct mpdata_set links; /* ended blocks, by both call stacks */
    struct mpdata_event_live live;
    /* NULL, or which blocks count; then times are those of the choice, and
     * lifetimes are not kept. */
    const struct mpdata_event_choice *choice;
    uint64_t ns;    /* time of the next events */
    uint64_t bytes; /* alive */
    uint64_t most;
    uint64_t most_ns;
    uint64_t last;  /* address of the last beginning */
    uint32_t peak;  /* number of the last one */
    bool is_rising; /* the next end tells that this was a peak */
    bool has_last;
    bool failed; /* no memory */
};

void mpdata_block_fold_init(struct mpdata_block_fold *fold);
void mpdata_block_fold_fini(struct mpdata_block_fold *fold);
/* A block begins. One that is alive at the address ended without notice. */
void mpdata_block_fold_begin(struct mpdata_block_fold *fold, uint64_t address,
                             uint64_t size, uint32_t stack);
/* The block at the address ends, by the call stack. kind: FREE, or
 * REALLOC if a block of `size` bytes replaces it. */
void mpdata_block_fold_end(struct mpdata_block_fold *fold, uint64_t address,
                           uint32_t stack, enum mprof_detail_kind kind,
                           uint64_t size);
/* Adds all blocks to the profile; those without an end are alive. nodes: by
 * call stack. False without memory. */
bool mpdata_block_fold_finish(struct mpdata_block_fold *fold,
                              struct mpdata_profile *profile,
                              const mpdata_ref *nodes);
