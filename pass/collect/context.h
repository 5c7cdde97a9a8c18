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

struct mpass_context {
    struct mpass_options options;
    enum mpass_merge merge; /* what the options come to */
    LLVMModuleRef module;
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
    /* The function in hand: base of its shadow, loaded on first need. */
    LLVMValueRef function;
    LLVMValueRef shadow_base;
};

#endif
