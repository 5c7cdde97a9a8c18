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

/* True for a pointer that lies a constant behind or before another, its first
 * operand. */
bool mpass_origin_is_constant_step(LLVMValueRef pointer);

/* True if all pointers of this origin point into one object. Constants such as
 * null may be the origin of any. */
bool mpass_origin_is_single(LLVMValueRef origin);

/* True for a pointer into a static or thread-local variable, or an argument
 * that lies on the stack: no block has it. */
bool mpass_origin_is_static(LLVMValueRef pointer);

/* True for a pointer into a local variable of the function. */
bool mpass_origin_is_stack(LLVMValueRef pointer);

#endif
