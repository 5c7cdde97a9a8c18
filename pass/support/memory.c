/* memory.c -- memory for arrays.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/support/memory.h"

#include <stdlib.h>

void *mpass_memory_allocate(void *old, size_t count, size_t item_bytes)
{
    void *items = reallocarray(old, count + 1, item_bytes);

    if (items == NULL)
        abort();
    return items;
}
