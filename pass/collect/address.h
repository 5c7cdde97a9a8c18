/* address.h -- chooses the address at which an accumulator is flushed.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/collect/region.h"

/* Sets edges[].address of all edges of an accumulator. If one of them has no
 * cheap address, all stay NULL, and the address is tracked at run time. */
void mpass_address_find(const struct mpass_regions *regions,
                        LLVMValueRef origin, struct mpass_edge *edges,
                        size_t count);
