/* plan.h -- plans the updates of counters that count the accesses of a
 * function.
 *
 * Terms of this folder:
 *
 *   access       a counted instruction: counts one, or one per lane or word
 *   origin       the base pointer that a pointer is computed from
 *   barrier      an instruction before which pending accesses must be counted:
 *                it may free the block, or may not return
 *   segment      the instructions of a basic block between two barriers
 *   node         accesses of one origin in one segment: all execute, or none
 *   update       one addition to a counter
 *   accumulator  a pending count in a register, and the address to count it at
 *   may          the accumulator may hold counts, on some path to this point
 *   must         an access certainly came before, on all paths to this point;
 *                so the accumulator has a valid address
 *   edge         a control flow edge on which an accumulator is flushed
 *   weight       the most accesses of the source that one addition represents
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/collect/access.h"

/* One addition to a counter, inserted before `before`: `count` accesses of
 * `bytes` bytes in total, at the address of `access`. */
struct mpass_update {
    const struct mpass_access *access;
    LLVMValueRef before;
    uint64_t count;
    uint64_t bytes;
    unsigned accumulator; /* or MPASS_NO_NUMBER: add to the counter directly */
    bool may_before;      /* the accumulator may already hold counts */
    bool must_before;     /* ... and certainly has an address */
    bool may_after;       /* the accumulator keeps these counts */
};

/* Pending counts of accesses of one origin; if reads and writes are counted
 * separately, of one kind. */
struct mpass_accumulator {
    bool is_write;
};

/* Empties an accumulator before a terminator. */
struct mpass_start {
    LLVMValueRef terminator;
    unsigned accumulator;
};

/* A control flow edge on which an accumulator is flushed. */
struct mpass_edge {
    LLVMValueRef terminator; /* NULL: at the start of `to`, for all its edges */
    LLVMBasicBlockRef to;
    unsigned from_number; /* MPASS_NO_NUMBER without a terminator */
    unsigned to_number;
    unsigned accumulator;
    bool must; /* an access certainly came before */
    /* An address that was accessed whenever the count is not 0. NULL for all
     * edges of an accumulator: the address is tracked at run time. */
    LLVMValueRef address;
    /* 0: flush whenever control takes the edge. Otherwise a back edge of a loop
     * that keeps the accumulator and flushes it rarely; the weight is the most
     * accesses that one iteration adds. At most MPROF_PASS_MERGE_ITERATIONS_MAX
     * may be pending. */
    uint64_t weight;
    uint64_t lanes; /* the most accesses that an addition of 1 represents */
};

/* A node: see above. */
struct mpass_node {
    const struct mpass_access *access; /* the first access */
    uint64_t count;                    /* sum over all accesses */
    uint64_t bytes;
    uint64_t weight;  /* as count, but each vector element counts one */
    unsigned block;   /* number of the basic block */
    unsigned segment; /* number of barriers before it in the block */
    bool may_before;  /* as in struct mpass_update */
    bool must_before;
    bool may_after;
};

/* Initialize with {0}; owns its arrays. */
struct mpass_plan {
    struct mpass_access *accesses;
    size_t access_count;
    size_t access_capacity;
    struct mpass_update *updates;
    size_t update_count;
    struct mpass_accumulator *accumulators;
    size_t accumulator_count;
    struct mpass_start *starts;
    size_t start_count;
    struct mpass_edge *edges;
    size_t edge_count;
};

/* True if the options ask to count the object of the access. */
bool mpass_plan_is_wanted(struct mpass_context *context,
                          const struct mpass_access *access);

/* Appends an access. If reads and writes are counted separately, an access that
 * does both becomes two. The plan must not have updates yet. */
void mpass_plan_add(const struct mpass_context *context,
                    struct mpass_plan *plan, const struct mpass_access *access);

/* Appends an access that has an address and a type, unless it is not counted
 * (mpass_access_finish()). */
static inline void mpass_plan_one(const struct mpass_context *context,
                                  struct mpass_plan *plan,
                                  struct mpass_access *access)
{
    mpass_access_finish(context, access);
    if (access->kind != MPASS_ACCESS_NONE)
        mpass_plan_add(context, plan, access);
}

/* Decides which updates count the accesses. After any execution of the
 * function, the total of each block is the same as if each access had been
 * counted separately. */
void mpass_plan_make(struct mpass_plan *plan, struct mpass_context *context);

void mpass_plan_fini(struct mpass_plan *plan);
