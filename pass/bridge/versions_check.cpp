/* versions_check.cpp -- the final form of the checks that switch between the
 * two copies of a function (versions.cpp): until then a check is a plain load,
 * which the optimizer understands.
 *
 * A check decrements the word in memory. In a loop of a few instructions the
 * decrements would wait for each other, so such loops count their iterations in
 * a register, and only each sixteenth reaches the check, which subtracts
 * sixteen. What is left when the loop ends does not count.
 *
 * Functions that call nothing, such as those that read a field, only test the
 * word when they are entered: they belong to the window of their caller. So
 * loops that only call decrement the word too.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma GCC visibility push(default)
#include "pass/bridge/llvm_compat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#pragma GCC visibility pop

#include "pass/bridge/versions.h"

#include <cstdlib>

using namespace llvm;

/* Iterations of a short loop until it checks the word. */
static const unsigned rounds_unchecked = 16;
/* Weight of a burst that goes on, against one that ends; and of an iteration
 * without a check. */
static const unsigned weight_stay = 2000;

namespace
{
struct Check {
    LoadInst *load; /* of the word */
    GlobalValue *word;
    /* The loop's iterations until the check; or NULL. */
    AllocaInst *rounds = nullptr;
    BasicBlock *header = nullptr; /* of this loop */
    bool is_test = false;         /* does not decrement the word */
};

} // namespace

/* -- loops that count their iterations ------------------------------------- */

/* True if the call may execute checks. */
static bool is_call(const Instruction &inst)
{
    return isa<CallBase>(inst) &&
           (!isa<IntrinsicInst>(inst) || isa<MemIntrinsic>(inst));
}

/* True if the loop has no other check, and a way around it without a call. */
static bool can_count(const Loop &loop, BasicBlock *latch,
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

/* The check comes after all unchecked iterations. */
static void set_rounds(const Check &check, Instruction *before)
{
    IRBuilder<> builder(before);

    builder.CreateStore(builder.getInt32(rounds_unchecked), check.rounds);
}

/* Finds the loops that count their iterations, and whether the first check,
 * which is outside of loops, only tests the word. */
static void choose_forms(Function &function, MutableArrayRef<Check> checks)
{
    BasicBlock &entry = function.getEntryBlock();
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    SmallPtrSet<BasicBlock *, 16> with_check;

    checks[0].is_test =
        !function.hasAddressTaken() && none_of(instructions(function), is_call);
    for (const Check &check : checks)
        with_check.insert(check.load->getParent());
    for (Check &check : checks) {
        BasicBlock *const block = check.load->getParent();
        const Loop *const loop = loops.getLoopFor(block);

        if (loop == nullptr || !can_count(*loop, block, with_check))
            continue;
        check.rounds = IRBuilder<>(&entry, entry.begin())
                           .CreateAlloca(check.load->getType());
        check.header = loop->getHeader();
        set_rounds(check, loop->getLoopPredecessor()->getTerminator());
    }
}

/* -- the check ------------------------------------------------------------- */

static void set_no_sanitize(Instruction *inst)
{
    inst->setMetadata(LLVMContext::MD_nosanitize,
                      MDNode::get(inst->getContext(), {}));
}

/* Subtracts from the word and returns what is left. */
static Value *decrement(GlobalValue *word, unsigned amount,
                        IRBuilder<> &builder)
{
    Value *const place = builder.CreateThreadLocalAddress(word);
    LoadInst *const load = builder.CreateLoad(builder.getInt32Ty(), place);
    Value *const left = builder.CreateSub(load, builder.getInt32(amount));

    set_no_sanitize(load);
    set_no_sanitize(builder.CreateStore(left, place));
    return left;
}

/* Goes to `over` if the burst is over. Loads the word again, so that the
 * decrement is one instruction. */
static void check_end(GlobalValue *word, int burst_end, BasicBlock *over,
                      BasicBlock *counting, IRBuilder<> &builder)
{
    LoadInst *const now = builder.CreateLoad(
        builder.getInt32Ty(), builder.CreateThreadLocalAddress(word), true);

    set_no_sanitize(now);
    builder.CreateCondBr(
        builder.CreateICmpSLT(now, builder.getInt32((unsigned)burst_end)), over,
        counting,
        MDBuilder(word->getContext()).createBranchWeights(1, weight_stay));
}

static void call_next(GlobalValue *word, Function *next, IRBuilder<> &builder)
{
    builder.CreateCall(next, {builder.CreateThreadLocalAddress(word)})
        ->setCallingConv(next->getCallingConv());
}

/* Lets the block `before` go to the check only if the loop has executed all
 * unchecked iterations, and else to the loop's header, which `checked` goes to.
 */
static void skip(const Check &check, BasicBlock *before, BasicBlock *again,
                 BasicBlock *checked)
{
    Instruction *const end = before->getTerminator();
    IRBuilder<> builder(end);
    Value *const left = builder.CreateSub(
        builder.CreateLoad(builder.getInt32Ty(), check.rounds),
        builder.getInt32(1));

    builder.CreateStore(left, check.rounds);
    builder.CreateCondBr(
        builder.CreateIsNull(left), again, check.header,
        MDBuilder(before->getContext()).createBranchWeights(1, weight_stay));
    end->eraseFromParent();
    for (PHINode &phi : check.header->phis())
        phi.addIncoming(phi.getIncomingValueForBlock(checked), before);
    set_rounds(check, &*again->begin());
}

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
    BranchInst::Create(again, before)->setDebugLoc(branch->getDebugLoc());
    builder.SetInsertPoint(compare);
    if (check.is_test) {
        load->setOperand(0, builder.CreateThreadLocalAddress(check.word));
        load->moveBefore(*again, compare->getIterator());
    } else {
        compare->setOperand(
            0,
            decrement(check.word,
                      check.rounds != nullptr ? rounds_unchecked : 1, builder));
    }
    branch->setSuccessor(1, burst);
    plain->replacePhiUsesWith(before, again);
    counting->replacePhiUsesWith(before, burst);
    if (check.rounds != nullptr)
        skip(check, before, again, check.header == plain ? again : burst);
    builder.SetInsertPoint(burst);
    check_end(check.word, burst_end, over, counting, builder);
    builder.SetInsertPoint(over);
    call_next(check.word, next, builder);
    if (check.is_test)
        decrement(check.word, 1, builder);
    else
        load->eraseFromParent();
    builder.CreateBr(again);
}

/* -- loops that only call -------------------------------------------------- */

/* True if the loop has no check of its own, and calls. */
static bool only_calls(const Loop &loop, const GlobalValue *word)
{
    bool calls = false;

    for (const BasicBlock *block : loop.blocks()) {
        for (const Instruction &inst : *block) {
            if (is_contained(inst.operands(), word))
                return false;
            calls |= is_call(inst);
        }
    }
    return calls;
}

/* Decrements the word at the end of the block. */
static void tick(BasicBlock *latch, GlobalValue *word, Function *next,
                 int burst_end)
{
    Instruction *const end = latch->getTerminator();
    IRBuilder<> builder(end);
    Instruction *const burst = SplitBlockAndInsertIfThen(
        builder.CreateIsNeg(decrement(word, 1, builder)), end, false,
        MDBuilder(latch->getContext()).createBranchWeights(1, weight_stay));
    BasicBlock *const over =
        BasicBlock::Create(latch->getContext(), "burst.over",
                           latch->getParent(), burst->getParent());

    builder.SetInsertPoint(burst);
    check_end(word, burst_end, over, burst->getSuccessor(0), builder);
    builder.SetInsertPoint(over);
    builder.SetCurrentDebugLocation(end->getDebugLoc());
    call_next(word, next, builder);
    decrement(word, 1, builder);
    builder.CreateBr(end->getParent());
    burst->eraseFromParent();
}

bool mpass_versions_check_calls(LLVMValueRef function, LLVMValueRef word,
                                LLVMValueRef next, int burst_end)
{
    DominatorTree dominators(*unwrap<Function>(function));
    LoopInfo loops(dominators);
    const auto all = loops.getLoopsInPreorder();
    SmallSetVector<BasicBlock *, 8> ends;

    for (const Loop *loop : reverse(all)) {
        SmallVector<BasicBlock *, 4> latches;

        loop->getLoopLatches(latches);
        if (none_of(ends,
                    [&](BasicBlock *end) { return loop->contains(end); }) &&
            only_calls(*loop, unwrap<GlobalValue>(word)))
            ends.insert(latches.begin(), latches.end());
    }
    for (BasicBlock *end : ends)
        tick(end, unwrap<GlobalValue>(word), unwrap<Function>(next), burst_end);
    return !ends.empty();
}

void mpass_versions_check_finish(struct mpass_versions *versions,
                                 LLVMValueRef next, int burst_end)
{
    SmallVector<Check, 16> checks;
    SmallVector<AllocaInst *, 16> rounds;

    for (size_t i = 0; i < versions->check_count; i++) {
        auto *const load = unwrap<LoadInst>(versions->checks[i]);

        checks.push_back({load, cast<GlobalValue>(load->getPointerOperand())});
    }
    if (!checks.empty()) {
        Function &function = *checks[0].load->getFunction();

        choose_forms(function, checks);
        for (const Check &check : checks) {
            expand(check, unwrap<Function>(next), burst_end);
            if (check.rounds != nullptr)
                rounds.push_back(check.rounds);
        }
        DominatorTree dominators(function);
        PromoteMemToReg(rounds, dominators);
    }
    free(versions->entrances);
    free(versions->checks);
    *versions = {};
}
