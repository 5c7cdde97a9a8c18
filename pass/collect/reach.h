/* reach.h -- finds the functions and calls that may lead to an allocation.
 *
 * A function is "ours" if it gets the code of calls.c in case it may allocate.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/collect/context.h"

struct mpass_reach {
    const struct mpass_context *context;
    struct mpass_numbers reaching; /* functions of ours that may allocate */
    struct mpass_numbers exposed;  /* called by functions that are not ours */
    struct mpass_numbers passing;  /* functions with a call that is a jump */
};

/* Analyzes all functions of the module. The caller calls fini. */
void mpass_reach_find(struct mpass_reach *reach,
                      const struct mpass_context *context);
void mpass_reach_fini(struct mpass_reach *reach);

bool mpass_reach_is_ours(const struct mpass_context *context,
                         LLVMValueRef function);
/* True for a call or an invoke, except of intrinsics. */
bool mpass_reach_is_call(LLVMValueRef inst);
/* The called function, or NULL for a call by pointer. */
LLVMValueRef mpass_reach_callee(LLVMValueRef call);
/* True if the name is one of libc or of the C++ library. */
bool mpass_reach_is_known(LLVMValueRef function);
/* True if the instruction may allocate outside of functions of ours. False for
 * a call of a function of ours whose body is certain. */
bool mpass_reach_may_allocate(const struct mpass_context *context,
                              LLVMValueRef inst);
/* True if the call may lead to an allocation. */
bool mpass_reach_may_reach(const struct mpass_reach *reach, LLVMValueRef call);
/* True if the callee itself may be an allocation function; the runtime checks
 * whether it is. */
bool mpass_reach_may_be_allocation(LLVMValueRef call);
/* True if the call throws an exception, or allocates one. */
bool mpass_reach_throws(LLVMValueRef call);
