/* memintrin.h -- mem* intrinsics -> calls of the runtime.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_MEMINTRIN_H
#define MPASS_MEMINTRIN_H

#include "pass/collect/plan.h"

/* True for the intrinsics that mpass_memintrin_replace() knows. */
bool mpass_memintrin_is(LLVMValueRef inst);

/* What to do with the intrinsic: appends the accesses that count it in line,
 * after which it stays, or itself to be replaced; or nothing, where it touches
 * no block. */
void mpass_memintrin_plan(struct mpass_context *context, LLVMValueRef inst,
                          struct mpass_plan *plan);

/* Replaces the intrinsic by a call of the runtime, which counts its ranges. */
void mpass_memintrin_replace(struct mpass_context *context, LLVMValueRef inst);

#endif
