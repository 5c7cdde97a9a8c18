/* bridge_analysis.cpp -- what LLVM knows of a function's control flow, its
 * calls and its loops, for C. One query per function, no decisions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma GCC visibility push(default)
#include "pass/llvm_compat.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#pragma GCC visibility pop

#include "pass/pass.h"

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

mpass_analysis *mpass_bridge_analyse(LLVMValueRef function)
{
    return new mpass_analysis(*unwrap<Function>(function));
}

void mpass_bridge_analysis_free(mpass_analysis *analysis)
{
    delete analysis;
}

double mpass_bridge_probability(mpass_analysis *analysis,
                                LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    const BranchProbability p =
        analysis->probabilities.getEdgeProbability(unwrap(from), unwrap(to));
    return double(p.getNumerator()) / BranchProbability::getDenominator();
}

double mpass_bridge_frequency(mpass_analysis *analysis, LLVMBasicBlockRef block)
{
    return double(
        analysis->frequencies.getBlockFreq(unwrap(block)).getFrequency());
}

uint64_t mpass_bridge_iterations_max(mpass_analysis *analysis,
                                     LLVMBasicBlockRef header)
{
    const Loop *loop = analysis->loops.getLoopFor(unwrap(header));
    uint64_t product = 1;

    if (loop == nullptr || loop->getHeader() != unwrap(header))
        return 0;
    for (; loop != nullptr; loop = loop->getParentLoop()) {
        product *= analysis->evolution.getSmallConstantMaxTripCount(loop);
        if (product == 0 || product > UINT32_MAX)
            return 0;
    }
    return product;
}

/* True if the value is the base plus something, without overflow. */
static bool is_sum_of(const SCEV *value, const SCEV *base)
{
    if (value == base)
        return true;
    if (const auto *steps = dyn_cast<SCEVAddRecExpr>(value))
        return steps->hasNoUnsignedWrap() && is_sum_of(steps->getStart(), base);
    if (const auto *sum = dyn_cast<SCEVAddExpr>(value))
        return sum->hasNoUnsignedWrap() &&
               any_of(sum->operands(),
                      [&](const SCEV *term) { return is_sum_of(term, base); });
    return false;
}

bool mpass_bridge_is_ahead(mpass_analysis *analysis, LLVMValueRef pointer,
                           LLVMValueRef base)
{
    ScalarEvolution &evolution = analysis->evolution;
    const SCEV *const from = evolution.getSCEV(unwrap(base));
    const SCEV *const to = evolution.getSCEV(unwrap(pointer));
    const SCEV *const distance = evolution.getMinusSCEV(to, from);

    return is_sum_of(to, from) || (!isa<SCEVCouldNotCompute>(distance) &&
                                   evolution.isKnownNonNegative(distance));
}

bool mpass_bridge_is_in_loop(mpass_analysis *analysis, LLVMBasicBlockRef header,
                             LLVMBasicBlockRef block)
{
    const Loop *loop = analysis->loops.getLoopFor(unwrap(header));

    return loop == nullptr || loop->getHeader() != unwrap(header) ||
           loop->contains(unwrap(block));
}

bool mpass_bridge_is_harmless_call(LLVMValueRef inst)
{
    const auto *call = dyn_cast<CallInst>(unwrap(inst));

    if (call == nullptr)
        return false;
    if (const auto *memory = dyn_cast<MemIntrinsic>(call))
        return !memory->isVolatile();
    return !call->isInlineAsm() && call->doesNotThrow() &&
           call->hasFnAttr(Attribute::WillReturn) &&
           call->hasFnAttr(Attribute::NoFree) &&
           !call->hasFnAttr(Attribute::ReturnsTwice) &&
           (call->hasFnAttr(Attribute::NoSync) || call->onlyReadsMemory());
}

bool mpass_bridge_is_ordered(LLVMValueRef inst)
{
    return isa<FenceInst>(unwrap(inst)) ||
           (unwrap<Instruction>(inst)->isAtomic() &&
            !isa<CallBase>(unwrap(inst))) ||
           unwrap<Instruction>(inst)->isVolatile();
}

bool mpass_bridge_returns_twice(LLVMValueRef function)
{
    return unwrap<Function>(function)->callsFunctionThatReturnsTwice();
}

bool mpass_bridge_has_funclets(LLVMValueRef function)
{
    const auto *f = unwrap<Function>(function);
    return f->hasPersonalityFn() &&
           isScopedEHPersonality(classifyEHPersonality(f->getPersonalityFn()));
}

bool mpass_bridge_inbounds_offset(LLVMValueRef pointer, LLVMValueRef base,
                                  LLVMTargetDataRef layout, int64_t *out)
{
    const DataLayout &data = *unwrap(layout);
    APInt offset(data.getIndexTypeSizeInBits(unwrap(pointer)->getType()), 0);
    const Value *found =
        unwrap(pointer)->stripAndAccumulateInBoundsConstantOffsets(data,
                                                                   offset);
    *out = offset.getSExtValue();
    return found == unwrap(base);
}

LLVMValueRef mpass_bridge_edge_place(LLVMValueRef terminator,
                                     LLVMBasicBlockRef to)
{
    if (terminator == nullptr)
        return wrap(&*unwrap(to)->getFirstInsertionPt());

    auto *branch = unwrap<Instruction>(terminator);
    const unsigned i = GetSuccessorNumber(branch->getParent(), unwrap(to));

    if (isCriticalEdge(branch, i)) {
        BasicBlock *between = SplitKnownCriticalEdge(
            branch, i, CriticalEdgeSplittingOptions().setMergeIdenticalEdges());
        return between ? wrap(between->getTerminator()) : nullptr;
    }
    if (branch->getNumSuccessors() == 1)
        return terminator;
    return wrap(&*unwrap(to)->getFirstInsertionPt());
}

void mpass_bridge_promote(LLVMValueRef function, LLVMValueRef *allocas,
                          size_t count)
{
    DominatorTree dominators(*unwrap<Function>(function));
    SmallVector<AllocaInst *, 16> list;

    for (size_t i = 0; i < count; i++)
        list.push_back(unwrap<AllocaInst>(allocas[i]));
    PromoteMemToReg(list, dominators);
}

LLVMValueRef mpass_bridge_simplified(LLVMValueRef inst,
                                     LLVMTargetDataRef layout)
{
    return wrap(simplifyInstruction(unwrap<Instruction>(inst),
                                    SimplifyQuery(*unwrap(layout))));
}
