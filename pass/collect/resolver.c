/* resolver.c -- excludes the code of resolvers of indirect functions (ifunc)
 * from instrumentation. Resolvers run while the program is relocated: the
 * runtime has not started and may not be relocated itself, so the first counted
 * access would crash the program. A static program has no thread-local storage
 * at this point either, so calls.c must not instrument them.
 *
 * We follow calls if they certainly lead to a body in this module. Among the
 * functions found, those matter that would be instrumented, or that call such a
 * function. A function that only resolvers reach is not instrumented. For any
 * other, the resolvers get an uninstrumented copy, so that all other calls are
 * counted.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/steps.h"

#include "pass/bridge/ir.h"
#include "pass/collect/access.h"
#include "pass/collect/origin.h"
#include "pass/collect/plan.h"
#include "pass/collect/reach.h"
#include "pass/support/assembly.h"
#include "pass/support/memory.h"
#include "shared/abi.h"

#include <llvm-c/Comdat.h>
#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

/* A function that a resolver reaches. */
struct reached {
    LLVMValueRef function;
    LLVMValueRef copy; /* or NULL */
    bool counts;       /* would be instrumented, or calls such a function */
    bool is_private;   /* only resolvers reach it */
};

struct reach {
    struct reached *items; /* by number */
    size_t capacity;
    struct mpass_numbers numbers;
};

/* -- Calls ----------------------------------------------------------------- */

static bool is_call(LLVMValueRef inst)
{
    return mpass_ir_is_call(inst) || LLVMIsACallBrInst(inst) != NULL;
}

/* The function that is called, or NULL if it has no body in this module or if
 * linking may choose another one. */
static LLVMValueRef callee_of(LLVMValueRef call)
{
    LLVMValueRef value = LLVMGetCalledValue(call);

    while (LLVMIsAGlobalAlias(value) != NULL &&
           !mpass_ir_is_interposable(value))
        value = LLVMAliasGetAliasee(value);
    return LLVMIsAFunction(value) != NULL && !LLVMIsDeclaration(value) &&
                   !mpass_ir_is_interposable(value)
               ? value
               : NULL;
}

/* The resolver of an indirect function, or NULL. It is always the one in this
 * module, even if another object defines the same name. */
static LLVMValueRef resolver_of(LLVMValueRef ifunc)
{
    LLVMValueRef value = LLVMGetGlobalIFuncResolver(ifunc);

    while (LLVMIsAGlobalAlias(value) != NULL)
        value = LLVMAliasGetAliasee(value);
    return LLVMIsAFunction(value) != NULL && !LLVMIsDeclaration(value) ? value
                                                                       : NULL;
}

static struct reached *find(const struct reach *reach, LLVMValueRef function)
{
    const unsigned number = mpass_numbers_find(&reach->numbers, function);

    return number != MPASS_NO_NUMBER ? &reach->items[number] : NULL;
}

static void add(struct reach *reach, LLVMValueRef function)
{
    const unsigned known = reach->numbers.count;

    if (mpass_numbers_of(&reach->numbers, function) < known)
        return;
    if (known == reach->capacity) {
        reach->capacity = reach->capacity * 2 + 16;
        reach->items = mpass_memory_allocate(reach->items, reach->capacity,
                                             sizeof(*reach->items));
    }
    reach->items[known] = (struct reached){.function = function};
}

/* -- What counts ----------------------------------------------------------- */

/* True if mpass_unseen_plan() would instrument the instruction. */
static bool has_unseen(struct mpass_context *context, LLVMValueRef inst)
{
    struct mpass_plan plan = {0};
    bool found = false;

    mpass_unseen_plan(context, inst, &plan);
    for (size_t i = 0; i < plan.access_count; i++)
        found |= mpass_plan_is_wanted(context, &plan.accesses[i]);
    mpass_plan_fini(&plan);
    return found;
}

/* Finds whether the function itself would be instrumented; adds its callees. */
static void look_into(struct mpass_context *context, struct reach *reach,
                      unsigned number)
{
    const LLVMValueRef function = reach->items[number].function;
    const bool is_foreign = mpass_function_is_foreign(context, function);

    MPASS_EACH_INSTRUCTION(inst, function) {
        const struct mpass_access access = mpass_access_of(context, inst);
        const LLVMValueRef callee = is_call(inst) ? callee_of(inst) : NULL;

        if (callee != NULL)
            add(reach, callee);
        if (is_foreign)
            continue;
        if ((access.kind != MPASS_ACCESS_NONE &&
             mpass_plan_is_wanted(context, &access)) ||
            has_unseen(context, inst))
            reach->items[number].counts = true;
        if (context->options.context_values &&
            mpass_reach_may_allocate(context, inst))
            reach->items[number].counts = true;
    }
}

/* Returns true if the function calls one that counts. */
static bool calls_counting(const struct reach *reach, LLVMValueRef function)
{
    MPASS_EACH_INSTRUCTION(inst, function) {
        const LLVMValueRef callee = is_call(inst) ? callee_of(inst) : NULL;

        if (callee != NULL && find(reach, callee)->counts)
            return true;
    }
    return false;
}

static void find_counting(struct reach *reach)
{
    bool changed = true;

    while (changed) {
        changed = false;
        /* Backwards, because callees mostly have higher numbers. */
        for (unsigned i = reach->numbers.count; i-- > 0;) {
            struct reached *const item = &reach->items[i];

            if (!item->counts && calls_counting(reach, item->function))
                changed = item->counts = true;
        }
    }
}

/* -- Functions that only resolvers reach ----------------------------------- */

/* True if the user only calls the function, and only resolvers reach this call.
 */
static bool is_private_use(const struct reach *reach, LLVMValueRef user,
                           LLVMValueRef function)
{
    if (LLVMIsAGlobalIFunc(user) != NULL)
        return true;
    if (LLVMIsAInstruction(user) == NULL || !is_call(user))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(user) - 1; i++) {
        if (LLVMGetOperand(user, (unsigned)i) == function)
            return false;
    }
    const struct reached *const caller =
        find(reach, mpass_ir_function_of(user));
    return caller != NULL && caller->is_private;
}

static bool is_used_privately(const struct reach *reach, LLVMValueRef function)
{
    MPASS_EACH_USE(use, function) {
        if (!is_private_use(reach, LLVMGetUser(use), function))
            return false;
    }
    return true;
}

/* Assumes that all local functions are private, then removes those with another
 * use until nothing changes. So functions that call each other recursively can
 * be private. */
static void find_private(struct reach *reach)
{
    bool changed = true;

    for (unsigned i = 0; i < reach->numbers.count; i++)
        reach->items[i].is_private =
            reach->items[i].counts &&
            mpass_ir_is_local(reach->items[i].function);
    while (changed) {
        changed = false;
        for (unsigned i = 0; i < reach->numbers.count; i++) {
            struct reached *const item = &reach->items[i];

            if (item->is_private && !is_used_privately(reach, item->function)) {
                item->is_private = false;
                changed = true;
            }
        }
    }
}

/* -- Copies ---------------------------------------------------------------- */

/* A copy with a computed goto would jump into the original, because the table
 * of labels is shared. */
static bool has_computed_goto(LLVMValueRef function)
{
    MPASS_EACH_BLOCK(block, function) {
        if (LLVMIsAIndirectBrInst(LLVMGetBasicBlockTerminator(block)) != NULL)
            return true;
    }
    return false;
}

static LLVMValueRef copy_of(LLVMValueRef function)
{
    static const char suffix[] = MPROF_SYM_RESOLVER_SUFFIX;
    const LLVMValueRef copy = mpass_ir_copy_function(function);
    size_t name_len;
    const char *const name = LLVMGetValueName2(function, &name_len);
    char *const new_name =
        mpass_memory_allocate(NULL, name_len + sizeof(suffix), 1);

    memcpy(new_name, name, name_len);
    memcpy(new_name + name_len, suffix, sizeof(suffix));
    LLVMSetValueName2(copy, new_name, name_len + sizeof(suffix) - 1);
    free(new_name);
    LLVMSetComdat(copy, NULL);
    LLVMSetLinkage(copy, LLVMInternalLinkage);
    return copy;
}

static void redirect_calls(const struct reach *reach, LLVMValueRef function)
{
    MPASS_EACH_INSTRUCTION(inst, function) {
        const LLVMValueRef callee = is_call(inst) ? callee_of(inst) : NULL;
        const struct reached *const item =
            callee != NULL ? find(reach, callee) : NULL;

        if (item != NULL && item->copy != NULL)
            LLVMSetOperand(inst, (unsigned)LLVMGetNumOperands(inst) - 1,
                           item->copy);
    }
}

static void make_copies(struct mpass_context *context, struct reach *reach)
{
    for (unsigned i = 0; i < reach->numbers.count; i++) {
        struct reached *const item = &reach->items[i];

        if (item->counts && !item->is_private &&
            !has_computed_goto(item->function) &&
            !mpass_assembly_defines_symbol(item->function))
            item->copy = copy_of(item->function);
    }
    for (unsigned i = 0; i < reach->numbers.count; i++) {
        const struct reached *const item = &reach->items[i];
        const LLVMValueRef ours =
            item->is_private ? item->function : item->copy;

        if (ours == NULL)
            continue;
        redirect_calls(reach, ours);
        mpass_numbers_of(&context->uncounted, ours);
    }
}

void mpass_resolver_set_aside(struct mpass_context *context)
{
    struct reach reach = {0};

    for (LLVMValueRef ifunc = LLVMGetFirstGlobalIFunc(context->module);
         ifunc != NULL; ifunc = LLVMGetNextGlobalIFunc(ifunc)) {
        if (resolver_of(ifunc) != NULL)
            add(&reach, resolver_of(ifunc));
    }
    for (unsigned i = 0; i < reach.numbers.count; i++)
        look_into(context, &reach, i);
    mpass_origin_forget(context);
    find_counting(&reach);
    find_private(&reach);
    make_copies(context, &reach);
    for (LLVMValueRef ifunc = LLVMGetFirstGlobalIFunc(context->module);
         ifunc != NULL; ifunc = LLVMGetNextGlobalIFunc(ifunc)) {
        const LLVMValueRef resolver = resolver_of(ifunc);

        if (resolver != NULL && find(&reach, resolver)->copy != NULL)
            LLVMSetGlobalIFuncResolver(ifunc, find(&reach, resolver)->copy);
    }
    mpass_numbers_fini(&reach.numbers);
    free(reach.items);
}
