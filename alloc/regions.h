/* regions.h -- two ranges of addresses outside the ordinary heap, one for cold
 * and one for hot blocks. Each has a jemalloc arena that gets all of its pages
 * from the range. So a block's address gives its region, and freed memory is
 * never reused in another region.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPALLOC_REGIONS_H
#define MPALLOC_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mpalloc_region {
    MPALLOC_COLD,
    MPALLOC_HOT,
    MPALLOC_REGIONS,
    MPALLOC_ORDINARY = MPALLOC_REGIONS,
};

/* Both ranges, the cold one first. each_bytes is 0 until the first hint. The
 * values are set once, before a block is allocated in a range. */
struct mpalloc_ranges {
    uintptr_t base;
    size_t each_bytes;
};
extern struct mpalloc_ranges mpalloc_ranges;

static inline enum mpalloc_region mpalloc_region_of(const void *block)
{
    const size_t offset = (uintptr_t)block - mpalloc_ranges.base;

    if (__builtin_expect(offset >= 2 * mpalloc_ranges.each_bytes, true))
        return MPALLOC_ORDINARY;
    return offset < mpalloc_ranges.each_bytes ? MPALLOC_COLD : MPALLOC_HOT;
}

/* Sets *arena to the arena of a region, which is made at the first call.
 * Returns false if there is none: it is forbidden, the program's address space
 * is limited, or out of memory. */
bool mpalloc_regions_arena(enum mpalloc_region region, unsigned *arena);

/* Allows no arenas from now on, because the program's free() would not know
 * their blocks. */
void mpalloc_regions_forbid(void);

#endif
