/* emit.c -- helpers for inserting instructions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/steps.h"

#include "pass/bridge/ir.h"

#include <llvm-c/Comdat.h>
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

LLVMValueRef mpass_emit_if_defined(struct mpass_context *context,
                                   const char *name, LLVMTypeRef type,
                                   LLVMValueRef before, LLVMValueRef *function)
{
    *function = mpass_emit_declare(context, name, type);
    if (LLVMIsDeclaration(*function))
        LLVMSetLinkage(*function, LLVMExternalWeakLinkage);
    const LLVMBuilderRef builder = mpass_emit_before(context, before);
    return mpass_ir_split_if(LLVMBuildIsNotNull(builder, *function, ""),
                             before);
}

LLVMValueRef mpass_emit_thread_local(const struct mpass_context *context,
                                     const char *name, LLVMValueRef initial)
{
    const LLVMModuleRef module = context->module;
    LLVMValueRef variable = LLVMGetNamedGlobal(module, name);

    if (variable != NULL)
        return variable;
    variable = LLVMAddGlobal(module, LLVMTypeOf(initial), name);
    LLVMSetInitializer(variable, initial);
    LLVMSetLinkage(variable, LLVMWeakAnyLinkage);
    if (mpass_ir_is_for_executable(module)) {
        mpass_ir_set_dso_local(variable);
        LLVMSetThreadLocalMode(variable, LLVMLocalExecTLSModel);
    } else {
        LLVMSetThreadLocalMode(variable, LLVMInitialExecTLSModel);
    }
    LLVMSetAlignment(variable, sizeof(uint64_t));
    if (mpass_ir_supports_comdat(module))
        LLVMSetComdat(variable, LLVMGetOrInsertComdat(module, name));
    return variable;
}
