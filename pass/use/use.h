/* use.h -- uses a memory profile in one module.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/ExternC.h>
#include <llvm-c/Types.h>
#include <stdbool.h>

LLVM_C_EXTERN_C_BEGIN

/* True if LLVM's own pass matches the profile: with -memprof-hints=llvm, or if
 * LLVM lacks cloning. */
bool mpass_use_is_left_to_llvm(void);

/* Runs instead of LLVM's MemProfUsePass: finds the module's calls in the
 * profile, and clones functions unless LTO will. `analyses` is LLVM's module
 * analysis manager. */
void mpass_use_match(LLVMModuleRef module, const char *profile, void *analyses);

/* Runs at the end of the optimizer: replaces calls by hinted calls. With
 * before_link, a compilation for LTO, the link does that; then this only
 * removes metadata from functions that cannot be cloned. True if it changed the
 * module. */
bool mpass_use_hint(LLVMModuleRef module, bool before_link);

LLVM_C_EXTERN_C_END
