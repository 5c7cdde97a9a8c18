/* analysis.h -- what LLVM knows of one function's control flow and loops,
 * for C: one query per function, no decisions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_ANALYSIS_H
#define MPASS_ANALYSIS_H

#include <llvm-c/ExternC.h>
#include <llvm-c/Types.h>
#include <stdbool.h>

LLVM_C_EXTERN_C_BEGIN

/* Valid until the function's control flow changes. */
struct mpass_analysis;

/* `manager` is LLVM's function analysis manager: what it holds is not computed
 * again. */
struct mpass_analysis *mpass_analysis_new(LLVMValueRef function, void *manager);
void mpass_analysis_free(struct mpass_analysis *analysis);
/* Tells the manager that the function changed. */
void mpass_analysis_invalidate(LLVMValueRef function, void *manager);

/* How likely control goes to `to` at the end of `from`: 0 to 1. */
double mpass_analysis_probability(struct mpass_analysis *analysis,
                                  LLVMBasicBlockRef from, LLVMBasicBlockRef to);
/* How often the block runs, in a unit of the function's own. */
double mpass_analysis_frequency(struct mpass_analysis *analysis,
                                LLVMBasicBlockRef block);

/* The block that all ways to this one lead through last, or NULL. */
LLVMBasicBlockRef mpass_analysis_dominator(struct mpass_analysis *analysis,
                                           LLVMBasicBlockRef block);

/* -- Loops: LLVM's, valid as long as the analysis --------------------------- */

struct mpass_loop;

/* The innermost loop that the block belongs to, or NULL. */
const struct mpass_loop *mpass_analysis_loop_of(struct mpass_analysis *analysis,
                                                LLVMBasicBlockRef block);
LLVMBasicBlockRef mpass_analysis_loop_header(const struct mpass_loop *loop);
bool mpass_analysis_loop_contains(const struct mpass_loop *loop,
                                  LLVMBasicBlockRef block);
/* The loop around it, or NULL. */
const struct mpass_loop *
mpass_analysis_loop_parent(const struct mpass_loop *loop);
/* The one block outside from which control enters the loop, or NULL. */
LLVMBasicBlockRef mpass_analysis_loop_entrance(const struct mpass_loop *loop);
/* True if control comes through the block before it goes back to the header. */
bool mpass_analysis_in_each_round(struct mpass_analysis *analysis,
                                  const struct mpass_loop *loop,
                                  LLVMBasicBlockRef block);

LLVM_C_EXTERN_C_END

#endif
