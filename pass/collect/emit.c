/* emit.c -- helpers for inserting instructions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/emit.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stddef.h>

LLVMBuilderRef mpass_emit_before(struct mpass_context *context,
                                 LLVMValueRef inst)
{
    const LLVMBuilderRef builder = context->builder;
    const LLVMMetadataRef scope = LLVMGetSubprogram(context->function);

    LLVMPositionBuilderBefore(builder, inst);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(inst));
    if (scope != NULL && LLVMGetCurrentDebugLocation2(builder) == NULL)
        LLVMSetCurrentDebugLocation2(
            builder,
            LLVMDIBuilderCreateDebugLocation(context->llvm, 0, 0, scope, NULL));
    return builder;
}

LLVMValueRef mpass_emit_declare(struct mpass_context *context, const char *name,
                                LLVMTypeRef type)
{
    const LLVMValueRef known = LLVMGetNamedFunction(context->module, name);

    return known != NULL ? known : LLVMAddFunction(context->module, name, type);
}
