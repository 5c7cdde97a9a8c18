/* function.h -- instruments one function: collects accesses, plans updates of
 * counters, emits them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/collect/context.h"

/* Instruments a function that has a body. True if it changed the function. */
bool mpass_function_run(struct mpass_context *context, LLVMValueRef function);

/* True for a function with a body that only shares the module with those to be
 * instrumented: link-time optimization brought them together. */
bool mpass_function_is_foreign(const struct mpass_context *context,
                               LLVMValueRef function);

/* True for functions that are not instrumented: foreign ones, those that LLVM's
 * pass skips too, and context->uncounted (resolver.c). */
bool mpass_function_is_skipped(const struct mpass_context *context,
                               LLVMValueRef function);
