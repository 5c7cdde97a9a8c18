/* analysis.h -- what LLVM knows of one function's control flow, loops and
 * values, for C: one query per function, no decisions.
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

struct mpass_analysis *mpass_analysis_new(LLVMValueRef function);
void mpass_analysis_free(struct mpass_analysis *analysis);

/* How likely control goes to `to` at the end of `from`: 0 to 1. */
double mpass_analysis_probability(struct mpass_analysis *analysis,
                                  LLVMBasicBlockRef from, LLVMBasicBlockRef to);
/* How often the block runs, in a unit of the function's own. */
double mpass_analysis_frequency(struct mpass_analysis *analysis,
                                LLVMBasicBlockRef block);

/* -- Loops: LLVM's, valid as long as the analysis --------------------------- */

struct mpass_loop;

/* The innermost loop that the block belongs to, or NULL. */
const struct mpass_loop *mpass_analysis_loop_of(struct mpass_analysis *analysis,
                                                LLVMBasicBlockRef block);
LLVMBasicBlockRef mpass_analysis_loop_header(const struct mpass_loop *loop);
bool mpass_analysis_loop_contains(const struct mpass_loop *loop,
                                  LLVMBasicBlockRef block);

/* -- Values as LLVM's scalar evolution sees them, likewise ------------------ */

struct mpass_scev;

enum mpass_scev_kind {
    MPASS_SCEV_NONE,  /* could not be computed */
    MPASS_SCEV_SUM,   /* of its operands */
    MPASS_SCEV_STEPS, /* starts at operand 0 and changes in each round */
    MPASS_SCEV_OTHER,
};

/* Each value has one, equal values may have the same. */
const struct mpass_scev *mpass_analysis_scev(struct mpass_analysis *analysis,
                                             LLVMValueRef value);
/* left - right */
const struct mpass_scev *
mpass_analysis_scev_difference(struct mpass_analysis *analysis,
                               const struct mpass_scev *left,
                               const struct mpass_scev *right);
enum mpass_scev_kind mpass_analysis_scev_kind(const struct mpass_scev *scev);
/* Of a sum or of steps. */
unsigned mpass_analysis_scev_operands(const struct mpass_scev *scev);
const struct mpass_scev *
mpass_analysis_scev_operand(const struct mpass_scev *scev, unsigned i);
/* True if a sum or steps do not go beyond the largest number. */
bool mpass_analysis_scev_never_wraps(const struct mpass_scev *scev);
/* True if the value, as a signed number, is known to be 0 or more. */
bool mpass_analysis_scev_is_non_negative(struct mpass_analysis *analysis,
                                         const struct mpass_scev *scev);

LLVM_C_EXTERN_C_END

#endif
