/* regions.h -- two ranges of addresses beside the ordinary heap, for cold
 * blocks and for hot ones. Each has an arena of jemalloc's, whose pages come
 * from nowhere else; so a block's address says where it belongs, and what is
 * freed never comes back as a block of another kind.
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

/* Both ranges, the cold one below; no bytes as long as nothing was hinted. They
 * are set once, before the first block lies there. */
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

/* The arena of a region, made when first asked for. False where there is none:
 * it is forbidden, the program's address space is limited, or out of memory. */
bool mpalloc_regions_arena(enum mpalloc_region region, unsigned *arena);

/* From now on no region has an arena: the program would not know its blocks. */
void mpalloc_regions_forbid(void);

#endif
