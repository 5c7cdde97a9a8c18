/* calls.c -- functions that may allocate say by which calls they were reached.
 *
 * A thread-local value (struct mprof_calls) stands for the calls that led to
 * where the thread is. A function takes it on entry, and before each call that
 * may lead to an allocation it leaves there what it took, multiplied, plus a
 * number of the call: so the callee's is another one for each way to it. An
 * allocation function finds in one word what a walk of the stack would tell.
 *
 * What is not compiled by us (libc's qsort) changes nothing, and what it calls
 * finds the value of the last caller that was. Therefore
 *
 *   - a function also takes in its return address;
 *   - one whose address is taken, which may be such a callback, leaves the
 * value as it was when it returns: so what a callback finds depends on the
 * calls that led there, and on none that are over. Callers that are ours leave
 *     their own value before their next call, so do those who go on with an
 *     exception or a jump. (A callback whose address only others take finds
 *     another value each time, and its contexts by walks.)
 *
 * A function that cannot reach an allocation does nothing. Where no call that
 * may reach one follows another, such as in what grows a buffer or reports an
 * error, all is done just before that call: the value is still that on entry.
 *
 * All this is done by volatile accesses: nobody who looks at a call of malloc()
 * knows that it reads the value.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/calls.h"

#include "pass/bridge/ir.h"
#include "pass/collect/emit.h"
#include "pass/collect/reach.h"
#include "pass/support/memory.h"
#include "shared/abi.h"

#include <llvm-c/Comdat.h>
#include <llvm-c/Core.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The functions are numbered with a stride that spreads what they multiply by.
 */
#define FUNCTION_STRIDE UINT32_C(0x2545f491)

#define HASH_START UINT32_C(0x811c9dc5)
#define HASH_FACTOR UINT32_C(0x01000193)

struct calls {
    struct mpass_context *context;
    struct mpass_reach reach;
    LLVMValueRef word;   /* struct mprof_calls */
    uint32_t function;   /* number of the last one */
    LLVMValueRef *calls; /* of the function in hand */
    size_t count;
};

/* -- code ------------------------------------------------------------------ */

/* What one function does. */
struct plan {
    LLVMValueRef function;
    bool is_exposed;    /* others may call it: it leaves what it found */
    bool is_late;       /* the value is that on entry before each call */
    uint64_t factor;    /* of the value on entry: none has the same */
    uint32_t numbered;  /* calls that need a number of their own */
    uint32_t number;    /* of the next of them */
    LLVMValueRef found; /* on entry */
    LLVMValueRef own;   /* multiplied, with the return address */
};

static LLVMValueRef initial_word(const struct mpass_context *context)
{
    LLVMValueRef words[] = {
        LLVMConstInt(context->intptr, MPROF_CALLS_START, false),
        LLVMConstInt(context->intptr, 0, false),
    };

    _Static_assert(sizeof(struct mprof_calls) ==
                       sizeof(uint64_t) * MPROF_ARRAY_LEN(words),
                   "value and stack pointer");
    return LLVMConstStructInContext(context->llvm, words,
                                    MPROF_ARRAY_LEN(words), false);
}

/* A weak definition: the runtime's stands where it has one. */
static LLVMValueRef define_word(const struct mpass_context *context)
{
    const LLVMValueRef known =
        LLVMGetNamedGlobal(context->module, MPROF_SYM_CALLS);
    const LLVMValueRef initial = initial_word(context);
    LLVMValueRef word;

    if (known != NULL)
        return known;
    word = LLVMAddGlobal(context->module, LLVMTypeOf(initial), MPROF_SYM_CALLS);
    LLVMSetInitializer(word, initial);
    LLVMSetLinkage(word, LLVMWeakAnyLinkage);
    if (mpass_ir_is_for_executable(context->module)) {
        mpass_ir_set_dso_local(word);
        LLVMSetThreadLocalMode(word, LLVMLocalExecTLSModel);
    } else {
        LLVMSetThreadLocalMode(word, LLVMInitialExecTLSModel);
    }
    LLVMSetAlignment(word, sizeof(uint64_t));
    if (mpass_ir_supports_comdat(context->module))
        LLVMSetComdat(word,
                      LLVMGetOrInsertComdat(context->module, MPROF_SYM_CALLS));
    return word;
}

static LLVMValueRef word_at(struct calls *calls, size_t offset)
{
    const struct mpass_context *const context = calls->context;
    LLVMValueRef index =
        LLVMConstInt(context->intptr, offset / sizeof(uint64_t), false);

    if (calls->word == NULL)
        calls->word = define_word(context);
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
                                            context->ptr,
                                            LLVMConstInt(i32, 0, false)),
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

/* Inserts where the builder stands. */
static void load(struct calls *calls, struct plan *plan)
{
    struct mpass_context *const context = calls->context;
    const LLVMBuilderRef builder = context->builder;

    plan->found =
        LLVMBuildLoad2(builder, context->intptr,
                       word_at(calls, offsetof(struct mprof_calls, value)), "");
    LLVMSetVolatile(plan->found, true);
    plan->own =
        LLVMBuildMul(builder, plan->found,
                     LLVMConstInt(context->intptr, plan->factor, false), "");
    plan->own = LLVMBuildAdd(builder, plan->own, return_address(context), "");
    /* Return addresses differ by as little as numbers do. The bytes in reverse
     * order keep them apart, so that numbers can be small, as is their code. */
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

/* True if the call is known by its return address, a part of what the callee
 * makes of the value; so it is to the runtime. A callee that jumps to another
 * function hands on what it found, maybe to one that takes nothing. */
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

/* Another value for each call of the function. The first has the number 0:
 * those without are known by their return address. */
static LLVMValueRef with_number(const struct calls *calls, struct plan *plan)
{
    const struct mpass_context *const context = calls->context;
    const uint32_t number = plan->number++;

    if (number == 0)
        return plan->own;
    return LLVMBuildAdd(context->builder, plan->own,
                        LLVMConstInt(context->intptr, number, false), "");
}

static void store_before_call(struct calls *calls, struct plan *plan,
                              LLVMValueRef call)
{
    struct mpass_context *const context = calls->context;

    if (!mpass_reach_may_reach(&calls->reach, call))
        return;
    mpass_emit_before(context, call);
    if (mpass_ir_is_jump(call)) {
        /* The callee returns to our caller. */
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

/* Who throws leaves no value, so that functions that only throw do nothing. The
 * exception's memory must not be taken for what a call by pointer left the
 * stack pointer for, and which was none of an allocation function. */
static void forget_before_throwing(struct calls *calls, LLVMValueRef call)
{
    mpass_emit_before(calls->context, call);
    store(calls, offsetof(struct mprof_calls, sp),
          LLVMConstInt(calls->context->intptr, 0, false));
}

/* -- where to take --------------------------------------------------------- */

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

/* Adds the blocks that control may come to behind this one. */
static void go_on(struct mpass_numbers *after, LLVMBasicBlockRef block)
{
    const LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    const unsigned count = end != NULL ? LLVMGetNumSuccessors(end) : 0;

    for (unsigned i = 0; i < count; i++)
        mpass_numbers_of(after, LLVMGetSuccessor(end, i));
}

/* False where a call that may allocate can follow `call`, another or itself. */
static bool is_last(const struct calls *calls, struct mpass_numbers *after,
                    LLVMValueRef call)
{
    unsigned next = after->count;

    if (has_reaching(calls, LLVMGetNextInstruction(call)))
        return false;
    go_on(after, LLVMGetInstructionParent(call));
    for (; next < after->count; next++) {
        if (has_reaching(calls, LLVMGetFirstInstruction(after->keys[next])))
            return false;
        go_on(after, after->keys[next]);
    }
    return true;
}

/* True if no call that may allocate follows another that returned. */
static bool is_late(const struct calls *calls, const struct plan *plan)
{
    struct mpass_numbers after = {0};
    bool is_late = true;

    for (size_t i = 0; i < calls->count && is_late; i++) {
        const LLVMValueRef call = calls->calls[i];
        const bool is_invoke = LLVMIsAInvokeInst(call) != NULL;

        /* Control may come to after it again, with any value, by a jump. */
        is_late = (mpass_ir_call_traits(call) & MPASS_CALL_RETURNS_TWICE) == 0;
        if (!is_late || !mpass_reach_may_reach(&calls->reach, call) ||
            (!is_returning(call) && !is_invoke))
            continue;
        /* An invoke has two successors: the value found would have to be stored
         * on both. */
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

/* Where the function ends, as it found it. For a jump that may reach an
 * allocation store_before_call() has done so. */
static void store_at_ends(struct calls *calls, const struct plan *plan)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(plan->function);
         block != NULL; block = LLVMGetNextBasicBlock(block)) {
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

/* Another one for each function: two that a pointer leads to have the same
 * return address. */
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

/* Another one for each module, the same wherever it is compiled. */
static uint32_t first_function(const struct mpass_context *context)
{
    uint32_t hash = HASH_START;

    for (LLVMValueRef f = LLVMGetFirstFunction(context->module); f != NULL;
         f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *const name = LLVMGetValueName2(f, &length);

        for (size_t i = 0; !LLVMIsDeclaration(f) && i < length; i++)
            hash = (hash ^ (unsigned char)name[i]) * HASH_FACTOR;
    }
    return hash;
}

static void list_calls(struct calls *calls, LLVMValueRef function)
{
    calls->count = 0;
    for (LLVMValueRef inst = mpass_ir_first(function); inst != NULL;
         inst = mpass_ir_next(inst)) {
        if (!mpass_reach_is_call(inst))
            continue;
        calls->calls = mpass_memory_grow(calls->calls, calls->count,
                                         sizeof(*calls->calls));
        calls->calls[calls->count++] = inst;
    }
}

/* True if something was inserted. */
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
    for (LLVMValueRef f = LLVMGetFirstFunction(context->module); f != NULL;
         f = LLVMGetNextFunction(f)) {
        if (mpass_reach_is_ours(context, f))
            changed |= run_function(&calls, f);
    }
    mpass_reach_fini(&calls.reach);
    free(calls.calls);
    return changed;
}
