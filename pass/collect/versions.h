/* versions.h -- two versions of a function's code, one that counts.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_VERSIONS_H
#define MPASS_VERSIONS_H

#include "pass/collect/plan.h"

/* Makes a plain copy of the function's code, if the options ask for one and the
 * plan has accesses to count. True if the plan has to be made again, for the
 * blocks before context->versions.plain. */
bool mpass_versions_begin(struct mpass_context *context,
                          const struct mpass_plan *plan);

/* Then, of the new plan: leaves out accesses to what does not count. Where a
 * pointer comes from is harder to see now. */
void mpass_versions_keep(struct mpass_context *context,
                         struct mpass_plan *plan);

/* To be called when the function's instructions are complete. */
void mpass_versions_end(struct mpass_context *context);

/* Says how many of the module's functions have one version only. */
void mpass_versions_report(const struct mpass_context *context);

/* Where to insert what is done before a branch: before the check that decides
 * it, if that is one of ours. */
LLVMValueRef mpass_versions_before(const struct mpass_context *context,
                                   LLVMValueRef branch);

/* Where context->has_plain: a local variable that has a value wherever the
 * counting copy is entered. `value` is one there, or a global variable that
 * holds it. Leaves the builder at the function's start. */
LLVMValueRef mpass_versions_variable(struct mpass_context *context,
                                     LLVMValueRef value, LLVMTypeRef type);

/* The amount to count; where there is one version only: 0 while nothing is to
 * be counted. */
LLVMValueRef mpass_versions_amount(struct mpass_context *context,
                                   LLVMValueRef amount);

#endif
