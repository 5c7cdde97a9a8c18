/* address.h -- an accessed address that costs little to keep.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_ADDRESS_H
#define MPASS_ADDRESS_H

#include "pass/bridge/analysis.h"
#include "pass/collect/context.h"

/* An address that accesses in the block, at `address`, have touched whenever
 * control comes through the block: that of the first round of the loops around
 * it, as far as it is computed from values outside of them by simple
 * arithmetic, for which instructions are inserted; else `address`. The loops
 * must not have the definition of the address's origin. */
LLVMValueRef mpass_address_first(struct mpass_context *context,
                                 struct mpass_analysis *analysis,
                                 LLVMValueRef address, LLVMBasicBlockRef block,
                                 LLVMValueRef origin);

#endif
