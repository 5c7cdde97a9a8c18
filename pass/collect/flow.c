/* flow.c -- the control flow of one function: its reachable blocks in reverse
 * postorder, and which instructions are barriers.
 *
 * A barrier is what accesses must be counted before: where another party could
 * end a block's life, or where the thread may not come back from. Those are
 * calls, except such as return, throw nothing, free nothing and wait for
 * nobody; what orders memory between threads; and what has edges on which
 * nothing can be inserted.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/support/pass.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *mpass_allocate(void *old, size_t count, size_t item_bytes)
{
    void *items = reallocarray(old, count + 1, item_bytes);

    if (items == NULL)
        abort();
    return items;
}

/* -- Numbers for pointers ----------------------------------------------- */

static size_t slot_of(const struct mpass_numbers *numbers, const void *key)
{
    size_t i =
        (size_t)(((uintptr_t)key >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20) &
        (numbers->capacity - 1);

    while (numbers->keys[i] != NULL && numbers->keys[i] != key)
        i = (i + 1) & (numbers->capacity - 1);
    return i;
}

static void grow(struct mpass_numbers *numbers)
{
    struct mpass_numbers larger = {.capacity = numbers->capacity * 2 + 64};

    while ((larger.capacity & (larger.capacity - 1)) != 0)
        larger.capacity &= larger.capacity - 1;
    larger.keys = mpass_allocate(NULL, larger.capacity, sizeof(*larger.keys));
    memset(larger.keys, 0, larger.capacity * sizeof(*larger.keys));
    larger.values =
        mpass_allocate(NULL, larger.capacity, sizeof(*larger.values));
    for (size_t i = 0; i < numbers->capacity; i++) {
        if (numbers->keys[i] == NULL)
            continue;
        const size_t slot = slot_of(&larger, numbers->keys[i]);
        larger.keys[slot] = numbers->keys[i];
        larger.values[slot] = numbers->values[i];
    }
    larger.count = numbers->count;
    mpass_numbers_fini(numbers);
    *numbers = larger;
}

unsigned mpass_numbers_of(struct mpass_numbers *numbers, const void *key)
{
    size_t slot;

    if (numbers->count * 2 >= numbers->capacity)
        grow(numbers);
    slot = slot_of(numbers, key);
    if (numbers->keys[slot] == NULL) {
        numbers->keys[slot] = key;
        numbers->values[slot] = numbers->count++;
    }
    return numbers->values[slot];
}

unsigned mpass_numbers_find(const struct mpass_numbers *numbers,
                            const void *key)
{
    size_t slot;

    if (numbers->capacity == 0)
        return MPASS_NO_NUMBER;
    slot = slot_of(numbers, key);
    return numbers->keys[slot] == NULL ? MPASS_NO_NUMBER
                                       : numbers->values[slot];
}

void mpass_numbers_fini(struct mpass_numbers *numbers)
{
    free(numbers->keys);
    free(numbers->values);
    *numbers = (struct mpass_numbers){0};
}

/* -- Barriers ----------------------------------------------------------- */

bool mpass_flow_is_barrier(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMCall:
        return !mpass_bridge_is_harmless_call(inst);
    case LLVMBr:
    case LLVMSwitch:
    case LLVMRet:
    case LLVMUnreachable:
        return false;
    default:
        return LLVMIsATerminatorInst(inst) != NULL ||
               mpass_bridge_is_ordered(inst);
    }
}

/* -- Blocks ------------------------------------------------------------- */

/* A block on the way down, and how many of its successors were visited. */
struct visit {
    LLVMBasicBlockRef block;
    unsigned next;
};

/* The reachable blocks in postorder, their count to *count. */
static LLVMBasicBlockRef *postorder(LLVMValueRef function, size_t *count)
{
    const size_t max = LLVMCountBasicBlocks(function);
    struct visit *stack = mpass_allocate(NULL, max, sizeof(*stack));
    LLVMBasicBlockRef *order = mpass_allocate(NULL, max, sizeof(*order));
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
        if (mpass_numbers_find(&seen, next) != MPASS_NO_NUMBER)
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

/* Each successor once, however many cases of a switch lead there. */
static void find_successors(struct mpass_flow *flow, unsigned at)
{
    struct mpass_flow_block *const block = &flow->blocks[at];
    const unsigned count = LLVMGetNumSuccessors(block->terminator);

    block->succs = mpass_allocate(NULL, count, sizeof(*block->succs));
    for (unsigned i = 0; i < count; i++) {
        const unsigned to = mpass_numbers_find(
            &flow->numbers, LLVMGetSuccessor(block->terminator, i));

        if (!contains(block->succs, block->succ_count, to))
            block->succs[block->succ_count++] = to;
    }
}

static void add_predecessor(struct mpass_flow_block *block, unsigned from)
{
    if ((block->pred_count & (block->pred_count + 1)) == 0)
        block->preds =
            mpass_allocate(block->preds, (size_t)block->pred_count * 2 + 1,
                           sizeof(*block->preds));
    block->preds[block->pred_count++] = from;
}

void mpass_flow_init(struct mpass_flow *flow, LLVMValueRef function)
{
    LLVMBasicBlockRef *const order = postorder(function, &flow->count);

    flow->blocks = mpass_allocate(NULL, flow->count, sizeof(*flow->blocks));
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
