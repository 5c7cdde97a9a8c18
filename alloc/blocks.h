/* blocks.h -- functions like malloc() and its relatives that allocate in the
 * region that the hint selects. malloc.c has ordinary blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <sys/types.h>

#include "alloc/regions.h"

/* Alignment that malloc() promises for blocks of any size. */
#define MPALLOC_ALIGN 16

/* Size to request from jemalloc: blocks of its size class of 8 bytes are
 * aligned by only 8. */
static inline size_t mpalloc_size(size_t size)
{
    return size > MPALLOC_ALIGN / 2 ? size : MPALLOC_ALIGN;
}

/* Allocates `size` bytes aligned by `align`, a power of two; zeroed if `zero`.
 * Returns NULL if the hint selects no region or the region has no memory. Keeps
 * errno. */
void *mpalloc_blocks_new(size_t size, size_t align, bool zero, uint8_t hint);
/* mpalloc_blocks_new(size, 1, false, hint) in fewer instructions. */
void *mpalloc_blocks_new_plain(size_t size, uint8_t hint);
enum mpalloc_region mpalloc_blocks_region(uint8_t hint);
/* Returns NULL and leaves the block alone if its region has no memory or, for a
 * pool, if it must move. */
void *mpalloc_blocks_resize(enum mpalloc_region region, void *p, size_t size);
void mpalloc_blocks_free(enum mpalloc_region region, void *p);
/* mmap(), for jemalloc (alloc/build.mk). The thread's pools return as much as
 * they keep for later. */
void *mpalloc_blocks_map(void *at, size_t size, int protection, int flags,
                         int fd, off_t offset);
