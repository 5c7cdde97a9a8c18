/* copyable.h -- which functions of a module may be cloned. A copy must do what
 * the function does, and the module must still assemble with both.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_COPYABLE_H
#define MPASS_COPYABLE_H

#include <llvm-c/ExternC.h>
#include <llvm-c/Core.h>
#include <stdbool.h>

LLVM_C_EXTERN_C_BEGIN

/* True for LLVM's clones: f.memprof.1 and so on. */
bool mpass_copyable_is_clone(LLVMValueRef global);
/* The function that the clone is a copy of, or NULL. */
LLVMValueRef mpass_copyable_original(LLVMModuleRef module, LLVMValueRef clone);

/* Removes the metadata for cloning from all calls in functions that cannot be
 * cloned. Returns true if the module is not as before. */
bool mpass_copyable_strip(LLVMModuleRef module);

/* After LLVM cloned: turns each clone of a function that cannot be cloned into
 * another name of this function. LLVM clones functions without metadata too, if
 * tail calls hide them from the profile. */
void mpass_copyable_undo(LLVMModuleRef module);

LLVM_C_EXTERN_C_END

#endif
