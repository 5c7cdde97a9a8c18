/* libstdcxx.c -- accesses by functions of libstdc++ to which its templates pass
 * what they hold: keys to hash. What functions access in nodes of lists and
 * trees is not counted: how much it is depends on other nodes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/steps.h"

#include "pass/bridge/ir.h"
#include "shared/abi.h"

#include <llvm-c/Core.h>
#include <string.h>

#define HASH "_ZSt11_Hash_bytesPKvmm"

void mpass_libstdcxx_plan(struct mpass_context *context, LLVMValueRef call,
                          struct mpass_plan *plan)
{
    const LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(call));

    if (callee == NULL || !LLVMIsDeclaration(callee))
        return;
    const char *const name = mpass_ir_name(callee);
    if (strcmp(name, HASH) == 0 && LLVMGetNumArgOperands(call) == 3 &&
        context->options.instrument_reads)
        mpass_plan_add(context, plan,
                       &(struct mpass_access){.kind = MPASS_ACCESS_RANGE,
                                              .inst = call,
                                              .addr = LLVMGetOperand(call, 0),
                                              .length = LLVMGetOperand(call, 1),
                                              .count = 1});
}

void mpass_libstdcxx_emit(struct mpass_context *context,
                          const struct mpass_update *update)
{
    LLVMTypeRef types[] = {context->ptr, context->intptr};
    const LLVMTypeRef type = LLVMFunctionType(context->void_type, types,
                                              MPROF_ARRAY_LEN(types), false);
    LLVMValueRef args[] = {update->access->addr, update->access->length};
    LLVMValueRef function;
    const LLVMValueRef before = mpass_emit_if_defined(
        context, MPROF_SYM_READ, type, update->before, &function);

    LLVMSetMetadata(LLVMBuildCall2(mpass_emit_before(context, before), type,
                                   function, args, MPROF_ARRAY_LEN(args), ""),
                    context->nosanitize_kind,
                    LLVMMDNodeInContext(context->llvm, NULL, 0));
}
