/* huge.h -- huge pages for ordinary blocks, of programs that ask for them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* mmap(), for jemalloc. */
void *mpalloc_huge_map(void *at, size_t size, int protection, int flags, int fd,
                       off_t offset);

/* False with MALLOC_CONF=thp:never. */
bool mpalloc_huge_is_allowed(void);
