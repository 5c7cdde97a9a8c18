/* blocks.h -- blocks of a region: like malloc() and its kin, but where the hint
 * says. Ordinary blocks are jemalloc's (malloc.c).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPALLOC_BLOCKS_H
#define MPALLOC_BLOCKS_H

#include "alloc/regions.h"

/* What malloc() promises, of blocks of any size. */
#define MPALLOC_ALIGN 16

/* jemalloc has a class of 8 bytes, whose blocks are aligned by as much. */
static inline size_t mpalloc_size(size_t size)
{
    return size > MPALLOC_ALIGN / 2 ? size : MPALLOC_ALIGN;
}

/* A block of `size` bytes aligned by a power of two, zeroed or not; NULL where
 * the hint asks for no region or the region has no memory. Keeps errno. */
void *mpalloc_blocks_new(size_t size, size_t align, bool zero, uint8_t hint);
enum mpalloc_region mpalloc_blocks_region(uint8_t hint);
/* NULL: the block stays as it is, because its region has no memory. */
void *mpalloc_blocks_resize(enum mpalloc_region region, void *p, size_t size);
void mpalloc_blocks_free(enum mpalloc_region region, void *p);

#endif
