/* copyable.c -- finds the functions of a module that may be cloned.
 *
 * Two kinds must not be cloned. A copy of the first kind behaves differently,
 * for example because a table of labels leads into the original. A copy of the
 * second kind does not assemble, because its inline assembly defines a symbol.
 * The second kind includes the callers of such a function, because the function
 * may be inlined into each copy of a caller.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/use/copyable.h"

#include "pass/bridge/hotness.h"
#include "pass/bridge/ir.h"
#include "pass/support/assembly.h"
#include "pass/support/memory.h"
#include "pass/support/numbers.h"
#include "shared/base.h"

#include <stdlib.h>
#include <string.h>

/* -- functions -------------------------------------------------------------- */

struct work {
    LLVMValueRef *functions;
    size_t count;
};

static void add(struct mpass_numbers *unique, struct work *work,
                LLVMValueRef function)
{
    if (mpass_numbers_has(unique, function))
        return;
    (void)mpass_numbers_of(unique, function);
    *MPASS_APPEND(work->functions, work->count) = function;
}

static void add_callers(struct mpass_numbers *unique, struct work *work,
                        LLVMValueRef function)
{
    if (mpass_ir_has_attribute(function, "noinline"))
        return;
    MPASS_EACH_USE(use, function) {
        LLVMValueRef user = LLVMGetUser(use);

        if (mpass_ir_is_call(user))
            add(unique, work, mpass_ir_function_of(user));
    }
}

/* Finds the functions that must not be copied. The caller calls fini. */
static void find_unique(struct mpass_numbers *unique, LLVMModuleRef module)
{
    struct work work = {0};

    *unique = (struct mpass_numbers){0};
    MPASS_EACH_FUNCTION(function, module) {
        if (mpass_assembly_defines_symbol(function))
            add(unique, &work, function);
    }
    for (size_t i = 0; i < work.count; i++)
        add_callers(unique, &work, work.functions[i]);
    free(work.functions);
    MPASS_EACH_FUNCTION(function, module) {
        if (!mpass_hotness_is_same_copied(function))
            (void)mpass_numbers_of(unique, function);
    }
}

static bool strip_function(LLVMValueRef function)
{
    bool changed = false;

    MPASS_EACH_INSTRUCTION(inst, function)
        changed |= mpass_hotness_strip(inst);
    return changed;
}

bool mpass_copyable_strip(LLVMModuleRef module)
{
    struct mpass_numbers unique;
    bool changed = false;

    find_unique(&unique, module);
    MPASS_EACH_FUNCTION(function, module) {
        if (mpass_ir_is_interposable(function) ||
            LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage ||
            mpass_numbers_has(&unique, function))
            changed |= strip_function(function);
    }
    mpass_numbers_fini(&unique);
    return changed;
}

/* -- clones ----------------------------------------------------------------- */

#define CLONE_MARK ".memprof."

bool mpass_copyable_is_clone(LLVMValueRef global)
{
    return strstr(mpass_ir_name(global), CLONE_MARK) != NULL;
}

LLVMValueRef mpass_copyable_original(LLVMModuleRef module, LLVMValueRef clone)
{
    const char *name = mpass_ir_name(clone);
    const size_t length = (size_t)(strstr(name, CLONE_MARK) - name);
    char *plain = mpass_memory_allocate(NULL, length + 1, 1);

    memcpy(plain, name, length);
    plain[length] = '\0';
    const LLVMValueRef original = LLVMGetNamedFunction(module, plain);
    free(plain);
    return original;
}

void mpass_copyable_rename(LLVMValueRef clone)
{
    static const char more[] = ".1"; /* LLVM makes the name unique */
    const char *const name = mpass_ir_name(clone);
    const size_t length = strlen(name);

    if (strchr(strstr(name, CLONE_MARK) + strlen(CLONE_MARK), '.') != NULL)
        return;
    char *const longer = mpass_memory_allocate(NULL, length + sizeof(more), 1);
    memcpy(longer, name, length);
    memcpy(longer + length, more, sizeof(more));
    LLVMSetValueName2(clone, longer, length + sizeof(more) - 1);
    free(longer);
}

static void undo_clone(LLVMModuleRef module, LLVMValueRef clone,
                       const struct mpass_numbers *unique)
{
    LLVMValueRef original = mpass_copyable_original(module, clone);

    if (original != NULL && !LLVMIsDeclaration(original) &&
        mpass_numbers_has(unique, original))
        mpass_hotness_make_alias(clone, original);
}

void mpass_copyable_undo(LLVMModuleRef module)
{
    struct mpass_numbers unique;
    LLVMValueRef next;

    find_unique(&unique, module);
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function != NULL;
         function = next) {
        next = LLVMGetNextFunction(function);
        if (mpass_copyable_is_clone(function) && !LLVMIsDeclaration(function))
            undo_clone(module, function, &unique);
    }
    mpass_numbers_fini(&unique);
}
