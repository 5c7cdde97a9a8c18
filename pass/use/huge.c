/* huge.c -- makes a program ask its allocator for huge pages.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/use/steps.h"

#include "inc/memprof_hints.h"
#include "pass/bridge/hotness.h"
#include "pass/bridge/ir.h"
#include "pass/support/message.h"

#include <stdio.h>

/* Adds a local function without arguments and result. The caller builds its
 * body. */
static LLVMValueRef add_function(LLVMModuleRef module, LLVMBuilderRef builder,
                                 const char *name)
{
    const LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMValueRef function = LLVMAddFunction(
        module, name,
        LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false));

    LLVMSetLinkage(function, LLVMInternalLinkage);
    LLVMPositionBuilderAtEnd(
        builder, LLVMAppendBasicBlockInContext(context, function, ""));
    return function;
}

static void remark(LLVMValueRef function, uint64_t busy_bytes)
{
    char text[MPASS_MESSAGE_BYTES];

    snprintf(text, sizeof(text),
             "the program asks for huge pages: blocks that live long and are "
             "not cold hold %.1f MiB on average",
             (double)busy_bytes / (1 << 20));
    mpass_hotness_remark(
        LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)), true,
        "HugePages", text);
}

void mpass_huge_ask(LLVMModuleRef module, uint64_t busy_bytes)
{
    LLVMValueRef program = LLVMGetNamedFunction(module, "main");
    LLVMValueRef plain, stub, ask, hot;

    if (program == NULL || LLVMIsDeclaration(program))
        return;
    const LLVMBuilderRef builder =
        LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    plain = add_function(module, builder, "memprof.plain_pages");
    LLVMBuildRetVoid(builder);
    stub = mpass_stubs_get_as(module, plain, "huge_pages");
    ask = add_function(module, builder, "memprof.huge_pages");
    hot = mpass_ir_int(LLVMInt8TypeInContext(LLVMGetModuleContext(module)),
                       MEMPROF_HINT_HOT);
    LLVMBuildCall2(builder, LLVMGlobalGetValueType(stub), stub, &hot, 1, "");
    LLVMBuildRetVoid(builder);
    LLVMDisposeBuilder(builder);
    mpass_hotness_add_ctor(module, ask, MPASS_STUBS_PRIORITY + 1);
    remark(program, busy_bytes);
}
