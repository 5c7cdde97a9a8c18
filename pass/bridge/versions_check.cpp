/* versions_check.cpp -- the final form of the checks that switch between the
 * two copies of a function (versions.cpp): until then a check is a plain load,
 * which the optimizer understands.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma GCC visibility push(default)
#include "pass/bridge/llvm_compat.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#pragma GCC visibility pop

#include "pass/bridge/versions.h"

#include <cstdlib>

using namespace llvm;

/* Weight of a burst that goes on, against one that ends. */
static const unsigned weight_stay = 2000;

/* Moves the check to a block of its own, which first decrements the word. If
 * the burst is over, calls next(&word) and checks again. */
static void expand(LoadInst *load, Function *next, int burst_end)
{
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
    auto *const word = cast<GlobalValue>(load->getPointerOperand());
    builder.SetInsertPoint(load);
    load->setOperand(0, builder.CreateThreadLocalAddress(word));
    builder.SetInsertPoint(compare);
    Value *const left = builder.CreateSub(load, builder.getInt32(1));
    builder.CreateStore(left, load->getPointerOperand())->copyMetadata(*load);
    compare->setOperand(0, left);
    branch->setSuccessor(1, burst);
    plain->replacePhiUsesWith(before, again);
    counting->replacePhiUsesWith(before, burst);
    /* Loads the word again, so that the decrement is one instruction. */
    builder.SetInsertPoint(burst);
    LoadInst *const now = builder.CreateLoad(
        load->getType(), builder.CreateThreadLocalAddress(word));
    now->copyMetadata(*load);
    now->setVolatile(true);
    builder.CreateCondBr(
        builder.CreateICmpSLT(now, builder.getInt32((unsigned)burst_end)), over,
        counting, MDBuilder(context).createBranchWeights(1, weight_stay));
    builder.SetInsertPoint(over);
    builder.CreateCall(next, {builder.CreateThreadLocalAddress(word)})
        ->setCallingConv(next->getCallingConv());
    builder.CreateBr(again);
}

void mpass_versions_check_finish(struct mpass_versions *versions,
                                 LLVMValueRef next, int burst_end)
{
    for (size_t i = 0; i < versions->check_count; i++)
        expand(unwrap<LoadInst>(versions->checks[i]), unwrap<Function>(next),
               burst_end);
    free(versions->entrances);
    free(versions->checks);
    *versions = {};
}
