/* unseen.h -- what inline assembly and intrinsics access beside LLVM's loads
 * and stores: counted where it shows, else the runtime is told.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_UNSEEN_H
#define MPASS_UNSEEN_H

#include "pass/collect/plan.h"

/* Appends what the instruction, which mpass_access_of() does not know, accesses
 * by memory operands, and the pointers by which it may access what does not
 * count (MPASS_ACCESS_UNSEEN). */
void mpass_unseen_plan(struct mpass_context *context, LLVMValueRef inst,
                       struct mpass_plan *plan);

/* Tells the runtime of a pointer, or of each in a vector. */
void mpass_unseen_emit(struct mpass_context *context,
                       const struct mpass_update *update);

#endif
