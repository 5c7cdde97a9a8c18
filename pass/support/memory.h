/* memory.h -- memory for arrays.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_MEMORY_H
#define MPASS_MEMORY_H

#include <stddef.h>

/* Memory for at least `count` items, as realloc(). Memory for a compiler is as
 * good as there; without it there is nothing that a pass could do, so this
 * stops like LLVM itself. */
void *mpass_memory_allocate(void *old, size_t count, size_t item_bytes);

#endif
