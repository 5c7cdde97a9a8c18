/* memory.h -- allocates arrays; aborts when out of memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <stddef.h>
#include <stdlib.h>

/* Like reallocarray(), with room for at least `count` items; never NULL. Aborts
 * when out of memory, as LLVM does. */
static inline void *mpass_memory_allocate(void *old, size_t count,
                                          size_t item_bytes)
{
    void *items = reallocarray(old, count + 1, item_bytes);

    if (items == NULL)
        abort();
    return items;
}

/* Makes room for one more item in an array of `count` items. All growth of the
 * array must use this function: it doubles the size when `count` is 2^n - 1. */
static inline void *mpass_memory_grow(void *items, size_t count,
                                      size_t item_bytes)
{
    return (count & (count + 1)) != 0
               ? items
               : mpass_memory_allocate(items, count * 2 + 1, item_bytes);
}

/* Makes room for one more item, counts it, and is a pointer to it. */
#define MPASS_APPEND(items, count)                                \
    ((items) = mpass_memory_grow(items, count, sizeof(*(items))), \
     &(items)[(count)++])
