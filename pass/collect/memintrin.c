/* memintrin.c -- replaces memcpy, memmove and memset intrinsics by calls of the
 * runtime, which counts the range and performs the operation. Short intrinsics,
 * and intrinsics that access no block, stay.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/steps.h"

#include "pass/collect/origin.h"
#include "pass/support/message.h"
#include "shared/abi.h"

#include <llvm-c/Core.h>
#include <stdio.h>
#include <string.h>

static const struct memintrin {
    const char *intrinsic;
    const char *callee; /* function of the runtime */
    bool is_set;
    const char *inline_form; /* intrinsic that never becomes a call, or NULL */
} memintrins[] = {
    {"llvm.memcpy", MPROF_SYM_MEMCPY, false, "llvm.memcpy.inline"},
    {"llvm.memcpy.inline", MPROF_SYM_MEMCPY, false, "llvm.memcpy.inline"},
    {"llvm.memmove", MPROF_SYM_MEMMOVE, false, NULL},
    {"llvm.memset", MPROF_SYM_MEMSET, true, "llvm.memset.inline"},
    {"llvm.memset.inline", MPROF_SYM_MEMSET, true, "llvm.memset.inline"},
};

/* Longest intrinsic that stays; LLVM's own limit for x86. */
#define INLINE_BYTES_MAX 128

/* Index in memintrins[], or its length if the instruction is none of them. */
static size_t find(LLVMValueRef inst)
{
    const LLVMValueRef call = LLVMIsACallInst(inst);
    size_t i;

    if (call == NULL)
        return MPROF_ARRAY_LEN(memintrins);
    const LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(call));
    const unsigned id = callee == NULL ? 0 : LLVMGetIntrinsicID(callee);
    if (id == 0)
        return MPROF_ARRAY_LEN(memintrins);
    for (i = 0; i < MPROF_ARRAY_LEN(memintrins); i++) {
        const char *const name = memintrins[i].intrinsic;

        if (id == LLVMLookupIntrinsicID(name, strlen(name)))
            break;
    }
    return i;
}

/* False for a pointer to another address space, which the runtime cannot use.
 */
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

/* True if the pointer points to the stack or to a static variable, and the
 * options do not count those. */
static bool is_outside(struct mpass_context *context, LLVMValueRef pointer)
{
    const struct mpass_origin origin = mpass_origin_of(context, pointer);

    return !context->options.instrument_globals &&
           !context->options.instrument_stack &&
           (origin.is_stack || origin.is_static);
}

/* True if the intrinsic stays: its length is constant and short, and it has an
 * inline form. Sets *bytes to the length, and *words to the number of words
 * that start in the range. */
static bool is_short(const struct mpass_context *context, LLVMValueRef inst,
                     uint64_t *bytes, uint64_t *words)
{
    const struct memintrin *const which = &memintrins[find(inst)];
    const LLVMValueRef length = LLVMIsAConstantInt(LLVMGetOperand(inst, 2));

    if (context->merge == MPASS_MERGE_NONE || which->inline_form == NULL ||
        length == NULL || LLVMConstIntGetZExtValue(length) > INLINE_BYTES_MAX)
        return false;
    *bytes = LLVMConstIntGetZExtValue(length);
    *words = (*bytes + MPROF_RANGE_WORD_BYTES - 1) / MPROF_RANGE_WORD_BYTES;
    return true;
}

/* Changes the intrinsic to its inline form, which never becomes a call of the C
 * library. The runtime would count such a call again. */
static void make_inline(struct mpass_context *context, LLVMValueRef inst)
{
    const char *const name = memintrins[find(inst)].inline_form;
    const unsigned arguments = LLVMGetNumArgOperands(inst);
    LLVMTypeRef types[3];
    unsigned count = 0;

    types[count++] = LLVMTypeOf(LLVMGetOperand(inst, 0));
    if (!memintrins[find(inst)].is_set)
        types[count++] = LLVMTypeOf(LLVMGetOperand(inst, 1));
    types[count++] = LLVMTypeOf(LLVMGetOperand(inst, 2));
    LLVMSetOperand(
        inst, arguments,
        LLVMGetIntrinsicDeclaration(context->module,
                                    LLVMLookupIntrinsicID(name, strlen(name)),
                                    types, count));
}

void mpass_memintrin_plan(struct mpass_context *context, LLVMValueRef inst,
                          struct mpass_plan *plan)
{
    const unsigned pointers = memintrins[find(inst)].is_set ? 1 : 2;
    struct mpass_access access = {
        .kind = MPASS_ACCESS_MEMINTRIN, .inst = inst, .count = 1};
    bool outside = true;
    uint64_t bytes;
    uint64_t words;

    for (unsigned i = 0; i < pointers; i++)
        outside &= is_outside(context, LLVMGetOperand(inst, i));
    if (outside)
        return;
    if (!is_short(context, inst, &bytes, &words)) {
        mpass_plan_add(context, plan, &access);
        return;
    }
    access.kind = MPASS_ACCESS_ONE;
    access.count = words;
    access.bytes = context->mode == MPASS_MODE_RW_BYTES ? bytes : 0;
    for (unsigned i = 0; i < pointers; i++) {
        access.is_write = i == 0; /* the destination */
        access.addr = LLVMGetOperand(inst, i);
        if (words > 0 && !is_outside(context, access.addr))
            mpass_plan_add(context, plan, &access);
    }
    make_inline(context, inst);
}

void mpass_memintrin_replace(struct mpass_context *context, LLVMValueRef inst)
{
    const size_t which = find(inst);
    const bool is_set = memintrins[which].is_set;
    const LLVMBuilderRef builder = mpass_emit_before(context, inst);
    LLVMTypeRef params[3] = {context->ptr,
                             is_set ? LLVMInt32TypeInContext(context->llvm)
                                    : context->ptr,
                             context->intptr};
    LLVMTypeRef type = LLVMFunctionType(context->ptr, params, 3, false);
    LLVMValueRef args[3] = {LLVMGetOperand(inst, 0), LLVMGetOperand(inst, 1),
                            LLVMGetOperand(inst, 2)};
    char name[MPASS_MESSAGE_BYTES];

    if (is_set)
        args[1] = LLVMBuildIntCast2(builder, args[1], params[1], false, "");
    args[2] = LLVMBuildIntCast2(builder, args[2], params[2], false, "");
    snprintf(name, sizeof(name), "%s%s", context->options.callback_prefix,
             memintrins[which].callee);
    const LLVMValueRef call = LLVMBuildCall2(
        builder, type, mpass_emit_declare(context, name, type), args, 3, "");
    LLVMSetMetadata(call, context->nosanitize_kind,
                    LLVMMDNodeInContext(context->llvm, NULL, 0));
    LLVMInstructionEraseFromParent(inst);
}
