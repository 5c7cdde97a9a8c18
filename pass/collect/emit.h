/* emit.h -- what all that inserts instructions needs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_EMIT_H
#define MPASS_EMIT_H

#include "pass/collect/context.h"

/* The builder, ready to insert before `inst`, with its debug location or, where
 * that has none and the verifier may want one, a location of line 0. */
LLVMBuilderRef mpass_emit_before(struct mpass_context *context,
                                 LLVMValueRef inst);

/* The declaration `name` of type `type`, made on first need. */
LLVMValueRef mpass_emit_declare(struct mpass_context *context, const char *name,
                                LLVMTypeRef type);

#endif
