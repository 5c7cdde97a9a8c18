/* memintrin.c -- memcpy, memmove and memset intrinsics become calls of the
 * runtime, which counts the whole range and does the work.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/pass.h"

#include <stdio.h>
#include <string.h>

/* LLVM's name, the runtime's. */
static const struct {
    const char *intrinsic;
    const char *callee;
    bool is_set;
} memintrins[] = {
    {"llvm.memcpy", MPROF_SYM_MEMCPY, false},
    {"llvm.memcpy.inline", MPROF_SYM_MEMCPY, false},
    {"llvm.memmove", MPROF_SYM_MEMMOVE, false},
    {"llvm.memset", MPROF_SYM_MEMSET, true},
    {"llvm.memset.inline", MPROF_SYM_MEMSET, true},
};

/* Index in the table, or its length. */
static size_t find(LLVMValueRef inst)
{
    const LLVMValueRef call = LLVMIsACallInst(inst);
    LLVMValueRef callee;
    unsigned id;
    size_t i;

    if (call == NULL)
        return MPROF_ARRAY_LEN(memintrins);
    callee = LLVMIsAFunction(LLVMGetCalledValue(call));
    id = callee == NULL ? 0 : LLVMGetIntrinsicID(callee);
    if (id == 0)
        return MPROF_ARRAY_LEN(memintrins);
    for (i = 0; i < MPROF_ARRAY_LEN(memintrins); i++) {
        const char *const name = memintrins[i].intrinsic;

        if (id == LLVMLookupIntrinsicID(name, strlen(name)))
            break;
    }
    return i;
}

/* The runtime takes pointers to the ordinary address space only. */
static bool is_ordinary(LLVMValueRef value)
{
    const LLVMTypeRef type = LLVMTypeOf(value);

    return LLVMGetTypeKind(type) != LLVMPointerTypeKind ||
           LLVMGetPointerAddressSpace(type) == 0;
}

bool mpass_memintrin_is(LLVMValueRef inst)
{
    return find(inst) != MPROF_ARRAY_LEN(memintrins) &&
           is_ordinary(LLVMGetOperand(inst, 0)) &&
           is_ordinary(LLVMGetOperand(inst, 1));
}

void mpass_memintrin_replace(struct mpass_context *context, LLVMValueRef inst)
{
    const size_t which = find(inst);
    const bool is_set = memintrins[which].is_set;
    const LLVMBuilderRef builder = mpass_function_build_before(context, inst);
    LLVMTypeRef params[3] = {context->ptr,
                             is_set ? LLVMInt32TypeInContext(context->llvm)
                                    : context->ptr,
                             context->intptr};
    LLVMTypeRef type = LLVMFunctionType(context->ptr, params, 3, false);
    LLVMValueRef args[3] = {LLVMGetOperand(inst, 0), LLVMGetOperand(inst, 1),
                            LLVMGetOperand(inst, 2)};
    char name[MPASS_MESSAGE_BYTES];
    LLVMValueRef call;

    if (is_set)
        args[1] = LLVMBuildIntCast2(builder, args[1], params[1], false, "");
    args[2] = LLVMBuildIntCast2(builder, args[2], params[2], false, "");
    snprintf(name, sizeof(name), "%s%s", context->options.callback_prefix,
             memintrins[which].callee);
    call = LLVMBuildCall2(builder, type,
                          mpass_function_declare(context, name, type), args, 3,
                          "");
    LLVMSetMetadata(call, context->nosanitize_kind,
                    LLVMMDNodeInContext(context->llvm, NULL, 0));
    LLVMInstructionEraseFromParent(inst);
}
