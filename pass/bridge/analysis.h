/* analysis.h -- LLVM's analyses of a function's control flow and loops, for C.
 * Each function here is one query without logic of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/ExternC.h>
#include <llvm-c/Types.h>
#include <stdbool.h>

LLVM_C_EXTERN_C_BEGIN

/* Valid until the function's control flow changes. */
struct mpass_analysis;

/* `manager` is LLVM's function analysis manager; its cached results are reused.
 * The caller frees the analysis. */
struct mpass_analysis *mpass_analysis_new(LLVMValueRef function, void *manager);
void mpass_analysis_free(struct mpass_analysis *analysis);
/* Tells the manager that the function's results are stale. */
void mpass_analysis_invalidate(LLVMValueRef function, void *manager);

/* Tells the manager for which machine (TargetMachine *) code is generated. NULL
 * if that is unknown. */
void mpass_analysis_set_machine(void *manager, void *machine);
/* Replaces calls of memcmp() and bcmp() that the code generator may replace by
 * loads, because it would do so behind our counting. */
void mpass_analysis_expand_comparisons(LLVMModuleRef module, void *manager);

/* Probability, 0 to 1, that control goes from the end of `from` to `to`. */
double mpass_analysis_probability(struct mpass_analysis *analysis,
                                  LLVMBasicBlockRef from, LLVMBasicBlockRef to);
/* Estimated frequency of the block; comparable within the function only. */
double mpass_analysis_frequency(struct mpass_analysis *analysis,
                                LLVMBasicBlockRef block);

/* The immediate dominator of the block, or NULL. */
LLVMBasicBlockRef mpass_analysis_dominator(struct mpass_analysis *analysis,
                                           LLVMBasicBlockRef block);

/* -- Loops ------------------------------------------------------------------ */

/* LLVM's loop; lives as long as the analysis. */
struct mpass_loop;

/* The innermost loop that contains the block, or NULL. */
const struct mpass_loop *mpass_analysis_loop_of(struct mpass_analysis *analysis,
                                                LLVMBasicBlockRef block);
LLVMBasicBlockRef mpass_analysis_loop_header(const struct mpass_loop *loop);
bool mpass_analysis_loop_contains(const struct mpass_loop *loop,
                                  LLVMBasicBlockRef block);
/* The next outer loop, or NULL. */
const struct mpass_loop *
mpass_analysis_loop_parent(const struct mpass_loop *loop);
/* The only block outside the loop that is a predecessor of its header, or NULL.
 */
LLVMBasicBlockRef mpass_analysis_loop_entrance(const struct mpass_loop *loop);
/* True if each iteration that returns to the header runs the block. */
bool mpass_analysis_in_each_iteration(struct mpass_analysis *analysis,
                                      const struct mpass_loop *loop,
                                      LLVMBasicBlockRef block);

LLVM_C_EXTERN_C_END
