/* frames.c -- lets functions keep a frame pointer.
 *
 * A function whose inline assembly uses rbp compiles only if the code generator
 * does not need rbp for local variables. Such functions get no frame pointer;
 * the runtime walks them by their unwind tables.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/steps.h"

#include "pass/bridge/ir.h"
#include "shared/base.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* With a frame pointer, 14 registers remain for the operands of assembly. */
#define OPERANDS_MAX 13

/* True if even leaf functions keep a frame pointer. */
static bool has_frame_pointer(LLVMValueRef function)
{
    const char name[] = "frame-pointer";
    const LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(
        function, LLVMAttributeFunctionIndex, name, strlen(name));
    unsigned length;

    return attribute != NULL &&
           strcmp(LLVMGetStringAttributeValue(attribute, &length), "all") == 0;
}

/* Some calling conventions pass an argument in rbp. */
static bool is_convention_without(LLVMValueRef function)
{
    const unsigned convention = LLVMGetFunctionCallConv(function);

    return convention == LLVMGHCCallConv || convention == LLVMHiPECallConv;
}

/* True if constraints such as "=r,{rbp},~{ebp},~{flags}" name rbp, or have so
 * many operands that one of them may need rbp. */
static bool needs_rbp(const char *constraints)
{
    static const char *const names[] = {"{rbp}", "{ebp}", "{bp}", "{bpl}"};
    static const char *const others[] = {"~{dirflag}", "~{fpsr}", "~{flags}",
                                         "~{memory}"};
    size_t count = 0;

    for (size_t i = 0; i < MPROF_ARRAY_LEN(names); i++) {
        if (strstr(constraints, names[i]) != NULL)
            return true;
    }
    for (const char *at = constraints; *at != '\0'; at++)
        count += at == constraints || *at == ',';
    for (size_t i = 0; i < MPROF_ARRAY_LEN(others); i++)
        count -= strstr(constraints, others[i]) != NULL;
    return count > OPERANDS_MAX;
}

static bool has_assembly_with_rbp(LLVMValueRef function)
{
    MPASS_EACH_INSTRUCTION(inst, function) {
        const char *constraints = mpass_ir_constraints(inst);

        if (constraints != NULL && needs_rbp(constraints))
            return true;
    }
    return false;
}

void mpass_frames_keep(const struct mpass_context *context)
{
    MPASS_EACH_FUNCTION(function, context->module) {
        if (!LLVMIsDeclaration(function) &&
            !mpass_function_is_foreign(context, function) &&
            !has_frame_pointer(function) && !is_convention_without(function) &&
            !has_assembly_with_rbp(function))
            LLVMAddTargetDependentFunctionAttr(function, "frame-pointer",
                                               "non-leaf");
    }
}
