/* stubs.h -- functions that call the hinted form of an allocation function
 * where the program has one, else the plain function.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_STUBS_H
#define MPASS_STUBS_H

#include <llvm-c/Core.h>

/* The function to call instead of `plain`: same arguments, then the hint.
 * NULL where there can be none (variable arguments). */
LLVMValueRef mpass_stubs_get(LLVMModuleRef module, LLVMValueRef plain);

#endif
