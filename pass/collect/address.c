/* address.c -- chooses the address at which an accumulator is flushed: an
 * accessed address that takes no register in a loop.
 *
 * The address of an access in a loop changes with each iteration. A count may
 * be added at any of these addresses, so the first iteration's serves. It can
 * be computed before the loop. It was accessed if each iteration executes the
 * access.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/steps.h"

#include "pass/bridge/ir.h"
#include "pass/collect/origin.h"

#include <llvm-c/Core.h>

/* Longest chain of instructions that is copied to the front of a loop. */
#define DEPTH_MAX 4
/* Number of dominating blocks that are searched for an access. */
#define DOMINATORS_MAX 64

/* True for arithmetic without side effects. */
static bool is_simple(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMGetElementPtr:
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMOr:
    case LLVMAnd:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
        return true;
    default:
        return false;
    }
}

static bool is_inside(const struct mpass_loop *loop, LLVMValueRef value)
{
    return LLVMIsAInstruction(value) != NULL &&
           mpass_analysis_loop_contains(loop, LLVMGetInstructionParent(value));
}

/* The initial value of a phi in the loop's header; NULL for any other value. */
static LLVMValueRef start_of(const struct mpass_loop *loop, LLVMValueRef value)
{
    const LLVMBasicBlockRef entrance = mpass_analysis_loop_entrance(loop);

    if (LLVMIsAPHINode(value) == NULL ||
        LLVMGetInstructionParent(value) != mpass_analysis_loop_header(loop))
        return NULL;
    for (unsigned i = 0; i < LLVMCountIncoming(value); i++) {
        if (LLVMGetIncomingBlock(value, i) == entrance)
            return LLVMGetIncomingValue(value, i);
    }
    return NULL;
}

/* True if instructions inserted before the loop may use all values from outside
 * of it. False if the terminator before the loop has a value. */
static bool has_place(const struct mpass_loop *loop)
{
    const LLVMBasicBlockRef entrance = mpass_analysis_loop_entrance(loop);

    return entrance != NULL &&
           LLVMGetTypeKind(LLVMTypeOf(LLVMGetBasicBlockTerminator(entrance))) ==
               LLVMVoidTypeKind;
}

/* True if first_of() can compute the value's first value before the loop. */
static bool has_first(const struct mpass_loop *loop, LLVMValueRef value,
                      unsigned depth)
{
    if (!is_inside(loop, value) || start_of(loop, value) != NULL)
        return true;
    if (depth == DEPTH_MAX || !is_simple(value))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(value); i++) {
        if (!has_first(loop, LLVMGetOperand(value, (unsigned)i), depth + 1))
            return false;
    }
    return true;
}

/* The value of `value` in the loop's first iteration, computed before the loop.
 * has_first() must be true. */
static LLVMValueRef first_of(struct mpass_context *context,
                             const struct mpass_loop *loop, LLVMValueRef value)
{
    const LLVMBasicBlockRef entrance = mpass_analysis_loop_entrance(loop);

    if (!is_inside(loop, value))
        return value;
    LLVMValueRef first = start_of(loop, value);
    if (first != NULL)
        return first;
    first = LLVMInstructionClone(value);
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        LLVMSetOperand(
            first, (unsigned)i,
            first_of(context, loop, LLVMGetOperand(value, (unsigned)i)));
    LLVMInsertIntoBuilder(
        mpass_emit_before(context, LLVMGetBasicBlockTerminator(entrance)),
        first);
    const LLVMValueRef simple = mpass_ir_simplified(first, context->layout);
    if (simple == NULL || simple == first)
        return first;
    LLVMInstructionEraseFromParent(first);
    return simple;
}

/* `address` is accessed whenever the block runs. Moves it out of the loops
 * around the block: returns its value in the first iterations of these loops
 * and inserts the instructions that compute it. Stops at a loop for which this
 * is not possible, or which contains the definition of the origin. */
static LLVMValueRef first_address(struct mpass_context *context,
                                  struct mpass_analysis *analysis,
                                  LLVMValueRef address, LLVMBasicBlockRef block,
                                  LLVMValueRef origin)
{
    const struct mpass_loop *loop = mpass_analysis_loop_of(analysis, block);

    while (loop != NULL && !is_inside(loop, origin) && has_place(loop) &&
           mpass_analysis_in_each_iteration(analysis, loop, block) &&
           has_first(loop, address, 0)) {
        address = first_of(context, loop, address);
        loop = mpass_analysis_loop_parent(loop);
    }
    return address;
}

/* An address of the origin that was certainly accessed when control reaches the
 * start of the block or, with `whole`, its end: the address of the nearest node
 * in a dominating block. NULL if there is none near. */
static LLVMValueRef address_at(const struct mpass_regions *regions,
                               LLVMValueRef origin, unsigned at, bool whole)
{
    LLVMBasicBlockRef block = regions->flow->blocks[at].block;

    for (unsigned i = 0; i < DOMINATORS_MAX; i++) {
        if (regions->marks[at].node != NULL && (whole || i > 0))
            return first_address(regions->context, regions->analysis,
                                 regions->marks[at].node->access->addr, block,
                                 origin);
        block = mpass_analysis_dominator(regions->analysis, block);
        if (block == NULL)
            break;
        at = mpass_numbers_find(&regions->flow->numbers, block);
    }
    return NULL;
}

/* True if the edge's address takes no register in a loop: it is the origin plus
 * a constant, or is computed before the loop. */
static bool is_cheap(const struct mpass_regions *regions,
                     const struct mpass_edge *edge, LLVMValueRef origin)
{
    const struct mpass_loop *const loop = mpass_analysis_loop_of(
        regions->analysis,
        regions->flow
            ->blocks[edge->terminator == NULL ? edge->to_number
                                              : edge->from_number]
            .block);
    const LLVMValueRef address = edge->address;

    return address == origin ||
           (mpass_origin_is_constant_step(address) &&
            LLVMGetOperand(address, 0) == origin) ||
           (loop != NULL && (LLVMIsAInstruction(address) == NULL ||
                             !mpass_analysis_loop_contains(
                                 loop, LLVMGetInstructionParent(address))));
}

void mpass_address_find(const struct mpass_regions *regions,
                        LLVMValueRef origin, struct mpass_edge *edges,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bool joined = edges[i].terminator == NULL;

        edges[i].address = address_at(
            regions, origin, joined ? edges[i].to_number : edges[i].from_number,
            !joined);
        if (edges[i].address != NULL && is_cheap(regions, &edges[i], origin))
            continue;
        for (size_t k = 0; k <= i; k++)
            edges[k].address = NULL;
        return;
    }
}
