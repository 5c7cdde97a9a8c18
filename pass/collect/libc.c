/* libc.c -- functions of the C library whose accesses the runtime does not
 * count.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/steps.h"

#include "pass/bridge/ir.h"
#include "shared/base.h"

#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

static int compare_name(const void *name, const void *element)
{
    return strcmp((const char *)name, *(const char *const *)element);
}

/* True for the call of a function outside of the module with one of the names.
 */
static bool is_call_of(LLVMValueRef inst, const char *const *names,
                       size_t count)
{
    const LLVMValueRef callee = mpass_ir_is_call(inst)
                                    ? LLVMIsAFunction(LLVMGetCalledValue(inst))
                                    : NULL;

    return callee != NULL && LLVMIsDeclaration(callee) &&
           bsearch(mpass_ir_name(callee), names, count, sizeof(*names),
                   compare_name) != NULL;
}

bool mpass_libc_is_uncounted(LLVMValueRef inst)
{
    static const char *const names[] = {
#define X(name) #name,
#include "pass/collect/libc_uncounted.inc"
    };

    return is_call_of(inst, names, MPROF_ARRAY_LEN(names));
}

bool mpass_libc_counts_if_dynamic(LLVMValueRef inst)
{
    static const char *const names[] = {
#define X(name) #name,
#include "pass/collect/libc_dynamic.inc"
    };

    return is_call_of(inst, names, MPROF_ARRAY_LEN(names));
}
