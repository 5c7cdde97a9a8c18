/* versions.c -- two versions of a function's code: a counting copy and a plain
 * copy.
 *
 * The counting copy is planned and emitted like a function without a copy, but
 * it has several entrances. Values that counting needs from its start are set
 * at each entrance, so the plain copy does not keep them in registers.
 *
 * A function that cannot be duplicated always executes its updates. They add
 * the amount multiplied by the byte, which is 1 or 0.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/versions.h"

#include "pass/bridge/analysis.h"
#include "pass/bridge/ir.h"
#include "pass/collect/emit.h"
#include "pass/collect/origin.h"
#include "pass/support/memory.h"
#include "pass/support/message.h"
#include "shared/abi.h"

#include <llvm-c/Core.h>
#include <stdio.h>
#include <stdlib.h>

/* The byte, which is 1 while the process counts and 0 otherwise. */
static LLVMValueRef byte_of(struct mpass_context *context)
{
    LLVMValueRef byte = LLVMGetNamedGlobal(context->module, MPROF_SYM_COUNTING);

    if (byte != NULL)
        return byte;
    byte = LLVMAddGlobal(context->module, LLVMInt8TypeInContext(context->llvm),
                         MPROF_SYM_COUNTING);
    if (mpass_ir_is_for_executable(context->module))
        mpass_ir_set_dso_local(byte);
    return byte;
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
    if (count > 0 && mpass_versions_can_split(context->function)) {
        context->has_plain = mpass_versions_split(
            context->function, byte_of(context), context->nosanitize_kind,
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

void mpass_versions_end(struct mpass_context *context)
{
    if (!context->has_plain)
        return;
    promote_base(context, context->shadow_base);
    promote_base(context, context->bytes_base);
    mpass_versions_finish(&context->versions);
}

void mpass_versions_report(const struct mpass_context *context)
{
    char text[MPASS_MESSAGE_BYTES];

    if (context->always_counting == 0)
        return;
    snprintf(text, sizeof(text), MPASS_ONE_VERSION "%u",
             context->always_counting);
    mpass_ir_diagnose(context->llvm, LLVMDSRemark, text);
}

LLVMValueRef mpass_versions_before(const struct mpass_context *context,
                                   LLVMValueRef branch)
{
    LLVMValueRef load;

    if (!context->has_plain || LLVMIsABranchInst(branch) == NULL ||
        !LLVMIsConditional(branch) ||
        LLVMIsAICmpInst(LLVMGetCondition(branch)) == NULL)
        return NULL;
    load = LLVMGetOperand(LLVMGetCondition(branch), 0);
    return LLVMIsALoadInst(load) != NULL &&
                   LLVMGetOperand(load, 0) ==
                       LLVMGetNamedGlobal(context->module, MPROF_SYM_COUNTING)
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
    LLVMValueRef byte;

    if (!context->is_always_counting)
        return amount;
    byte = LLVMBuildLoad2(b, LLVMInt8TypeInContext(context->llvm),
                          byte_of(context), "");
    LLVMSetVolatile(byte, true);
    return LLVMBuildMul(
        b, amount, LLVMBuildZExtOrBitCast(b, byte, LLVMTypeOf(amount), ""), "");
}
