/* waiting.h -- marks functions that link-time optimization is to instrument,
 * after it has inlined across modules.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/support/options.h"

#include <llvm-c/ExternC.h>
#include <llvm-c/Types.h>
#include <stdbool.h>

LLVM_C_EXTERN_C_BEGIN

/* Marks the functions of a module that is compiled, with the options, and makes
 * linking fail as long as it is required to instrument them. `noprofile` keeps
 * them from being inlined into functions that are already instrumented, and
 * vice versa; instrumentation for PGO has run. */
void mpass_waiting_mark(LLVMModuleRef module,
                        const struct mpass_options *options);

/* The mark of the first function that waits, or NULL. */
LLVMAttributeRef mpass_waiting_next(LLVMModuleRef module);

/* Removes the mark from all functions that have it. */
void mpass_waiting_end(LLVMModuleRef module, LLVMAttributeRef waiting);

/* True if functions of the module wait for the link to be instrumented. */
bool mpass_waiting_is_required(LLVMModuleRef module);
void mpass_waiting_stop_requiring(LLVMModuleRef module);

LLVM_C_EXTERN_C_END
