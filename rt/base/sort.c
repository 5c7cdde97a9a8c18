/* sort.c -- a sort that allocates nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/libc.h"

void mprt_sort_u32(uint32_t *items, uint32_t *scratch, size_t count,
                   bool (*less)(const void *context, uint32_t a, uint32_t b),
                   const void *context)
{
    uint32_t *from = items;
    uint32_t *to = scratch;

    /* Bottom-up merge sort. */
    for (size_t width = 1; width < count; width *= 2) {
        uint32_t *const swap = from;

        for (size_t start = 0; start < count; start += 2 * width) {
            const size_t mid = mprof_min_u64(start + width, count);
            const size_t end = mprof_min_u64(start + 2 * width, count);
            size_t left = start;
            size_t right = mid;

            for (size_t k = start; k < end; k++) {
                if (right < end &&
                    (left == mid || less(context, from[right], from[left])))
                    to[k] = from[right++];
                else
                    to[k] = from[left++];
            }
        }
        from = to;
        to = swap;
    }
    if (from != items)
        mprt_libc_memcpy(items, from, count * sizeof(*items));
}
