/* context.h -- what all functions of one module share.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_CONTEXT_H
#define MPASS_CONTEXT_H

#include <llvm-c/Target.h>
#include <llvm-c/Types.h>

#include "pass/support/numbers.h"
#include "pass/support/options.h"

enum mpass_merge { MPASS_MERGE_NONE, MPASS_MERGE_BLOCK, MPASS_MERGE_REGION };

/* What is counted: values of -memprof-access. */
enum mpass_mode {
    MPASS_MODE_NONE,
    MPASS_MODE_TOTAL,
    MPASS_MODE_RW,
    MPASS_MODE_RW_BYTES
};

struct mpass_context {
    struct mpass_options options;
    enum mpass_merge merge; /* what the options come to */
    enum mpass_mode mode;
    LLVMModuleRef module;
    void *analyses; /* LLVM's function analysis manager */
    LLVMContextRef llvm;
    LLVMBuilderRef builder; /* owned by mpass_module_run() */
    LLVMTargetDataRef layout;
    LLVMTypeRef intptr;
    LLVMTypeRef ptr;
    LLVMTypeRef void_type;
    const char *counter_section; /* how PGO counter sections' names end */
    unsigned nosanitize_kind;    /* metadata kind of what we insert */
    /* Functions that run before there are counters. */
    struct mpass_numbers uncounted;
    /* The function in hand: bases of its shadow, loaded on first need. */
    LLVMValueRef function;
    struct mpass_numbers pointers;
    struct mpass_origin *origins; /* of these pointers (origin.h) */
    LLVMValueRef shadow_base;
    LLVMValueRef bytes_base;
};

/* True where reads and writes are counted apart. */
static inline bool mpass_context_is_rw(const struct mpass_context *context)
{
    return context->mode >= MPASS_MODE_RW;
}

#endif
