/* context.h -- state for instrumenting one module.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/Target.h>
#include <llvm-c/Types.h>

#include "pass/bridge/versions.h"
#include "pass/support/numbers.h"
#include "pass/support/options.h"

enum mpass_merge { MPASS_MERGE_NONE, MPASS_MERGE_BLOCK, MPASS_MERGE_REGION };

/* Values of -memprof-access. */
enum mpass_mode {
    MPASS_MODE_NONE,
    MPASS_MODE_TOTAL,
    MPASS_MODE_THREADS,
    MPASS_MODE_FIELDS,
    MPASS_MODE_RW,
    MPASS_MODE_RW_BYTES
};

struct mpass_context {
    struct mpass_options options;
    enum mpass_merge merge; /* as the options imply */
    enum mpass_mode mode;
    LLVMModuleRef module;
    void *analyses; /* LLVM's function analysis manager */
    LLVMContextRef llvm;
    LLVMBuilderRef builder; /* owned by mpass_module_run() */
    LLVMTargetDataRef layout;
    LLVMTypeRef intptr;
    LLVMTypeRef ptr;
    LLVMTypeRef void_type;
    const char *counter_section; /* end of the names of PGO counter sections */
    unsigned nosanitize_kind;    /* metadata kind of inserted instructions */
    /* The MPROF_ATTRIBUTE_WAITING of the functions to instrument; NULL: all. */
    LLVMAttributeRef waiting;
    /* Functions that run before the shadow is mapped. */
    struct mpass_numbers uncounted;
    LLVMValueRef function; /* the current function; the rest is about it */
    struct mpass_numbers pointers;
    struct mpass_origin *origins; /* of these pointers (origin.h) */
    LLVMValueRef shadow_base;     /* loaded bases; NULL until needed */
    LLVMValueRef bytes_base;
    /* With -memprof-versions=2 (versions.c): */
    struct mpass_versions versions; /* valid if has_plain */
    struct mpass_numbers wanted;    /* instructions to count */
    bool has_plain;                 /* the function has two copies */
    bool is_always_counting;        /* the function cannot have two copies */
    unsigned always_counting;       /* number of such functions in the module */
};

/* True if reads and writes are counted separately. */
static inline bool mpass_context_is_rw(const struct mpass_context *context)
{
    return context->mode >= MPASS_MODE_FIELDS;
}
