/* address.c -- for an accumulator, an accessed address that costs little to
 * keep.
 *
 * The address of an access in a loop changes with each round. A count may be
 * added at any of them, so the one of the first round does: it is computed from
 * values that are there before the loop, and takes no register in it. An access
 * that each round executes has touched it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/address.h"

#include "pass/bridge/ir.h"
#include "pass/collect/emit.h"
#include "pass/collect/origin.h"

#include <llvm-c/Core.h>

/* Instructions in a row that are repeated outside of a loop. */
#define DEPTH_MAX 4
/* Blocks that are looked through for an access that surely came before. */
#define DOMINATORS_MAX 64

/* True for arithmetic that has no effect but its result. */
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

/* What a phi of the loop's header starts with; NULL for another value. */
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

/* True if instructions can be inserted before the loop that use all values from
 * outside of it: no terminator has a value. */
static bool has_place(const struct mpass_loop *loop)
{
    const LLVMBasicBlockRef entrance = mpass_analysis_loop_entrance(loop);

    return entrance != NULL &&
           LLVMGetTypeKind(LLVMTypeOf(LLVMGetBasicBlockTerminator(entrance))) ==
               LLVMVoidTypeKind;
}

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

/* The value that `value` has in the loop's first round, before the loop;
 * has_first() holds. */
static LLVMValueRef first_of(struct mpass_context *context,
                             const struct mpass_loop *loop, LLVMValueRef value)
{
    const LLVMBasicBlockRef entrance = mpass_analysis_loop_entrance(loop);
    LLVMValueRef first;
    LLVMValueRef simple;

    if (!is_inside(loop, value))
        return value;
    first = start_of(loop, value);
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
    simple = mpass_ir_simplified(first, context->layout);
    if (simple == NULL || simple == first)
        return first;
    LLVMInstructionEraseFromParent(first);
    return simple;
}

/* An address that accesses in the block, at `address`, have touched whenever
 * control comes through the block: that of the first round of the loops around
 * it, as far as it is computed from values outside of them by simple
 * arithmetic, for which instructions are inserted; else `address`. The loops
 * must not have the definition of the address's origin. */
static LLVMValueRef first_address(struct mpass_context *context,
                                  struct mpass_analysis *analysis,
                                  LLVMValueRef address, LLVMBasicBlockRef block,
                                  LLVMValueRef origin)
{
    const struct mpass_loop *loop = mpass_analysis_loop_of(analysis, block);

    while (loop != NULL && !is_inside(loop, origin) && has_place(loop) &&
           mpass_analysis_in_each_round(analysis, loop, block) &&
           has_first(loop, address, 0)) {
        address = first_of(context, loop, address);
        loop = mpass_analysis_loop_parent(loop);
    }
    return address;
}

/* An address of the origin's that was accessed whenever control is at the start
 * of the block or, with `whole`, at its end: that of the nearest node that all
 * ways to there lead through. NULL if there is none near. */
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

/* True if keeping the address for the edge takes no register in loops: it is a
 * constant behind the origin, or was there before the loop. */
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
