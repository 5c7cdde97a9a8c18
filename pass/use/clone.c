/* clone.c -- cloning by calling context within one module.
 *
 * The bound: allocation calls are admitted in the order of the cold bytes that
 * they gain for each instruction, until the functions on their cold stacks fill
 * the budget, and only then does LLVM clone. It may need more copies than one
 * of a function, so what came out is counted: clones beyond the budget are
 * given up, the largest first, by calling the functions that they are copies
 * of.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/use/clone.h"

#include "pass/bridge/commandline.h"
#include "pass/bridge/heat.h"
#include "pass/support/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* LLVM's option: there is an allocator that takes hints. */
#define HINTS_OPTION "supports-hot-cold-new"
/* Clones are called f.memprof.1 and so on. */
#define CLONE_MARK ".memprof."

/* -- functions -------------------------------------------------------------- */

struct body {
    LLVMValueRef function;
    uint64_t guid;
    uint64_t instructions;
    uint32_t seen; /* the last question that it was an answer to */
    bool is_paid;  /* it counts in the budget */
};

struct bodies {
    struct body *rows; /* ascending by GUID */
    uint32_t count;
    uint32_t question;
    uint64_t instructions;
};

typedef void visit_call_fn(void *context, LLVMValueRef call);

static void visit_calls(LLVMValueRef function, visit_call_fn *visit,
                        void *context)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
         block != NULL; block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst != NULL;
             inst = LLVMGetNextInstruction(inst)) {
            if (LLVMIsACallInst(inst) != NULL ||
                LLVMIsAInvokeInst(inst) != NULL)
                visit(context, inst);
        }
    }
}

static void visit_all_calls(LLVMModuleRef module, visit_call_fn *visit,
                            void *context)
{
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function != NULL;
         function = LLVMGetNextFunction(function))
        visit_calls(function, visit, context);
}

static void strip(void *context, LLVMValueRef call)
{
    (void)context;
    mpass_heat_strip(call);
}

static int compare_bodies(const void *left, const void *right)
{
    const struct body *a = left;
    const struct body *b = right;

    return a->guid < b->guid ? -1 : a->guid > b->guid;
}

/* Functions that cannot be cloned stay out: LLVM is not told of their calls. */
static void collect_bodies(struct bodies *bodies, LLVMModuleRef module)
{
    uint32_t room = 0;

    for (LLVMValueRef function = LLVMGetFirstFunction(module); function != NULL;
         function = LLVMGetNextFunction(function))
        room += !LLVMIsDeclaration(function);
    *bodies = (struct bodies){
        .rows = mpass_memory_allocate(NULL, room, sizeof(*bodies->rows))};
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function != NULL;
         function = LLVMGetNextFunction(function)) {
        size_t size;
        const char *name = LLVMGetValueName2(function, &size);
        const uint64_t instructions = mpass_heat_instructions(function);

        if (LLVMIsDeclaration(function))
            continue;
        bodies->instructions += instructions;
        if (mpass_heat_can_clone(function))
            bodies->rows[bodies->count++] =
                (struct body){.function = function,
                              .guid = mpass_heat_guid(name, size),
                              .instructions = instructions};
        else
            visit_calls(function, strip, NULL);
    }
    qsort(bodies->rows, bodies->count, sizeof(*bodies->rows), compare_bodies);
}

/* The function's body if this is the first time in this question. */
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

/* -- admission -------------------------------------------------------------- */

/* What the bodies on the match's cold stacks have that is not paid for yet.
 * With `pay`, it is from now on. */
static uint64_t cost_of(struct bodies *bodies, const struct mpass_match *match,
                        const struct mpass_stacks *stacks, bool pay)
{
    uint64_t cost = 0;

    bodies->question++;
    for (uint32_t i = 0; i < match->stack_count; i++) {
        const struct mpass_stack *stack = &stacks->stacks[match->stacks[i]];

        if (stack->kind != MPASS_STACK_COLD)
            continue;
        for (uint32_t node = stack->node + 1; node != 0;
             node = stacks->nodes[node - 1].parent) {
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

struct candidate {
    struct mpass_match *match;
    double gain; /* cold bytes for each instruction */
};

/* Equal ones in the order of the matches. */
static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left;
    const struct candidate *b = right;

    if (a->gain != b->gain)
        return a->gain > b->gain ? -1 : 1;
    return a->match < b->match ? -1 : a->match > b->match;
}

/* Leaves metadata to the calls that are worth it; false if to none. */
static bool admit(struct mpass_matches *matches, struct bodies *bodies,
                  const struct mpass_stacks *stacks, uint64_t budget)
{
    struct candidate *order =
        mpass_memory_allocate(NULL, matches->count, sizeof(*order));
    uint32_t count = 0;
    bool any = false;

    for (uint32_t i = 0; i < matches->count; i++) {
        struct mpass_match *match = &matches->rows[i];

        if (match->outcome == MPASS_USE_OUTCOME_MIXED)
            order[count++] = (struct candidate){
                .match = match,
                .gain = (double)match->bytes[MPASS_STACK_COLD] /
                        (double)(cost_of(bodies, match, stacks, false) + 1)};
    }
    qsort(order, count, sizeof(*order), compare_candidates);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t cost = cost_of(bodies, order[i].match, stacks, false);

        if (cost > budget) {
            mpass_heat_strip(order[i].match->site->call);
            continue;
        }
        budget -= cost_of(bodies, order[i].match, stacks, true);
        any = true;
    }
    free(order);
    return any;
}

/* -- clones ----------------------------------------------------------------- */

static bool is_clone(LLVMValueRef global)
{
    size_t size;

    return strstr(LLVMGetValueName2(global, &size), CLONE_MARK) != NULL;
}

struct clone {
    LLVMValueRef function;
    uint64_t instructions;
};

static int compare_clones(const void *left, const void *right)
{
    const struct clone *a = left;
    const struct clone *b = right;

    return a->instructions > b->instructions   ? -1
           : a->instructions < b->instructions ? 1
                                               : 0;
}

/* Calls the function that the clone is a copy of instead: what it allocates is
 * as before. False where that cannot be found. */
static bool give_up(LLVMModuleRef module, LLVMValueRef clone)
{
    size_t size;
    const char *name = LLVMGetValueName2(clone, &size);
    const size_t length = (size_t)(strstr(name, CLONE_MARK) - name);
    char *plain = mpass_memory_allocate(NULL, length, 1);
    LLVMValueRef original;

    memcpy(plain, name, length);
    plain[length] = '\0';
    original = LLVMGetNamedFunction(module, plain);
    free(plain);
    if (original == NULL)
        return false;
    LLVMReplaceAllUsesWith(clone, original);
    LLVMDeleteFunction(clone);
    return true;
}

/* Makes the new clones the module's own, so that no other module's copy of the
 * same function can take their place, and keeps to the budget. */
static void settle_clones(LLVMModuleRef module, uint64_t budget)
{
    struct clone *clones = NULL;
    uint32_t count = 0;
    uint64_t growth = 0;

    for (LLVMValueRef function = LLVMGetFirstFunction(module); function != NULL;
         function = LLVMGetNextFunction(function)) {
        if (LLVMIsDeclaration(function) || !is_clone(function))
            continue;
        mpass_heat_make_own(function);
        clones = mpass_memory_allocate(clones, count + 1, sizeof(*clones));
        clones[count] =
            (struct clone){.function = function,
                           .instructions = mpass_heat_instructions(function)};
        growth += clones[count++].instructions;
    }
    for (LLVMValueRef alias = LLVMGetFirstGlobalAlias(module); alias != NULL;
         alias = LLVMGetNextGlobalAlias(alias)) {
        if (is_clone(alias))
            mpass_heat_make_own(alias);
    }
    if (count > 0)
        qsort(clones, count, sizeof(*clones), compare_clones);
    for (uint32_t i = 0; i < count && growth > budget; i++) {
        if (give_up(module, clones[i].function))
            growth -= clones[i].instructions;
    }
    free(clones);
}

/* -- outcome ---------------------------------------------------------------- */

static int compare_ids(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

struct ids {
    uint64_t *rows;
    uint32_t count;
};

static void finish_call(void *context, LLVMValueRef call)
{
    struct ids *cold = context;
    const char *id = mpass_heat_text(call, MPASS_MATCH_ID);

    mpass_heat_strip(call);
    if (*id == '\0')
        return;
    if (strcmp(mpass_heat_attribute(call), "cold") == 0) {
        cold->rows = mpass_memory_allocate(cold->rows, cold->count + 1,
                                           sizeof(*cold->rows));
        cold->rows[cold->count++] = strtoull(id, NULL, 16);
    }
    mpass_heat_remove_text(call, MPASS_MATCH_ID);
}

/* A mixed call of which some copy is cold was told apart. */
static void settle_outcomes(LLVMModuleRef module, struct mpass_matches *matches)
{
    struct ids cold = {0};

    visit_all_calls(module, finish_call, &cold);
    if (cold.count > 0)
        qsort(cold.rows, cold.count, sizeof(*cold.rows), compare_ids);
    for (uint32_t i = 0; i < matches->count && cold.count > 0; i++) {
        struct mpass_match *match = &matches->rows[i];

        if (match->outcome == MPASS_USE_OUTCOME_MIXED &&
            bsearch(&match->id, cold.rows, cold.count, sizeof(*cold.rows),
                    compare_ids) != NULL)
            match->outcome = MPASS_USE_OUTCOME_CLONED;
    }
    free(cold.rows);
}

static void run_llvm(LLVMModuleRef module, void *analyses)
{
    const bool was_set = mpass_commandline_get_BOOL(HINTS_OPTION, false);

    mpass_commandline_set_BOOL(HINTS_OPTION, true);
    mpass_heat_clone(module, analyses);
    mpass_commandline_set_BOOL(HINTS_OPTION, was_set);
}

void mpass_clone_run(LLVMModuleRef module, void *analyses,
                     struct mpass_matches *matches,
                     const struct mpass_stacks *stacks, int percent)
{
    struct bodies bodies;
    uint64_t budget;

    collect_bodies(&bodies, module);
    budget = percent <= 0 ? 0 : bodies.instructions / 100 * (uint64_t)percent;
    if (percent > 0 && budget < MPASS_CLONE_FREE_INSTRUCTIONS)
        budget = MPASS_CLONE_FREE_INSTRUCTIONS;
    if (admit(matches, &bodies, stacks, budget)) {
        run_llvm(module, analyses);
        settle_clones(module, budget);
    }
    settle_outcomes(module, matches);
    free(bodies.rows);
}
