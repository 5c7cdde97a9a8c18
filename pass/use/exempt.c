/* exempt.c -- reads clang's list of annotations: an array of structs whose
 * first member is what is annotated, and the second the text.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/use/exempt.h"

#include "pass/bridge/heat.h"
#include "shared/abi.h"

#include <string.h>

#define ANNOTATIONS "llvm.global.annotations"

static bool says_no_hint(LLVMValueRef text)
{
    const LLVMValueRef value =
        LLVMIsAGlobalVariable(text) != NULL ? LLVMGetInitializer(text) : NULL;
    const char *bytes;
    size_t size;

    if (value == NULL || LLVMIsAConstantDataSequential(value) == NULL ||
        !LLVMIsConstantString(value))
        return false;
    bytes = LLVMGetAsString(value, &size);
    return size == sizeof(MPROF_ANNOTATION_NO_HINT) &&
           memcmp(bytes, MPROF_ANNOTATION_NO_HINT, size) == 0;
}

static void mark(struct mpass_sites *sites, LLVMValueRef function)
{
    size_t size;
    const char *const name = LLVMGetValueName2(function, &size);
    const uint64_t guid = mpass_heat_guid(name, size);

    for (uint32_t i = 0; i < sites->function_count; i++) {
        if (sites->functions[i].guid == guid)
            sites->functions[i].is_exempt = true;
    }
}

void mpass_exempt_mark(struct mpass_sites *sites, LLVMModuleRef module)
{
    const LLVMValueRef global = LLVMGetNamedGlobal(module, ANNOTATIONS);
    const LLVMValueRef list =
        global != NULL ? LLVMGetInitializer(global) : NULL;

    if (list == NULL || LLVMIsAConstantArray(list) == NULL)
        return;
    for (int i = 0; i < LLVMGetNumOperands(list); i++) {
        const LLVMValueRef row = LLVMGetOperand(list, (unsigned)i);

        if (LLVMIsAConstantStruct(row) != NULL && LLVMGetNumOperands(row) > 1 &&
            LLVMIsAFunction(LLVMGetOperand(row, 0)) != NULL &&
            says_no_hint(LLVMGetOperand(row, 1)))
            mark(sites, LLVMGetOperand(row, 0));
    }
}
