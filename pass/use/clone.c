/* clone.c -- cloning by calling context within one module.
 *
 * LLVM knows cold call stacks and others. For the blocks of a pool, it takes
 * the call stacks of this pool as cold, and the calls in its clones get the
 * hint of the pool. A call that serves several pools is cloned for in as many
 * runs.
 *
 * The growth of the code is bounded in two steps. Before cloning, calls are
 * admitted by the size of the functions to clone (admit.c). LLVM may make more
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
MPROF_COMPARATOR(compare_clones, struct clone,
                 MPROF_DOWN(instructions) ?: MPROF_UP(place))

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
 * beyond the budget. Returns what remains of the budget. */
static uint64_t finalize_clones(LLVMModuleRef module, LLVMValueRef last,
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
    return clones.instructions < budget ? budget - clones.instructions : 0;
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
 * has another pool. A call that has both is one with a cold clone. */
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
            match->outcome = match->is_for_pool && match->otherwise !=
                                                       MPASS_USE_OUTCOME_CLONED
                                 ? MPASS_USE_OUTCOME_CLONED_POOL
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

uint64_t mpass_clone_budget(LLVMModuleRef module, int percent)
{
    uint64_t instructions = 0;

    if (percent <= 0)
        return 0;
    MPASS_EACH_FUNCTION(function, module)
        instructions += mpass_hotness_instructions(function);
    const uint64_t budget = instructions / 100 * (uint64_t)percent;
    return budget < MPASS_CLONE_FREE_INSTRUCTIONS
               ? MPASS_CLONE_FREE_INSTRUCTIONS
               : budget;
}

void mpass_clone_run(LLVMModuleRef module, void *analyses,
                     struct mpass_matches *matches,
                     const struct mpass_stacks *stacks, uint64_t *budget)
{
    if (mpass_admit_run(module, matches, stacks, *budget)) {
        LLVMValueRef last = LLVMGetLastFunction(module);

        run_llvm(module, analyses);
        *budget = finalize_clones(module, last, *budget);
    }
    finalize_outcomes(module, matches);
}

void mpass_clone_rename(LLVMValueRef last)
{
    for (LLVMValueRef function = LLVMGetNextFunction(last); function != NULL;
         function = LLVMGetNextFunction(function)) {
        if (mpass_copyable_is_clone(function))
            mpass_copyable_rename(function);
    }
}
