/* shadow.h -- an update of a counter -> instructions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_SHADOW_H
#define MPASS_SHADOW_H

#include "pass/collect/plan.h"

/* Inserts one update: counters in line, or a call of the runtime. */
void mpass_shadow_emit(struct mpass_context *context,
                       const struct mpass_update *update);

/* What an accumulator holds, 64 bits: accesses, and where these are counted
 * their bytes in the lower bits. Amounts add up: of accesses few can wait, and
 * plan.c leaves long ones out. */
uint64_t mpass_shadow_amount(const struct mpass_context *context,
                             uint64_t count, uint64_t bytes);
/* The accesses of an amount; inserted where the builder stands. */
LLVMValueRef mpass_shadow_accesses(const struct mpass_context *context,
                                   LLVMValueRef amount);

/* Inserts counter(addr) += amount before `before`, in one direction where they
 * are counted apart. */
void mpass_shadow_add(struct mpass_context *context, LLVMValueRef before,
                      LLVMValueRef addr, bool is_write, LLVMValueRef amount);

#endif
