/* emit.h -- helpers for inserting instructions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/collect/context.h"

/* Positions the builder before `inst` and returns it. Uses the debug location
 * of `inst`; if it has none but the function has debug information, line 0,
 * which the verifier demands of calls. */
LLVMBuilderRef mpass_emit_before(struct mpass_context *context,
                                 LLVMValueRef inst);

/* The function `name`; declares it with `type` if the module lacks it. */
LLVMValueRef mpass_emit_declare(struct mpass_context *context, const char *name,
                                LLVMTypeRef type);

/* The thread-local variable of a definition that the runtime and other modules
 * have, too. The module gets a weak one; the runtime's takes precedence. */
LLVMValueRef mpass_emit_thread_local(const struct mpass_context *context,
                                     const char *name, LLVMValueRef initial);
