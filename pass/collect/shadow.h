/* shadow.h -- emits updates of counters.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/collect/plan.h"

/* Emits one update: inline code, or a call of the runtime. */
void mpass_shadow_emit(struct mpass_context *context,
                       const struct mpass_update *update);

/* The content of an accumulator, 64 bits: accesses in the upper bits and, if
 * bytes are counted, bytes in the lower bits. Amounts can be added: the number
 * of pending accesses is bounded, and plan.c counts long accesses separately.
 */
uint64_t mpass_shadow_amount(const struct mpass_context *context,
                             uint64_t count, uint64_t bytes);
/* Emits the accesses of an amount, at the builder's position. */
LLVMValueRef mpass_shadow_accesses(const struct mpass_context *context,
                                   LLVMValueRef amount);

/* Emits counter(addr) += amount before `before`. is_write matters only if reads
 * and writes are counted separately. */
void mpass_shadow_add(struct mpass_context *context, LLVMValueRef before,
                      LLVMValueRef addr, bool is_write, LLVMValueRef amount);
