/* address.h -- an accessed address that costs little to keep.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_ADDRESS_H
#define MPASS_ADDRESS_H

#include "pass/collect/region.h"

/* Gives each of the edges of an accumulator its address, or none one. */
void mpass_address_find(const struct mpass_regions *regions,
                        LLVMValueRef origin, struct mpass_edge *edges,
                        size_t count);

#endif
