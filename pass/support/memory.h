/* memory.h -- memory for arrays.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_MEMORY_H
#define MPASS_MEMORY_H

#include <stddef.h>
#include <stdlib.h>

/* Memory for at least `count` items, as realloc(). A compiler that runs out of
 * memory cannot go on: this stops it, as LLVM does itself. */
static inline void *mpass_memory_allocate(void *old, size_t count,
                                          size_t item_bytes)
{
    void *items = reallocarray(old, count + 1, item_bytes);

    if (items == NULL)
        abort();
    return items;
}

/* Room for one more item in an array of `count` items that grew by this
 * function only: its size doubles. */
static inline void *mpass_memory_grow(void *items, size_t count,
                                      size_t item_bytes)
{
    return (count & (count + 1)) != 0
               ? items
               : mpass_memory_allocate(items, count * 2 + 1, item_bytes);
}

#endif
