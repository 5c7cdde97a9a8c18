/* calls.c -- maintains a number for the current call stack at run time.
 *
 * The thread-local variable `value` (struct mprof_calls) identifies the calls
 * that led to the current function. A function loads it on entry. Before each
 * call that may lead to an allocation, it stores the loaded value, multiplied
 * by a factor, plus a number for the call. So a callee finds a different value
 * for each call path to it, and an allocation function finds in one word what a
 * walk of the stack would find.
 *
 * Code that is not instrumented (libc's qsort) does not change the value. A
 * function called from there finds the value that the last instrumented caller
 * stored. Therefore:
 *
 *   - a function also adds its return address;
 *   - an exposed function, which may be a callback, restores the value when it
 *     returns. So the value that a callback finds depends only on the calls
 *     that led to it, not on finished calls. Other functions need not restore
 *     the value, because an instrumented caller stores its own value before
 *     its next call, also after an exception or a longjmp. (A callback whose
 *     address only other modules take is not known as exposed. It finds a
 *     different value each time, so the runtime walks the stack for it.)
 *
 * A function that cannot reach an allocation is not changed. If a function has
 * no allocating call after another one ("late"), as in growing a buffer or
 * reporting an error, it loads the value just before the call: the value is
 * still that on entry.
 *
 * All accesses to the variable are volatile, because LLVM does not know that
 * malloc() reads it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/steps.h"

#include "pass/bridge/ir.h"
#include "pass/collect/reach.h"
#include "pass/support/memory.h"
#include "shared/abi.h"

#include <llvm-c/Comdat.h>
#include <llvm-c/Core.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Stride of the functions' numbers, so that their factors are spread. */
#define FUNCTION_STRIDE UINT32_C(0x2545f491)

#define HASH_START UINT32_C(0x811c9dc5)
#define HASH_FACTOR UINT32_C(0x01000193)

struct calls {
    struct mpass_context *context;
    struct mpass_reach reach;
    LLVMValueRef word;   /* struct mprof_calls */
    uint32_t function;   /* number of the last function */
    LLVMValueRef *calls; /* of the current function */
    size_t count;
};

/* -- code ------------------------------------------------------------------ */

/* How to instrument one function. */
struct plan {
    LLVMValueRef function;
    bool is_exposed;    /* other code may call it: restore the value */
    bool is_late;       /* load the value before the call, not on entry */
    uint64_t factor;    /* of the value on entry */
    uint32_t numbered;  /* number of calls that need a number */
    uint32_t number;    /* the next such number */
    LLVMValueRef found; /* the value on entry */
    LLVMValueRef own;   /* found * factor + return address */
};

static LLVMValueRef initial_word(const struct mpass_context *context)
{
    LLVMValueRef words[] = {
        mpass_ir_int(context->intptr, MPROF_CALLS_START),
        mpass_ir_int(context->intptr, 0),
    };

    _Static_assert(sizeof(struct mprof_calls) ==
                       sizeof(uint64_t) * MPROF_ARRAY_LEN(words),
                   "value and stack pointer");
    return LLVMConstStructInContext(context->llvm, words,
                                    MPROF_ARRAY_LEN(words), false);
}

static LLVMValueRef word_at(struct calls *calls, size_t offset)
{
    const struct mpass_context *const context = calls->context;
    LLVMValueRef index =
        mpass_ir_int(context->intptr, offset / sizeof(uint64_t));

    if (calls->word == NULL)
        calls->word = mpass_emit_thread_local(context, MPROF_SYM_CALLS,
                                              initial_word(context));
    return offset == 0
               ? calls->word
               : LLVMConstInBoundsGEP2(context->intptr, calls->word, &index, 1);
}

static LLVMValueRef call_intrinsic(const struct mpass_context *context,
                                   const char *name, LLVMTypeRef type,
                                   LLVMValueRef argument)
{
    const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    const size_t overloads = LLVMIntrinsicIsOverloaded(id) ? 1 : 0;

    return LLVMBuildCall2(
        context->builder,
        LLVMIntrinsicGetType(context->llvm, id, &type, overloads),
        LLVMGetIntrinsicDeclaration(context->module, id, &type, overloads),
        &argument, 1, "");
}

static LLVMValueRef return_address(const struct mpass_context *context)
{
    const LLVMTypeRef i32 = LLVMInt32TypeInContext(context->llvm);

    return LLVMBuildPtrToInt(context->builder,
                             call_intrinsic(context, "llvm.returnaddress",
                                            context->ptr, mpass_ir_int(i32, 0)),
                             context->intptr, "");
}

static LLVMValueRef stack_pointer(const struct mpass_context *context)
{
    static const char name[] = "rsp";
    LLVMMetadataRef text =
        LLVMMDStringInContext2(context->llvm, name, strlen(name));

    return call_intrinsic(
        context, "llvm.read_register", context->intptr,
        LLVMMetadataAsValue(context->llvm,
                            LLVMMDNodeInContext2(context->llvm, &text, 1)));
}

/* Emits found and own at the builder's position. */
static void load(struct calls *calls, struct plan *plan)
{
    struct mpass_context *const context = calls->context;
    const LLVMBuilderRef builder = context->builder;

    plan->found =
        LLVMBuildLoad2(builder, context->intptr,
                       word_at(calls, offsetof(struct mprof_calls, value)), "");
    LLVMSetVolatile(plan->found, true);
    plan->own = LLVMBuildMul(builder, plan->found,
                             mpass_ir_int(context->intptr, plan->factor), "");
    plan->own = LLVMBuildAdd(builder, plan->own, return_address(context), "");
    /* The values of two callers may differ by as little as two call numbers do.
     * Reversed bytes move this difference to the high bits, so that call
     * numbers can be small, which takes less code. */
    if (plan->numbered > 1)
        plan->own =
            call_intrinsic(context, "llvm.bswap", context->intptr, plan->own);
}

static void store(struct calls *calls, size_t offset, LLVMValueRef value)
{
    const LLVMValueRef made =
        LLVMBuildStore(calls->context->builder, value, word_at(calls, offset));

    LLVMSetVolatile(made, true);
}

static bool is_returning(LLVMValueRef call)
{
    return (mpass_ir_call_traits(call) & MPASS_CALL_NO_RETURN) == 0;
}

/* True if the call needs no number, because the callee adds its return address
 * to the value, or is an allocation function, where the runtime does so. False
 * if the callee ends in a jump, because the value it passes on may reach a
 * function that adds no return address. */
static bool takes_return_address(const struct calls *calls, LLVMValueRef call)
{
    const LLVMValueRef callee = mpass_reach_callee(call);

    return callee != NULL &&
           (LLVMIsDeclaration(callee)
                ? mpass_reach_may_be_allocation(call)
                : mpass_reach_is_ours(calls->context, callee) &&
                      mpass_ir_is_exact(callee) &&
                      !mpass_numbers_has(&calls->reach.passing, callee));
}

static bool is_numbered(const struct calls *calls, LLVMValueRef call)
{
    return mpass_reach_may_reach(&calls->reach, call) &&
           !mpass_ir_is_jump(call) && !takes_return_address(calls, call);
}

/* The value of a call that needs a number, which is different for each such
 * call of the function. The first number is 0. */
static LLVMValueRef with_number(const struct calls *calls, struct plan *plan)
{
    const struct mpass_context *const context = calls->context;
    const uint32_t number = plan->number++;

    if (number == 0)
        return plan->own;
    return LLVMBuildAdd(context->builder, plan->own,
                        mpass_ir_int(context->intptr, number), "");
}

static void store_before_call(struct calls *calls, struct plan *plan,
                              LLVMValueRef call)
{
    struct mpass_context *const context = calls->context;

    if (!mpass_reach_may_reach(&calls->reach, call))
        return;
    mpass_emit_before(context, call);
    if (mpass_ir_is_jump(call)) {
        /* A jump: the callee returns to our caller. */
        if (!plan->is_late)
            store(calls, offsetof(struct mprof_calls, value), plan->found);
        return;
    }
    if (plan->is_late)
        load(calls, plan);
    store(calls, offsetof(struct mprof_calls, value),
          is_numbered(calls, call) ? with_number(calls, plan) : plan->own);
    if (mpass_reach_may_be_allocation(call))
        store(calls, offsetof(struct mprof_calls, sp), stack_pointer(context));
    if (plan->is_late && plan->is_exposed && is_returning(call)) {
        mpass_emit_before(context, LLVMGetNextInstruction(call));
        store(calls, offsetof(struct mprof_calls, value), plan->found);
    }
}

/* Functions store no value before throwing, so that those that only throw need
 * no code. Clears `sp`, because an earlier call by pointer, which was no call
 * of an allocation function, may have left it: the runtime must not take the
 * allocation of the exception for that call. */
static void forget_before_throwing(struct calls *calls, LLVMValueRef call)
{
    mpass_emit_before(calls->context, call);
    store(calls, offsetof(struct mprof_calls, sp),
          mpass_ir_int(calls->context->intptr, 0));
}

/* -- where to load the value ----------------------------------------------- */

static bool is_reaching(const struct calls *calls, LLVMValueRef inst)
{
    return mpass_reach_is_call(inst) &&
           mpass_reach_may_reach(&calls->reach, inst);
}

static bool has_reaching(const struct calls *calls, LLVMValueRef from)
{
    for (; from != NULL; from = LLVMGetNextInstruction(from)) {
        if (is_reaching(calls, from))
            return true;
    }
    return false;
}

/* Adds the successors of the block. */
static void add_successors(struct mpass_numbers *after, LLVMBasicBlockRef block)
{
    const LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    const unsigned count = end != NULL ? LLVMGetNumSuccessors(end) : 0;

    for (unsigned i = 0; i < count; i++)
        mpass_numbers_of(after, LLVMGetSuccessor(end, i));
}

/* False if an allocating call may run after `call`, including `call` itself. */
static bool is_last(const struct calls *calls, struct mpass_numbers *after,
                    LLVMValueRef call)
{
    unsigned next = after->count;

    if (has_reaching(calls, LLVMGetNextInstruction(call)))
        return false;
    add_successors(after, LLVMGetInstructionParent(call));
    for (; next < after->count; next++) {
        if (has_reaching(calls, LLVMGetFirstInstruction(after->keys[next])))
            return false;
        add_successors(after, after->keys[next]);
    }
    return true;
}

/* True if no allocating call can run after another one that returned. */
static bool is_late(const struct calls *calls, const struct plan *plan)
{
    struct mpass_numbers after = {0};
    bool is_late = true;

    for (size_t i = 0; i < calls->count && is_late; i++) {
        const LLVMValueRef call = calls->calls[i];
        const bool is_invoke = LLVMIsAInvokeInst(call) != NULL;

        /* After setjmp(), control may return here with any value. */
        is_late = (mpass_ir_call_traits(call) & MPASS_CALL_RETURNS_TWICE) == 0;
        if (!is_late || !mpass_reach_may_reach(&calls->reach, call) ||
            (!is_returning(call) && !is_invoke))
            continue;
        /* An invoke has two successors; the value would have to be restored on
         * both. */
        is_late =
            !(plan->is_exposed && is_invoke) && is_last(calls, &after, call);
    }
    mpass_numbers_fini(&after);
    return is_late;
}

static LLVMValueRef after_allocas(LLVMValueRef function)
{
    LLVMValueRef inst = mpass_ir_first_point(LLVMGetEntryBasicBlock(function));

    while (LLVMIsAAllocaInst(inst) != NULL)
        inst = LLVMGetNextInstruction(inst);
    return inst;
}

/* Restores the value at the ends of the function. For a jump that may reach an
 * allocation, store_before_call() has done so. */
static void store_at_ends(struct calls *calls, const struct plan *plan)
{
    MPASS_EACH_BLOCK(block, plan->function) {
        const LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        const LLVMValueRef jump = mpass_ir_tail_call(block);

        if (end == NULL ||
            (LLVMIsAReturnInst(end) == NULL && LLVMIsAResumeInst(end) == NULL))
            continue;
        if (jump != NULL && mpass_reach_may_reach(&calls->reach, jump))
            continue;
        mpass_emit_before(calls->context, jump != NULL ? jump : end);
        store(calls, offsetof(struct mprof_calls, value), plan->found);
    }
}

/* A different factor for each function: two functions called through the same
 * pointer have the same return address. */
static uint64_t next_factor(struct calls *calls)
{
    calls->function += FUNCTION_STRIDE;
    return MPROF_CALLS_FACTOR(calls->function);
}

static void instrument(struct calls *calls, LLVMValueRef function)
{
    struct plan plan = {.function = function,
                        .factor = next_factor(calls),
                        .is_exposed =
                            mpass_ir_has_address_taken(function) ||
                            mpass_numbers_has(&calls->reach.exposed, function)};

    for (size_t i = 0; i < calls->count; i++)
        plan.numbered += is_numbered(calls, calls->calls[i]);
    plan.is_late = is_late(calls, &plan);
    if (!plan.is_late) {
        mpass_emit_before(calls->context, after_allocas(function));
        load(calls, &plan);
    }
    for (size_t i = 0; i < calls->count; i++)
        store_before_call(calls, &plan, calls->calls[i]);
    if (plan.is_exposed && !plan.is_late)
        store_at_ends(calls, &plan);
}

/* A start that differs between modules, and depends only on the names of the
 * module's functions, so that builds are reproducible. */
static uint32_t first_function(const struct mpass_context *context)
{
    uint32_t hash = HASH_START;

    MPASS_EACH_FUNCTION(f, context->module) {
        size_t length;
        const char *const name = LLVMGetValueName2(f, &length);

        if (LLVMIsDeclaration(f) || mpass_function_is_foreign(context, f))
            continue;
        for (size_t i = 0; i < length; i++)
            hash = (hash ^ (unsigned char)name[i]) * HASH_FACTOR;
    }
    return hash;
}

static void list_calls(struct calls *calls, LLVMValueRef function)
{
    calls->count = 0;
    MPASS_EACH_INSTRUCTION(inst, function) {
        if (!mpass_reach_is_call(inst))
            continue;
        *MPASS_APPEND(calls->calls, calls->count) = inst;
    }
}

/* True if it changed the function. */
static bool run_function(struct calls *calls, LLVMValueRef function)
{
    bool changed = mpass_numbers_has(&calls->reach.reaching, function);

    calls->context->function = function;
    list_calls(calls, function);
    if (changed)
        instrument(calls, function);
    for (size_t i = 0; i < calls->count; i++) {
        if (!mpass_reach_throws(calls->calls[i]))
            continue;
        forget_before_throwing(calls, calls->calls[i]);
        changed = true;
    }
    return changed;
}

bool mpass_calls_run(struct mpass_context *context)
{
    struct calls calls = {.context = context,
                          .function = first_function(context)};
    bool changed = false;

    mpass_reach_find(&calls.reach, context);
    MPASS_EACH_FUNCTION(f, context->module) {
        if (mpass_reach_is_ours(context, f))
            changed |= run_function(&calls, f);
    }
    mpass_reach_fini(&calls.reach);
    free(calls.calls);
    return changed;
}
