/* versions.c -- two versions of a function's code: a counting copy and a plain
 * copy.
 *
 * The counting copy is planned and emitted like a function without a copy, but
 * it has several entrances. Values that counting needs from its start are set
 * at each entrance, so the plain copy does not keep them in registers.
 *
 * A word of the thread says which copy runs: the counting copy while it is
 * negative. Each check decrements it, so bursts of counting are measured in
 * checks, not in time: the counting copy is slower, so bursts of equal time
 * would count less of code that is slowed down more.
 *
 * A function that cannot be duplicated always executes its updates. They add
 * the amount multiplied by the word's sign, 1 or 0.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/versions.h"

#include "pass/bridge/analysis.h"
#include "pass/bridge/ir.h"
#include "pass/collect/steps.h"
#include "pass/collect/origin.h"
#include "pass/support/assembly.h"
#include "pass/support/memory.h"
#include "pass/support/message.h"
#include "shared/abi.h"

#include <llvm-c/Core.h>
#include <stdio.h>
#include <stdlib.h>

/* As CallingConv::PreserveMost of LLVM: the callee saves general registers. */
#define PRESERVE_MOST 14

static LLVMValueRef word_of(struct mpass_context *context)
{
    return mpass_emit_thread_local(
        context, MPROF_SYM_CHECKS,
        LLVMConstInt(LLVMInt32TypeInContext(context->llvm),
                     (unsigned long long)MPROF_CHECKS_START, true));
}

static LLVMValueRef next_burst_of(struct mpass_context *context)
{
    LLVMValueRef function =
        LLVMGetNamedFunction(context->module, MPROF_SYM_NEXT_BURST);

    if (function != NULL)
        return function;
    LLVMTypeRef type = LLVMPointerTypeInContext(context->llvm, 0);
    function =
        LLVMAddFunction(context->module, MPROF_SYM_NEXT_BURST,
                        LLVMFunctionType(LLVMVoidTypeInContext(context->llvm),
                                         &type, 1, false));
    LLVMSetFunctionCallConv(function, PRESERVE_MOST);
    return function;
}

bool mpass_versions_begin(struct mpass_context *context,
                          const struct mpass_plan *plan)
{
    LLVMValueRef *wanted;
    size_t count = 0;

    context->has_plain = context->is_always_counting = false;
    if (context->options.versions < 2 || plan->access_count == 0)
        return false;
    wanted = mpass_memory_allocate(NULL, plan->access_count, sizeof(*wanted));
    for (size_t i = 0; i < plan->access_count; i++) {
        if (mpass_plan_is_wanted(context, &plan->accesses[i]))
            wanted[count++] = plan->accesses[i].inst;
    }
    if (count > 0 && mpass_versions_can_split(context->function) &&
        !mpass_assembly_defines_symbol(context->function)) {
        context->has_plain = mpass_versions_split(
            context->function, word_of(context), context->nosanitize_kind,
            wanted, count, &context->versions);
    } else if (count > 0) {
        context->is_always_counting = true;
        context->always_counting++;
    }
    for (size_t i = 0; i < count && context->has_plain; i++)
        mpass_numbers_of(&context->wanted, wanted[i]);
    free(wanted);
    if (!context->has_plain)
        return false;
    mpass_origin_forget(context);
    mpass_analysis_invalidate(context->function, context->analyses);
    return true;
}

void mpass_versions_keep(struct mpass_context *context, struct mpass_plan *plan)
{
    size_t count = 0;

    for (size_t i = 0; i < plan->access_count; i++) {
        if (mpass_numbers_find(&context->wanted, plan->accesses[i].inst) !=
            MPASS_NO_NUMBER)
            plan->accesses[count++] = plan->accesses[i];
    }
    plan->access_count = count;
    mpass_numbers_fini(&context->wanted);
}

/* Promotes the variable of a shadow base to registers. */
static void promote_base(struct mpass_context *context, LLVMValueRef base)
{
    if (base != NULL)
        mpass_ir_promote(context->function, &base, 1);
}

bool mpass_versions_end(struct mpass_context *context)
{
    if (context->has_plain) {
        promote_base(context, context->shadow_base);
        promote_base(context, context->bytes_base);
        mpass_versions_check_finish(&context->versions, next_burst_of(context),
                                    -MPROF_BURST_CHECKS);
    }
    if (context->options.versions < 2 || context->mode == MPASS_MODE_NONE ||
        !mpass_versions_can_split(context->function))
        return context->has_plain;
    return mpass_versions_check_calls(context->function, word_of(context),
                                      next_burst_of(context),
                                      -MPROF_BURST_CHECKS) ||
           context->has_plain;
}

/* The variable is made before it is known whether any code checks it. Tools
 * that declare the symbols of an object in C (libtool) know no thread-local
 * ones. */
static void drop_unused_word(LLVMModuleRef module)
{
    const LLVMValueRef word = LLVMGetNamedGlobal(module, MPROF_SYM_CHECKS);

    if (word != NULL && LLVMGetFirstUse(word) == NULL)
        LLVMDeleteGlobal(word);
}

void mpass_versions_finish(const struct mpass_context *context)
{
    char text[MPASS_MESSAGE_BYTES];

    drop_unused_word(context->module);
    if (context->always_counting == 0)
        return;
    snprintf(text, sizeof(text), MPASS_ONE_VERSION "%u",
             context->always_counting);
    mpass_ir_diagnose(context->llvm, LLVMDSRemark, text);
}

LLVMValueRef mpass_versions_before(const struct mpass_context *context,
                                   LLVMValueRef branch)
{
    if (!context->has_plain || LLVMIsABranchInst(branch) == NULL ||
        !LLVMIsConditional(branch) ||
        LLVMIsAICmpInst(LLVMGetCondition(branch)) == NULL)
        return NULL;
    const LLVMValueRef load = LLVMGetOperand(LLVMGetCondition(branch), 0);
    return LLVMIsALoadInst(load) != NULL &&
                   LLVMGetOperand(load, 0) ==
                       LLVMGetNamedGlobal(context->module, MPROF_SYM_CHECKS)
               ? load
               : NULL;
}

/* Stores the value, or the content of a global variable, in the variable. */
static void begin_at(struct mpass_context *context, LLVMValueRef inst,
                     LLVMValueRef value, LLVMTypeRef type,
                     LLVMValueRef variable)
{
    const LLVMBuilderRef b = mpass_emit_before(context, inst);

    if (LLVMIsAGlobalVariable(value) != NULL)
        value = LLVMBuildLoad2(b, type, value, "");
    LLVMBuildStore(b, value, variable);
}

LLVMValueRef mpass_versions_variable(struct mpass_context *context,
                                     LLVMValueRef value, LLVMTypeRef type)
{
    const LLVMValueRef first =
        LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(context->function));
    const LLVMValueRef variable =
        LLVMBuildAlloca(mpass_emit_before(context, first), type, "");

    for (size_t i = 0; i < context->versions.entrance_count; i++)
        begin_at(context, context->versions.entrances[i], value, type,
                 variable);
    mpass_emit_before(context, first);
    return variable;
}

LLVMValueRef mpass_versions_amount(struct mpass_context *context,
                                   LLVMValueRef amount)
{
    const LLVMBuilderRef b = context->builder;

    if (!context->is_always_counting)
        return amount;
    LLVMValueRef word = LLVMBuildLoad2(b, LLVMInt32TypeInContext(context->llvm),
                                       word_of(context), "");
    LLVMSetVolatile(word, true);
    word = LLVMBuildLShr(
        b, word, mpass_ir_int(LLVMInt32TypeInContext(context->llvm), 31), "");
    return LLVMBuildMul(
        b, amount, LLVMBuildIntCast2(b, word, LLVMTypeOf(amount), false, ""),
        "");
}
