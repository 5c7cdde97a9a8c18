/* function.c -- instruments one function in three steps: collect its accesses,
 * plan the updates of counters, emit them. Instructions are inserted only after
 * all accesses are collected, so inserted accesses are not counted.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/steps.h"

#include "pass/collect/origin.h"
#include "pass/bridge/analysis.h"
#include "pass/bridge/ir.h"
#include "pass/collect/versions.h"
#include "pass/support/message.h"
#include "pass/support/numbers.h"
#include "shared/abi.h"

#include <llvm-c/Core.h>
#include <stdio.h>
#include <string.h>

bool mpass_function_is_foreign(const struct mpass_context *context,
                               LLVMValueRef function)
{
    static const char name[] = MPROF_ATTRIBUTE_WAITING;

    return context->waiting != NULL &&
           LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                         name,
                                         strlen(name)) != context->waiting;
}

bool mpass_function_is_skipped(const struct mpass_context *context,
                               LLVMValueRef function)
{
    const char *const name = mpass_ir_name(function);

    return LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage ||
           strcmp(name, context->options.debug_func) == 0 ||
           strncmp(name, MPROF_SYM_PREFIX, strlen(MPROF_SYM_PREFIX)) == 0 ||
           mpass_numbers_has(&context->uncounted, function) ||
           mpass_function_is_foreign(context, function);
}

/* Objective-C runs +load methods before constructors, so such a method starts
 * the runtime itself. */
static bool start_runtime_early(struct mpass_context *context,
                                LLVMValueRef function)
{
    const LLVMTypeRef type =
        LLVMFunctionType(context->void_type, NULL, 0, false);

    if (strstr(mpass_ir_name(function), MPROF_SYM_OBJC_LOAD) == NULL)
        return false;
    const LLVMValueRef first =
        LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
    LLVMBuildCall2(mpass_emit_before(context, first), type,
                   mpass_emit_declare(context, MPROF_SYM_INIT, type), NULL, 0,
                   "");
    return true;
}

static void collect(struct mpass_context *context, LLVMValueRef function,
                    struct mpass_plan *plan)
{
    const LLVMValueRef end =
        context->has_plain ? LLVMGetFirstInstruction(context->versions.plain)
                           : NULL;

    for (LLVMValueRef inst = mpass_ir_first(function); inst != end;
         inst = mpass_ir_next(inst)) {
        const struct mpass_access access = mpass_access_of(context, inst);

        if (access.kind == MPASS_ACCESS_MEMINTRIN)
            mpass_memintrin_plan(context, inst, plan);
        else if (access.kind != MPASS_ACCESS_NONE)
            mpass_plan_add(context, plan, &access);
        else
            mpass_unseen_plan(context, inst, plan);
    }
}

/* LTO must not turn counted loads and stores into calls of memcpy() and similar
 * functions: the runtime would count them again. */
static void forbid_new_calls(LLVMValueRef function)
{
    static const char *const attributes[] = {
        "no-builtin-memcpy", "no-builtin-memmove", "no-builtin-memset"};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(attributes); i++)
        LLVMAddTargetDependentFunctionAttr(function, attributes[i], "");
}

/* Keeps the code generator from merging identical calls, because a call stack
 * would then show the line of another call. Not needed with
 * -memprof-merge=none, because its updates make the blocks differ. */
static void keep_calls_apart(const struct mpass_context *context,
                             LLVMValueRef function)
{
    static const char name[] = "nomerge";
    const LLVMAttributeRef attribute = LLVMCreateEnumAttribute(
        context->llvm, LLVMGetEnumAttributeKindForName(name, strlen(name)), 0);

    MPASS_EACH_INSTRUCTION(inst, function) {
        if (mpass_ir_is_call(inst) && LLVMIsAIntrinsicInst(inst) == NULL)
            LLVMAddCallSiteAttribute(inst, LLVMAttributeFunctionIndex,
                                     attribute);
    }
}

/* Warns that the accesses of the function are not counted. */
static void warn_uncounted(const struct mpass_context *context,
                           LLVMValueRef function)
{
    char text[MPASS_MESSAGE_BYTES];

    snprintf(text, sizeof(text), MPASS_UNCOUNTED "%s", mpass_ir_name(function));
    mpass_ir_diagnose(context->llvm, LLVMDSWarning, text);
}

bool mpass_function_run(struct mpass_context *context, LLVMValueRef function)
{
    struct mpass_plan plan = {0};

    if (mpass_function_is_skipped(context, function))
        return false;
    context->function = function;
    context->shadow_base = NULL;
    context->bytes_base = NULL;
    context->has_plain = false;
    if (context->mode != MPASS_MODE_NONE)
        collect(context, function, &plan);
    if (mpass_versions_begin(context, &plan)) {
        mpass_plan_fini(&plan);
        collect(context, function, &plan);
        mpass_versions_keep(context, &plan);
    }
    mpass_plan_make(&plan, context);
    mpass_origin_forget(context);
    if (!mpass_accumulate_can_emit(&plan)) {
        warn_uncounted(context, function);
        mpass_plan_fini(&plan);
        return mpass_versions_end(context);
    }
    mpass_accumulate_emit(context, &plan);
    for (size_t i = 0; i < plan.update_count; i++) {
        if (plan.updates[i].accumulator == MPASS_NO_NUMBER)
            mpass_shadow_emit(context, &plan.updates[i]);
    }
    bool changed = mpass_versions_end(context) || plan.update_count > 0;
    mpass_plan_fini(&plan);
    if (changed)
        mpass_analysis_invalidate(function, context->analyses);
    if (changed && context->merge != MPASS_MERGE_NONE)
        forbid_new_calls(function);
    if (context->merge != MPASS_MERGE_NONE || context->options.keep_calls) {
        keep_calls_apart(context, function);
        changed = true;
    }
    changed |= start_runtime_early(context, function);
    return changed;
}
