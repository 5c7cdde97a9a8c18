/* versions.h -- two versions of a function's code: a counting copy and a plain
 * copy (-memprof-versions=2).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/collect/plan.h"

/* Duplicates the function's code if the options ask for it and the plan has
 * accesses to count. If true, the accesses must be collected again, from the
 * blocks before context->versions.plain. */
bool mpass_versions_begin(struct mpass_context *context,
                          const struct mpass_plan *plan);

/* Removes accesses from the new plan that the first plan did not count. Origins
 * of pointers are harder to find in the duplicated code, so the decisions of
 * the first plan are kept. */
void mpass_versions_keep(struct mpass_context *context,
                         struct mpass_plan *plan);

/* Call it when all instructions of the function are emitted. True if the
 * function has checks. */
bool mpass_versions_end(struct mpass_context *context);

/* Call it at the end of the module. Emits a remark with the number of functions
 * that could not be duplicated. */
void mpass_versions_finish(const struct mpass_context *context);

/* If the branch is one of our checks: the load of the word, before which code
 * for this branch can be inserted. NULL otherwise. */
LLVMValueRef mpass_versions_before(const struct mpass_context *context,
                                   LLVMValueRef branch);

/* Creates a local variable that is set to `value` at each entrance of the
 * counting copy. `value` is a constant or a value that is available there, or a
 * global variable that holds it. context->has_plain must be true. Leaves the
 * builder at the function's start. */
LLVMValueRef mpass_versions_variable(struct mpass_context *context,
                                     LLVMValueRef value, LLVMTypeRef type);

/* The amount to add to a counter. In a function that could not be duplicated:
 * emits code that makes it 0 while the thread does not count. */
LLVMValueRef mpass_versions_amount(struct mpass_context *context,
                                   LLVMValueRef amount);
