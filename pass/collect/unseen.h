/* unseen.h -- accesses by inline assembly and intrinsics. They are counted if
 * the IR shows them; otherwise the runtime is told that the block has uncounted
 * accesses.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/collect/plan.h"

/* For an instruction without mpass_access_of(): appends the accesses by memory
 * operands, and an access of kind UNSEEN for each pointer through which it may
 * access memory uncounted. */
void mpass_unseen_plan(struct mpass_context *context, LLVMValueRef inst,
                       struct mpass_plan *plan);

/* Emits the call that tells the runtime about a pointer, or about each pointer
 * of a vector. */
void mpass_unseen_emit(struct mpass_context *context,
                       const struct mpass_update *update);
