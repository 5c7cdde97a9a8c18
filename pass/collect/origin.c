/* origin.c -- finds the object that a pointer points into, if the IR shows it.
 *
 * The origin of a pointer is the pointer without pointer arithmetic. By LLVM's
 * rules, a pointer computed from another may only access the other's object. So
 * accesses by pointers of one origin access one block, unless a block is freed
 * in between.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/origin.h"

#include "pass/bridge/ir.h"
#include "pass/support/memory.h"

#include <llvm-c/Core.h>
#include <string.h>

/* Limit of the phis in a cycle, and of the phis of a block that are compared.
 */
#define PHIS_MAX 16
/* Limit of the steps back, of each kind: unreachable code may have cycles. */
#define STEPS_MAX 64

/* Phis that step through one object. */
struct cycle {
    LLVMValueRef phis[PHIS_MAX];
    unsigned count;
    LLVMValueRef entry; /* the only value from outside the cycle */
};

/* True for one step of pointer arithmetic. */
static bool is_step(LLVMValueRef pointer)
{
    return LLVMIsAGetElementPtrInst(pointer) != NULL ||
           (LLVMIsAConstantExpr(pointer) != NULL &&
            LLVMGetConstOpcode(pointer) == LLVMGetElementPtr);
}

/* The pointer without arithmetic. */
static LLVMValueRef strip_arithmetic(LLVMValueRef pointer)
{
    for (unsigned i = 0; i < STEPS_MAX && is_step(pointer); i++)
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

static bool cycle_has(const struct cycle *cycle, LLVMValueRef phi)
{
    for (unsigned i = 0; i < cycle->count; i++) {
        if (cycle->phis[i] == phi)
            return true;
    }
    return false;
}

/* Adds one incoming value to the cycle; false if the cycle has a second value
 * from outside. With `follow`, other phis become part of the cycle. */
static bool cycle_add(struct cycle *cycle, LLVMValueRef value, bool follow)
{
    const LLVMValueRef stripped = strip_arithmetic(value);

    if (cycle_has(cycle, stripped))
        return true;
    if (follow && LLVMIsAPHINode(stripped) != NULL) {
        if (cycle->count == PHIS_MAX)
            return false;
        cycle->phis[cycle->count++] = stripped;
        return true;
    }
    if (cycle->entry == NULL)
        cycle->entry = stripped;
    return cycle->entry == stripped;
}

/* The only value from outside that the phis of the cycle step through, or NULL.
 * Between its definition and a use of the phi, control always passes the phi,
 * because the phi dominates its uses; so the value is not redefined. */
static LLVMValueRef cycle_entry(LLVMValueRef phi, bool follow)
{
    struct cycle cycle = {.phis = {phi}, .count = 1};

    for (unsigned i = 0; i < cycle.count; i++) {
        const unsigned incoming = LLVMCountIncoming(cycle.phis[i]);

        for (unsigned k = 0; k < incoming; k++) {
            if (!cycle_add(&cycle, LLVMGetIncomingValue(cycle.phis[i], k),
                           follow))
                return NULL;
        }
    }
    return cycle.entry;
}

/* True if two phis of a block always point into the same object: on each
 * incoming edge, both values are computed from one pointer, or from the phis
 * themselves.
 */
static bool are_twins(LLVMValueRef a, LLVMValueRef b)
{
    const unsigned incoming = LLVMCountIncoming(a);

    if (LLVMTypeOf(a) != LLVMTypeOf(b) || LLVMCountIncoming(b) != incoming)
        return false;
    for (unsigned i = 0; i < incoming; i++) {
        const LLVMValueRef from_a =
            strip_arithmetic(LLVMGetIncomingValue(a, i));
        const LLVMValueRef from_b =
            strip_arithmetic(LLVMGetIncomingValue(b, i));

        if (LLVMGetIncomingBlock(a, i) != LLVMGetIncomingBlock(b, i) ||
            LLVMIsAConstant(from_a) != NULL)
            return false;
        if (from_a != from_b && (from_a != a || from_b != b) &&
            (from_a != b || from_b != a))
            return false;
    }
    return true;
}

/* The first phi of the block that always points into the same object as `phi`.
 */
static LLVMValueRef first_twin(LLVMValueRef phi)
{
    LLVMValueRef other = LLVMGetFirstInstruction(LLVMGetInstructionParent(phi));

    for (unsigned i = 0; i < PHIS_MAX && other != phi; i++) {
        if (are_twins(phi, other))
            return other;
        other = LLVMGetNextInstruction(other);
    }
    return phi;
}

static LLVMValueRef base_of(LLVMValueRef pointer)
{
    LLVMValueRef origin = strip_arithmetic(pointer);

    for (unsigned i = 0; i < STEPS_MAX && LLVMIsAPHINode(origin) != NULL; i++) {
        LLVMValueRef entry = cycle_entry(origin, false);

        if (entry == NULL)
            entry = cycle_entry(origin, true);
        if (entry == NULL)
            return first_twin(origin);
        origin = entry;
    }
    return origin;
}

bool mpass_origin_is_constant_step(LLVMValueRef pointer)
{
    if (!is_step(pointer))
        return false;
    for (int i = 1; i < LLVMGetNumOperands(pointer); i++) {
        if (LLVMIsAConstantInt(LLVMGetOperand(pointer, (unsigned)i)) == NULL)
            return false;
    }
    return true;
}

/* True for the address of a thread-local variable. */
static bool is_thread_local(LLVMValueRef value)
{
    const char name[] = "llvm.threadlocal.address";

    if (LLVMIsACallInst(value) == NULL)
        return false;
    const LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(value));
    return callee != NULL && LLVMGetIntrinsicID(callee) != 0 &&
           LLVMGetIntrinsicID(callee) ==
               LLVMLookupIntrinsicID(name, strlen(name));
}

static bool is_static(LLVMValueRef object)
{
    return LLVMIsAGlobalValue(object) != NULL || is_thread_local(object) ||
           mpass_ir_is_byval(object);
}

static struct mpass_origin find(LLVMValueRef pointer)
{
    const LLVMValueRef base = base_of(pointer);
    const LLVMValueRef object = mpass_ir_underlying_object(pointer);

    return (struct mpass_origin){.base = base,
                                 .is_stack = LLVMIsAAllocaInst(object) != NULL,
                                 .is_static =
                                     is_static(object) || is_static(base)};
}

struct mpass_origin mpass_origin_of(struct mpass_context *context,
                                    LLVMValueRef pointer)
{
    const unsigned known = context->pointers.count;
    const unsigned number = mpass_numbers_of(&context->pointers, pointer);

    if (number == known) {
        context->origins = mpass_memory_grow(context->origins, known,
                                             sizeof(*context->origins));
        context->origins[number] = find(pointer);
    }
    return context->origins[number];
}

void mpass_origin_forget(struct mpass_context *context)
{
    mpass_numbers_fini(&context->pointers);
    free(context->origins);
    context->origins = NULL;
}
