/* shadow.h -- an update of a counter -> instructions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_SHADOW_H
#define MPASS_SHADOW_H

#include "pass/collect/plan.h"

/* Inserts one update: counters in line, or a call of the runtime. */
void mpass_shadow_emit(struct mpass_context *context,
                       const struct mpass_update *update);

/* Inserts counter(addr) += amount, a 64-bit value, before `before`. */
void mpass_shadow_add(struct mpass_context *context, LLVMValueRef before,
                      LLVMValueRef addr, LLVMValueRef amount);

#endif
