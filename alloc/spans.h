/* spans.h -- what pools consist of (pools.c, purge.c).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "alloc/pools.h"

#define SPAN_BYTES ((size_t)MPROF_POOL_SPAN_BYTES)
#define PAGE_BYTES 4096
#define SPAN_PAGES (SPAN_BYTES / PAGE_BYTES)
/* Sizes and places of blocks are counted in units of 8 bytes. */
#define UNIT 8
#define SPAN_UNITS (SPAN_BYTES / UNIT)
#define PAGE_UNITS (PAGE_BYTES / UNIT)
#define WORD_BITS 64
/* A free block holds two pointers. */
#define UNITS_LEAST (MPROF_POOL_BYTES_MIN / UNIT)
#define UNITS_MOST (MPROF_POOL_BYTES_MAX / UNIT)
/* Spans below which the share of free memory does not matter. */
#define SPANS_FEW 16

/* A free block. `link` points to what points to the block. */
struct block {
    struct block *next;
    struct block **link;
};
_Static_assert(sizeof(struct block) <= MPROF_POOL_BYTES_MIN, "block");

struct span {
    struct mpalloc_heap *heap;
    _Atomic(struct span *) next; /* in a list of empty or counted spans */
    uint32_t live;               /* blocks in use */
    uint32_t end;                /* of the last block */
    unsigned pool;
    uint32_t purged; /* bits of pages given back */
    /* While a pool is searched: units; of the first page, which has the span's
     * own data, 1 more. 0 otherwise. */
    uint16_t free_in_page[SPAN_PAGES];
    _Atomic uint64_t starts[SPAN_UNITS / WORD_BITS];
};

/* First unit for blocks, at a cache line. */
#define FIRST ((sizeof(struct span) + 15) / 16 * 2)
/* The last unit has a bit for the end of the last block. */
#define LAST (SPAN_UNITS - 1)
_Static_assert(FIRST *UNIT % 64 == 0, "line");
_Static_assert((LAST - FIRST) * UNIT == MPROF_POOL_SPAN_USABLE, "span");

struct pool {
    struct span *span; /* current */
    _Atomic size_t span_count;
    _Atomic size_t refused; /* blocks for which no span was begun */
    size_t free_units;      /* in the lists */
    size_t kept_units;      /* of them, after the last search for free pages */
    /* Free blocks by size and by whether they are aligned by 16. */
    struct block *free[UNITS_MOST + 1][2];
};

struct mpalloc_heap {
    struct mpalloc_heap *next; /* in the list of all */
    atomic_bool owned;
    _Atomic(struct block *) returned;
    struct span *spare; /* empty spans */
    size_t spare_count;
    size_t spare_least; /* since `checked_s` */
    time_t checked_s;
    struct pool pools[MPALLOC_POOLS];
};
_Static_assert(sizeof(struct mpalloc_heap) <= SPAN_BYTES, "heap");

static inline struct span *span_of(const void *block)
{
    return (struct span *)((uintptr_t)block & ~(uintptr_t)(SPAN_BYTES - 1));
}

static inline void unlink_block(struct block *block)
{
    *block->link = block->next;
    if (block->next != NULL)
        block->next->link = block->link;
}

static inline size_t unit_of(const void *block)
{
    return (uintptr_t)block % SPAN_BYTES / UNIT;
}

/* Was a part of the piece given back? A piece lies in two pages at most. */
static inline bool is_purged(const struct span *span, size_t at, size_t units)
{
    return ((span->purged >> at / PAGE_UNITS |
             span->purged >> (at + units - 1) / PAGE_UNITS) &
            1) != 0;
}

/* Gives the system the pages of the heap's pools that have no blocks in use,
 * because the program needs more memory. Keeps errno. */
void mpalloc_purge_pools(struct mpalloc_heap *heap);
