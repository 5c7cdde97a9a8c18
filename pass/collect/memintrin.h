/* memintrin.h -- counts the accesses of memcpy, memmove and memset intrinsics.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/collect/plan.h"

/* True for the intrinsics that mpass_memintrin_replace() can replace. */
bool mpass_memintrin_is(LLVMValueRef inst);

/* Plans the counting of an intrinsic. A short intrinsic stays, and its accesses
 * are appended to the plan; for a long one, an access of kind MEMINTRIN is
 * appended, which replaces it later. Appends nothing if the intrinsic accesses
 * no block. */
void mpass_memintrin_plan(struct mpass_context *context, LLVMValueRef inst,
                          struct mpass_plan *plan);

/* Replaces the intrinsic by a call of the runtime, which counts its ranges. */
void mpass_memintrin_replace(struct mpass_context *context, LLVMValueRef inst);
