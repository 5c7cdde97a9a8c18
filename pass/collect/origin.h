/* origin.h -- finds the object that a pointer points into.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/collect/context.h"

struct mpass_origin {
    /* The pointer from which this one is computed by arithmetic, including
     * stepping through an object in a loop; the pointer itself if there is
     * none. It dominates the pointer. */
    LLVMValueRef base;
    bool is_stack;  /* points into a local variable of the function */
    bool is_static; /* points into a static or thread-local variable, or into
                     * an argument that is passed on the stack: not a block */
};

/* The origin of a pointer of the current function. Cached. */
struct mpass_origin mpass_origin_of(struct mpass_context *context,
                                    LLVMValueRef pointer);
/* Clears the cache. Call it before the function changes. */
void mpass_origin_forget(struct mpass_context *context);

/* True if the pointer is another one, its first operand, plus a constant. */
bool mpass_origin_is_constant_step(LLVMValueRef pointer);
