/* dense.c -- makes the code use no more than an alignment of 8 of a block.
 *
 * The front end has checked the type (pass/plugin/frontend_dense.cpp). Clang
 * knows that operator new aligns by 16, so accesses in the function may say so;
 * that is taken back. Not dense are blocks whose larger alignment the program
 * states by other means, and those of whose pointers it may use the low bits.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/use/steps.h"

#include "pass/bridge/hotness.h"
#include "pass/bridge/ir.h"
#include "shared/base.h"

#include <stdlib.h>
#include <string.h>

#define DENSE_ALIGN 8
/* Of more values that depend on the block, nothing is known. */
#define VALUES_MAX 64

/* The block, and pointers into it. */
struct values {
    LLVMValueRef rows[VALUES_MAX];
    unsigned count;
};

/* False if there is no room. */
static bool add(struct values *values, LLVMValueRef value)
{
    for (unsigned i = 0; i < values->count; i++) {
        if (values->rows[i] == value)
            return true;
    }
    if (values->count == VALUES_MAX)
        return false;
    values->rows[values->count++] = value;
    return true;
}

static bool is_dense_align(LLVMAttributeRef align)
{
    return align == NULL || LLVMGetEnumAttributeValue(align) <= DENSE_ALIGN;
}

static unsigned align_kind(void)
{
    return LLVMGetEnumAttributeKindForName("align", 5);
}

static bool allows_call(LLVMValueRef call, LLVMValueRef pointer)
{
    const unsigned kind = align_kind();
    LLVMValueRef callee = LLVMGetCalledValue(call);
    const unsigned count = LLVMGetNumArgOperands(call);
    bool is_argument = false;

    if (LLVMIsAMemIntrinsic(call) != NULL)
        return true;
    if (callee == NULL || LLVMIsAFunction(callee) == NULL)
        callee = NULL;
    if (callee != NULL && LLVMGetIntrinsicID(callee) != 0)
        return false;
    for (unsigned i = 0; i < count; i++) {
        if (LLVMGetOperand(call, i) != pointer)
            continue;
        is_argument = true;
        if (!is_dense_align(LLVMGetCallSiteEnumAttribute(call, i + 1, kind)) ||
            (callee != NULL && i < LLVMCountParams(callee) &&
             !is_dense_align(LLVMGetEnumAttributeAtIndex(callee, i + 1, kind))))
            return false;
    }
    return is_argument; /* or else in an operand bundle */
}

/* True if the user of the pointer needs no larger alignment or can be changed.
 * Adds the user to the values if it is a pointer into the block. */
static bool allows(struct values *values, LLVMValueRef user,
                   LLVMValueRef pointer)
{
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMLoad:
    case LLVMStore:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return !mpass_ir_is_atomic(user) ||
               LLVMGetAlignment(user) <= DENSE_ALIGN;
    case LLVMGetElementPtr:
    case LLVMPHI:
    case LLVMSelect:
        return add(values, user);
    case LLVMCall:
    case LLVMInvoke:
        return allows_call(user, pointer);
    case LLVMICmp:
    case LLVMRet:
        return true;
    default:
        return false;
    }
}

static bool allows_all(struct values *values)
{
    for (unsigned i = 0; i < values->count; i++) {
        MPASS_EACH_USE(use, values->rows[i]) {
            if (!allows(values, LLVMGetUser(use), values->rows[i]))
                return false;
        }
    }
    return true;
}

static void lower_arguments(LLVMValueRef call, LLVMValueRef pointer)
{
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        if (LLVMGetOperand(call, i) == pointer &&
            !is_dense_align(
                LLVMGetCallSiteEnumAttribute(call, i + 1, align_kind())))
            LLVMSetInstrParamAlignment(call, i + 1, DENSE_ALIGN);
    }
}

static void lower(LLVMValueRef user, LLVMValueRef pointer)
{
    if (LLVMIsALoadInst(user) != NULL || LLVMIsAStoreInst(user) != NULL) {
        if (LLVMGetAlignment(user) > DENSE_ALIGN)
            LLVMSetAlignment(user, DENSE_ALIGN);
    } else if (LLVMIsAMemIntrinsic(user) != NULL) {
        lower_arguments(user, pointer);
    }
}

static void lower_all(const struct values *values)
{
    for (unsigned i = 0; i < values->count; i++) {
        MPASS_EACH_USE(use, values->rows[i])
            lower(LLVMGetUser(use), values->rows[i]);
    }
}

/* The product of all arguments that are numbers; 0 if one is not constant. For
 * functions with an alignment it is no size. */
static uint64_t size_of(LLVMValueRef call)
{
    uint64_t product = 1;

    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        const LLVMValueRef argument = LLVMGetOperand(call, i);

        if (LLVMGetTypeKind(LLVMTypeOf(argument)) != LLVMIntegerTypeKind)
            continue;
        if (LLVMIsAConstantInt(argument) == NULL)
            return 0;
        product =
            mprof_mul_sat_u64(product, LLVMConstIntGetZExtValue(argument));
    }
    return product;
}

bool mpass_dense_allow(LLVMValueRef call)
{
    const uint64_t bytes =
        strtoull(mpass_hotness_text(call, MPASS_DENSE), NULL, 10);
    struct values values = {.rows = {call}, .count = 1};

    if (bytes == 0 || size_of(call) != bytes ||
        !is_dense_align(LLVMGetCallSiteEnumAttribute(
            call, LLVMAttributeReturnIndex, align_kind())) ||
        !allows_all(&values))
        return false;
    lower_all(&values);
    return true;
}
