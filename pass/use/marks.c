/* marks.c -- what a matched call is marked with.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/use/marks.h"

#include "pass/bridge/hotness.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define NOTE_BYTES 512
/* Functions are cloned for a pool if the blocks that would lie elsewhere have
 * so many live bytes, and this share of those of the call (docs/explain.md). */
#define CLONE_BYTES_MIN (UINT64_C(512) * 1024)
#define CLONE_SHARE_MIN 0.05

void mpass_marks_set_number(LLVMValueRef call, const char *attribute,
                            uint64_t number)
{
    char text[32];

    snprintf(text, sizeof(text), "%" PRIu64, number);
    mpass_hotness_set_attribute(call, attribute, text);
}

/* The call stacks of a call by pool; 0: without a pool. */
struct by_pool {
    uint64_t bytes[UINT8_MAX + 1];
    uint64_t live[UINT8_MAX + 1]; /* of those left, without cold blocks */
    uint64_t all_live;
    uint64_t cold_live; /* of those left */
    uint32_t hot;
};

static void sum_pools(struct by_pool *sums, const struct mpass_stacks *stacks,
                      const struct mpass_match *match)
{
    *sums = (struct by_pool){.all_live = 0};
    for (uint32_t i = 0; i < match->stack_count; i++) {
        const struct mpass_stack *stack = &stacks->stacks[match->stacks[i]];
        uint64_t *const live = stack->kind == MPASS_STACK_COLD
                                   ? &sums->cold_live
                                   : &sums->live[stack->pool];

        sums->bytes[stack->pool] += stack->bytes;
        sums->all_live += stack->live;
        sums->hot += stack->kind == MPASS_STACK_HOT;
        *live += i < match->left_count ? stack->live : 0;
    }
}

/* Clones for the pool with the most live bytes except that of the call, if that
 * pays, and more than clones for cold blocks. A call whose blocks are all hot
 * keeps this hint. */
static void choose_clone_pool(struct mpass_match *match,
                              const struct by_pool *sums, unsigned pool)
{
    const double least =
        fmax((double)CLONE_BYTES_MIN, CLONE_SHARE_MIN * (double)sums->all_live);
    unsigned other = pool == 0 ? 1 : 0;

    for (unsigned i = 1; i <= UINT8_MAX; i++)
        other = i != pool && sums->live[i] > sums->live[other] ? i : other;
    if ((double)sums->live[other] < least ||
        sums->live[other] <= sums->cold_live ||
        (sums->hot == match->stack_count && (pool == 0 || other == 0)))
        return;
    match->is_for_pool = true;
    match->clone_pool = (uint8_t)other;
    match->clone_bytes = sums->bytes[other];
    mpass_marks_set_number(match->site->call, MPASS_MATCH_CLONE_POOL, other);
    /* -optimize-hot-cold-new would take "cold" at its word. */
    mpass_hotness_forget_new(match->site->call);
}

void mpass_marks_pool(struct mpass_match *match,
                      const struct mpass_stacks *stacks)
{
    struct by_pool sums;
    unsigned most = 0;

    sum_pools(&sums, stacks, match);
    for (unsigned pool = 1; pool <= UINT8_MAX; pool++)
        most = sums.bytes[pool] > sums.bytes[most] ? pool : most;
    if (most != 0)
        mpass_marks_set_number(match->site->call, MPASS_MATCH_POOL, most);
    choose_clone_pool(match, &sums, most);
}

/* The kind of stack that decided the outcome. */
static enum mpass_stack_kind deciding_kind(enum mpass_use_outcome outcome)
{
    if (outcome == MPASS_USE_OUTCOME_HOT)
        return MPASS_STACK_HOT;
    return outcome == MPASS_USE_OUTCOME_NONE ? MPASS_STACK_OTHER
                                             : MPASS_STACK_COLD;
}

void mpass_marks_note(const struct mpass_match *match,
                      const struct mpass_stacks *stacks)
{
    const enum mpass_stack_kind kind = deciding_kind(match->outcome);
    const struct mpass_stack *largest = NULL;
    char note[NOTE_BYTES];
    char pool[32] = "these are for no pool";
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < match->stack_count; i++) {
        const struct mpass_stack *stack = &stacks->stacks[match->stacks[i]];

        bytes += stack->bytes;
        if (stack->kind == kind &&
            (largest == NULL || stack->bytes > largest->bytes))
            largest = stack;
    }
    if (match->clone_pool != 0)
        snprintf(pool, sizeof(pool), "these are for pool %u",
                 (unsigned)match->clone_pool);
    const char *const reason = match->is_for_pool ? pool
                               : largest != NULL  ? largest->reason
                                                  : "";
    snprintf(note, sizeof(note),
             "%" PRIu64 " of %" PRIu64 " bytes from %" PRIu32
             " call stack%s%s%s",
             match->is_for_pool ? match->clone_bytes : match->bytes[kind],
             bytes, match->stack_count, match->stack_count == 1 ? "" : "s",
             *reason == '\0' ? "" : ": ", reason);
    mpass_hotness_set_attribute(match->site->call, MPASS_MATCH_NOTE, note);
    snprintf(note, sizeof(note), "%016" PRIx64, match->id);
    mpass_hotness_set_attribute(match->site->call, MPASS_MATCH_ID, note);
}
