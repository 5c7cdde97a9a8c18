/* versions_check.cpp -- the final form of the checks that switch between the
 * two copies of a function (versions.cpp): until then a check is a plain load,
 * which the optimizer understands.
 *
 * A check decrements the word in memory. In a loop of a few instructions the
 * decrements would wait for each other, so such loops keep the word in a
 * register, and write it back where they are left and around calls. If a signal
 * handler executes checks meanwhile, its decrements are lost.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma GCC visibility push(default)
#include "pass/bridge/llvm_compat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#pragma GCC visibility pop

#include "pass/bridge/versions.h"

#include <cstdlib>

using namespace llvm;

/* Weight of a burst that goes on, against one that ends. */
static const unsigned weight_stay = 2000;

namespace
{

struct Check {
    LoadInst *load; /* of the word */
    GlobalValue *word;
    AllocaInst *local; /* has the word's value in the check's loop; or NULL */

    /* Where the word's value is. */
    Value *place(IRBuilder<> &builder) const
    {
        return local != nullptr ? cast<Value>(local)
                                : builder.CreateThreadLocalAddress(word);
    }
};

} // namespace

/* -- loops that keep the word in a register -------------------------------- */

/* Copies the word to the variable, or back. */
static void copy_word(const Check &check, BasicBlock::iterator at, bool back)
{
    IRBuilder<> builder(at->getParent(), at);
    Value *const word = builder.CreateThreadLocalAddress(check.word);
    LoadInst *const value =
        builder.CreateLoad(check.load->getType(), back ? check.local : word);

    value->copyMetadata(*check.load);
    builder.CreateStore(value, back ? word : check.local)
        ->copyMetadata(*check.load);
}

/* True if the call may execute checks. */
static bool is_call(const Instruction &inst)
{
    return isa<CallBase>(inst) &&
           (!isa<IntrinsicInst>(inst) || isa<MemIntrinsic>(inst));
}

/* True if the loop has no other check, and a way around it without a call. */
static bool can_keep(const Loop &loop, BasicBlock *latch,
                     const SmallPtrSetImpl<BasicBlock *> &with_check)
{
    SmallVector<BasicBlock *, 16> todo = {loop.getHeader()};
    SmallPtrSet<BasicBlock *, 16> seen;

    if (!loop.isInnermost() || !loop.isLoopLatch(latch) ||
        loop.getLoopPredecessor() == nullptr)
        return false;
    for (BasicBlock *block : loop.blocks()) {
        if (isa<IndirectBrInst>(block->getTerminator()) ||
            (block != latch && with_check.contains(block)))
            return false;
    }
    while (!todo.empty()) {
        BasicBlock *const block = todo.pop_back_val();

        if (!loop.contains(block) || !seen.insert(block).second ||
            any_of(*block, is_call))
            continue;
        append_range(todo, successors(block));
    }
    return seen.contains(latch) && none_of(*latch, is_call);
}

/* Writes the variable back unless it is unchanged: a loop often ends before its
 * first check, and the next decrement would wait for the store. */
static void store_changed(const Check &check, Instruction *before)
{
    IRBuilder<> builder(before);
    LoadInst *const left =
        builder.CreateLoad(check.load->getType(), check.local);
    LoadInst *const word = builder.CreateLoad(
        check.load->getType(), builder.CreateThreadLocalAddress(check.word));

    word->copyMetadata(*check.load);
    copy_word(check,
              SplitBlockAndInsertIfThen(builder.CreateICmpNE(left, word),
                                        before, false)
                  ->getIterator(),
              true);
}

/* Writes the variable back where the branch leaves the loop. */
static void leave(const Check &check, const Loop &loop, Instruction *branch)
{
    SmallPtrSet<BasicBlock *, 4> done;

    for (unsigned i = 0, n = branch->getNumSuccessors(); i < n; i++) {
        if (loop.contains(branch->getSuccessor(i)) ||
            done.contains(branch->getSuccessor(i)))
            continue;
        SplitCriticalEdge(
            branch, i, CriticalEdgeSplittingOptions().setMergeIdenticalEdges());
        BasicBlock *const block = branch->getSuccessor(i);
        done.insert(block);
        store_changed(check, &*block->getFirstInsertionPt());
    }
}

/* Keeps the word in a variable within the loop, other than during calls. */
static void keep(Check *check, const Loop &loop)
{
    BasicBlock *const before = loop.getLoopPredecessor();
    BasicBlock &entry = before->getParent()->getEntryBlock();

    check->local =
        IRBuilder<>(&entry, entry.begin()).CreateAlloca(check->load->getType());
    copy_word(*check, before->getTerminator()->getIterator(), false);
    for (BasicBlock *block : loop.blocks()) {
        Instruction *const end = block->getTerminator();

        for (Instruction &inst : make_early_inc_range(*block)) {
            if (!is_call(inst))
                continue;
            copy_word(*check, inst.getIterator(), true);
            if (&inst != end)
                copy_word(*check, std::next(inst.getIterator()), false);
        }
        auto *const invoke = dyn_cast<InvokeInst>(end);
        if (invoke == nullptr)
            leave(*check, loop, end);
        else if (loop.contains(invoke->getNormalDest()))
            copy_word(*check,
                      SplitEdge(block, invoke->getNormalDest())->begin(),
                      false);
    }
}

/* Finds the loops in which the word is kept in a register. */
static void keep_in_loops(Function &function, MutableArrayRef<Check> checks)
{
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    SmallPtrSet<BasicBlock *, 16> with_check;
    SmallVector<std::pair<Check *, const Loop *>, 16> found;

    for (const Check &check : checks)
        with_check.insert(check.load->getParent());
    for (Check &check : checks) {
        BasicBlock *const block = check.load->getParent();
        const Loop *const loop = loops.getLoopFor(block);

        if (loop != nullptr && can_keep(*loop, block, with_check))
            found.push_back({&check, loop});
    }
    for (auto [check, loop] : found)
        keep(check, *loop);
}

/* -- the check ------------------------------------------------------------- */

/* Moves the check to a block of its own, which first decrements the word. If
 * the burst is over, calls next(&word) and checks again. */
static void expand(const Check &check, Function *next, int burst_end)
{
    LoadInst *const load = check.load;
    auto *const compare = cast<Instruction>(*load->user_begin());
    auto *const branch = cast<BranchInst>(*compare->user_begin());
    BasicBlock *const before = branch->getParent();
    BasicBlock *const plain = branch->getSuccessor(0);
    BasicBlock *const counting = branch->getSuccessor(1);
    Function *const function = before->getParent();
    LLVMContext &context = function->getContext();
    BasicBlock *const again =
        BasicBlock::Create(context, "check", function, before->getNextNode());
    BasicBlock *const burst =
        BasicBlock::Create(context, "burst", function, again->getNextNode());
    BasicBlock *const over =
        BasicBlock::Create(context, "burst.over", function);
    IRBuilder<> builder(again);

    builder.SetCurrentDebugLocation(branch->getDebugLoc());
    branch->moveBefore(*again, again->end());
    compare->moveBefore(*again, branch->getIterator());
    load->moveBefore(*again, compare->getIterator());
    BranchInst::Create(again, before)->setDebugLoc(branch->getDebugLoc());
    builder.SetInsertPoint(load);
    load->setOperand(0, check.place(builder));
    builder.SetInsertPoint(compare);
    Value *const left = builder.CreateSub(load, builder.getInt32(1));
    builder.CreateStore(left, load->getPointerOperand())->copyMetadata(*load);
    compare->setOperand(0, left);
    branch->setSuccessor(1, burst);
    plain->replacePhiUsesWith(before, again);
    counting->replacePhiUsesWith(before, burst);
    /* Loads the word again, so that the decrement is one instruction. */
    builder.SetInsertPoint(burst);
    LoadInst *const now =
        builder.CreateLoad(load->getType(), check.place(builder));
    now->copyMetadata(*load);
    now->setVolatile(check.local == nullptr);
    builder.CreateCondBr(
        builder.CreateICmpSLT(now, builder.getInt32((unsigned)burst_end)), over,
        counting, MDBuilder(context).createBranchWeights(1, weight_stay));
    builder.SetInsertPoint(over);
    CallInst *const call = builder.CreateCall(
        next, {builder.CreateThreadLocalAddress(check.word)});
    call->setCallingConv(next->getCallingConv());
    builder.CreateBr(again);
    if (check.local != nullptr) {
        copy_word(check, call->getIterator(), true);
        copy_word(check, over->getTerminator()->getIterator(), false);
    }
}

void mpass_versions_check_finish(struct mpass_versions *versions,
                                 LLVMValueRef next, int burst_end)
{
    SmallVector<Check, 16> checks;
    SmallVector<AllocaInst *, 16> locals;

    for (size_t i = 0; i < versions->check_count; i++) {
        auto *const load = unwrap<LoadInst>(versions->checks[i]);

        checks.push_back(
            {load, cast<GlobalValue>(load->getPointerOperand()), nullptr});
    }
    if (!checks.empty()) {
        Function &function = *checks[0].load->getFunction();

        keep_in_loops(function, checks);
        for (const Check &check : checks) {
            expand(check, unwrap<Function>(next), burst_end);
            if (check.local != nullptr)
                locals.push_back(check.local);
        }
        DominatorTree dominators(function);
        PromoteMemToReg(locals, dominators);
    }
    free(versions->entrances);
    free(versions->checks);
    *versions = {};
}
