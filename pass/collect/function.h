/* function.h -- one function: collect accesses, plan updates, emit them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_FUNCTION_H
#define MPASS_FUNCTION_H

#include "pass/collect/context.h"

/* Counts the accesses of one function with a body. Returns true if it changed
 * the function. */
bool mpass_function_run(struct mpass_context *context, LLVMValueRef function);

/* True of functions that LLVM's pass leaves alone, and of those of resolver.c.
 */
bool mpass_function_is_left_out(const struct mpass_context *context,
                                LLVMValueRef function);

#endif
