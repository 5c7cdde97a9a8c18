/* pools.c -- pools consist of spans of 64 KiB. New blocks are taken from the
 * end of the pool's current span. A bitmap in the span has a bit for each start
 * of a block and for the end of the last one, so the distance to the next bit
 * is the block's size. Freed blocks are listed by size and reused; a span
 * without blocks in use becomes new again.
 *
 * Only the thread that owns a heap changes its lists and spans. Other threads
 * push the blocks that they free onto the heap's stack `returned`. There are no
 * locks, so a child of fork() finds a consistent state; what belonged to other
 * threads is not reused in the child.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "alloc/pools.h"

#include <errno.h>
#include <jemalloc/jemalloc.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "alloc/regions.h"
#include "alloc/spans.h"

/* A heap keeps empty spans, because to discard them and to need them again
 * costs page faults. Every KEEP_S seconds, which is jemalloc's time for freed
 * pages, it discards those that it did not need since the last time. */
#define KEEP_S 10

static _Atomic(struct mpalloc_heap *) heaps;
/* Stack of empty spans that no heap has: the number of the top span, counted
 * from the start of the address space, and above it a count of changes, without
 * which a span could come back while another thread takes it. */
static _Atomic uint64_t unused;
#define NUMBER_BITS 32
#define NUMBER_MASK ((UINT64_C(1) << NUMBER_BITS) - 1)

/* -- spans ----------------------------------------------------------------- */

static void push_unused(struct span *span)
{
    uint64_t old = atomic_load(&unused), new = 0;

    do {
        atomic_store(&span->next,
                     (struct span *)((old & NUMBER_MASK) * SPAN_BYTES));
        new = ((old >> NUMBER_BITS) + 1) << NUMBER_BITS |
              (uintptr_t)span / SPAN_BYTES;
    } while (!atomic_compare_exchange_weak(&unused, &old, new));
}

static struct span *pop_unused(void)
{
    uint64_t old = atomic_load(&unused), new = 0;
    struct span *span = NULL;

    do {
        span = (struct span *)((old & NUMBER_MASK) * SPAN_BYTES);
        if (span == NULL)
            return NULL;
        new = ((old >> NUMBER_BITS) + 1) << NUMBER_BITS |
              (uintptr_t)atomic_load(&span->next) / SPAN_BYTES;
    } while (!atomic_compare_exchange_weak(&unused, &old, new));
    return span;
}

/* Gives the memory of an empty span back to the system, except the first page.
 */
static void discard(struct span *span)
{
    const int saved_errno = errno;

    madvise((char *)span + PAGE_BYTES, SPAN_BYTES - PAGE_BYTES, MADV_DONTNEED);
    push_unused(span);
    errno = saved_errno;
}

static inline void mark(struct span *span, size_t unit)
{
    _Atomic uint64_t *const word = &span->starts[unit / WORD_BITS];
    const uint64_t bit = UINT64_C(1) << unit % WORD_BITS;

    atomic_store_explicit(
        word, atomic_load_explicit(word, memory_order_relaxed) | bit,
        memory_order_relaxed);
}

static size_t next_mark(const struct span *span, size_t unit)
{
    size_t word = ++unit / WORD_BITS;
    uint64_t bits =
        atomic_load_explicit(&span->starts[word], memory_order_relaxed) &
        UINT64_MAX << unit % WORD_BITS;

    while (bits == 0)
        bits =
            atomic_load_explicit(&span->starts[++word], memory_order_relaxed);
    return word * WORD_BITS + (unsigned)__builtin_ctzll(bits);
}

/* Makes a span new. Its bits are set up to its end. */
static void reset(struct span *span)
{
    for (size_t i = FIRST / WORD_BITS; i <= span->end / WORD_BITS; i++)
        atomic_store_explicit(&span->starts[i], 0, memory_order_relaxed);
    span->end = FIRST;
    span->purged = 0;
    mark(span, FIRST);
}

static struct span *pop_spare(struct mpalloc_heap *heap)
{
    struct span *const span = heap->spare;

    heap->spare = atomic_load(&span->next);
    heap->spare_count--;
    if (heap->spare_count < heap->spare_least)
        heap->spare_least = heap->spare_count;
    return span;
}

static struct span *take_span(struct mpalloc_heap *heap)
{
    struct span *span = NULL;

    if (heap->spare != NULL)
        return pop_spare(heap);
    span = pop_unused();
    if (span == NULL) {
        mpalloc_purge_pools(heap);
        span = mpalloc_regions_pages(SPAN_BYTES);
        if (span == NULL)
            return NULL;
        reset(span);
    }
    span->heap = heap;
    return span;
}

static void discard_spares(struct mpalloc_heap *heap, size_t count)
{
    while (count-- != 0 && heap->spare != NULL)
        discard(pop_spare(heap));
}

static void discard_unneeded(struct mpalloc_heap *heap)
{
    struct timespec now;

    if (clock_gettime(CLOCK_MONOTONIC_COARSE, &now) != 0 ||
        now.tv_sec - heap->checked_s < KEEP_S)
        return;
    heap->checked_s = now.tv_sec;
    discard_spares(heap, heap->spare_least);
    heap->spare_least = heap->spare_count;
}

static void give_span(struct mpalloc_heap *heap, struct span *span)
{
    atomic_store(&span->next, heap->spare);
    heap->spare = span;
    heap->spare_count++;
    discard_unneeded(heap);
}

static struct span *begin_span(struct mpalloc_heap *heap, unsigned number)
{
    struct pool *const pool = &heap->pools[number];

    if (pool->span_count >= SPANS_FEW &&
        pool->free_units > pool->span_count * (SPAN_UNITS / 2))
        return NULL;
    struct span *const span = take_span(heap);

    if (span == NULL)
        return NULL;
    span->pool = number;
    pool->span = span;
    pool->span_count++;
    return span;
}

/* -- free blocks ----------------------------------------------------------- */

/* A piece of one unit is a gap for alignment. */
static void empty(struct mpalloc_heap *heap, struct span *span)
{
    struct pool *const pool = &heap->pools[span->pool];

    for (size_t at = FIRST, next = 0; at < span->end; at = next) {
        next = next_mark(span, at);
        if (next - at < UNITS_LEAST || is_purged(span, at, next - at))
            continue;
        unlink_block((struct block *)((char *)span + at * UNIT));
        pool->free_units -= next - at;
    }
    reset(span);
    if (pool->span == span)
        return;
    pool->span_count--;
    give_span(heap, span);
}

static void put(struct mpalloc_heap *heap, struct block *block)
{
    struct span *const span = span_of(block);
    struct pool *const pool = &heap->pools[span->pool];
    const size_t at = unit_of(block);
    const size_t units = next_mark(span, at) - at;
    struct block **const list = &pool->free[units][at % 2 == 0];

    block->next = *list;
    block->link = list;
    if (*list != NULL)
        (*list)->link = &block->next;
    *list = block;
    pool->free_units += units;
    if (--span->live == 0)
        empty(heap, span);
}

/* Frees the blocks that other threads have returned. True if there were any. */
static bool take_returned(struct mpalloc_heap *heap)
{
    struct block *block = atomic_exchange(&heap->returned, NULL);
    const bool any = block != NULL;

    while (block != NULL) {
        struct block *const next = block->next;

        put(heap, block);
        block = next;
    }
    return any;
}

/* Gives the pool's current span away if no block of it is in use. */
static void leave_span(struct mpalloc_heap *heap, struct pool *pool)
{
    struct span *const span = pool->span;

    if (span == NULL || span->live != 0)
        return;
    pool->span = NULL;
    pool->span_count--;
    give_span(heap, span);
}

static bool own(struct mpalloc_heap *heap)
{
    bool owned = false;

    return atomic_compare_exchange_strong(&heap->owned, &owned, true);
}

/* Another thread that returns a block while this one leaves finds the heap
 * owned, or this one finds the block. */
static void disown(struct mpalloc_heap *heap)
{
    do {
        take_returned(heap);
        for (unsigned i = 0; i < MPALLOC_POOLS; i++)
            leave_span(heap, &heap->pools[i]);
        discard_spares(heap, heap->spare_count);
        atomic_store(&heap->owned, false);
    } while (atomic_load(&heap->returned) != NULL && own(heap));
}

static void give_back(struct mpalloc_heap *heap, struct block *block)
{
    struct block *top = atomic_load(&heap->returned);

    do {
        block->next = top;
    } while (!atomic_compare_exchange_weak(&heap->returned, &top, block));
    if (!atomic_load(&heap->owned) && own(heap))
        disown(heap);
}

/* -- blocks ---------------------------------------------------------------- */

static inline void *take_block(struct pool *pool, size_t units, bool by_16)
{
    struct block *block = by_16 ? NULL : pool->free[units][false];

    if (block == NULL)
        block = pool->free[units][true];
    if (block == NULL)
        return NULL;
    unlink_block(block);
    pool->free_units -= units;
    span_of(block)->live++;
    return block;
}

/* The start of a block without a gap before it is the last one's end, which
 * has a bit already. */
static inline void *append(struct span *span, size_t units, bool by_16)
{
    const size_t at = span->end + (by_16 ? span->end % 2 : 0);

    if (at + units > LAST)
        return NULL;
    if (at != span->end)
        mark(span, at);
    mark(span, at + units);
    span->end = (uint32_t)(at + units);
    span->live++;
    return (char *)span + at * UNIT;
}

static inline void *take(struct pool *pool, size_t units, bool by_16)
{
    void *const block = take_block(pool, units, by_16);

    if (block != NULL || pool->span == NULL)
        return block;
    return append(pool->span, units, by_16);
}

static __attribute__((noinline)) void *take_slowly(struct mpalloc_heap *heap,
                                                   unsigned number,
                                                   size_t units, bool by_16)
{
    void *block =
        take_returned(heap) ? take(&heap->pools[number], units, by_16) : NULL;

    if (block == NULL) {
        struct span *const span = begin_span(heap, number);

        block = span != NULL ? append(span, units, by_16) : NULL;
        heap->pools[number].refused += block == NULL;
    }
    return block;
}

void *mpalloc_pools_new(struct mpalloc_heap *heap, unsigned number, size_t size,
                        bool by_16)
{
    const size_t wanted = (size + UNIT - 1) / UNIT;
    const size_t least = wanted < UNITS_LEAST ? UNITS_LEAST : wanted;
    const size_t units = by_16 ? least + least % 2 : least;
    void *const block = take(&heap->pools[number], units, by_16);

    return block != NULL ? block : take_slowly(heap, number, units, by_16);
}

void mpalloc_pools_free(struct mpalloc_heap *heap, void *block)
{
    struct mpalloc_heap *const owner = span_of(block)->heap;

    if (__builtin_expect(owner == heap, true))
        put(heap, block);
    else
        give_back(owner, block);
}

size_t mpalloc_pools_size(const void *block)
{
    const size_t at = unit_of(block);

    return (next_mark(span_of(block), at) - at) * UNIT;
}

/* -- threads --------------------------------------------------------------- */

struct mpalloc_heap *mpalloc_pools_open(void)
{
    struct mpalloc_heap *heap = atomic_load(&heaps);

    while (heap != NULL && !own(heap))
        heap = heap->next;
    if (heap != NULL)
        return heap;
    heap = mpalloc_regions_pages(SPAN_BYTES);
    if (heap == NULL)
        return NULL;
    atomic_store(&heap->owned, true);
    heap->next = atomic_load(&heaps);
    while (!atomic_compare_exchange_weak(&heaps, &heap->next, heap))
        ;
    return heap;
}

void mpalloc_pools_close(struct mpalloc_heap *heap)
{
    disown(heap);
}

void mpalloc_pools_make_room(struct mpalloc_heap *heap, size_t size)
{
    discard_spares(heap, (size + SPAN_BYTES - 1) / SPAN_BYTES);
    discard_unneeded(heap);
    mpalloc_purge_pools(heap);
}

/* -- statistics ------------------------------------------------------------ */

/* Pools without a number are named as the compiler's remarks name the hints. */
static void print_pool(unsigned number)
{
    static const char *const unnumbered[] = {"dense", "hot and dense"};
    size_t spans = 0, refused = 0;
    char name[16];

    for (struct mpalloc_heap *h = atomic_load(&heaps); h != NULL; h = h->next) {
        spans += h->pools[number].span_count;
        refused += h->pools[number].refused;
    }
    if (spans + refused == 0)
        return;
    snprintf(name, sizeof(name), "pool %u", number + 1);
    dprintf(STDERR_FILENO, "%s: %zu KiB, %zu blocks refused\n",
            number < MEMPROF_HINT_POOLS
                ? name
                : unnumbered[number - MEMPROF_HINT_POOLS],
            spans * SPAN_BYTES / 1024, refused);
}

/* With MALLOC_CONF=stats_print:true, after jemalloc's. */
__attribute__((destructor)) static void print_pools(void)
{
    bool wanted = false;
    size_t size = sizeof(wanted);

    if (je_mallctl("opt.stats_print", &wanted, &size, NULL, 0) != 0 || !wanted)
        return;
    for (unsigned i = 0; i < MPALLOC_POOLS; i++)
        print_pool(i);
}
