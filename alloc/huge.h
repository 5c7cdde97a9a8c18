/* huge.h -- huge pages, where they are faster than small ones.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How long jemalloc keeps freed pages if MALLOC_CONF does not say it. */
#define MPALLOC_DECAY_DEFAULT_MS 10000

/* The size of a huge page, and of a small one. */
#define MPALLOC_HUGE_BYTES ((uintptr_t)2 << 20)
#define MPALLOC_PAGE_BYTES 4096

/* Requests huge pages for [p, p + size), of which the part from `fresh` on was
 * never touched. Touches the first one, and takes the request back if that
 * takes longer than small pages would. Any thread may call it; changes errno.
 */
void mpalloc_huge_request(void *p, size_t size, void *fresh);
/* The same for a new mapping of a program that asked for it, where it should
 * have them. Keeps errno. */
void mpalloc_huge_advise(void *p, size_t size);

/* False with MALLOC_CONF=thp:never. With thp:always no request is taken back
 * from now on. Not for code that jemalloc calls. */
bool mpalloc_huge_is_allowed(void);
