/* origin.h -- which object a pointer points into.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_ORIGIN_H
#define MPASS_ORIGIN_H

#include <llvm-c/Types.h>
#include <stdbool.h>

/* The pointer that this one is computed from by arithmetic, also by stepping
 * through an object in a loop; the pointer itself if there is none. It
 * dominates the pointer. */
LLVMValueRef mpass_origin_of(LLVMValueRef pointer);

/* True if the pointer and all between its origin and it lie in the origin's
 * object or at its end. */
bool mpass_origin_is_inbounds(LLVMValueRef pointer);

/* True if all pointers of this origin point into one object. Constants such as
 * null may be the origin of any. */
bool mpass_origin_is_single(LLVMValueRef origin);

/* True for a pointer into a static or thread-local variable, or an argument
 * that lies on the stack: no block has it. */
bool mpass_origin_is_static(LLVMValueRef pointer);

/* True for a pointer into a local variable of the function. */
bool mpass_origin_is_stack(LLVMValueRef pointer);

struct mpass_analysis;

/* True if the pointer certainly lies at `base` or behind it, if both lie in one
 * object. */
bool mpass_origin_is_ahead(struct mpass_analysis *analysis,
                           LLVMValueRef pointer, LLVMValueRef base);

#endif
