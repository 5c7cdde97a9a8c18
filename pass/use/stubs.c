/* stubs.c -- stubs with which a program with hints links with any allocator.
 *
 * A weak definition of the hinted form would hide the real one from an archive,
 * a shared library or a preloaded library. So the program calls a stub with
 * another name, which calls through a pointer:
 *
 *   stub(size, hint)    calls through the pointer `form`
 *   form                initially points to `plain`
 *   plain(size, hint)   calls the plain function
 *   find()              a constructor that runs before the program's own: sets
 *                       `form` to the hinted form if the program has one
 *
 * find() finds a linked hinted form by a weak reference. It finds a preloaded
 * one with dlsym(), if the program has dlsym(), because linkers differ in how
 * they resolve weak references of executables. Then it clears the error that
 * dlsym() leaves for dlerror().
 *
 * They are in one comdat, so that the program has them once; for a static
 * function they are local to its file. The stub has the attributes of the plain
 * function and is not inlined, so the optimizer treats it as the plain function
 * with an additional argument.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/use/steps.h"

#include "pass/bridge/hotness.h"
#include "pass/bridge/ir.h"
#include "pass/use/allocations.h"
#include "shared/abi.h"

#include <llvm-c/Comdat.h>
#include <stdio.h>
#include <string.h>

#define NAME_BYTES 512
#define ARGUMENTS_MAX 16

struct stub {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMValueRef plain; /* the program's function */
    LLVMTypeRef type;   /* of the hinted form */
    LLVMTypeRef pointer;
    LLVMComdatRef comdat;
    char hinted[NAME_BYTES];
    char name[NAME_BYTES];
};

/* Sets the linkage of a part of the stub: shared by all modules, or local for a
 * plain function that is local. */
static void make_common(const struct stub *stub, LLVMValueRef global)
{
    if (mpass_ir_is_local(stub->plain)) {
        LLVMSetLinkage(global, LLVMInternalLinkage);
        return;
    }
    LLVMSetLinkage(global, LLVMLinkOnceODRLinkage);
    LLVMSetVisibility(global, LLVMHiddenVisibility);
    mpass_ir_set_dso_local(global);
    if (stub->comdat != NULL)
        LLVMSetComdat(global, stub->comdat);
}

static LLVMValueRef add_function(const struct stub *stub, const char *end,
                                 LLVMTypeRef type)
{
    char name[NAME_BYTES + 16];

    snprintf(name, sizeof(name), "%s%s", stub->name, end);
    const LLVMValueRef function = LLVMAddFunction(stub->module, name, type);
    make_common(stub, function);
    LLVMPositionBuilderAtEnd(stub->builder, LLVMAppendBasicBlockInContext(
                                                stub->context, function, ""));
    return function;
}

static void set_attribute(const struct stub *stub, LLVMValueRef function,
                          LLVMAttributeIndex index, const char *name)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

    LLVMAddAttributeAtIndex(function, index,
                            LLVMCreateEnumAttribute(stub->context, kind, 0));
}

static void set_hint_type(const struct stub *stub, LLVMValueRef function)
{
    set_attribute(stub, function, LLVMCountParams(function), "zeroext");
}

/* Emits a call of `callee` with the first `count` arguments of `function`, and
 * a return of its result. */
static void forward(const struct stub *stub, LLVMValueRef function,
                    LLVMTypeRef type, LLVMValueRef callee, unsigned count)
{
    LLVMValueRef arguments[ARGUMENTS_MAX];

    LLVMGetParams(function, arguments);
    const LLVMValueRef call =
        LLVMBuildCall2(stub->builder, type, callee, arguments, count, "");
    LLVMSetTailCall(call, true);
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(stub->plain));
    if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(stub->builder);
    else
        LLVMBuildRet(stub->builder, call);
    if (count == LLVMCountParams(function))
        LLVMAddCallSiteAttribute(
            call, count,
            LLVMCreateEnumAttribute(
                stub->context, LLVMGetEnumAttributeKindForName("zeroext", 7),
                0));
}

static LLVMValueRef add_plain(const struct stub *stub)
{
    LLVMValueRef function = add_function(stub, ".plain", stub->type);

    set_hint_type(stub, function);
    LLVMSetFunctionCallConv(function, LLVMGetFunctionCallConv(stub->plain));
    forward(stub, function, LLVMGlobalGetValueType(stub->plain), stub->plain,
            LLVMCountParams(function) - 1);
    return function;
}

static LLVMValueRef add_form(const struct stub *stub, LLVMValueRef plain)
{
    char name[NAME_BYTES + 16];

    snprintf(name, sizeof(name), "%s.form", stub->name);
    const LLVMValueRef form = LLVMAddGlobal(stub->module, stub->pointer, name);
    LLVMSetInitializer(form, plain);
    make_common(stub, form);
    return form;
}

static LLVMValueRef add_stub(const struct stub *stub, LLVMValueRef form)
{
    LLVMValueRef function = add_function(stub, "", stub->type);

    mpass_hotness_copy_attributes(function, stub->plain);
    set_attribute(stub, function, LLVMAttributeFunctionIndex, "noinline");
    LLVMSetFunctionCallConv(function, LLVMGetFunctionCallConv(stub->plain));
    forward(stub, function, stub->type,
            LLVMBuildLoad2(stub->builder, stub->pointer, form, ""),
            LLVMCountParams(function));
    return function;
}

/* -- find() ----------------------------------------------------------------- */

/* A weak reference to the function; the existing declaration or definition if
 * the module has one; null if the module has a local function of this name. */
static LLVMValueRef weak_function(const struct stub *stub, const char *name,
                                  LLVMTypeRef type)
{
    LLVMValueRef function = LLVMGetNamedFunction(stub->module, name);

    if (function != NULL && mpass_ir_is_local(function))
        return LLVMConstNull(stub->pointer);
    if (function != NULL)
        return function;
    function = LLVMAddFunction(stub->module, name, type);
    LLVMSetLinkage(function, LLVMExternalWeakLinkage);
    return function;
}

/* Emits a branch to one of two new blocks. Returns the block for a pointer that
 * is not null; positions the builder in the other one. */
static LLVMBasicBlockRef build_if_known(const struct stub *stub,
                                        LLVMValueRef pointer)
{
    const LLVMValueRef function =
        LLVMGetBasicBlockParent(LLVMGetInsertBlock(stub->builder));
    LLVMBasicBlockRef known =
        LLVMAppendBasicBlockInContext(stub->context, function, "");
    LLVMBasicBlockRef other =
        LLVMAppendBasicBlockInContext(stub->context, function, "");

    LLVMBuildCondBr(stub->builder,
                    LLVMBuildIsNotNull(stub->builder, pointer, ""), known,
                    other);
    LLVMPositionBuilderAtEnd(stub->builder, other);
    return known;
}

/* Fills `block`: sets the form and returns. */
static void build_found(const struct stub *stub, LLVMBasicBlockRef block,
                        LLVMValueRef pointer, LLVMValueRef form)
{
    LLVMPositionBuilderAtEnd(stub->builder, block);
    LLVMBuildStore(stub->builder, pointer, form);
    LLVMBuildRetVoid(stub->builder);
}

/* Fills `block`: searches the hinted form with dlsym(). */
static void build_search(const struct stub *stub, LLVMBasicBlockRef block,
                         LLVMValueRef dlsym, LLVMTypeRef dlsym_type,
                         LLVMValueRef form)
{
    const LLVMTypeRef error_type =
        LLVMFunctionType(stub->pointer, NULL, 0, false);
    LLVMValueRef error = weak_function(stub, "dlerror", error_type);
    LLVMValueRef arguments[2];

    LLVMPositionBuilderAtEnd(stub->builder, block);
    arguments[0] = LLVMConstNull(stub->pointer); /* RTLD_DEFAULT */
    arguments[1] =
        LLVMBuildGlobalStringPtr(stub->builder, stub->hinted, "memprof.hinted");
    const LLVMValueRef found =
        LLVMBuildCall2(stub->builder, dlsym_type, dlsym, arguments, 2, "");
    const LLVMBasicBlockRef known = build_if_known(stub, found);
    block = build_if_known(stub, error);
    LLVMBuildRetVoid(stub->builder);
    LLVMPositionBuilderAtEnd(stub->builder, block);
    LLVMBuildCall2(stub->builder, error_type, error, NULL, 0, "");
    LLVMBuildRetVoid(stub->builder);
    build_found(stub, known, found, form);
}

static void add_find(const struct stub *stub, LLVMValueRef form)
{
    LLVMTypeRef dlsym_arguments[2] = {stub->pointer, stub->pointer};
    const LLVMTypeRef dlsym_type =
        LLVMFunctionType(stub->pointer, dlsym_arguments, 2, false);
    LLVMValueRef hinted = weak_function(stub, stub->hinted, stub->type);
    LLVMValueRef dlsym = weak_function(stub, "dlsym", dlsym_type);
    LLVMValueRef find = add_function(
        stub, ".find",
        LLVMFunctionType(LLVMVoidTypeInContext(stub->context), NULL, 0, false));
    const LLVMBasicBlockRef linked = build_if_known(stub, hinted);
    const LLVMBasicBlockRef dynamic = build_if_known(stub, dlsym);

    LLVMBuildRetVoid(stub->builder);
    build_found(stub, linked, hinted, form);
    build_search(stub, dynamic, dlsym, dlsym_type, form);
    mpass_hotness_add_ctor(stub->module, find, MPASS_STUBS_PRIORITY);
}

/* -- one stub --------------------------------------------------------------- */

static LLVMTypeRef hinted_type(LLVMContextRef context, LLVMTypeRef plain)
{
    LLVMTypeRef arguments[ARGUMENTS_MAX];
    const unsigned count = LLVMCountParamTypes(plain);

    if (count >= ARGUMENTS_MAX || LLVMIsFunctionVarArg(plain))
        return NULL;
    LLVMGetParamTypes(plain, arguments);
    arguments[count] = LLVMInt8TypeInContext(context);
    return LLVMFunctionType(LLVMGetReturnType(plain), arguments, count + 1,
                            false);
}

/* True if the program certainly has the hinted form, because the module defines
 * it or refers to it strongly. Then no stub is needed. */
static bool is_certain(LLVMValueRef hinted, LLVMTypeRef type)
{
    return hinted != NULL && LLVMGlobalGetValueType(hinted) == type &&
           LLVMGetLinkage(hinted) != LLVMExternalWeakLinkage;
}

LLVMValueRef mpass_stubs_get(LLVMModuleRef module, LLVMValueRef plain)
{
    return mpass_stubs_get_as(module, plain, mpass_ir_name(plain));
}

LLVMValueRef mpass_stubs_get_as(LLVMModuleRef module, LLVMValueRef plain,
                                const char *name)
{
    struct stub stub = {.module = module,
                        .context = LLVMGetModuleContext(module),
                        .plain = plain};

    stub.type = hinted_type(stub.context, LLVMGlobalGetValueType(plain));
    if (stub.type == NULL ||
        !mpass_allocations_hinted_name(name, stub.hinted, NAME_BYTES))
        return NULL;
    LLVMValueRef made = LLVMGetNamedFunction(module, stub.hinted);
    if (is_certain(made, stub.type))
        return made;
    snprintf(stub.name, NAME_BYTES, MPROF_SYM_USE "%s", name);
    made = LLVMGetNamedFunction(module, stub.name);
    if (made != NULL)
        return made;
    stub.pointer = LLVMPointerTypeInContext(stub.context, 0);
    if (mpass_ir_supports_comdat(module))
        stub.comdat = LLVMGetOrInsertComdat(module, stub.name);
    stub.builder = LLVMCreateBuilderInContext(stub.context);
    const LLVMValueRef form = add_form(&stub, add_plain(&stub));
    made = add_stub(&stub, form);
    add_find(&stub, form);
    LLVMDisposeBuilder(stub.builder);
    return made;
}
