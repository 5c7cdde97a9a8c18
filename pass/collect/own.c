/* own.c -- reports the blocks of the program's own allocation functions
 * (-memprof-own-malloc) to the runtime, as blocks of a pool.
 *
 * The option has families of functions, separated by '+', whose blocks may lie
 * in each other's: "zmalloc,zfree+arena_alloc:-n". A family is a pool with the
 * name of its first function. A call of such a function gets a report of the
 * block that it frees before it, and of the block that it returns behind it. A
 * call by a function of the same family gets none, so that each block is
 * reported once.
 *
 * Where the address of a function is taken, a function that calls it and
 * reports takes its place.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/steps.h"

#include "pass/bridge/ir.h"
#include "pass/collect/reach.h"
#include "pass/support/message.h"
#include "shared/abi.h"

#include <llvm-c/Comdat.h>
#include <llvm-c/Core.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 512, ARGUMENTS_MAX = 8 };

/* Letters for the arguments of a function. */
#define BLOCK 'p' /* the block that it frees */
#define SIZE 'n'  /* a factor of the size of the block that it returns */
#define OTHER '-'

struct own {
    struct mpass_context *context;
    const char *family; /* of family_length bytes */
    size_t family_length;
    LLVMValueRef pool;              /* its name; NULL until needed */
    struct mpass_numbers functions; /* of the family */
    char letters[ARGUMENTS_MAX + 1];
};

static LLVMTypeKind kind_of(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value));
}

/* -- letters --------------------------------------------------------------- */

static bool are_letters(const char *text, size_t length)
{
    const char letters[] = {BLOCK, SIZE, OTHER, '\0'};
    const char *const block = memchr(text, BLOCK, length);

    return length <= ARGUMENTS_MAX && strspn(text, letters) >= length &&
           (block == NULL ||
            memchr(block + 1, BLOCK, length - (size_t)(block + 1 - text)) ==
                NULL);
}

/* Takes the factors of the size from __attribute__((alloc_size)). */
static bool take_alloc_size(LLVMValueRef function, char *letters, size_t count)
{
    static const char name[] = "allocsize";
    const LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(
        function, LLVMAttributeFunctionIndex,
        LLVMGetEnumAttributeKindForName(name, strlen(name)));

    if (attribute == NULL)
        return false;
    const uint64_t value = LLVMGetEnumAttributeValue(attribute);
    if (value >> 32 < count)
        letters[value >> 32] = SIZE;
    if ((value & UINT32_MAX) < count)
        letters[value & UINT32_MAX] = SIZE;
    return true;
}

/* Replaces letters of arguments of the kind; returns how many. */
static unsigned take_kind(LLVMValueRef function, LLVMTypeKind kind,
                          char *letters, char letter)
{
    unsigned taken = 0;

    for (unsigned i = 0; letters[i] != '\0'; i++) {
        if (kind_of(LLVMGetParam(function, i)) == kind) {
            letters[i] = letter;
            taken++;
        }
    }
    return taken;
}

/* Finds letters by the function's type and name. False if they do not tell. */
static bool guess_letters(LLVMValueRef function, const char *name,
                          char *letters)
{
    const LLVMTypeRef type = LLVMGlobalGetValueType(function);
    const unsigned count = LLVMCountParamTypes(type);
    unsigned blocks = 0;
    unsigned sizes;

    if (count > ARGUMENTS_MAX)
        return false;
    memset(letters, OTHER, count);
    letters[count] = '\0';
    if (LLVMGetTypeKind(LLVMGetReturnType(type)) != LLVMPointerTypeKind)
        return take_kind(function, LLVMPointerTypeKind, letters, BLOCK) == 1;
    if (strcmp(name, "aligned_alloc") == 0 || strcmp(name, "memalign") == 0) {
        strcpy(letters, "-n");
        return true;
    }
    if (!take_alloc_size(function, letters, count)) {
        sizes = take_kind(function, LLVMIntegerTypeKind, letters, SIZE);
        if (sizes != 1 && (sizes != 2 || strstr(name, "calloc") == NULL))
            return false;
    }
    blocks = take_kind(function, LLVMPointerTypeKind, letters, BLOCK);
    return blocks == 0 || (blocks == 1 && strstr(name, "realloc") != NULL);
}

static bool has(const struct own *own, char letter)
{
    return strchr(own->letters, letter) != NULL;
}

/* -- reports --------------------------------------------------------------- */

static LLVMValueRef pool_of(struct own *own)
{
    const struct mpass_context *const context = own->context;

    if (own->pool != NULL)
        return own->pool;
    const LLVMValueRef text =
        LLVMConstStringInContext(context->llvm, own->family,
                                 (unsigned)strcspn(own->family, ":,+"), false);
    own->pool =
        LLVMAddGlobal(context->module, LLVMTypeOf(text), MPROF_SYM_OWN_POOL);
    LLVMSetInitializer(own->pool, text);
    LLVMSetGlobalConstant(own->pool, true);
    LLVMSetLinkage(own->pool, LLVMInternalLinkage);
    LLVMSetUnnamedAddress(own->pool, LLVMGlobalUnnamedAddr);
    return own->pool;
}

/* Calls u64 FREE(pool, p) or void ALLOC(pool, p, size, old, old size). */
static LLVMValueRef call_runtime(struct own *own, const char *name,
                                 LLVMTypeRef result, LLVMValueRef *arguments,
                                 unsigned count)
{
    LLVMTypeRef types[5];

    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    const LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
    return LLVMBuildCall2(own->context->builder, type,
                          mpass_emit_declare(own->context, name, type),
                          arguments, count, "");
}

/* Whether the call has the arguments and the result that the letters need. */
static bool fits(const struct own *own, LLVMValueRef call)
{
    if (LLVMGetNumArgOperands(call) < strlen(own->letters) ||
        mpass_ir_is_must_tail(call) ||
        (!has(own, BLOCK) && kind_of(call) != LLVMPointerTypeKind))
        return false;
    for (unsigned i = 0; own->letters[i] != '\0'; i++) {
        const LLVMTypeKind kind = kind_of(LLVMGetOperand(call, i));

        if ((own->letters[i] == BLOCK && kind != LLVMPointerTypeKind) ||
            (own->letters[i] == SIZE && kind != LLVMIntegerTypeKind))
            return false;
    }
    return true;
}

static LLVMValueRef size_of(const struct own *own, LLVMValueRef call)
{
    const LLVMBuilderRef builder = own->context->builder;
    const LLVMTypeRef type = own->context->intptr;
    LLVMValueRef size = NULL;

    for (unsigned i = 0; own->letters[i] != '\0'; i++) {
        if (own->letters[i] != SIZE)
            continue;
        const LLVMValueRef factor = LLVMBuildIntCast2(
            builder, LLVMGetOperand(call, i), type, false, "");
        size = size == NULL ? factor : LLVMBuildMul(builder, size, factor, "");
    }
    return size != NULL ? size : mpass_ir_int(type, 0);
}

/* Where the call has returned; NULL if LLVM cannot insert code there. */
static LLVMValueRef after(LLVMValueRef call)
{
    if (LLVMIsAInvokeInst(call) == NULL)
        return LLVMGetNextInstruction(call);
    const LLVMBasicBlockRef next = LLVMGetNormalDest(call);
    return mpass_ir_is_critical_edge(call, next)
               ? mpass_ir_split_critical_edge(call, next)
               : mpass_ir_first_point(next);
}

static void report(struct own *own, LLVMValueRef call)
{
    struct mpass_context *const context = own->context;
    const LLVMTypeRef u64 = context->intptr;
    LLVMValueRef made[] = {pool_of(own), call, NULL,
                           LLVMConstNull(context->ptr), mpass_ir_int(u64, 0)};

    if (!fits(own, call))
        return;
    context->function = mpass_ir_function_of(call);
    const LLVMBuilderRef builder = mpass_emit_before(context, call);
    const LLVMMetadataRef place = LLVMGetCurrentDebugLocation2(builder);
    made[2] = size_of(own, call);
    if (has(own, BLOCK)) {
        LLVMValueRef freed[] = {
            made[0],
            LLVMGetOperand(
                call, (unsigned)strcspn(own->letters, (char[]){BLOCK, 0}))};
        made[3] = freed[1];
        made[4] = call_runtime(own, MPROF_SYM_OWN_FREE, u64, freed, 2);
    }
    if (kind_of(call) != LLVMPointerTypeKind ||
        (has(own, BLOCK) && !has(own, SIZE)))
        return;
    const LLVMValueRef next = after(call);
    if (next == NULL)
        return;
    LLVMPositionBuilderBefore(builder, next);
    LLVMSetCurrentDebugLocation2(builder, place);
    call_runtime(own, MPROF_SYM_OWN_ALLOC, context->void_type, made, 5);
}

/* -- functions ------------------------------------------------------------- */

static void copy_attributes(LLVMValueRef to, LLVMValueRef call,
                            LLVMValueRef from)
{
    LLVMAttributeRef attributes[32];

    for (unsigned i = 0; i <= LLVMCountParams(from); i++) {
        const unsigned count = LLVMGetAttributeCountAtIndex(from, i);

        if (count > MPROF_ARRAY_LEN(attributes))
            continue;
        LLVMGetAttributesAtIndex(from, i, attributes);
        for (unsigned k = 0; k < count; k++) {
            LLVMAddAttributeAtIndex(to, i, attributes[k]);
            LLVMAddCallSiteAttribute(call, i, attributes[k]);
        }
    }
}

/* Fills the function that takes the place of another one; returns the call. */
static LLVMValueRef forward(const struct own *own, LLVMValueRef stand_in,
                            LLVMValueRef function)
{
    const struct mpass_context *const context = own->context;
    const LLVMBuilderRef builder = context->builder;
    const LLVMTypeRef type = LLVMGlobalGetValueType(function);
    LLVMValueRef arguments[ARGUMENTS_MAX];

    LLVMPositionBuilderAtEnd(
        builder, LLVMAppendBasicBlockInContext(context->llvm, stand_in, ""));
    LLVMSetCurrentDebugLocation2(builder, NULL);
    LLVMGetParams(stand_in, arguments);
    const LLVMValueRef call = LLVMBuildCall2(builder, type, function, arguments,
                                             LLVMCountParams(function), "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(function));
    copy_attributes(stand_in, call, function);
    if (LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(builder);
    else
        LLVMBuildRet(builder, call);
    return call;
}

/* The function `name`.memprof_own, one in the whole program. */
static LLVMValueRef add_stand_in(const struct own *own, LLVMValueRef function,
                                 const char *name)
{
    static const char unwind[] = "uwtable";
    const struct mpass_context *const context = own->context;
    char full[NAME_BYTES + sizeof(MPROF_SYM_OWN_SUFFIX)];

    snprintf(full, sizeof(full), "%s" MPROF_SYM_OWN_SUFFIX, name);
    const LLVMValueRef made = LLVMAddFunction(context->module, full,
                                              LLVMGlobalGetValueType(function));
    LLVMSetFunctionCallConv(made, LLVMGetFunctionCallConv(function));
    LLVMAddAttributeAtIndex(
        made, LLVMAttributeFunctionIndex,
        LLVMCreateEnumAttribute(
            context->llvm,
            LLVMGetEnumAttributeKindForName(unwind, strlen(unwind)), 2));
    if (mpass_ir_is_local(function)) {
        LLVMSetLinkage(made, LLVMInternalLinkage);
        return made;
    }
    LLVMSetLinkage(made, LLVMLinkOnceODRLinkage);
    LLVMSetVisibility(made, LLVMGetVisibility(function));
    if (mpass_ir_supports_comdat(context->module))
        LLVMSetComdat(made, LLVMGetOrInsertComdat(context->module, full));
    return made;
}

/* The direct calls of the function. */
static void collect_calls(LLVMValueRef function, struct mpass_numbers *calls)
{
    MPASS_EACH_USE(use, function) {
        const LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsAInstruction(user) != NULL && mpass_reach_is_call(user) &&
            LLVMGetCalledValue(user) == function)
            mpass_numbers_of(calls, user);
    }
}

static void replace_address(struct own *own, LLVMValueRef function,
                            const char *name, const struct mpass_numbers *calls)
{
    const LLVMTypeRef type = LLVMGlobalGetValueType(function);

    /* A stand-in would always be there, a weak function may not be. */
    if (LLVMGetLinkage(function) == LLVMExternalWeakLinkage ||
        !mpass_ir_has_address_taken(function) || LLVMIsFunctionVarArg(type) ||
        LLVMCountParamTypes(type) > ARGUMENTS_MAX)
        return;
    const LLVMValueRef stand_in = add_stand_in(own, function, name);
    LLVMReplaceAllUsesWith(function, stand_in);
    for (unsigned i = 0; i < calls->count; i++) {
        const LLVMValueRef call = calls->keys[i];

        LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, function);
    }
    report(own, forward(own, stand_in, function));
}

static void run_function(struct own *own, LLVMValueRef function,
                         const char *name)
{
    struct mpass_numbers calls = {0};

    collect_calls(function, &calls);
    replace_address(own, function, name, &calls);
    for (unsigned i = 0; i < calls.count; i++) {
        const LLVMValueRef call = calls.keys[i];
        const LLVMValueRef caller = mpass_ir_function_of(call);

        if (!mpass_numbers_has(&own->functions, caller))
            report(own, call);
    }
    mpass_numbers_fini(&calls);
}

/* -- the option ------------------------------------------------------------ */

static void refuse(const struct own *own, const char *name, const char *why)
{
    char text[MPASS_MESSAGE_BYTES];

    snprintf(text, sizeof(text), "%s: -memprof-own-malloc: %s%s", MPASS_NAME,
             name, why);
    mpass_ir_diagnose(own->context->llvm, LLVMDSError, text);
}

/* Takes the next "NAME" or "NAME:LETTERS" of the family, and its length. */
static const char *next_entry(const struct own *own, const char *at,
                              size_t *length)
{
    const char *const end = own->family + own->family_length;

    at = at == NULL ? own->family : at + *length + 1;
    if (at >= end)
        return NULL;
    *length = strcspn(at, ",+");
    return at;
}

/* The function that the entry names, if the module has it. */
static LLVMValueRef function_of(const struct own *own, const char *entry,
                                size_t length, char name[NAME_BYTES])
{
    const size_t end = strcspn(entry, ":,+");

    if (end == 0 || end >= NAME_BYTES || length < end)
        return NULL;
    memcpy(name, entry, end);
    name[end] = '\0';
    return LLVMGetNamedFunction(own->context->module, name);
}

static bool take_letters(struct own *own, LLVMValueRef function,
                         const char *name, const char *entry, size_t length)
{
    const char *const given = memchr(entry, ':', length);

    if (given == NULL) {
        if (guess_letters(function, name, own->letters))
            return true;
        refuse(own, name, MPASS_OWN_UNCLEAR);
        return false;
    }
    length -= (size_t)(given + 1 - entry);
    if (!are_letters(given + 1, length)) {
        refuse(own, name, MPASS_OWN_LETTERS);
        return false;
    }
    memcpy(own->letters, given + 1, length);
    own->letters[length] = '\0';
    return true;
}

static void run_family(struct own *own)
{
    char name[NAME_BYTES];
    const char *at = NULL;
    size_t length = 0;

    while ((at = next_entry(own, at, &length)) != NULL) {
        const LLVMValueRef function = function_of(own, at, length, name);

        if (function != NULL)
            mpass_numbers_of(&own->functions, function);
    }
    while ((at = next_entry(own, at, &length)) != NULL) {
        const LLVMValueRef function = function_of(own, at, length, name);

        if (function != NULL && take_letters(own, function, name, at, length))
            run_function(own, function, name);
    }
    mpass_numbers_fini(&own->functions);
}

void mpass_own_run(struct mpass_context *context)
{
    const char *at = context->options.own_malloc;

    if (LLVMGetNamedFunction(context->module, MPROF_SYM_OWN_ALLOC) != NULL ||
        LLVMGetNamedFunction(context->module, MPROF_SYM_OWN_FREE) != NULL)
        return;
    while (*at != '\0') {
        struct own own = {.context = context,
                          .family = at,
                          .family_length = strcspn(at, "+")};

        run_family(&own);
        at += own.family_length;
        at += *at == '+';
    }
}
