/* origin.h -- which object a pointer points into.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_ORIGIN_H
#define MPASS_ORIGIN_H

#include "pass/collect/context.h"

/* What is known of a pointer. */
struct mpass_origin {
    /* The pointer that this one is computed from by arithmetic, also by
     * stepping through an object in a loop; the pointer itself if there is
     * none. It dominates the pointer. */
    LLVMValueRef base;
    bool is_stack;  /* into a local variable of the function */
    bool is_static; /* into a static or thread-local variable, or an argument
                     * that lies on the stack: no block has it */
};

/* Found once for each pointer of the function in hand. */
struct mpass_origin mpass_origin_of(struct mpass_context *context,
                                    LLVMValueRef pointer);
/* Forgets what was found; the function changes now. */
void mpass_origin_forget(struct mpass_context *context);

/* True for a pointer that lies a constant behind or before another, its first
 * operand. */
bool mpass_origin_is_constant_step(LLVMValueRef pointer);

#endif
