/* origin.c -- which object a pointer points into, as far as that shows.
 *
 * The origin of a pointer is what is left of it without pointer arithmetic. By
 * LLVM's rules a pointer that is computed from another may be used for the
 * other's object only. So, as long as no object dies in between, accesses whose
 * pointers have one origin are accesses to one block.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/origin.h"

#include "pass/bridge/ir.h"
#include "pass/support/memory.h"

#include <llvm-c/Core.h>
#include <string.h>

/* Phis that are looked at together, or one after the other. */
#define PHIS_MAX 16
/* Steps back, of each kind: unreachable code may go round in circles. */
#define STEPS_MAX 64

/* The phis that step through one object, as far as found. */
struct cycle {
    LLVMValueRef phis[PHIS_MAX];
    unsigned count;
    LLVMValueRef entry; /* the one value from outside */
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

/* Takes in one incoming value; false if there is no single value from outside.
 * Phis other than the first are followed if `follow`. */
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

/* The one value that all phis of the cycle come from, or NULL. It is the last
 * one computed: a path from its definition to a use of the phi without the phi
 * would mean that the phi does not dominate its use. */
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

/* True if both phis of a block always point into the same object: whatever way
 * control comes, what they get is computed from one pointer, or from the phis
 * themselves. */
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

/* The first phi of its block that always points into the object of this one. */
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

/* The address of a thread-local variable. */
static bool is_thread_local(LLVMValueRef value)
{
    const char name[] = "llvm.threadlocal.address";
    LLVMValueRef callee;

    if (LLVMIsACallInst(value) == NULL)
        return false;
    callee = LLVMIsAFunction(LLVMGetCalledValue(value));
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
