/* analysis.cpp -- what LLVM knows of a function's control flow, its loops and
 * its values, for C. One query per function, no decisions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma GCC visibility push(default)
#include "pass/bridge/llvm_compat.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#pragma GCC visibility pop

#include "pass/bridge/analysis.h"

using namespace llvm;

struct mpass_analysis {
    TargetLibraryInfoImpl library_impl;
    TargetLibraryInfo library;
    AssumptionCache assumptions;
    DominatorTree dominators;
    LoopInfo loops;
    BranchProbabilityInfo probabilities;
    BlockFrequencyInfo frequencies;
    ScalarEvolution evolution;

    explicit mpass_analysis(Function &function)
        : library_impl(mpass_compat_triple(*function.getParent())),
          library(library_impl, &function), assumptions(function),
          dominators(function), loops(dominators),
          probabilities(function, loops),
          frequencies(function, probabilities, loops),
          evolution(function, library, assumptions, dominators, loops)
    {
    }
};

mpass_analysis *mpass_analysis_new(LLVMValueRef function)
{
    return new mpass_analysis(*unwrap<Function>(function));
}

void mpass_analysis_free(mpass_analysis *analysis)
{
    delete analysis;
}

double mpass_analysis_probability(mpass_analysis *analysis,
                                  LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    const BranchProbability p =
        analysis->probabilities.getEdgeProbability(unwrap(from), unwrap(to));
    return double(p.getNumerator()) / BranchProbability::getDenominator();
}

double mpass_analysis_frequency(mpass_analysis *analysis,
                                LLVMBasicBlockRef block)
{
    return double(
        analysis->frequencies.getBlockFreq(unwrap(block)).getFrequency());
}

/* -- Loops ------------------------------------------------------------------ */

static const Loop *unwrap(const mpass_loop *loop)
{
    return reinterpret_cast<const Loop *>(loop);
}

static const mpass_loop *wrap(const Loop *loop)
{
    return reinterpret_cast<const mpass_loop *>(loop);
}

const mpass_loop *mpass_analysis_loop_of(mpass_analysis *analysis,
                                         LLVMBasicBlockRef block)
{
    return wrap(analysis->loops.getLoopFor(unwrap(block)));
}

LLVMBasicBlockRef mpass_analysis_loop_header(const mpass_loop *loop)
{
    return wrap(unwrap(loop)->getHeader());
}

bool mpass_analysis_loop_contains(const mpass_loop *loop,
                                  LLVMBasicBlockRef block)
{
    return unwrap(loop)->contains(unwrap(block));
}

/* -- Scalar evolution ------------------------------------------------------- */

static const SCEV *unwrap(const mpass_scev *scev)
{
    return reinterpret_cast<const SCEV *>(scev);
}

static const mpass_scev *wrap(const SCEV *scev)
{
    return reinterpret_cast<const mpass_scev *>(scev);
}

const mpass_scev *mpass_analysis_scev(mpass_analysis *analysis,
                                      LLVMValueRef value)
{
    return wrap(analysis->evolution.getSCEV(unwrap(value)));
}

const mpass_scev *mpass_analysis_scev_difference(mpass_analysis *analysis,
                                                 const mpass_scev *left,
                                                 const mpass_scev *right)
{
    return wrap(analysis->evolution.getMinusSCEV(unwrap(left), unwrap(right)));
}

mpass_scev_kind mpass_analysis_scev_kind(const mpass_scev *scev)
{
    switch (unwrap(scev)->getSCEVType()) {
    case scAddExpr:
        return MPASS_SCEV_SUM;
    case scAddRecExpr:
        return MPASS_SCEV_STEPS;
    case scCouldNotCompute:
        return MPASS_SCEV_NONE;
    default:
        return MPASS_SCEV_OTHER;
    }
}

unsigned mpass_analysis_scev_operands(const mpass_scev *scev)
{
    return unsigned(cast<SCEVNAryExpr>(unwrap(scev))->getNumOperands());
}

const mpass_scev *mpass_analysis_scev_operand(const mpass_scev *scev,
                                              unsigned i)
{
    return wrap(cast<SCEVNAryExpr>(unwrap(scev))->getOperand(i));
}

bool mpass_analysis_scev_never_wraps(const mpass_scev *scev)
{
    return cast<SCEVNAryExpr>(unwrap(scev))->hasNoUnsignedWrap();
}

bool mpass_analysis_scev_is_non_negative(mpass_analysis *analysis,
                                         const mpass_scev *scev)
{
    return analysis->evolution.isKnownNonNegative(unwrap(scev));
}
