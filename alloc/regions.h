/* regions.h -- ranges of addresses outside the ordinary heap, for cold blocks,
 * for hot blocks and for pools (pools.h). The first two have a jemalloc arena
 * each that gets all of its pages from the range. So a block's address gives
 * its region, and freed memory is never reused in another region.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mpalloc_region {
    MPALLOC_COLD,
    MPALLOC_HOT,
    MPALLOC_ARENAS, /* number of regions with an arena */
    MPALLOC_POOLED = MPALLOC_ARENAS,
    MPALLOC_REGIONS,
    MPALLOC_ORDINARY = MPALLOC_REGIONS,
};

/* All ranges, in the order of the regions. each_bytes is 0 until the first
 * hint. The values are set once, before a block is allocated in a range. */
struct mpalloc_ranges {
    uintptr_t base;
    size_t each_bytes;
};
extern struct mpalloc_ranges mpalloc_ranges;

static inline enum mpalloc_region mpalloc_region_of(const void *block)
{
    const size_t offset = (uintptr_t)block - mpalloc_ranges.base;

    if (__builtin_expect(offset >= MPALLOC_REGIONS * mpalloc_ranges.each_bytes,
                         true))
        return MPALLOC_ORDINARY;
    if (offset >= MPALLOC_POOLED * mpalloc_ranges.each_bytes)
        return MPALLOC_POOLED;
    return offset < mpalloc_ranges.each_bytes ? MPALLOC_COLD : MPALLOC_HOT;
}

/* Sets *arena to the arena of a region, which is made at the first call.
 * Returns false if there is none: it is forbidden, the program's address space
 * is limited, or out of memory. */
bool mpalloc_regions_arena(enum mpalloc_region region, unsigned *arena);

/* Returns the freed pages of cold blocks to the kernel. There must have been
 * such a block. */
void mpalloc_regions_purge_cold(void);

/* Returns new pages for pools, zeroed and aligned by `size`; NULL as above. */
void *mpalloc_regions_pages(size_t size);

/* Allows no blocks in regions from now on, because the program's free() would
 * not know their blocks. */
void mpalloc_regions_forbid(void);
