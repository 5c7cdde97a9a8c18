/* versions.cpp -- duplicates the basic blocks of a function: a counting copy
 * and a plain copy. Checks of a word of memory switch between the copies.
 *
 *   - Blocks before the first counted access, and blocks after the last one,
 *     are not duplicated. A check leads from the former to one of the copies.
 *   - A loop with counted accesses has a check on its back edge, in both
 *     copies. Control enters the loop of the other copy before its header, in
 *     the block `land`, so that both loops keep a single entry.
 *   - An indirect branch and its targets are not duplicated. Each target has a
 *     check.
 *
 * An instruction and its copy are two definitions of one variable. SSAUpdater
 * inserts phis where both reach a use.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma GCC visibility push(default)
#include "pass/bridge/llvm_compat.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#pragma GCC visibility pop

#include "pass/bridge/versions.h"

#include <cstdlib>

using namespace llvm;

/* Loops with at most this many iterations have no check. */
static const unsigned rounds_short = 16;
/* Branch weights, to 1: of the plain copy in checks outside of loops, and of
 * staying in the same copy in checks on back edges. */
static const unsigned weight_plain = 1000;
static const unsigned weight_stay = 2000;

namespace
{
struct Header {
    BasicBlock *block;
    BasicBlock *land; /* its predecessor for edges from outside the loop */
    BasicBlock *back; /* its predecessor for back edges */
};

class Splitter
{
  public:
    Splitter(Function &f, Value *global, unsigned kind,
             ArrayRef<WeakVH> instructions)
        : function(f), word(global), mark(kind)
    {
        removeUnreachableBlocks(f);
        for (const WeakVH &each : instructions) {
            if (each != nullptr)
                accesses.insert(cast<Instruction>(each));
        }
    }

    bool run();

    BasicBlock *first_plain = nullptr;
    SmallVector<Instruction *, 16> entrances;
    SmallVector<Instruction *, 16> checks;

  private:
    void gather_allocas();
    void find_start();
    void cut(BasicBlock *block, BasicBlock::iterator at);
    void cut_target(BasicBlock *block);
    void find_doubled();
    void find_headers();
    bool is_checked(LoopInfo &loops, ScalarEvolution &evolution,
                    BasicBlock *header);
    void drop_lifetimes();
    void localize(Instruction *inst);
    void copy();
    void check(BasicBlock *block, BasicBlock *counting, BasicBlock *plain,
               unsigned counting_weight, unsigned plain_weight);
    BasicBlock *enter(BasicBlock *counting);
    void connect(const Header &header);
    void repair(Instruction *inst, Instruction *twin);

    template <typename T> T *plain_of(T *value)
    {
        Value *const found = map.lookup(value);
        return found != nullptr ? cast<T>(found) : value;
    }

    Function &function;
    Value *word;
    unsigned mark;
    SmallPtrSet<Instruction *, 32> accesses;
    SetVector<BasicBlock *> doubled;
    SmallVector<BasicBlock *, 8> shared; /* end with a check, not duplicated */
    SmallVector<Header, 8> headers;
    ValueToValueMapTy map;
};

/* Moves all static allocas to the function's start, so that they are not
 * duplicated. */
void Splitter::gather_allocas()
{
    BasicBlock &entry = function.getEntryBlock();
    BasicBlock::iterator at = entry.begin();

    for (Instruction &inst : make_early_inc_range(entry)) {
        auto *alloca = dyn_cast<AllocaInst>(&inst);

        if (alloca == nullptr || !alloca->isStaticAlloca())
            continue;
        if (&inst == &*at)
            ++at;
        else
            inst.moveBefore(entry, at);
    }
}

/* Splits the block at `at`. The first part will end with a check. */
void Splitter::cut(BasicBlock *block, BasicBlock::iterator at)
{
    SplitBlock(block, &*at);
    shared.push_back(block);
}

static bool is_on_cycle(BasicBlock *block)
{
    SmallVector<BasicBlock *, 16> todo(successors(block));
    SmallPtrSet<BasicBlock *, 16> seen;

    while (!todo.empty()) {
        BasicBlock *const next = todo.pop_back_val();

        if (next == block)
            return true;
        if (seen.insert(next).second)
            append_range(todo, successors(next));
    }
    return false;
}

/* Cuts the nearest block outside of loops that dominates all accesses. */
void Splitter::find_start()
{
    DominatorTree dominators(function);
    BasicBlock *start = nullptr;
    BasicBlock::iterator at;

    for (Instruction *access : accesses)
        start = start == nullptr ? access->getParent()
                                 : dominators.findNearestCommonDominator(
                                       start, access->getParent());
    while (start->isEHPad() || is_on_cycle(start))
        start = dominators.getNode(start)->getIDom()->getBlock();
    at = start->getFirstInsertionPt();
    while (!at->isTerminator() && !accesses.contains(&*at))
        ++at;
    cut(start, at);
}

/* Cuts a target of indirect branches. Direct branches are redirected to the
 * rest, in their own copy. So only indirect branches, where no counts are
 * pending, lead to the part that is not duplicated. */
void Splitter::cut_target(BasicBlock *block)
{
    SmallVector<BasicBlock *, 8> direct;

    for (BasicBlock *from : predecessors(block)) {
        if (!isa<IndirectBrInst>(from->getTerminator()) &&
            !is_contained(direct, from))
            direct.push_back(from);
    }
    cut(block, mpass_compat_first_non_phi(block));
    BasicBlock *const rest = block->getSingleSuccessor();
    if (direct.empty())
        return;
    for (PHINode &phi : make_early_inc_range(block->phis())) {
        PHINode *const joined =
            PHINode::Create(phi.getType(), (unsigned)direct.size() + 1);

        joined->insertInto(rest, mpass_compat_first_non_phi(rest));
        phi.replaceAllUsesWith(joined);
        joined->addIncoming(&phi, block);
        for (unsigned i = phi.getNumIncomingValues(); i-- > 0;) {
            if (!is_contained(direct, phi.getIncomingBlock(i)))
                continue;
            joined->addIncoming(phi.getIncomingValue(i),
                                phi.getIncomingBlock(i));
            phi.removeIncomingValue(i, /*DeletePHIIfEmpty=*/false);
        }
    }
    for (BasicBlock *from : direct)
        from->getTerminator()->replaceSuccessorWith(block, rest);
}

/* Finds the blocks to duplicate: all blocks from which an access can be reached
 * without passing a shared block. Keeps the order of the function. */
void Splitter::find_doubled()
{
    SmallVector<BasicBlock *, 32> todo;
    SmallPtrSet<BasicBlock *, 32> found;

    doubled.clear();
    for (Instruction *access : accesses)
        todo.push_back(access->getParent());
    while (!todo.empty()) {
        BasicBlock *const block = todo.pop_back_val();

        if (is_contained(shared, block) || !found.insert(block).second)
            continue;
        append_range(todo, predecessors(block));
    }
    for (BasicBlock &block : function) {
        if (found.contains(&block))
            doubled.insert(&block);
    }
}

/* True if the back edges to the header get a check. */
bool Splitter::is_checked(LoopInfo &loops, ScalarEvolution &evolution,
                          BasicBlock *header)
{
    const Loop *const loop = loops.getLoopFor(header);

    if (!doubled.contains(header) || header->isEHPad())
        return false;
    if (loop == nullptr || loop->getHeader() != header)
        return true;
    const unsigned rounds = evolution.getSmallConstantMaxTripCount(loop);
    return (rounds == 0 || rounds > rounds_short) &&
           any_of(accesses, [&](Instruction *access) {
               return loop->contains(access->getParent());
           });
}

void Splitter::find_headers()
{
    const TargetLibraryInfoImpl library(
        mpass_compat_triple(*function.getParent()));
    TargetLibraryInfo functions(library);
    AssumptionCache assumptions(function);
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    ScalarEvolution evolution(function, functions, assumptions, dominators,
                              loops);
    SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8> edges;
    MapVector<BasicBlock *, SmallSetVector<BasicBlock *, 2>> latches;

    FindFunctionBackedges(function, edges);
    for (const auto &edge : edges)
        latches[const_cast<BasicBlock *>(edge.second)].insert(
            const_cast<BasicBlock *>(edge.first));
    latches.remove_if([&](auto &entry) {
        return !is_checked(loops, evolution, entry.first);
    });
    for (auto &[block, from] : latches) {
        SmallSetVector<BasicBlock *, 4> others;

        for (BasicBlock *each : predecessors(block)) {
            if (!from.contains(each))
                others.insert(each);
        }
        headers.push_back(
            {block,
             SplitBlockPredecessors(block, others.getArrayRef(), ".land"),
             SplitBlockPredecessors(block, from.getArrayRef(), ".back")});
    }
}

/* Removes lifetime markers of variables that are duplicated, because a marker
 * must name the variable, and not a phi. */
void Splitter::drop_lifetimes()
{
    for (BasicBlock *block : doubled) {
        for (Instruction &inst : make_early_inc_range(*block)) {
            auto *variable = inst.isLifetimeStartOrEnd()
                                 ? dyn_cast<Instruction>(inst.getOperand(
                                       inst.getNumOperands() > 2 ? 1 : 0))
                                 : nullptr;

            if (variable != nullptr && doubled.contains(variable->getParent()))
                inst.eraseFromParent();
        }
    }
}

/* Repeats an address computation with constant indices in each block that uses
 * it, so that the address takes no register and no phi between blocks. Skips
 * `land`, whose phis need the value in its predecessors. */
void Splitter::localize(Instruction *inst)
{
    const auto *address = dyn_cast<GetElementPtrInst>(inst);
    SmallVector<Use *, 8> uses;

    if (address == nullptr || !address->hasAllConstantIndices())
        return;
    for (Use &use : inst->uses())
        uses.push_back(&use);
    for (Use *use : uses) {
        auto *const user = cast<Instruction>(use->getUser());
        auto *const phi = dyn_cast<PHINode>(user);
        BasicBlock *const block =
            phi != nullptr ? phi->getIncomingBlock(*use) : user->getParent();
        Instruction *const before =
            phi != nullptr ? block->getTerminator() : user;

        if (use->get() != inst || block == inst->getParent() ||
            before->isEHPad() || any_of(headers, [&](const Header &header) {
                return header.land == block;
            }))
            continue;
        Instruction *const here = inst->clone();
        here->insertInto(block, before->getIterator());
        if (phi == nullptr) {
            use->set(here);
            continue;
        }
        /* All edges from one block must have the same value. */
        for (unsigned i = 0; i < phi->getNumIncomingValues(); i++) {
            if (phi->getIncomingBlock(i) == block)
                phi->setIncomingValue(i, here);
        }
    }
}

void Splitter::copy()
{
    const auto flags = RF_NoModuleLevelChanges | RF_IgnoreMissingLocals;
    SmallVector<MDNode *, 8> scopes;
    SmallVector<BasicBlock *, 32> blocks;

    for (BasicBlock *block : doubled) {
        BasicBlock *const plain =
            CloneBasicBlock(block, map, ".plain", &function);

        map[block] = plain;
        blocks.push_back(plain);
    }
    first_plain = blocks.front();
    for (BasicBlock *block : blocks) {
        for (Instruction &inst : *block) {
            RemapInstruction(&inst, map, flags);
            mpass_compat_drop_debug_records(inst);
        }
    }
    identifyNoAliasScopesToClone(blocks, scopes);
    cloneAndAdaptNoAliasScopes(scopes, blocks, function.getContext(), "plain");
    for (BasicBlock &block : function) {
        if (&block == first_plain)
            break;
        if (doubled.contains(&block))
            continue;
        for (PHINode &phi : block.phis()) {
            for (unsigned i = 0, n = phi.getNumIncomingValues(); i < n; i++) {
                if (doubled.contains(phi.getIncomingBlock(i)))
                    phi.addIncoming(plain_of(phi.getIncomingValue(i)),
                                    plain_of(phi.getIncomingBlock(i)));
            }
        }
    }
}

/* Replaces the branch at the end of the block by a check that leads to one of
 * two blocks. */
void Splitter::check(BasicBlock *block, BasicBlock *counting, BasicBlock *plain,
                     unsigned counting_weight, unsigned plain_weight)
{
    Instruction *const end = block->getTerminator();
    IRBuilder<> builder(end);
    LoadInst *const load = builder.CreateLoad(builder.getInt32Ty(), word);

    load->setMetadata(mark, MDNode::get(function.getContext(), {}));
    builder.CreateCondBr(
        builder.CreateIsNotNeg(load), plain, counting,
        MDBuilder(function.getContext())
            .createBranchWeights(plain_weight, counting_weight));
    end->eraseFromParent();
    checks.push_back(load);
}

/* A new block that enters the counting copy at the block `counting`. */
BasicBlock *Splitter::enter(BasicBlock *counting)
{
    BasicBlock *const block = BasicBlock::Create(function.getContext(),
                                                 counting->getName() + ".enter",
                                                 &function, first_plain);
    BranchInst *const end = BranchInst::Create(counting, block);

    end->setDebugLoc(counting->getTerminator()->getDebugLoc());
    entrances.push_back(end);
    return block;
}

/* Adds the edge from `from`, with `value`, to the phi in `land` that feeds a
 * phi of the header. Creates the phi in `land` if there is none. */
static void land_phi(PHINode *phi, BasicBlock *land, Value *value,
                     BasicBlock *from)
{
    Value *const old = phi->getIncomingValueForBlock(land);
    auto *const joined = dyn_cast<PHINode>(old);

    if (joined != nullptr && joined->getParent() == land)
        return joined->addIncoming(value, from);
    PHINode *const made = PHINode::Create(phi->getType(), 2);
    made->insertInto(land, land->begin());
    for (BasicBlock *pred : predecessors(land)) {
        if (pred != from)
            made->addIncoming(old, pred);
    }
    made->addIncoming(value, from);
    phi->setIncomingValueForBlock(land, made);
}

/* Emits the checks on the back edges of a loop, in both copies. */
void Splitter::connect(const Header &header)
{
    BasicBlock *const back = plain_of(header.back);
    BasicBlock *const land = plain_of(header.land);
    BasicBlock *const block = plain_of(header.block);
    BasicBlock *const in = enter(header.land);
    SmallVector<std::pair<PHINode *, PHINode *>, 8> phis;

    for (PHINode &phi : header.block->phis())
        phis.push_back({&phi, plain_of(&phi)});
    for (auto [phi, twin] : phis) {
        Value *const value = phi->getIncomingValueForBlock(header.back);
        Value *const twins = twin->getIncomingValueForBlock(back);

        land_phi(twin, land, value, header.back);
        land_phi(phi, header.land, twins, in);
    }
    check(header.back, header.block, land, weight_stay, 1);
    check(back, in, block, 1, weight_stay);
}

/* Updates all uses of an instruction and its copy to the value that reaches the
 * use. */
void Splitter::repair(Instruction *inst, Instruction *twin)
{
    SSAUpdater updater;
    SmallVector<Use *, 16> uses;

    for (Instruction *each : {inst, twin}) {
        for (Use &use : each->uses()) {
            auto *const user = cast<Instruction>(use.getUser());

            if (isa<PHINode>(user) || user->getParent() != each->getParent())
                uses.push_back(&use);
        }
    }
    if (uses.empty())
        return;
    updater.Initialize(inst->getType(), inst->getName());
    updater.AddAvailableValue(inst->getParent(), inst);
    updater.AddAvailableValue(twin->getParent(), twin);
    for (Use *use : uses)
        updater.RewriteUse(*use);
}

bool Splitter::run()
{
    SmallVector<BasicBlock *, 8> targets;
    SmallVector<Instruction *, 64> originals;

    if (accesses.empty())
        return false;
    gather_allocas();
    for (BasicBlock &block : make_early_inc_range(function)) {
        if (isa<IndirectBrInst>(block.getTerminator()))
            SplitBlock(&block, block.getTerminator());
    }
    find_start();
    find_doubled();
    for (BasicBlock *block : doubled) {
        if (block->hasAddressTaken())
            targets.push_back(block);
    }
    for (BasicBlock *block : targets)
        cut_target(block);
    find_doubled();
    find_headers();
    find_doubled();
    drop_lifetimes();
    for (BasicBlock *block : reverse(doubled)) {
        for (Instruction &inst : make_early_inc_range(reverse(*block)))
            localize(&inst);
    }
    copy();
    for (BasicBlock *block : doubled) {
        for (Instruction &inst : *block) {
            if (!inst.getType()->isVoidTy())
                originals.push_back(&inst);
        }
    }
    for (BasicBlock *block : shared) {
        BasicBlock *const rest = block->getSingleSuccessor();
        BasicBlock *const in = enter(rest);

        rest->replacePhiUsesWith(block, in);
        check(block, in, plain_of(rest), 1, weight_plain);
    }
    for (const Header &header : headers)
        connect(header);
    for (Instruction *inst : originals)
        repair(inst, cast<Instruction>(map.lookup(inst)));
    return true;
}

} // namespace

bool mpass_versions_can_split(LLVMValueRef value)
{
    const Function &function = *unwrap<Function>(value);

    if (function.isPresplitCoroutine() ||
        function.hasFnAttribute(Attribute::Naked) ||
        (function.hasPersonalityFn() &&
         isScopedEHPersonality(
             classifyEHPersonality(function.getPersonalityFn()))))
        return false;
    for (const Instruction &inst : instructions(function)) {
        const auto *call = dyn_cast<CallBase>(&inst);

        if (isa<CallBrInst>(inst) ||
            (inst.getType()->isTokenTy() &&
             inst.isUsedOutsideOfBlock(inst.getParent())) ||
            (call != nullptr &&
             (call->cannotDuplicate() || call->isConvergent())))
            return false;
    }
    return true;
}

template <typename Range> static LLVMValueRef *array_of(const Range &range)
{
    auto *const array = static_cast<LLVMValueRef *>(
        safe_malloc((range.size() + 1) * sizeof(LLVMValueRef)));
    size_t i = 0;

    for (Instruction *each : range)
        array[i++] = wrap(each);
    return array;
}

bool mpass_versions_split(LLVMValueRef function, LLVMValueRef word,
                          unsigned mark, const LLVMValueRef *instructions,
                          size_t count, struct mpass_versions *versions)
{
    SmallVector<WeakVH, 32> reachable;

    for (size_t i = 0; i < count; i++)
        reachable.push_back(WeakVH(unwrap(instructions[i])));
    Splitter splitter(*unwrap<Function>(function), unwrap(word), mark,
                      reachable);
    if (!splitter.run())
        return false;
    versions->plain = wrap(splitter.first_plain);
    versions->entrances = array_of(splitter.entrances);
    versions->entrance_count = splitter.entrances.size();
    versions->checks = array_of(splitter.checks);
    versions->check_count = splitter.checks.size();
    return true;
}
