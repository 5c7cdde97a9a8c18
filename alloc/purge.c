/* purge.c -- gives back the pages of pools that have no blocks in use.
 *
 * Few blocks that outlive their neighbours keep a whole span. If much of a pool
 * is free when more memory is needed, the free blocks in pages without blocks
 * in use leave their lists, and the system gets these pages. Their places are
 * new when the span is.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "alloc/spans.h"

/* A pool is searched for pages without blocks in use when so much more of a
 * span is free on average than after the last search. */
#define PURGE_UNITS (SPAN_UNITS / 4)

typedef void visit_free_fn(struct pool *pool, struct block *block, size_t units,
                           struct span **counted);

static void visit_free(struct pool *pool, visit_free_fn *visit,
                       struct span **counted)
{
    for (size_t units = UNITS_LEAST; units <= UNITS_MOST; units++) {
        for (unsigned by_16 = 0; by_16 < 2; by_16++) {
            struct block *next = NULL;

            for (struct block *b = pool->free[units][by_16]; b != NULL;
                 b = next) {
                next = b->next;
                visit(pool, b, units, counted);
            }
        }
    }
}

static void count_block(struct pool *pool, struct block *block, size_t units,
                        struct span **counted)
{
    struct span *const span = span_of(block);
    const size_t at = unit_of(block);
    const size_t first = at / PAGE_UNITS;
    const size_t last = (at + units - 1) / PAGE_UNITS;
    const size_t in_last = at + units - last * PAGE_UNITS;

    (void)pool;
    if (span->free_in_page[0] == 0) {
        span->free_in_page[0] = 1;
        atomic_store(&span->next, *counted);
        *counted = span;
    }
    span->free_in_page[last] += first == last ? units : in_last;
    if (first != last)
        span->free_in_page[first] += units - in_last;
}

static void drop_purged(struct pool *pool, struct block *block, size_t units,
                        struct span **counted)
{
    (void)counted;
    if (!is_purged(span_of(block), unit_of(block), units))
        return;
    unlink_block(block);
    pool->free_units -= units;
}

/* madvise() fails for locked pages, and would do so when the blocks have left
 * their lists, whose links are in these pages. */
static bool is_locked(struct span *span, size_t first, size_t pages)
{
    return msync((char *)span + first * PAGE_BYTES, pages * PAGE_BYTES,
                 MS_ASYNC | MS_INVALIDATE) != 0;
}

static void choose_pages(struct span *span)
{
    for (size_t page = 1; page < SPAN_PAGES; page++) {
        const size_t first = page;

        while (page < SPAN_PAGES && span->free_in_page[page] == PAGE_UNITS)
            page++;
        if (page != first && !is_locked(span, first, page - first))
            span->purged |= (UINT32_C(1) << page) - (UINT32_C(1) << first);
    }
    memset(span->free_in_page, 0, sizeof(span->free_in_page));
}

static void purge_pages(struct span *span)
{
    for (size_t page = 1; page < SPAN_PAGES; page++) {
        const size_t first = page;

        while (page < SPAN_PAGES && (span->purged >> page & 1) != 0)
            page++;
        if (page != first)
            madvise((char *)span + first * PAGE_BYTES,
                    (page - first) * PAGE_BYTES, MADV_DONTNEED);
    }
}

/* Blocks leave their lists before their memory is gone. */
static void purge_pool(struct pool *pool)
{
    const int saved_errno = errno;
    struct span *counted = NULL;

    visit_free(pool, count_block, &counted);
    for (struct span *s = counted; s != NULL; s = atomic_load(&s->next))
        choose_pages(s);
    visit_free(pool, drop_purged, NULL);
    for (struct span *s = counted; s != NULL; s = atomic_load(&s->next))
        purge_pages(s);
    errno = saved_errno;
}

void mpalloc_purge_pools(struct mpalloc_heap *heap)
{
    for (unsigned i = 0; i < MPALLOC_POOLS; i++) {
        struct pool *const pool = &heap->pools[i];

        if (pool->free_units < pool->kept_units)
            pool->kept_units = pool->free_units;
        if (pool->span_count < SPANS_FEW ||
            pool->free_units <
                pool->kept_units + pool->span_count * PURGE_UNITS)
            continue;
        purge_pool(pool);
        pool->kept_units = pool->free_units;
    }
}
