/* reach.h -- which functions and calls may lead to an allocation.
 *
 * A function is ours where we insert code into it if it may allocate.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_REACH_H
#define MPASS_REACH_H

#include "pass/collect/context.h"

struct mpass_reach {
    const struct mpass_context *context;
    struct mpass_numbers reaching; /* functions of ours that may allocate */
    struct mpass_numbers exposed;  /* called by code that is not ours */
    struct mpass_numbers passing;  /* they end in a jump */
};

/* Looks at each function of the module; fini is due. */
void mpass_reach_find(struct mpass_reach *reach,
                      const struct mpass_context *context);
void mpass_reach_fini(struct mpass_reach *reach);

bool mpass_reach_is_ours(const struct mpass_context *context,
                         LLVMValueRef function);
/* True for a call or an invoke of something else than an intrinsic. */
bool mpass_reach_is_call(LLVMValueRef inst);
/* The function that is called, or NULL. */
LLVMValueRef mpass_reach_callee(LLVMValueRef call);
/* True if the function is one of libc or the C++ library, by its name. */
bool mpass_reach_is_known(LLVMValueRef function);
/* False where the instruction certainly leads to no allocation, or calls a
 * function of ours with the one body that it can have. */
bool mpass_reach_may_allocate(const struct mpass_context *context,
                              LLVMValueRef inst);
/* True if an allocation may follow from the call. */
bool mpass_reach_may_reach(const struct mpass_reach *reach, LLVMValueRef call);
/* True if what is called may be an allocation function itself: the runtime
 * looks whether it is. */
bool mpass_reach_may_be_allocation(LLVMValueRef call);
/* True if the call throws, or allocates what is thrown. */
bool mpass_reach_throws(LLVMValueRef call);

#endif
