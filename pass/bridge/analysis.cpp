/* analysis.cpp -- LLVM's analyses of a function's control flow and loops, for
 * C. Each function here is one query without logic of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma GCC visibility push(default)
#include "pass/bridge/llvm_compat.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Target/TargetMachine.h"
#pragma GCC visibility pop

#include "pass/bridge/analysis.h"

using namespace llvm;

/* Branch probabilities are computed here. The manager's depend on
 * TargetLibraryInfo, so they differ with what a front end says about library
 * functions. */
struct mpass_analysis {
    DominatorTree &dominators;
    LoopInfo &loops;
    BranchProbabilityInfo probabilities;
    BlockFrequencyInfo frequencies;

    mpass_analysis(Function &function, FunctionAnalysisManager &manager)
        : dominators(manager.getResult<DominatorTreeAnalysis>(function)),
          loops(manager.getResult<LoopAnalysis>(function)),
          probabilities(
              function, loops, nullptr, &dominators,
              manager.getCachedResult<PostDominatorTreeAnalysis>(function)),
          frequencies(function, probabilities, loops)
    {
    }
};

mpass_analysis *mpass_analysis_new(LLVMValueRef function, void *manager)
{
    return new mpass_analysis(*unwrap<Function>(function),
                              *static_cast<FunctionAnalysisManager *>(manager));
}

void mpass_analysis_free(mpass_analysis *analysis)
{
    delete analysis;
}

void mpass_analysis_invalidate(LLVMValueRef function, void *manager)
{
    static_cast<FunctionAnalysisManager *>(manager)->invalidate(
        *unwrap<Function>(function), PreservedAnalyses::none());
}

namespace
{
struct MachineAnalysis : AnalysisInfoMixin<MachineAnalysis> {
    static AnalysisKey Key;
    struct Result {
        TargetMachine *machine;

        bool invalidate(Function &, const PreservedAnalyses &,
                        FunctionAnalysisManager::Invalidator &)
        {
            return false;
        }
    } result;

    explicit MachineAnalysis(TargetMachine *machine) : result{machine}
    {
    }
    Result run(Function &, FunctionAnalysisManager &)
    {
        return result;
    }
};
AnalysisKey MachineAnalysis::Key;
} // namespace

void mpass_analysis_set_machine(void *manager, void *machine)
{
    static_cast<FunctionAnalysisManager *>(manager)->registerPass([machine] {
        return MachineAnalysis(static_cast<TargetMachine *>(machine));
    });
}

#if MPASS_HAS_COMPARISONS
void mpass_analysis_expand_comparisons(LLVMModuleRef module, void *manager)
{
    auto &functions = *static_cast<FunctionAnalysisManager *>(manager);

    for (Function &function : *unwrap(module)) {
        if (function.isDeclaration())
            continue;
        TargetMachine *const machine =
            functions.getResult<MachineAnalysis>(function).machine;
        if (machine != nullptr)
            functions.invalidate(function,
                                 ExpandMemCmpPass(MPASS_MACHINE(machine))
                                     .run(function, functions));
    }
}
#else
void mpass_analysis_expand_comparisons(LLVMModuleRef, void *)
{
}
#endif

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

LLVMBasicBlockRef mpass_analysis_dominator(mpass_analysis *analysis,
                                           LLVMBasicBlockRef block)
{
    const auto *node = analysis->dominators.getNode(unwrap(block));

    if (node == nullptr || node->getIDom() == nullptr)
        return nullptr;
    return wrap(node->getIDom()->getBlock());
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

const mpass_loop *mpass_analysis_loop_parent(const mpass_loop *loop)
{
    return wrap(unwrap(loop)->getParentLoop());
}

LLVMBasicBlockRef mpass_analysis_loop_entrance(const mpass_loop *loop)
{
    return wrap(unwrap(loop)->getLoopPredecessor());
}

bool mpass_analysis_in_each_iteration(mpass_analysis *analysis,
                                      const mpass_loop *loop,
                                      LLVMBasicBlockRef block)
{
    SmallVector<BasicBlock *, 4> latches;

    unwrap(loop)->getLoopLatches(latches);
    return all_of(latches, [&](const BasicBlock *latch) {
        return analysis->dominators.dominates(unwrap(block), latch);
    });
}
