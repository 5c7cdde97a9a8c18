/* waiting.c -- marks functions that link-time optimization is to instrument.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/waiting.h"

#include "pass/bridge/ir.h"
#include "pass/collect/steps.h"
#include "shared/abi.h"

#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

void mpass_waiting_mark(LLVMModuleRef module,
                        const struct mpass_options *options)
{
    const LLVMContextRef llvm = LLVMGetModuleContext(module);
    const struct mpass_context none = {.options = *options};
    const LLVMAttributeRef apart = LLVMCreateEnumAttribute(
        llvm, LLVMGetEnumAttributeKindForName("noprofile", 9), 0);
    char *const packed = mpass_options_pack(options);

    MPASS_EACH_FUNCTION(f, module) {
        if (LLVMIsDeclaration(f) || mpass_function_is_skipped(&none, f))
            continue;
        LLVMAddTargetDependentFunctionAttr(f, MPROF_ATTRIBUTE_WAITING, packed);
        LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, apart);
    }
    free(packed);
    mpass_ir_add_global_ctor(module,
                             mpass_ir_create_ctor(module,
                                                  MPROF_SYM_WAITING_CTOR,
                                                  MPROF_SYM_NOT_COUNTED, NULL),
                             MPROF_CTOR_PRIORITY);
}

LLVMAttributeRef mpass_waiting_next(LLVMModuleRef module)
{
    LLVMAttributeRef waiting = NULL;

    for (LLVMValueRef f = LLVMGetFirstFunction(module);
         f != NULL && waiting == NULL; f = LLVMGetNextFunction(f))
        waiting = LLVMGetStringAttributeAtIndex(
            f, LLVMAttributeFunctionIndex, MPROF_ATTRIBUTE_WAITING,
            strlen(MPROF_ATTRIBUTE_WAITING));
    return waiting;
}

void mpass_waiting_end(LLVMModuleRef module, LLVMAttributeRef waiting)
{
    const struct mpass_context context = {.waiting = waiting};

    MPASS_EACH_FUNCTION(f, module) {
        if (!mpass_function_is_foreign(&context, f))
            LLVMRemoveStringAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                                             MPROF_ATTRIBUTE_WAITING,
                                             strlen(MPROF_ATTRIBUTE_WAITING));
    }
}

void mpass_waiting_stop_requiring(LLVMModuleRef module)
{
    const LLVMValueRef required =
        LLVMGetNamedFunction(module, MPROF_SYM_NOT_COUNTED);
    LLVMUseRef use;

    while (required != NULL && (use = LLVMGetFirstUse(required)) != NULL) {
        const LLVMValueRef ctor =
            LLVMGetBasicBlockParent(LLVMGetInstructionParent(LLVMGetUser(use)));

        mpass_ir_remove_global_ctor(module, ctor);
        mpass_ir_remove_used(module, ctor);
        LLVMDeleteFunction(ctor);
    }
    if (required != NULL)
        LLVMDeleteFunction(required);
}

bool mpass_waiting_is_required(LLVMModuleRef module)
{
    return LLVMGetNamedFunction(module, MPROF_SYM_NOT_COUNTED) != NULL;
}
