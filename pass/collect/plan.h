/* plan.h -- from the accesses of a function to the updates of counters that
 * count them.
 *
 * Words of this folder:
 *
 *   access       an instruction that counts: once, or once a lane or word
 *   origin       the base pointer that a pointer is computed from
 *   barrier      what accesses must be counted before: the block may be gone
 *                afterwards, or the thread
 *   segment      the instructions of a basic block between two barriers
 *   node         accesses of one origin in one segment: all execute, or none
 *   update       one addition to a counter
 *   accumulator  a count in a register, and the address that it is for
 *   may          on some path here: the accumulator may hold counts
 *   must         on all paths here: an access came before, so that the
 *                accumulator certainly has an address
 *   edge         of the control flow, where an accumulator is flushed
 *   weight       the most accesses of the source that one addition stands for
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_PLAN_H
#define MPASS_PLAN_H

#include "pass/collect/access.h"

/* One change of a counter: `access` counts `count` times, with `bytes` in all,
 * before `before`. */
struct mpass_update {
    const struct mpass_access *access;
    LLVMValueRef before;
    uint64_t count;
    uint64_t bytes;
    unsigned accumulator; /* or MPASS_NO_NUMBER: straight to the counter */
    bool may_before;      /* the accumulator may hold counts already */
    bool must_before;     /* ... and certainly has an address */
    bool may_after;       /* ... is to hold these */
};

/* Counts for the blocks that pointers of one origin point into; where reads and
 * writes are counted apart, of one of them. */
struct mpass_accumulator {
    bool is_write;
};

/* Where an accumulator is set to hold nothing: before a terminator. */
struct mpass_start {
    LLVMValueRef terminator;
    unsigned accumulator;
};

/* An edge of the control flow on which an accumulator is flushed. */
struct mpass_edge {
    LLVMValueRef terminator; /* NULL: where `to` starts, from wherever */
    LLVMBasicBlockRef to;
    unsigned from_number; /* MPASS_NO_NUMBER without a terminator */
    unsigned to_number;
    unsigned accumulator;
    bool must; /* an access came before, on all paths here */
    /* One that was accessed whenever the count is not 0, or NULL, for all of an
     * accumulator: then it is noted at run time. */
    LLVMValueRef address;
    /* 0, or flushed now and then only: how much taking the edge may add, in
     * accesses, of which MPROF_PASS_MERGE_ITERATIONS_MAX may wait. */
    uint64_t weight;
    uint64_t lanes; /* the most that an addition of 1 may stand for */
};

/* Accesses to one object, in one direction where these are counted apart, that
 * execute all or not at all. */
struct mpass_node {
    const struct mpass_access *access; /* the first */
    uint64_t count;                    /* of all */
    uint64_t bytes;
    uint64_t weight;  /* the same, each element of a vector for itself */
    unsigned block;   /* number */
    unsigned segment; /* barriers of the block before it */
    bool may_before;  /* as in struct mpass_update */
    bool must_before;
    bool may_after;
};

/* All arrays hold malloc()ed memory, freed with mpass_plan_fini(). */
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

/* True if the options ask to count what the access touches. */
bool mpass_plan_is_wanted(struct mpass_context *context,
                          const struct mpass_access *access);

/* Appends an access; where reads and writes are counted apart, one that does
 * both is two. The plan must hold no updates yet. */
void mpass_plan_add(const struct mpass_context *context,
                    struct mpass_plan *plan, const struct mpass_access *access);

/* Decides which updates count the accesses. Every execution of the function
 * must leave the counters as if each access had counted by itself. */
void mpass_plan_make(struct mpass_plan *plan, struct mpass_context *context);

void mpass_plan_fini(struct mpass_plan *plan);

#endif
