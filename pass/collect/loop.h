/* loop.h -- which loops are certainly short.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_LOOP_H
#define MPASS_LOOP_H

#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stdint.h>

struct mpass_analysis;

/* How often the loop of this header runs at most, all loops around it included,
 * 0 if that is not known or 2^32 or more. */
uint64_t mpass_loop_iterations_max(struct mpass_analysis *analysis,
                                   LLVMBasicBlockRef header);

/* True if the block belongs to the loop that begins at the header; also where
 * none that LLVM knows does. */
bool mpass_loop_contains(struct mpass_analysis *analysis,
                         LLVMBasicBlockRef header, LLVMBasicBlockRef block);

#endif
