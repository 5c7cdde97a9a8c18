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
#include "pass/collect/function.h"
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
    struct mpass_numbers reaching; /* functions that may allocate */
    struct mpass_numbers exposed;  /* that code calls which is not ours */
    struct mpass_numbers passing;  /* that leave a callee what they found */
    LLVMValueRef word;             /* struct mprof_calls */
    uint32_t function;             /* number of the last one */
};

/* -- what may allocate ----------------------------------------------------- */

/* Those that come from libc or the C++ library and do not call back; what some
 * of them allocate has a frame of theirs above, and is walked. What is missing
 * here costs some instructions. */
static const char *const harmless[] = {"__assert_fail",
                                       "__cpu_indicator_init",
                                       "__ctype_b_loc",
                                       "__ctype_tolower_loc",
                                       "__ctype_toupper_loc",
                                       "__cxa_atexit",
                                       "__cxa_begin_catch",
                                       "__cxa_free_exception",
                                       "__cxa_guard_abort",
                                       "__cxa_guard_acquire",
                                       "__cxa_guard_release",
                                       "__cxa_rethrow",
                                       "__cxa_throw",
                                       "__errno_location",
                                       "__memcpy_chk",
                                       "__memmove_chk",
                                       "__memset_chk",
                                       "__sigsetjmp",
                                       "__stack_chk_fail",
                                       "__strcat_chk",
                                       "__strcpy_chk",
                                       "_longjmp",
                                       "_setjmp",
                                       "abort",
                                       "abs",
                                       "atof",
                                       "atoi",
                                       "atol",
                                       "atoll",
                                       "bcmp",
                                       "bcopy",
                                       "bzero",
                                       "clock",
                                       "clock_gettime",
                                       "fabs",
                                       "feof",
                                       "ferror",
                                       "fileno",
                                       "free",
                                       "fstat",
                                       "getpid",
                                       "gettimeofday",
                                       "gmtime",
                                       "isalnum",
                                       "isalpha",
                                       "isatty",
                                       "isdigit",
                                       "islower",
                                       "isprint",
                                       "isspace",
                                       "isupper",
                                       "labs",
                                       "llabs",
                                       "localtime",
                                       "longjmp",
                                       "lrint",
                                       "lround",
                                       "lseek",
                                       "lstat",
                                       "mbrtowc",
                                       "memchr",
                                       "memcmp",
                                       "memcpy",
                                       "memmem",
                                       "memmove",
                                       "mempcpy",
                                       "memrchr",
                                       "memset",
                                       "mktime",
                                       "pthread_mutex_lock",
                                       "pthread_mutex_trylock",
                                       "pthread_mutex_unlock",
                                       "rand",
                                       "random",
                                       "rawmemchr",
                                       "setjmp",
                                       "sigaction",
                                       "sigaddset",
                                       "sigemptyset",
                                       "siglongjmp",
                                       "sigsetjmp",
                                       "stpcpy",
                                       "stpncpy",
                                       "strcasecmp",
                                       "strcat",
                                       "strchr",
                                       "strchrnul",
                                       "strcmp",
                                       "strcoll",
                                       "strcpy",
                                       "strcspn",
                                       "strerror",
                                       "strlcat",
                                       "strlcpy",
                                       "strlen",
                                       "strncasecmp",
                                       "strncat",
                                       "strncmp",
                                       "strncpy",
                                       "strnlen",
                                       "strpbrk",
                                       "strrchr",
                                       "strspn",
                                       "strstr",
                                       "strtod",
                                       "strtof",
                                       "strtok",
                                       "strtol",
                                       "strtold",
                                       "strtoll",
                                       "strtoul",
                                       "strtoull",
                                       "time",
                                       "tolower",
                                       "toupper",
                                       "umask",
                                       "unlink",
                                       "usleep",
                                       "wcrtomb"};

/* So do these, unless a program has another of that name, such as a log() that
 * writes a line. */
static const char *const mathematical[] = {
    "acos", "asin", "atan",  "atan2", "ceil",  "cos",   "cosh", "exp",
    "exp2", "expf", "floor", "fmod",  "frexp", "ldexp", "log",  "log10",
    "log2", "modf", "pow",   "powf",  "rint",  "round", "sin",  "sinf",
    "sinh", "sqrt", "sqrtf", "tan",   "tanh",  "trunc",
};

static const char *const allocating[] = {
    "malloc",         "calloc",   "realloc", "reallocarray",
    "aligned_alloc",  "valloc",   "pvalloc", "strdup",
    "posix_memalign", "memalign", "strndup",
};

static bool starts_with(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/* What allocates an exception, in the C++ library. */
static bool is_throwing_name(const char *name)
{
    return strcmp(name, "__cxa_allocate_exception") == 0 ||
           (starts_with(name, "_ZSt") && strstr(name, "__throw_") != NULL);
}

/* Of std::map and std::set: they move nodes. */
static bool is_tree_name(const char *name)
{
    return starts_with(name, "_ZSt18_Rb_tree_decrement") ||
           starts_with(name, "_ZSt18_Rb_tree_increment") ||
           starts_with(name, "_ZSt28_Rb_tree_rebalance_for_erase") ||
           starts_with(name, "_ZSt29_Rb_tree_insert_and_rebalance");
}

static bool returns_floating_point(LLVMValueRef function)
{
    const LLVMTypeKind kind =
        LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(function)));

    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

static bool is_harmless(LLVMValueRef function)
{
    size_t length;
    const char *const name = LLVMGetValueName2(function, &length);

    return starts_with(name, MPROF_SYM_PREFIX) || starts_with(name, "_Zdl") ||
           starts_with(name, "_Zda") || is_throwing_name(name) ||
           is_tree_name(name) ||
           is_one_of(name, harmless, MPROF_ARRAY_LEN(harmless)) ||
           (returns_floating_point(function) &&
            is_one_of(name, mathematical, MPROF_ARRAY_LEN(mathematical)));
}

static bool is_allocating_name(const char *name)
{
    return starts_with(name, "_Znw") || starts_with(name, "_Zna") ||
           is_one_of(name, allocating, MPROF_ARRAY_LEN(allocating));
}

/* The function that is called, or NULL. */
static LLVMValueRef callee_of(LLVMValueRef call)
{
    return LLVMIsAFunction(LLVMGetCalledValue(call));
}

/* True if what is called may be an allocation function itself: the runtime
 * looks whether it is. */
static bool may_be_allocation(LLVMValueRef call)
{
    const LLVMValueRef callee = callee_of(call);
    size_t length;

    if (callee == NULL)
        return LLVMIsAInlineAsm(LLVMGetCalledValue(call)) == NULL &&
               LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMPointerTypeKind;
    return LLVMIsDeclaration(callee) &&
           is_allocating_name(LLVMGetValueName2(callee, &length));
}

static bool is_call(LLVMValueRef inst)
{
    return (LLVMIsACallInst(inst) != NULL || LLVMIsAInvokeInst(inst) != NULL) &&
           LLVMIsAIntrinsicInst(inst) == NULL;
}

static bool has_attribute(LLVMValueRef function, const char *name)
{
    return LLVMGetEnumAttributeAtIndex(
               function, LLVMAttributeFunctionIndex,
               LLVMGetEnumAttributeKindForName(name, strlen(name))) != NULL;
}

/* True if we put something into the function where it may allocate. */
static bool takes_values(const struct mpass_context *context,
                         LLVMValueRef function)
{
    return !LLVMIsDeclaration(function) &&
           !mpass_function_is_left_out(context, function) &&
           !has_attribute(function, "naked") &&
           !has_attribute(function, "presplitcoroutine");
}

static bool is_ours(const struct calls *calls, LLVMValueRef function)
{
    return takes_values(calls->context, function);
}

bool mpass_calls_may_allocate(const struct mpass_context *context,
                              LLVMValueRef inst)
{
    LLVMValueRef callee;

    if (!is_call(inst))
        return false;
    callee = callee_of(inst);
    if (LLVMIsAInlineAsm(LLVMGetCalledValue(inst)) != NULL)
        return mpass_ir_is_assembly_with(inst, "call");
    if (callee == NULL)
        return true;
    return LLVMIsDeclaration(callee)
               ? !is_harmless(callee)
               : !mpass_ir_is_exact(callee) || !takes_values(context, callee);
}

static bool may_reach(const struct calls *calls, LLVMValueRef call)
{
    const LLVMValueRef callee = callee_of(call);

    return mpass_calls_may_allocate(calls->context, call) ||
           (callee != NULL && !LLVMIsDeclaration(callee) &&
            mpass_numbers_find(&calls->reaching, callee) != MPASS_NO_NUMBER);
}

typedef void visit_fn(struct calls *calls, LLVMValueRef inst, void *data);

static void for_each_call(struct calls *calls, LLVMValueRef function,
                          visit_fn *visit, void *data)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
         block != NULL; block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst != NULL;
             inst = LLVMGetNextInstruction(inst)) {
            if (is_call(inst))
                visit(calls, inst, data);
        }
    }
}

static void look_whether_reaching(struct calls *calls, LLVMValueRef call,
                                  void *data)
{
    bool *const reaches = data;

    *reaches = *reaches || may_reach(calls, call);
}

static void note_exposed(struct calls *calls, LLVMValueRef call, void *data)
{
    const LLVMValueRef callee = callee_of(call);

    (void)data;
    if (callee != NULL)
        mpass_numbers_of(&calls->exposed, callee);
}

/* The functions of ours that may allocate, in the order in which they are
 * found.
 */
struct found {
    LLVMValueRef *functions;
    unsigned count;
};

static void add_reaching(struct calls *calls, struct found *found,
                         LLVMValueRef function)
{
    if (mpass_numbers_of(&calls->reaching, function) < found->count)
        return;
    if ((found->count & (found->count + 1)) == 0)
        found->functions = mpass_memory_allocate(found->functions,
                                                 (size_t)found->count * 2 + 1,
                                                 sizeof(LLVMValueRef));
    found->functions[found->count++] = function;
}

static void add_callers(struct calls *calls, struct found *found,
                        LLVMValueRef callee)
{
    for (LLVMUseRef use = LLVMGetFirstUse(callee); use != NULL;
         use = LLVMGetNextUse(use)) {
        const LLVMValueRef user = LLVMGetUser(use);
        LLVMValueRef caller;

        if (LLVMIsAInstruction(user) == NULL || !is_call(user) ||
            callee_of(user) != callee)
            continue;
        caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
        if (is_ours(calls, caller))
            add_reaching(calls, found, caller);
    }
}

/* Looks at each function and at each use of a function once. */
static void find_reaching(struct calls *calls)
{
    struct found found = {0};

    for (LLVMValueRef f = LLVMGetFirstFunction(calls->context->module);
         f != NULL; f = LLVMGetNextFunction(f)) {
        bool reaches = false;

        if (!is_ours(calls, f))
            continue;
        for_each_call(calls, f, look_whether_reaching, &reaches);
        if (reaches)
            add_reaching(calls, &found, f);
    }
    for (unsigned i = 0; i < found.count; i++)
        add_callers(calls, &found, found.functions[i]);
    free(found.functions);
}

static void note_passing(struct calls *calls, LLVMValueRef call, void *data)
{
    if (mpass_ir_is_jump(call))
        mpass_numbers_of(&calls->passing, data);
}

static void find_passing(struct calls *calls)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(calls->context->module);
         f != NULL; f = LLVMGetNextFunction(f))
        for_each_call(calls, f, note_passing, f);
}

static void find_exposed(struct calls *calls)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(calls->context->module);
         f != NULL; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f) && !is_ours(calls, f))
            for_each_call(calls, f, note_exposed, NULL);
    }
}

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
static void take(struct calls *calls, struct plan *plan)
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

static void leave(struct calls *calls, size_t offset, LLVMValueRef value)
{
    const LLVMValueRef store =
        LLVMBuildStore(calls->context->builder, value, word_at(calls, offset));

    LLVMSetVolatile(store, true);
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
    const LLVMValueRef callee = callee_of(call);

    return callee != NULL &&
           (LLVMIsDeclaration(callee)
                ? may_be_allocation(call)
                : is_ours(calls, callee) && mpass_ir_is_exact(callee) &&
                      mpass_numbers_find(&calls->passing, callee) ==
                          MPASS_NO_NUMBER);
}

static bool is_numbered(const struct calls *calls, LLVMValueRef call)
{
    return may_reach(calls, call) && !mpass_ir_is_jump(call) &&
           !takes_return_address(calls, call);
}

static void count_numbered(struct calls *calls, LLVMValueRef call, void *data)
{
    struct plan *const plan = data;

    plan->numbered += is_numbered(calls, call);
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

static void leave_before_call(struct calls *calls, LLVMValueRef call,
                              void *data)
{
    struct plan *const plan = data;
    struct mpass_context *const context = calls->context;

    if (!may_reach(calls, call))
        return;
    mpass_emit_before(context, call);
    if (mpass_ir_is_jump(call)) {
        /* The callee returns to our caller. */
        if (!plan->is_late)
            leave(calls, offsetof(struct mprof_calls, value), plan->found);
        return;
    }
    if (plan->is_late)
        take(calls, plan);
    leave(calls, offsetof(struct mprof_calls, value),
          is_numbered(calls, call) ? with_number(calls, plan) : plan->own);
    if (may_be_allocation(call))
        leave(calls, offsetof(struct mprof_calls, sp), stack_pointer(context));
    if (plan->is_late && plan->is_exposed && is_returning(call)) {
        mpass_emit_before(context, LLVMGetNextInstruction(call));
        leave(calls, offsetof(struct mprof_calls, value), plan->found);
    }
}

/* Who throws leaves no value, so that functions that only throw do nothing. The
 * exception's memory must not be taken for what a call by pointer left the
 * stack pointer for, and which was none of an allocation function. */
static void forget_before_throwing(struct calls *calls, LLVMValueRef call,
                                   void *data)
{
    bool *const changed = data;
    const LLVMValueRef callee = callee_of(call);
    size_t length;

    if (callee == NULL || !LLVMIsDeclaration(callee) ||
        !is_throwing_name(LLVMGetValueName2(callee, &length)))
        return;
    mpass_emit_before(calls->context, call);
    leave(calls, offsetof(struct mprof_calls, sp),
          LLVMConstInt(calls->context->intptr, 0, false));
    *changed = true;
}

/* -- where to take --------------------------------------------------------- */

/* Blocks that control may come to after a call that may allocate. */
struct after {
    struct mpass_numbers seen;
    LLVMBasicBlockRef *blocks; /* by their number */
};

static bool is_reaching(const struct calls *calls, LLVMValueRef inst)
{
    return is_call(inst) && may_reach(calls, inst);
}

static bool has_reaching(const struct calls *calls, LLVMValueRef from)
{
    for (; from != NULL; from = LLVMGetNextInstruction(from)) {
        if (is_reaching(calls, from))
            return true;
    }
    return false;
}

static void go_on(struct after *after, LLVMBasicBlockRef block)
{
    const LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    const unsigned count = end != NULL ? LLVMGetNumSuccessors(end) : 0;

    for (unsigned i = 0; i < count; i++) {
        const LLVMBasicBlockRef to = LLVMGetSuccessor(end, i);

        after->blocks[mpass_numbers_of(&after->seen, to)] = to;
    }
}

/* False where a call that may allocate can follow `call`, another or itself. */
static bool is_last(const struct calls *calls, struct after *after,
                    LLVMValueRef call)
{
    unsigned next = after->seen.count;

    if (has_reaching(calls, LLVMGetNextInstruction(call)))
        return false;
    go_on(after, LLVMGetInstructionParent(call));
    for (; next < after->seen.count; next++) {
        if (has_reaching(calls, LLVMGetFirstInstruction(after->blocks[next])))
            return false;
        go_on(after, after->blocks[next]);
    }
    return true;
}

/* True if control may come to after the call again, with any value: by a jump.
 */
static bool is_returned_to(LLVMValueRef inst)
{
    return is_call(inst) &&
           (mpass_ir_call_traits(inst) & MPASS_CALL_RETURNS_TWICE) != 0;
}

/* True if no call that may allocate follows another that returned. */
static bool is_late(const struct calls *calls, const struct plan *plan)
{
    struct after after = {.blocks = calloc(LLVMCountBasicBlocks(plan->function),
                                           sizeof(LLVMBasicBlockRef))};
    bool is_late = after.blocks != NULL;

    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(plan->function);
         block != NULL && is_late; block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block);
             inst != NULL && is_late; inst = LLVMGetNextInstruction(inst)) {
            is_late = !is_returned_to(inst);
            if (!is_late || !is_reaching(calls, inst) ||
                (!is_returning(inst) && LLVMIsAInvokeInst(inst) == NULL))
                continue;
            /* What was found would have to be left on two ways. */
            is_late = !(plan->is_exposed && LLVMIsAInvokeInst(inst) != NULL) &&
                      is_last(calls, &after, inst);
        }
    }
    mpass_numbers_fini(&after.seen);
    free(after.blocks);
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
 * allocation leave_before_call() has done so. */
static void leave_at_ends(struct calls *calls, const struct plan *plan)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(plan->function);
         block != NULL; block = LLVMGetNextBasicBlock(block)) {
        const LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        const LLVMValueRef jump = mpass_ir_tail_call(block);

        if (end == NULL ||
            (LLVMIsAReturnInst(end) == NULL && LLVMIsAResumeInst(end) == NULL))
            continue;
        if (jump != NULL && may_reach(calls, jump))
            continue;
        mpass_emit_before(calls->context, jump != NULL ? jump : end);
        leave(calls, offsetof(struct mprof_calls, value), plan->found);
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
                            mpass_numbers_find(&calls->exposed, function) !=
                                MPASS_NO_NUMBER};

    calls->context->function = function;
    for_each_call(calls, function, count_numbered, &plan);
    plan.is_late = is_late(calls, &plan);
    if (!plan.is_late) {
        mpass_emit_before(calls->context, after_allocas(function));
        take(calls, &plan);
    }
    for_each_call(calls, function, leave_before_call, &plan);
    if (plan.is_exposed && !plan.is_late)
        leave_at_ends(calls, &plan);
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

bool mpass_calls_run(struct mpass_context *context)
{
    struct calls calls = {.context = context,
                          .function = first_function(context)};
    bool changed = false;

    find_exposed(&calls);
    find_passing(&calls);
    find_reaching(&calls);
    for (LLVMValueRef f = LLVMGetFirstFunction(context->module); f != NULL;
         f = LLVMGetNextFunction(f)) {
        if (mpass_numbers_find(&calls.reaching, f) != MPASS_NO_NUMBER)
            instrument(&calls, f);
        if (is_ours(&calls, f))
            for_each_call(&calls, f, forget_before_throwing, &changed);
    }
    changed |= calls.reaching.count != 0;
    mpass_numbers_fini(&calls.reaching);
    mpass_numbers_fini(&calls.passing);
    mpass_numbers_fini(&calls.exposed);
    return changed;
}
