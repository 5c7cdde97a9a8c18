/* match.h -- finds a module's calls on the call stacks of a profile, and
 * attaches hotness to them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/use/moved.h"
#include "pass/use/use.h"

/* In the order of shared/use_log.inc. */
enum mpass_use_outcome {
#define MPROF_USE_OUTCOME(id, word, help) MPASS_USE_OUTCOME_##id,
#include "shared/use_log.inc"
};

/* String attributes of a matched call: the reason of its hint, its id, the pool
 * for its blocks, and the pool in clones, where the call is "cold" for LLVM. */
#define MPASS_MATCH_NOTE "memprof-note"
#define MPASS_MATCH_POOL "memprof-pool"
#define MPASS_MATCH_CLONE_POOL "memprof-clone-pool"
#define MPASS_MATCH_ID "memprof-site"

/* An allocation call that is on call stacks of the profile. */
struct mpass_match {
    const struct mpass_site *site;
    uint64_t id;      /* hash of its frames */
    uint32_t *stacks; /* its call stacks in the profile */
    uint32_t stack_count;
    uint32_t left_count; /* the first of them: not yet tried to clone for */
    uint64_t bytes[MPASS_STACK_KINDS]; /* allocated, by kind of call stack */
    enum mpass_use_outcome outcome;    /* MIXED: has metadata for cloning */
    /* Functions are cloned for the call stacks of a pool, not for cold ones. */
    bool is_for_pool;
    uint8_t clone_pool;               /* 0: those without a pool */
    uint64_t clone_bytes;             /* allocated by the stacks to clone for */
    enum mpass_use_outcome otherwise; /* the outcome if nothing is cloned */
    bool is_open; /* has call stacks to clone for, left or just tried */
};

struct mpass_matches {
    struct mpass_match *rows;
    uint32_t count;
};

/* Are functions cloned for this call stack of the match? */
static inline bool mpass_match_is_cloned_for(const struct mpass_match *match,
                                             const struct mpass_stack *stack)
{
    return match->is_for_pool ? stack->pool == match->clone_pool
                              : stack->kind == MPASS_STACK_COLD;
}

/* What calls are matched with. */
struct mpass_match_input {
    const struct mpass_stacks *stacks;
    const struct mpass_sites *sites;
    const struct mpass_moved *moved;
    bool with_hot; /* false: hot call stacks are neither hot nor cold */
    mpass_use_dense_fn *dense; /* NULL: no blocks are dense */
};

/* Matches all calls, and attaches attributes or metadata to them. The caller
 * calls fini. */
void mpass_match_run(struct mpass_matches *matches,
                     const struct mpass_match_input *input);
/* After cloning: attaches metadata for the next kind of call stacks to clone
 * for, the blocks of a further pool or cold ones. False if no call has a next
 * kind. */
bool mpass_match_next(struct mpass_matches *matches,
                      const struct mpass_match_input *input);
/* After all cloning: the hint of a call that has clones is for what is left. */
void mpass_match_note_rest(const struct mpass_matches *matches);
void mpass_match_fini(struct mpass_matches *matches);
