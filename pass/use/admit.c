/* admit.c -- chooses the calls to clone for, within the budget.
 *
 * Allocation calls are admitted in the order of cold bytes per cloned
 * instruction, until the functions on their cold stacks fill the budget; then
 * those for a pool likewise.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/use/steps.h"

#include "pass/bridge/hotness.h"
#include "pass/bridge/ir.h"
#include "pass/support/memory.h"

#include <stdlib.h>
#include <string.h>

/* -- functions -------------------------------------------------------------- */

struct body {
    uint64_t guid;
    uint64_t instructions;
    uint32_t seen; /* bodies.question when last returned by ask_body() */
    bool is_paid;  /* its clone is already charged to the budget */
};

struct bodies {
    struct body *rows; /* ascending by GUID */
    uint32_t count;
    uint32_t question; /* number of the current cost_of() */
};

MPROF_COMPARATOR(compare_bodies, struct body, MPROF_UP(guid))

static void collect_bodies(struct bodies *bodies, LLVMModuleRef module)
{
    uint32_t room = 0;

    MPASS_EACH_FUNCTION(function, module)
        room += !LLVMIsDeclaration(function);
    *bodies = (struct bodies){
        .rows = mpass_memory_allocate(NULL, room, sizeof(*bodies->rows))};
    MPASS_EACH_FUNCTION(function, module) {
        size_t size;
        const char *name = LLVMGetValueName2(function, &size);
        const uint64_t instructions = mpass_hotness_instructions(function);

        if (LLVMIsDeclaration(function))
            continue;
        bodies->rows[bodies->count++] =
            (struct body){.guid = mpass_hotness_guid(name, size),
                          .instructions = instructions};
    }
    qsort(bodies->rows, bodies->count, sizeof(*bodies->rows), compare_bodies);
}

/* The body of a function; NULL if there is none, or if the current question has
 * returned it before. */
static struct body *ask_body(struct bodies *bodies, uint64_t guid)
{
    const struct body key = {.guid = guid};
    struct body *body = bsearch(&key, bodies->rows, bodies->count,
                                sizeof(*bodies->rows), compare_bodies);

    if (body == NULL || body->seen == bodies->question)
        return NULL;
    body->seen = bodies->question;
    return body;
}

/* -- cost ------------------------------------------------------------------- */

/* Instructions of the bodies that have to be cloned for the match and are not
 * paid yet: the functions of all frames that distinguish cold stacks, except
 * the last one, which calls the clone. With `pay`, marks them as paid. */
static uint64_t cost_of(struct bodies *bodies, const struct mpass_match *match,
                        const struct mpass_stacks *stacks, bool pay)
{
    const uint32_t depth = mpass_hotness_cold_depth(match->site->call);
    uint64_t cost = 0;

    bodies->question++;
    for (uint32_t i = 0; i < match->left_count; i++) {
        const struct mpass_stack *stack = &stacks->stacks[match->stacks[i]];
        uint32_t frame = 1;

        if (!mpass_match_is_cloned_for(match, stack))
            continue;
        for (uint32_t node = stack->node + 1; node != 0 && frame < depth;
             node = stacks->nodes[node - 1].parent, frame++) {
            const uint32_t place = stacks->nodes[node - 1].place;
            struct body *body =
                place == 0 ? NULL
                           : ask_body(bodies, stacks->places[place - 1].guid);

            if (body == NULL || body->is_paid)
                continue;
            cost += body->instructions;
            body->is_paid = pay;
        }
    }
    return cost;
}

/* -- agreement --------------------------------------------------------------- */

/* LLVM chooses one clone for each call of a cloned function, whatever is
 * allocated there. If two allocation calls need clones of one function for
 * different callers, one of them would get the other's hints. So two calls are
 * both admitted only if they agree: each node that calls a function cloned for
 * both must have the same kinds of stacks (cold, other or both). LLVM 19 makes
 * no separate clones for different callers that reach the function through one
 * location, so there locations must agree instead of nodes. */
enum { KIND_COLD = 1, KIND_OTHER = 2 };

struct votes {
    uint8_t *kinds;  /* by node: kinds for the admitted matches */
    uint8_t *own;    /* by node: kinds for the current match */
    uint32_t *nodes; /* nodes with `own` */
    uint32_t count;
};

static uint32_t voter(const struct mpass_stacks *stacks, uint32_t node)
{
    return mpass_hotness_copies_for_callers() ? node
                                              : stacks->nodes[node].place;
}

static void vote(struct votes *votes, uint32_t node, uint8_t kind)
{
    if (votes->own[node] == 0)
        votes->nodes[votes->count++] = node;
    votes->own[node] |= kind;
}

static void collect_votes(struct votes *votes, const struct mpass_match *match,
                          const struct mpass_stacks *stacks)
{
    const uint32_t depth = mpass_hotness_cold_depth(match->site->call);

    votes->count = 0;
    for (uint32_t i = 0; i < match->left_count; i++) {
        const struct mpass_stack *stack = &stacks->stacks[match->stacks[i]];
        uint32_t node = stacks->nodes[stack->node].parent;

        for (uint32_t frame = 1; node != 0 && frame < depth; frame++) {
            vote(votes, voter(stacks, node - 1),
                 mpass_match_is_cloned_for(match, stack) ? KIND_COLD
                                                         : KIND_OTHER);
            node = stacks->nodes[node - 1].parent;
        }
    }
}

/* True if the match agrees with all admitted ones; then admits it. */
static bool agrees(struct votes *votes, const struct mpass_match *match,
                   const struct mpass_stacks *stacks)
{
    bool agreed = true;

    collect_votes(votes, match, stacks);
    for (uint32_t i = 0; i < votes->count; i++) {
        const uint32_t node = votes->nodes[i];

        agreed &=
            votes->kinds[node] == 0 || votes->kinds[node] == votes->own[node];
    }
    for (uint32_t i = 0; i < votes->count; i++) {
        const uint32_t node = votes->nodes[i];

        if (agreed)
            votes->kinds[node] = votes->own[node];
        votes->own[node] = 0;
    }
    return agreed;
}

/* Indexed by voter(); numbers of locations start at 1. */
static struct votes make_votes(const struct mpass_stacks *stacks)
{
    const uint32_t count = stacks->node_count > stacks->place_count
                               ? stacks->node_count
                               : stacks->place_count + 1;
    struct votes votes = {
        .kinds = mpass_memory_allocate(NULL, count, 1),
        .own = mpass_memory_allocate(NULL, count, 1),
        .nodes = mpass_memory_allocate(NULL, count, sizeof(*votes.nodes))};

    memset(votes.kinds, 0, count);
    memset(votes.own, 0, count);
    return votes;
}

static void free_votes(struct votes *votes)
{
    free(votes->kinds);
    free(votes->own);
    free(votes->nodes);
}

/* -- admission, in the order of the gain --------------------------------------- */

struct candidate {
    struct mpass_match *match;
    double gain; /* bytes to clone for, per cloned instruction */
};

/* Those for cold blocks first, by descending gain, then in the order of the
 * matches. */
static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left;
    const struct candidate *b = right;

    if (a->match->is_for_pool != b->match->is_for_pool)
        return a->match->is_for_pool ? 1 : -1;
    if (a->gain != b->gain)
        return a->gain > b->gain ? -1 : 1;
    return a->match < b->match ? -1 : a->match > b->match;
}

static bool admit(struct mpass_matches *matches, struct bodies *bodies,
                  const struct mpass_stacks *stacks, uint64_t budget)
{
    struct candidate *order =
        mpass_memory_allocate(NULL, matches->count, sizeof(*order));
    struct votes votes = make_votes(stacks);
    uint32_t count = 0;
    bool any = false;

    for (uint32_t i = 0; i < matches->count; i++) {
        struct mpass_match *match = &matches->rows[i];

        if (match->outcome == MPASS_USE_OUTCOME_MIXED)
            order[count++] = (struct candidate){
                .match = match,
                .gain = (double)match->clone_bytes /
                        (double)(cost_of(bodies, match, stacks, false) + 1)};
    }
    qsort(order, count, sizeof(*order), compare_candidates);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t cost = cost_of(bodies, order[i].match, stacks, false);

        if (cost > budget || !agrees(&votes, order[i].match, stacks)) {
            (void)mpass_hotness_strip(order[i].match->site->call);
            continue;
        }
        budget -= cost_of(bodies, order[i].match, stacks, true);
        any = true;
    }
    free_votes(&votes);
    free(order);
    return any;
}

bool mpass_admit_run(LLVMModuleRef module, struct mpass_matches *matches,
                     const struct mpass_stacks *stacks, uint64_t budget)
{
    struct bodies bodies;

    collect_bodies(&bodies, module);
    const bool any = admit(matches, &bodies, stacks, budget);
    free(bodies.rows);
    return any;
}

void mpass_admit_agree(struct mpass_matches *matches,
                       const struct mpass_stacks *stacks)
{
    struct bodies none = {.rows = mpass_memory_allocate(NULL, 0, 1)};

    (void)admit(matches, &none, stacks, UINT64_MAX);
    free(none.rows);
}
