/* sort.h -- a sort that allocates nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* Sorts items[0..count) in ascending order of less(context, a, b). scratch has
 * room for count items. Stable, O(n log n), no recursion. */
void mprt_sort_u32(uint32_t *items, uint32_t *scratch, size_t count,
                   bool (*less)(const void *context, uint32_t a, uint32_t b),
                   const void *context);
