/* bridge_analysis.cpp -- what LLVM knows of a function's control flow, its
 * calls and its loops, for C. One query per function, no decisions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma GCC visibility push(default)
#include "pass/bridge/llvm_compat.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#pragma GCC visibility pop

#include "pass/support/pass.h"

using namespace llvm;

/* A bound of more bits than this is none. */
static const unsigned BITS_NEAR = 16;

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

/* True if the loop may run until a value comes to this one, which is small or a
 * constant distance from another. */
static bool is_near(const mpass_analysis *analysis, const Loop *loop,
                    const Value *end)
{
    if (!loop->isLoopInvariant(end))
        return false;
    if (const auto *step = dyn_cast<GEPOperator>(end))
        return step->hasAllConstantIndices();
    return end->getType()->isIntegerTy() &&
           computeKnownBits(end, analysis->evolution.getDataLayout())
                   .countMaxActiveBits() <= BITS_NEAR;
}

/* True for a value that each round of the loop steps on, as far as that shows.
 */
static bool is_step(const Loop *loop, const Value *value)
{
    const auto *step = dyn_cast<Instruction>(value);

    while (step != nullptr && loop->contains(step) && !isa<PHINode>(step) &&
           (isa<BinaryOperator>(step) || isa<CastInst>(step) ||
            isa<GetElementPtrInst>(step)))
        step = dyn_cast<Instruction>(step->getOperand(0));
    return step != nullptr && isa<PHINode>(step) &&
           step->getParent() == loop->getHeader();
}

/* False if certainly no exit shows how often the loop runs at most, or it takes
 * more than comparing to find out: scalar evolution goes far for nothing. */
static bool may_be_short(const mpass_analysis *analysis, const Loop *loop)
{
    SmallVector<BasicBlock *, 8> exiting;

    loop->getExitingBlocks(exiting);
    return any_of(exiting, [&](const BasicBlock *block) {
        const auto *branch = dyn_cast<BranchInst>(block->getTerminator());
        const auto *test = branch != nullptr && branch->isConditional()
                               ? dyn_cast<ICmpInst>(branch->getCondition())
                               : nullptr;
        return test != nullptr &&
               ((is_near(analysis, loop, test->getOperand(0)) &&
                 is_step(loop, test->getOperand(1))) ||
                (is_near(analysis, loop, test->getOperand(1)) &&
                 is_step(loop, test->getOperand(0))));
    });
}

uint64_t mpass_bridge_iterations_max(mpass_analysis *analysis,
                                     LLVMBasicBlockRef header)
{
    const Loop *loop = analysis->loops.getLoopFor(unwrap(header));
    uint64_t product = 1;

    if (loop == nullptr || loop->getHeader() != unwrap(header))
        return 0;
    for (const Loop *each = loop; each != nullptr; each = each->getParentLoop())
        if (!may_be_short(analysis, each))
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

/* The pointer without the last steps that certainly do not lead back. */
static Value *strip_steps_ahead(ScalarEvolution &evolution, Value *pointer,
                                const Value *base)
{
    auto *step = dyn_cast<GEPOperator>(pointer);

    while (pointer != base && step != nullptr && step->isInBounds() &&
           all_of(step->indices(), [&](Value *index) {
               return evolution.isKnownNonNegative(evolution.getSCEV(index));
           })) {
        pointer = step->getPointerOperand();
        step = dyn_cast<GEPOperator>(pointer);
    }
    return pointer;
}

bool mpass_bridge_is_ahead(mpass_analysis *analysis, LLVMValueRef pointer,
                           LLVMValueRef base)
{
    ScalarEvolution &evolution = analysis->evolution;
    Value *const last =
        strip_steps_ahead(evolution, unwrap(pointer), unwrap(base));
    const SCEV *const from = evolution.getSCEV(unwrap(base));
    const SCEV *const to = evolution.getSCEV(last);
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
