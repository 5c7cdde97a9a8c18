/* versions.h -- duplicates the basic blocks of a function: a counting copy and
 * a plain copy. Checks of a word of memory switch between the copies.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/ExternC.h>
#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stddef.h>

LLVM_C_EXTERN_C_BEGIN

struct mpass_versions {
    LLVMBasicBlockRef plain; /* first block of the plain copy, which are the
                                last blocks of the function */
    LLVMValueRef *entrances; /* terminators of the blocks that only enter the
                                counting copy */
    size_t entrance_count;
    LLVMValueRef *checks; /* loads of the word */
    size_t check_count;
};

/* False if the function contains instructions that must not be duplicated. */
bool mpass_versions_can_split(LLVMValueRef function);

/* Duplicates the blocks from which one of the instructions can be reached. The
 * instructions are in the counting copy, which runs while the word, a
 * thread-local i32, is negative. The loads of the word get metadata of kind
 * `mark`. False if no instruction is reachable. Fills *versions; the caller
 * calls mpass_versions_check_finish(). */
bool mpass_versions_split(LLVMValueRef function, LLVMValueRef word,
                          unsigned mark, const LLVMValueRef *instructions,
                          size_t count, struct mpass_versions *versions);

/* Completes the checks: each decrements or tests the word, and calls
 * next(&word) if the word is below burst_end. Frees the arrays. */
void mpass_versions_check_finish(struct mpass_versions *versions,
                                 LLVMValueRef next, int burst_end);

/* Decrements the word in loops that call functions and have no check, because
 * the callees may only test the word. True if there are such loops. */
bool mpass_versions_check_calls(LLVMValueRef function, LLVMValueRef word,
                                LLVMValueRef next, int burst_end);

LLVM_C_EXTERN_C_END
