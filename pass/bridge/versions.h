/* versions.h -- the blocks of a function twice: a copy that counts and a plain
 * one, and checks of one byte of memory that lead from one to the other.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_BRIDGE_VERSIONS_H
#define MPASS_BRIDGE_VERSIONS_H

#include <llvm-c/ExternC.h>
#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stddef.h>

LLVM_C_EXTERN_C_BEGIN

struct mpass_versions {
    LLVMBasicBlockRef plain; /* the plain copy starts here, the counting copy
                                ends: plain blocks are the function's last */
    LLVMValueRef *entrances; /* terminators of the blocks that lead into the
                                counting copy, and into nothing else */
    size_t entrance_count;
    LLVMValueRef *checks; /* loads of the byte */
    size_t check_count;
};

/* False where the function has what must not be copied. */
bool mpass_versions_can_split(LLVMValueRef function);

/* Copies the blocks from which one of the instructions can be reached. The
 * instructions belong to the counting copy. The loads of the byte have metadata
 * of the kind `mark`. False if nothing reaches the instructions. */
bool mpass_versions_split(LLVMValueRef function, LLVMValueRef byte,
                          unsigned mark, const LLVMValueRef *instructions,
                          size_t count, struct mpass_versions *versions);

/* Frees what the arrays hold. Nothing may move the checks from now on. */
void mpass_versions_finish(struct mpass_versions *versions);

LLVM_C_EXTERN_C_END

#endif
