/* use.h -- uses a memory profile in one module.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/ExternC.h>
#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

LLVM_C_EXTERN_C_BEGIN

/* True if LLVM's own pass matches the profile: with -memprof-hints=llvm, or if
 * LLVM lacks cloning. */
bool mpass_use_is_left_to_llvm(void);

/* mpass_frontend_dense() (pass/plugin/frontend.h). */
typedef uint64_t mpass_use_dense_fn(const char *function, size_t size,
                                    unsigned line, unsigned column);

/* Runs instead of LLVM's MemProfUsePass: finds the module's calls in the
 * profile, and clones functions unless LTO will. `analyses` is LLVM's module
 * analysis manager. `dense` may be NULL. */
void mpass_use_match(LLVMModuleRef module, const char *profile, void *analyses,
                     mpass_use_dense_fn *dense);

/* Runs at the end of the optimizer: replaces calls by hinted calls. With
 * before_link, a compilation for LTO, the link does that; then this only
 * removes metadata from functions that cannot be cloned. True if it changed the
 * module. */
bool mpass_use_hint(LLVMModuleRef module, bool before_link);

LLVM_C_EXTERN_C_END
