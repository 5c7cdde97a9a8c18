/* copyable.h -- finds the functions of a module that may be cloned. A copy must
 * behave like the function, and the module must still assemble with both.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/ExternC.h>
#include <llvm-c/Core.h>
#include <stdbool.h>

LLVM_C_EXTERN_C_BEGIN

/* True for LLVM's clones, which are named f.memprof.1 and so on. */
bool mpass_copyable_is_clone(LLVMValueRef global);
/* The function that the clone is a copy of, or NULL. */
LLVMValueRef mpass_copyable_original(LLVMModuleRef module, LLVMValueRef clone);
/* Appends a number to the name of a clone that has LLVM's name for it. */
void mpass_copyable_rename(LLVMValueRef clone);

/* Removes the metadata for cloning from all calls in functions that cannot be
 * cloned. True if it changed the module. */
bool mpass_copyable_strip(LLVMModuleRef module);

/* Call it after LLVM's cloning: replaces each clone of a function that cannot
 * be cloned by an alias. LLVM also clones functions without metadata, if tail
 * calls hide them from the profile. */
void mpass_copyable_undo(LLVMModuleRef module);

LLVM_C_EXTERN_C_END
