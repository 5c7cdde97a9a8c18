/* allocations.c -- recognizes allocation functions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/use/allocations.h"

#include "pass/bridge/hotness.h"
#include "pass/bridge/ir.h"
#include "shared/abi.h"
#include "shared/base.h"

#include <stdio.h>
#include <string.h>

/* Suffixes of LLVM's hinted forms: of operator new, and of the related
 * functions that also return the size. */
#define CXX_HINT "12__hot_cold_t"
#define SIZE_HINT "_hot_cold"
#define SIZE_NEW "__size_returning_new"
#define CXX_NOTHROW "RKSt9nothrow_t"
#define CXX_ALIGNED "St11align_val_t"

static const char *const c_functions[] = {
    "malloc",   "calloc",         "realloc", "reallocarray", "aligned_alloc",
    "memalign", "posix_memalign", "strdup",  "strndup",
};

/* The functions with hinted forms in LLVM. */
static const char *const cxx_functions[] = {
    "_Znwm",
    "_Znam",
    "_Znwm" CXX_NOTHROW,
    "_Znam" CXX_NOTHROW,
    "_Znwm" CXX_ALIGNED,
    "_Znam" CXX_ALIGNED,
    "_Znwm" CXX_ALIGNED CXX_NOTHROW,
    "_Znam" CXX_ALIGNED CXX_NOTHROW,
    SIZE_NEW,
    SIZE_NEW "_aligned",
};

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/* True if the name is in the list "a,b,c". */
static bool is_listed(const char *name, const char *names)
{
    const size_t size = strlen(name);

    for (const char *at = names; *at != '\0';) {
        const size_t length = strcspn(at, ",");

        if (length == size && memcmp(at, name, size) == 0)
            return true;
        at += length;
        at += *at == ',';
    }
    return false;
}

static enum mpass_allocation kind_of(const char *name, const char *names)
{
    if (is_one_of(name, c_functions, MPROF_ARRAY_LEN(c_functions)))
        return MPASS_ALLOCATION_C;
    if (is_one_of(name, cxx_functions, MPROF_ARRAY_LEN(cxx_functions)))
        return MPASS_ALLOCATION_CXX;
    if (*name != '\0' && is_listed(name, names))
        return MPASS_ALLOCATION_USER;
    return MPASS_ALLOCATION_NONE;
}

static bool ends_with(const char *name, const char *end)
{
    const size_t size = strlen(name);
    const size_t end_size = strlen(end);

    return size >= end_size && strcmp(name + size - end_size, end) == 0;
}

static bool is_hinted(const char *name)
{
    if (strncmp(name, MPROF_SYM_PREFIX, strlen(MPROF_SYM_PREFIX)) == 0)
        return ends_with(name, MPROF_HINT_SUFFIX);
    return ends_with(name, CXX_HINT) ||
           (strncmp(name, SIZE_NEW, strlen(SIZE_NEW)) == 0 &&
            ends_with(name, SIZE_HINT));
}

enum mpass_allocation mpass_allocations_of(LLVMValueRef function,
                                           const char *names)
{
    if (function == NULL || LLVMIsAFunction(function) == NULL ||
        LLVMGetIntrinsicID(function) != 0 || is_hinted(mpass_ir_name(function)))
        return MPASS_ALLOCATION_NONE;
    const enum mpass_allocation kind = kind_of(mpass_ir_name(function), names);
    /* A wrapper with a body in this module can be cloned instead, so it needs
     * no hinted form. */
    if (kind == MPASS_ALLOCATION_NONE && LLVMIsDeclaration(function) &&
        mpass_hotness_returns_block(function))
        return MPASS_ALLOCATION_WRAPPER;
    return kind;
}

bool mpass_allocations_is_inner(LLVMValueRef function, const char *names)
{
    const char *name = mpass_ir_name(function);

    return is_hinted(name) || kind_of(name, names) != MPASS_ALLOCATION_NONE;
}

bool mpass_allocations_family(LLVMValueRef function, char *out, size_t size,
                              bool *is_aligned)
{
    const char *name = mpass_ir_name(function);
    size_t length = strlen(name);

    if (kind_of(name, "") != MPASS_ALLOCATION_CXX ||
        strncmp(name, SIZE_NEW, strlen(SIZE_NEW)) == 0)
        return false;
    if (ends_with(name, CXX_NOTHROW))
        length -= strlen(CXX_NOTHROW);
    *is_aligned = strstr(name, CXX_ALIGNED) != NULL;
    return (size_t)snprintf(out, size, "%.*s", (int)length, name) < size;
}

bool mpass_allocations_hinted_name(const char *name, char *out, size_t size)
{
    int length;

    if (kind_of(name, "") != MPASS_ALLOCATION_CXX)
        length =
            snprintf(out, size, MPROF_SYM_PREFIX "%s" MPROF_HINT_SUFFIX, name);
    else if (strncmp(name, SIZE_NEW, strlen(SIZE_NEW)) == 0)
        length = snprintf(out, size, "%s" SIZE_HINT, name);
    else
        length = snprintf(out, size, "%s" CXX_HINT, name);
    return length > 0 && (size_t)length < size;
}
