/* huge.h -- huge pages for ordinary blocks, of programs that ask for them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* How long jemalloc keeps freed pages if MALLOC_CONF does not say it. */
#define MPALLOC_DECAY_DEFAULT_MS 10000

/* Requests huge pages for a new mapping, where it should have them. Keeps
 * errno.
 */
void mpalloc_huge_advise(void *p, size_t size);

/* False with MALLOC_CONF=thp:never. */
bool mpalloc_huge_is_allowed(void);
