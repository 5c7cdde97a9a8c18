/* reach.c -- finds the functions and calls that may lead to an allocation.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/reach.h"

#include "pass/bridge/ir.h"
#include "pass/collect/steps.h"
#include "shared/abi.h"

#include <llvm-c/Core.h>
#include <string.h>

/* -- By name --------------------------------------------------------------- */

/* Functions of libc and the C++ library that do not call back. Some of them
 * allocate; the runtime walks the stack for these allocations, because a frame
 * of the library is in between. A function missing here costs some
 * instructions. */
static const char *const harmless[] = {
    "__assert_fail",
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
    "wcrtomb",
};

/* Likewise, but a program may define a function of the same name, such as a
 * log() that writes a line. So the return type is checked too. */
static const char *const mathematical[] = {
    "acos", "asin", "atan",  "atan2", "ceil",  "cos",   "cosh", "exp",
    "exp2", "expf", "floor", "fmod",  "frexp", "ldexp", "log",  "log10",
    "log2", "modf", "pow",   "powf",  "rint",  "round", "sin",  "sinf",
    "sinh", "sqrt", "sqrtf", "tan",   "tanh",  "trunc",
};

static const char *const allocating[] = {
    "malloc",         "calloc",   "realloc", "reallocarray",
    "aligned_alloc",  "valloc",   "pvalloc", "strdup",
    "posix_memalign", "memalign", "strndup", MPROF_SYM_OWN_ALLOC,
};

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/* Functions of the C++ library that allocate an exception. */
static bool is_throwing_name(const char *name)
{
    return strcmp(name, "__cxa_allocate_exception") == 0 ||
           (mpass_ir_starts_with(name, "_ZSt") &&
            strstr(name, "__throw_") != NULL);
}

/* Functions of std::map and std::set that rebalance a tree. */
static bool is_tree_name(const char *name)
{
    return mpass_ir_starts_with(name, "_ZSt18_Rb_tree_decrement") ||
           mpass_ir_starts_with(name, "_ZSt18_Rb_tree_increment") ||
           mpass_ir_starts_with(name, "_ZSt28_Rb_tree_rebalance_for_erase") ||
           mpass_ir_starts_with(name, "_ZSt29_Rb_tree_insert_and_rebalance");
}

static bool returns_floating_point(LLVMValueRef function)
{
    const LLVMTypeKind kind =
        LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(function)));

    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

static bool is_allocating_name(const char *name)
{
    return mpass_ir_starts_with(name, "_Znw") ||
           mpass_ir_starts_with(name, "_Zna") ||
           is_one_of(name, allocating, MPROF_ARRAY_LEN(allocating));
}

static bool is_harmless(LLVMValueRef function)
{
    const char *const name = mpass_ir_name(function);

    return (mpass_ir_starts_with(name, MPROF_SYM_PREFIX) &&
            !is_allocating_name(name)) ||
           mpass_ir_starts_with(name, "_Zdl") ||
           mpass_ir_starts_with(name, "_Zda") || is_throwing_name(name) ||
           is_tree_name(name) ||
           is_one_of(name, harmless, MPROF_ARRAY_LEN(harmless)) ||
           (returns_floating_point(function) &&
            is_one_of(name, mathematical, MPROF_ARRAY_LEN(mathematical)));
}

bool mpass_reach_is_known(LLVMValueRef function)
{
    const char *const name = mpass_ir_name(function);

    return is_harmless(function) || is_allocating_name(name) ||
           mpass_ir_starts_with(name, "_ZSt") ||
           mpass_ir_starts_with(name, "_ZNSt") ||
           mpass_ir_starts_with(name, "_ZNKSt");
}

/* -- Calls ----------------------------------------------------------------- */

bool mpass_reach_is_call(LLVMValueRef inst)
{
    return mpass_ir_is_call(inst) && LLVMIsAIntrinsicInst(inst) == NULL;
}

LLVMValueRef mpass_reach_callee(LLVMValueRef call)
{
    return LLVMIsAFunction(LLVMGetCalledValue(call));
}

bool mpass_reach_may_be_allocation(LLVMValueRef call)
{
    const LLVMValueRef callee = mpass_reach_callee(call);

    if (callee == NULL)
        return LLVMIsAInlineAsm(LLVMGetCalledValue(call)) == NULL &&
               LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMPointerTypeKind;
    return LLVMIsDeclaration(callee) &&
           is_allocating_name(mpass_ir_name(callee));
}

bool mpass_reach_throws(LLVMValueRef call)
{
    const LLVMValueRef callee = mpass_reach_callee(call);

    return callee != NULL && LLVMIsDeclaration(callee) &&
           is_throwing_name(mpass_ir_name(callee));
}

bool mpass_reach_is_ours(const struct mpass_context *context,
                         LLVMValueRef function)
{
    return !LLVMIsDeclaration(function) &&
           !mpass_function_is_skipped(context, function) &&
           !mpass_ir_has_attribute(function, "naked") &&
           !mpass_ir_has_attribute(function, "presplitcoroutine");
}

bool mpass_reach_may_allocate(const struct mpass_context *context,
                              LLVMValueRef inst)
{
    const char *const assembly = mpass_ir_assembly(inst);

    if (!mpass_reach_is_call(inst))
        return false;
    if (assembly != NULL)
        return strstr(assembly, "call") != NULL;
    const LLVMValueRef callee = mpass_reach_callee(inst);
    if (callee == NULL)
        return true;
    return LLVMIsDeclaration(callee)
               ? !is_harmless(callee)
               : !mpass_ir_is_exact(callee) ||
                     !mpass_reach_is_ours(context, callee);
}

bool mpass_reach_may_reach(const struct mpass_reach *reach, LLVMValueRef call)
{
    const LLVMValueRef callee = mpass_reach_callee(call);

    return mpass_reach_may_allocate(reach->context, call) ||
           (callee != NULL && !LLVMIsDeclaration(callee) &&
            mpass_numbers_has(&reach->reaching, callee));
}

/* -- Functions ------------------------------------------------------------- */

static void look_into(struct mpass_reach *reach, LLVMValueRef function)
{
    const bool is_ours = mpass_reach_is_ours(reach->context, function);

    MPASS_EACH_INSTRUCTION(inst, function) {
        if (!mpass_reach_is_call(inst))
            continue;
        if (mpass_ir_is_jump(inst))
            mpass_numbers_of(&reach->passing, function);
        if (is_ours && mpass_reach_may_allocate(reach->context, inst))
            mpass_numbers_of(&reach->reaching, function);
        if (!is_ours && mpass_reach_callee(inst) != NULL)
            mpass_numbers_of(&reach->exposed, mpass_reach_callee(inst));
    }
}

static void add_callers(struct mpass_reach *reach, LLVMValueRef callee)
{
    MPASS_EACH_USE(use, callee) {
        const LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsAInstruction(user) == NULL || !mpass_reach_is_call(user) ||
            mpass_reach_callee(user) != callee)
            continue;
        const LLVMValueRef caller = mpass_ir_function_of(user);
        if (mpass_reach_is_ours(reach->context, caller))
            mpass_numbers_of(&reach->reaching, caller);
    }
}

void mpass_reach_find(struct mpass_reach *reach,
                      const struct mpass_context *context)
{
    *reach = (struct mpass_reach){.context = context};
    MPASS_EACH_FUNCTION(f, context->module)
        look_into(reach, f);
    for (unsigned i = 0; i < reach->reaching.count; i++)
        add_callers(reach, reach->reaching.keys[i]);
}

void mpass_reach_fini(struct mpass_reach *reach)
{
    mpass_numbers_fini(&reach->reaching);
    mpass_numbers_fini(&reach->passing);
    mpass_numbers_fini(&reach->exposed);
}
