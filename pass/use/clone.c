/* clone.c -- cloning by calling context within one module.
 *
 * The growth of the code is bounded in two steps. Before cloning, allocation
 * calls are admitted in the order of cold bytes per cloned instruction, until
 * the functions on their cold stacks fill the budget; then calls that serve
 * several pools likewise: LLVM takes the call stacks of one of them as cold,
 * and the calls in its clones get the hint of this pool. LLVM may make more
 * than one clone of a function, so the clones are counted afterwards. While
 * they exceed the budget, the largest clone is removed together with the clones
 * that only it calls, and its callers call the original function.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/use/steps.h"

#include "pass/bridge/commandline.h"
#include "pass/bridge/hotness.h"
#include "pass/bridge/ir.h"
#include "pass/support/memory.h"
#include "pass/support/numbers.h"
#include "pass/use/copyable.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* LLVM's option: the program has an allocator that takes hints. */
#define HINTS_OPTION "supports-hot-cold-new"

/* -- functions -------------------------------------------------------------- */

struct body {
    LLVMValueRef function;
    uint64_t guid;
    uint64_t instructions;
    uint32_t seen; /* bodies.question when last returned by ask_body() */
    bool is_paid;  /* its clone is already charged to the budget */
};

struct bodies {
    struct body *rows; /* ascending by GUID */
    uint32_t count;
    uint32_t question; /* number of the current cost_of() */
    uint64_t instructions;
};

typedef void visit_call_fn(void *context, LLVMValueRef call);

static void visit_calls(LLVMValueRef function, visit_call_fn *visit,
                        void *context)
{
    MPASS_EACH_INSTRUCTION(inst, function) {
        if (mpass_ir_is_call(inst))
            visit(context, inst);
    }
}

static void visit_all_calls(LLVMModuleRef module, visit_call_fn *visit,
                            void *context)
{
    MPASS_EACH_FUNCTION(function, module)
        visit_calls(function, visit, context);
}

static int compare_bodies(const void *left, const void *right)
{
    const struct body *a = left;
    const struct body *b = right;

    return a->guid < b->guid ? -1 : a->guid > b->guid;
}

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
        bodies->instructions += instructions;
        bodies->rows[bodies->count++] =
            (struct body){.function = function,
                          .guid = mpass_hotness_guid(name, size),
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
    for (uint32_t i = 0; i < match->stack_count; i++) {
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
    for (uint32_t i = 0; i < match->stack_count; i++) {
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

/* Admits calls within the budget, and removes the metadata of all others. False
 * if no call is admitted. */
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

/* -- clones ----------------------------------------------------------------- */

struct clone {
    LLVMValueRef function; /* NULL: deleted */
    uint64_t instructions;
    uint32_t place; /* its number in the order of the module */
    bool is_needed; /* as drop_unused() found */
};

struct clones {
    struct clone *rows;          /* the largest first */
    struct mpass_numbers places; /* row of each function */
    uint32_t count;
    uint64_t instructions; /* of all clones that are not deleted */
};

/* By descending size, then in the order of the module. */
static int compare_clones(const void *left, const void *right)
{
    const struct clone *a = left;
    const struct clone *b = right;

    if (a->instructions != b->instructions)
        return a->instructions > b->instructions ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* The function that contains the use, or NULL. */
static LLVMValueRef user_of(LLVMUseRef use)
{
    LLVMValueRef user = LLVMGetUser(use);

    return LLVMIsAInstruction(user) == NULL ? NULL : mpass_ir_function_of(user);
}

/* False for a clone that is not known to be needed. */
static bool is_needed(const struct clones *clones, LLVMValueRef function)
{
    const unsigned place = mpass_numbers_find(&clones->places, function);

    return place == MPASS_NO_NUMBER || clones->rows[place].is_needed;
}

static bool is_used(const struct clones *clones, LLVMValueRef function)
{
    MPASS_EACH_USE(use, function) {
        if (is_needed(clones, user_of(use)))
            return true;
    }
    return false;
}

static bool is_called_by_clones(LLVMValueRef function)
{
    MPASS_EACH_USE(use, function) {
        LLVMValueRef user = user_of(use);

        if (user != NULL && user != function && mpass_copyable_is_clone(user))
            return true;
    }
    return false;
}

/* Deletes a clone. Callers, if it has any, must be deleted too. */
static void delete_clone(struct clones *clones, struct clone *clone)
{
    LLVMReplaceAllUsesWith(clone->function,
                           LLVMGetPoison(LLVMTypeOf(clone->function)));
    LLVMDeleteFunction(clone->function);
    clone->function = NULL;
    clones->instructions -= clone->instructions;
}

/* Deletes clones that nothing but unneeded clones calls. */
static void drop_unused(struct clones *clones)
{
    bool is_more = true;

    for (uint32_t i = 0; i < clones->count; i++)
        clones->rows[i].is_needed = false;
    while (is_more) {
        is_more = false;
        for (uint32_t i = 0; i < clones->count; i++) {
            struct clone *clone = &clones->rows[i];

            if (clone->function == NULL || clone->is_needed ||
                !is_used(clones, clone->function))
                continue;
            clone->is_needed = true;
            is_more = true;
        }
    }
    for (uint32_t i = 0; i < clones->count; i++) {
        if (clones->rows[i].function != NULL && !clones->rows[i].is_needed)
            delete_clone(clones, &clones->rows[i]);
    }
}

/* Removes a clone: its callers call the original instead, so the blocks that it
 * would allocate get no hints. Chooses the largest clone that no other clone
 * calls, because a clone is useless without the clones that it calls; if there
 * is none, the largest clone. False if no clone can be removed. */
static bool remove_largest(LLVMModuleRef module, struct clones *clones)
{
    struct clone *chosen = NULL;
    bool is_outermost = false;

    for (uint32_t i = 0; i < clones->count && !is_outermost; i++) {
        struct clone *clone = &clones->rows[i];

        if (clone->function == NULL ||
            mpass_copyable_original(module, clone->function) == NULL)
            continue;
        is_outermost = !is_called_by_clones(clone->function);
        if (chosen == NULL || is_outermost)
            chosen = clone;
    }
    if (chosen == NULL)
        return false;
    LLVMReplaceAllUsesWith(chosen->function,
                           mpass_copyable_original(module, chosen->function));
    delete_clone(clones, chosen);
    return true;
}

/* Collects the new clones, which LLVM appends to the module after `last`. */
static struct clones collect_clones(LLVMValueRef last)
{
    struct clones clones = {0};

    for (LLVMValueRef function = LLVMGetNextFunction(last); function != NULL;
         function = LLVMGetNextFunction(function)) {
        const uint64_t instructions = mpass_hotness_instructions(function);

        if (LLVMIsDeclaration(function) || !mpass_copyable_is_clone(function))
            continue;
        mpass_hotness_make_own(function);
        clones.rows = mpass_memory_allocate(clones.rows, clones.count + 1,
                                            sizeof(*clones.rows));
        clones.rows[clones.count] = (struct clone){
            .function = function,
            .instructions = instructions,
            .place = clones.count,
        };
        clones.count++;
        clones.instructions += instructions;
    }
    if (clones.count > 0)
        qsort(clones.rows, clones.count, sizeof(*clones.rows), compare_clones);
    for (uint32_t i = 0; i < clones.count; i++)
        (void)mpass_numbers_of(&clones.places, clones.rows[i].function);
    return clones;
}

/* Gives the new clones internal linkage, so that the linker does not replace
 * them by another module's clones of the same function. Then removes clones
 * beyond the budget. */
static void finalize_clones(LLVMModuleRef module, LLVMValueRef last,
                            uint64_t budget)
{
    struct clones clones = collect_clones(last);

    for (LLVMValueRef alias = LLVMGetFirstGlobalAlias(module); alias != NULL;
         alias = LLVMGetNextGlobalAlias(alias)) {
        if (mpass_copyable_is_clone(alias))
            mpass_hotness_make_own(alias);
    }
    drop_unused(&clones);
    while (clones.instructions > budget && remove_largest(module, &clones))
        drop_unused(&clones);
    mpass_numbers_fini(&clones.places);
    free(clones.rows);
}

/* -- outcome ---------------------------------------------------------------- */

static int compare_ids(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

struct ids {
    uint64_t *rows; /* ascending after sort_ids() */
    uint32_t count;
};

static void add_id(struct ids *ids, uint64_t id)
{
    *MPASS_APPEND(ids->rows, ids->count) = id;
}

static void sort_ids(struct ids *ids)
{
    if (ids->count > 0)
        qsort(ids->rows, ids->count, sizeof(*ids->rows), compare_ids);
}

static bool has_id(const struct ids *ids, uint64_t id)
{
    return ids->count > 0 && bsearch(&id, ids->rows, ids->count,
                                     sizeof(*ids->rows), compare_ids) != NULL;
}

static void collect_cold(void *context, LLVMValueRef call)
{
    const char *id = mpass_hotness_text(call, MPASS_MATCH_ID);

    if (*id != '\0' && strcmp(mpass_hotness_attribute(call), "cold") == 0)
        add_id((struct ids *)context, strtoull(id, NULL, 16));
}

/* Removes the metadata and our attributes. LLVM marks calls whose stacks it
 * could not separate as not cold; marks them as ambiguous, so that a remark is
 * given. */
static void finish_call(void *context, LLVMValueRef call)
{
    const struct ids *mixed = context;
    const char *id = mpass_hotness_text(call, MPASS_MATCH_ID);

    (void)mpass_hotness_strip(call);
    if (*id == '\0')
        return;
    if (has_id(mixed, strtoull(id, NULL, 16)))
        mpass_hotness_set_attribute(call, "memprof", "ambiguous");
    mpass_hotness_remove_text(call, MPASS_MATCH_ID);
}

/* Sets the outcomes of mixed calls: cloned if a clone of the call is cold, or
 * has another pool. */
static void finalize_outcomes(LLVMModuleRef module,
                              struct mpass_matches *matches)
{
    struct ids cold = {0};
    struct ids mixed = {0};

    visit_all_calls(module, collect_cold, &cold);
    sort_ids(&cold);
    for (uint32_t i = 0; i < matches->count; i++) {
        struct mpass_match *match = &matches->rows[i];

        if (match->outcome != MPASS_USE_OUTCOME_MIXED)
            continue;
        match->outcome = match->otherwise;
        if (has_id(&cold, match->id))
            match->outcome = match->is_for_pool ? MPASS_USE_OUTCOME_CLONED_POOL
                                                : MPASS_USE_OUTCOME_CLONED;
        else
            add_id(&mixed, match->id);
    }
    sort_ids(&mixed);
    visit_all_calls(module, finish_call, &mixed);
    free(cold.rows);
    free(mixed.rows);
}

static void run_llvm(LLVMModuleRef module, void *analyses)
{
    const bool was_set = mpass_commandline_get_BOOL(HINTS_OPTION, false);

    mpass_commandline_set_BOOL(HINTS_OPTION, true);
    mpass_hotness_clone(module, analyses);
    mpass_commandline_set_BOOL(HINTS_OPTION, was_set);
}

void mpass_clone_run(LLVMModuleRef module, void *analyses,
                     struct mpass_matches *matches,
                     const struct mpass_stacks *stacks, int percent)
{
    struct bodies bodies;

    collect_bodies(&bodies, module);
    uint64_t budget =
        percent <= 0 ? 0 : bodies.instructions / 100 * (uint64_t)percent;
    if (percent > 0 && budget < MPASS_CLONE_FREE_INSTRUCTIONS)
        budget = MPASS_CLONE_FREE_INSTRUCTIONS;
    if (admit(matches, &bodies, stacks, budget)) {
        LLVMValueRef last = LLVMGetLastFunction(module);

        run_llvm(module, analyses);
        finalize_clones(module, last, budget);
    }
    finalize_outcomes(module, matches);
    free(bodies.rows);
}

void mpass_clone_agree(struct mpass_matches *matches,
                       const struct mpass_stacks *stacks)
{
    struct bodies none = {.rows = mpass_memory_allocate(NULL, 0, 1)};

    admit(matches, &none, stacks, UINT64_MAX);
    free(none.rows);
}
