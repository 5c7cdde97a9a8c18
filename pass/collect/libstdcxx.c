/* libstdcxx.c -- accesses by functions of libstdc++ to what its templates pass
 * to them: keys to hash, nodes of trees and lists, objects to cast. How trees
 * are balanced is not counted.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/steps.h"

#include "pass/bridge/ir.h"
#include "shared/abi.h"
#include "shared/base.h"

#include <llvm-c/Core.h>
#include <string.h>

#define TREE_NODE "St18_Rb_tree_node_base"
#define LIST_NODE "_ZNSt8__detail15_List_node_base"
#define WIDE_STREAM "_ZNSt13basic_istreamIwSt11char_traitsIwEE"
#define ARGS_MAX 3

static const struct library_function {
    const char *name;
    const char *counts; /* symbol of the runtime */
    unsigned args;      /* the first ones are those of `counts`, too */
    bool is_write;
} functions[] = {
    {"_ZSt11_Hash_bytesPKvmm", MPROF_SYM_READ, 2, false},
    {"_ZSt18_Rb_tree_incrementP" TREE_NODE, MPROF_SYM_TREE_NEXT, 1, false},
    {"_ZSt18_Rb_tree_incrementPK" TREE_NODE, MPROF_SYM_TREE_NEXT, 1, false},
    {"_ZSt18_Rb_tree_decrementP" TREE_NODE, MPROF_SYM_TREE_PREVIOUS, 1, false},
    {"_ZSt18_Rb_tree_decrementPK" TREE_NODE, MPROF_SYM_TREE_PREVIOUS, 1, false},
    {LIST_NODE "7_M_hookEPS0_", MPROF_SYM_LIST_HOOK, 2, true},
    {LIST_NODE "9_M_unhookEv", MPROF_SYM_LIST_UNHOOK, 1, true},
    {LIST_NODE "11_M_transferEPS0_S1_", MPROF_SYM_LIST_TRANSFER, 3, true},
    {LIST_NODE "4swapERS0_S1_", MPROF_SYM_LIST_SWAP, 2, true},
    {LIST_NODE "10_M_reverseEv", MPROF_SYM_LIST_REVERSE, 1, true},
    {"__dynamic_cast", MPROF_SYM_DYNAMIC_CAST, 1, false},
};

static const struct library_function *find(LLVMValueRef call)
{
    const char *const name = mpass_ir_declared_callee(call);

    for (size_t i = 0; i < MPROF_ARRAY_LEN(functions); i++) {
        if (strcmp(name, functions[i].name) == 0 &&
            LLVMGetNumArgOperands(call) >= functions[i].args)
            return &functions[i];
    }
    return NULL;
}

/* An integer as large as the type with this letter in mangled names, or NULL if
 * it is no number. */
static LLVMTypeRef number_type(const struct mpass_context *context, char letter)
{
    static const char letters[] = "bstijflmxydPe";
    static const uint8_t bytes[] = {1, 2, 2, 4, 4, 4, 8, 8, 8, 8, 8, 8, 10};
    const char *const found = letter != '\0' ? strchr(letters, letter) : NULL;

    return found != NULL ? LLVMIntTypeInContext(context->llvm,
                                                8U * bytes[found - letters])
                         : NULL;
}

/* The type of the number that a function extracts from a stream to its second
 * argument (number_type()), or NULL for another function. */
static LLVMTypeRef extracted_type(const struct mpass_context *context,
                                  const char *name)
{
    static const char *const prefixes[] = {"_ZNSirsER", "_ZNSi10_M_extractI",
                                           WIDE_STREAM "rsER",
                                           WIDE_STREAM "10_M_extractI"};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(prefixes); i++) {
        if (mpass_ir_starts_with(name, prefixes[i]))
            return number_type(context, name[strlen(prefixes[i])]);
    }
    return NULL;
}

/* The number is written once. (Not if the stream has failed before: few of the
 * calls.) */
static void plan_extraction(struct mpass_context *context, LLVMValueRef call,
                            struct mpass_plan *plan)
{
    struct mpass_access access = {
        .kind = MPASS_ACCESS_ONE,
        .inst = call,
        .type = extracted_type(context, mpass_ir_declared_callee(call)),
        .is_write = true,
        .count = 1};

    if (access.type == NULL || LLVMGetNumArgOperands(call) != 2)
        return;
    access.addr = LLVMGetOperand(call, 1);
    mpass_plan_one(context, plan, &access);
}

void mpass_libstdcxx_plan(struct mpass_context *context, LLVMValueRef call,
                          struct mpass_plan *plan)
{
    const struct library_function *const f = find(call);

    if (context->options.instrument_writes)
        plan_extraction(context, call, plan);
    if (f == NULL || !context->options.instrument_reads ||
        (f->is_write && !context->options.instrument_writes))
        return;
    /* Nodes lie in blocks, whose addresses the arguments may not be. */
    const bool is_range = strcmp(f->counts, MPROF_SYM_READ) == 0;
    mpass_plan_add(context, plan,
                   &(struct mpass_access){
                       .kind = MPASS_ACCESS_LIBRARY,
                       .inst = call,
                       .addr = is_range ? LLVMGetOperand(call, 0) : NULL,
                       .count = 1});
}

void mpass_libstdcxx_emit(struct mpass_context *context,
                          const struct mpass_update *update)
{
    const LLVMValueRef call = update->access->inst;
    const struct library_function *const f = find(call);
    LLVMTypeRef types[ARGS_MAX];
    LLVMValueRef args[ARGS_MAX];
    LLVMValueRef function;

    for (unsigned i = 0; i < f->args; i++) {
        args[i] = LLVMGetOperand(call, i);
        types[i] = LLVMTypeOf(args[i]);
    }
    const LLVMTypeRef type =
        LLVMFunctionType(context->void_type, types, f->args, false);
    const LLVMValueRef before = mpass_emit_if_defined(
        context, f->counts, type, update->before, &function);
    LLVMSetMetadata(LLVMBuildCall2(mpass_emit_before(context, before), type,
                                   function, args, f->args, ""),
                    context->nosanitize_kind,
                    LLVMMDNodeInContext(context->llvm, NULL, 0));
}
