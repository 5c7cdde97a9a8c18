/* flow.c -- the control flow of one function: its reachable blocks in reverse
 * postorder, and which instructions are barriers.
 *
 * Pending counts must be flushed before a barrier: an instruction that may let
 * somebody free the block, or that may not return. Barriers are
 * - calls, except those that certainly return, do not throw, free nothing and
 *   do not synchronize with other threads;
 * - calls that become jumps;
 * - instructions that order memory between threads;
 * - terminators with edges on which no code can be inserted.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/flow.h"

#include "pass/bridge/ir.h"
#include "pass/support/memory.h"

#include <llvm-c/Core.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* -- Barriers ----------------------------------------------------------- */

/* True for a call that returns, does not throw, frees nothing and does not
 * synchronize with other threads. */
static bool is_harmless(LLVMValueRef call)
{
    const unsigned needed =
        MPASS_CALL_NO_THROW | MPASS_CALL_WILL_RETURN | MPASS_CALL_NO_FREE;

    if (LLVMIsAMemIntrinsic(call) != NULL)
        return !mpass_ir_is_volatile(call);
    if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)) != NULL)
        return false;
    const unsigned traits = mpass_ir_call_traits(call);
    return (traits & needed) == needed &&
           (traits & MPASS_CALL_RETURNS_TWICE) == 0 &&
           (traits & (MPASS_CALL_NO_SYNC | MPASS_CALL_ONLY_READS)) != 0;
}

bool mpass_flow_is_barrier(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMCall:
        return !is_harmless(inst) || mpass_ir_is_jump(inst);
    case LLVMBr:
    case LLVMSwitch:
    case LLVMRet:
    case LLVMUnreachable:
        return false;
    default:
        return LLVMIsATerminatorInst(inst) != NULL ||
               mpass_ir_is_atomic(inst) || mpass_ir_is_volatile(inst);
    }
}

/* -- Blocks ------------------------------------------------------------- */

/* A block on the depth-first stack, and the number of its visited successors.
 */
struct visit {
    LLVMBasicBlockRef block;
    unsigned next;
};

/* The reachable blocks in postorder; stores their number in *count. The caller
 * frees the array. */
static LLVMBasicBlockRef *postorder(LLVMValueRef function, size_t *count)
{
    const size_t max = LLVMCountBasicBlocks(function);
    struct visit *stack = mpass_memory_allocate(NULL, max, sizeof(*stack));
    LLVMBasicBlockRef *order = mpass_memory_allocate(NULL, max, sizeof(*order));
    struct mpass_numbers seen = {0};
    size_t depth = 1;

    *count = 0;
    stack[0] = (struct visit){.block = LLVMGetEntryBasicBlock(function)};
    mpass_numbers_of(&seen, stack[0].block);
    while (depth > 0) {
        struct visit *const top = &stack[depth - 1];
        const LLVMValueRef end = LLVMGetBasicBlockTerminator(top->block);
        LLVMBasicBlockRef next;

        if (top->next == LLVMGetNumSuccessors(end)) {
            order[(*count)++] = top->block;
            depth--;
            continue;
        }
        next = LLVMGetSuccessor(end, top->next++);
        if (mpass_numbers_has(&seen, next))
            continue;
        mpass_numbers_of(&seen, next);
        stack[depth++] = (struct visit){.block = next};
    }
    mpass_numbers_fini(&seen);
    free(stack);
    return order;
}

static bool contains(const unsigned *items, unsigned count, unsigned item)
{
    for (unsigned i = 0; i < count; i++) {
        if (items[i] == item)
            return true;
    }
    return false;
}

/* Lists each successor once, even if several cases of a switch lead to it. */
static void find_successors(struct mpass_flow *flow, unsigned at)
{
    struct mpass_flow_block *const block = &flow->blocks[at];
    const unsigned count = LLVMGetNumSuccessors(block->terminator);

    block->succs = mpass_memory_allocate(NULL, count, sizeof(*block->succs));
    for (unsigned i = 0; i < count; i++) {
        const unsigned to = mpass_numbers_find(
            &flow->numbers, LLVMGetSuccessor(block->terminator, i));

        if (!contains(block->succs, block->succ_count, to))
            block->succs[block->succ_count++] = to;
    }
}

static void add_predecessor(struct mpass_flow_block *block, unsigned from)
{
    *MPASS_APPEND(block->preds, block->pred_count) = from;
}

void mpass_flow_init(struct mpass_flow *flow, LLVMValueRef function)
{
    LLVMBasicBlockRef *const order = postorder(function, &flow->count);

    flow->blocks =
        mpass_memory_allocate(NULL, flow->count, sizeof(*flow->blocks));
    for (unsigned i = 0; i < flow->count; i++) {
        const LLVMBasicBlockRef block = order[flow->count - 1 - i];

        mpass_numbers_of(&flow->numbers, block);
        flow->blocks[i] = (struct mpass_flow_block){
            .block = block, .terminator = LLVMGetBasicBlockTerminator(block)};
    }
    for (unsigned i = 0; i < flow->count; i++)
        find_successors(flow, i);
    for (unsigned i = 0; i < flow->count; i++) {
        for (unsigned k = 0; k < flow->blocks[i].succ_count; k++)
            add_predecessor(&flow->blocks[flow->blocks[i].succs[k]], i);
    }
    free(order);
}

void mpass_flow_fini(struct mpass_flow *flow)
{
    for (size_t i = 0; i < flow->count; i++) {
        free(flow->blocks[i].succs);
        free(flow->blocks[i].preds);
    }
    free(flow->blocks);
    mpass_numbers_fini(&flow->numbers);
    *flow = (struct mpass_flow){0};
}
