/* use.h -- uses a memory profile in one module.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_USE_H
#define MPASS_USE_H

#include <llvm-c/ExternC.h>
#include <llvm-c/Types.h>
#include <stdbool.h>

LLVM_C_EXTERN_C_BEGIN

/* True if LLVM is to match the profile by itself (-memprof-hints=llvm, or an
 * LLVM that cannot clone). */
bool mpass_use_is_left_to_llvm(void);

/* Where LLVM would match: finds the module's calls in the profile, and clones
 * unless a link will do that. `analyses`: LLVM's module analysis manager. */
void mpass_use_match(LLVMModuleRef module, const char *profile, void *analyses);

/* At the end of the optimizer; before_link: of a compilation for a link that
 * optimizes. Returns true if it changed the module. */
bool mpass_use_hint(LLVMModuleRef module, bool before_link);

LLVM_C_EXTERN_C_END

#endif
