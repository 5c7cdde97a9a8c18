/* stubs.h -- creates functions that call the hinted form of an allocation
 * function if the program has one, and the plain function otherwise.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/Core.h>

/* The function to call instead of `plain`; it has the same parameters and then
 * the hint. NULL if there can be none, because `plain` has variable or too many
 * arguments. */
LLVMValueRef mpass_stubs_get(LLVMModuleRef module, LLVMValueRef plain);
