/* stubs.h -- creates functions that call the hinted form of an allocation
 * function if the program has one, and the plain function otherwise.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/Core.h>

/* Stubs find the hinted form in constructors of this priority, before all of
 * the program. */
#define MPASS_STUBS_PRIORITY 1

/* The function to call instead of `plain`; it has the same parameters and then
 * the hint. NULL if there can be none, because `plain` has variable or too many
 * arguments. */
LLVMValueRef mpass_stubs_get(LLVMModuleRef module, LLVMValueRef plain);

/* Likewise, of the hinted form of a function `name` instead of plain's name. */
LLVMValueRef mpass_stubs_get_as(LLVMModuleRef module, LLVMValueRef plain,
                                const char *name);
