/* loop.c -- which loops are certainly short. Scalar evolution knows, but goes
 * far to find out; so it is asked only where an exit looks as if it showed.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/loop.h"

#include "pass/bridge/analysis.h"
#include "pass/collect/origin.h"

#include <llvm-c/Core.h>
#include <stddef.h>

/* A bound of more bits than this is none. */
#define NEAR_BITS_MAX 16

struct search {
    struct mpass_analysis *analysis;
    const struct mpass_loop *loop;
};

static bool is_inside(const struct mpass_loop *loop, LLVMValueRef value)
{
    return LLVMIsAInstruction(value) != NULL &&
           mpass_analysis_loop_contains(loop, LLVMGetInstructionParent(value));
}

static bool has_constant_indices(LLVMValueRef step)
{
    const int count = LLVMGetNumOperands(step);

    for (int i = 1; i < count; i++) {
        if (LLVMIsAConstantInt(LLVMGetOperand(step, (unsigned)i)) == NULL)
            return false;
    }
    return true;
}

/* True if the loop may run until a value comes to this one, which is small or a
 * constant distance from another. */
static bool is_near(const struct search *search, LLVMValueRef end)
{
    if (is_inside(search->loop, end))
        return false;
    if (mpass_origin_is_step(end))
        return has_constant_indices(end);
    return LLVMGetTypeKind(LLVMTypeOf(end)) == LLVMIntegerTypeKind &&
           mpass_analysis_active_bits(search->analysis, end) <= NEAR_BITS_MAX;
}

static bool is_arithmetic(LLVMValueRef inst)
{
    return LLVMIsABinaryOperator(inst) != NULL ||
           LLVMIsACastInst(inst) != NULL ||
           LLVMIsAGetElementPtrInst(inst) != NULL;
}

/* True for a value that each round of the loop steps on, as far as that shows.
 */
static bool is_stepped(const struct search *search, LLVMValueRef value)
{
    while (is_inside(search->loop, value) && is_arithmetic(value))
        value = LLVMGetOperand(value, 0);
    return LLVMIsAPHINode(value) != NULL &&
           LLVMGetInstructionParent(value) ==
               mpass_analysis_loop_header(search->loop);
}

/* True if the exit compares what steps on with what is near. */
static bool shows_end(void *context, LLVMBasicBlockRef exiting)
{
    const struct search *const search = context;
    const LLVMValueRef branch = LLVMGetBasicBlockTerminator(exiting);
    LLVMValueRef test;
    LLVMValueRef left;
    LLVMValueRef right;

    if (LLVMIsABranchInst(branch) == NULL || !LLVMIsConditional(branch))
        return false;
    test = LLVMIsAICmpInst(LLVMGetCondition(branch));
    if (test == NULL)
        return false;
    left = LLVMGetOperand(test, 0);
    right = LLVMGetOperand(test, 1);
    return (is_near(search, left) && is_stepped(search, right)) ||
           (is_near(search, right) && is_stepped(search, left));
}

/* False if certainly no exit shows how often the loop runs at most, or it takes
 * more than comparing to find out. */
static bool may_be_short(struct mpass_analysis *analysis,
                         const struct mpass_loop *loop)
{
    struct search search = {.analysis = analysis, .loop = loop};

    return mpass_analysis_loop_any_exiting(loop, shows_end, &search);
}

/* The loop of this header, or NULL. */
static const struct mpass_loop *loop_at(struct mpass_analysis *analysis,
                                        LLVMBasicBlockRef header)
{
    const struct mpass_loop *const loop =
        mpass_analysis_loop_of(analysis, header);

    return loop != NULL && mpass_analysis_loop_header(loop) == header ? loop
                                                                      : NULL;
}

uint64_t mpass_loop_iterations_max(struct mpass_analysis *analysis,
                                   LLVMBasicBlockRef header)
{
    const struct mpass_loop *const loop = loop_at(analysis, header);
    uint64_t product = loop != NULL;

    for (const struct mpass_loop *each = loop; each != NULL;
         each = mpass_analysis_loop_parent(each)) {
        if (!may_be_short(analysis, each))
            return 0;
    }
    for (const struct mpass_loop *each = loop; each != NULL;
         each = mpass_analysis_loop_parent(each)) {
        product *= mpass_analysis_loop_trips_max(analysis, each);
        if (product == 0 || product > UINT32_MAX)
            return 0;
    }
    return product;
}

bool mpass_loop_contains(struct mpass_analysis *analysis,
                         LLVMBasicBlockRef header, LLVMBasicBlockRef block)
{
    const struct mpass_loop *const loop = loop_at(analysis, header);

    return loop == NULL || mpass_analysis_loop_contains(loop, block);
}
