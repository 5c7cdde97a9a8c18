/* heap.c -- memory for blocks: slots of whole granules in one reserved region.
 *
 * The region consists of pages of 64 KiB, and these form runs (runs.c). A large
 * slot is a run. Small slots lie in spans; a span is a run with slots of one
 * class (spans.c, classes.c). The header of a large slot lies in the descriptor
 * of its first page.
 *
 * Each thread has a list of small slots per class and one batch in reserve.
 * Full batches move between a thread and the class's shared stack of batches.
 * The header of a free slot holds the links; the heap does not touch the slot's
 * memory. The header's last word always belongs to the owner of the block
 * (block_state.h).
 *
 * A range check tells whether an address is ours. Memory that runs.c handed out
 * stays accessible.
 *
 * Locks: a class's lock, then the lock of runs.c. Signals are blocked while one
 * is held, so that a signal handler may allocate wherever it interrupts: it may
 * find the cache in use, and then works without it. Only new memory needs
 * locks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/heap/spans.h"
#include "rt/base/memory.h"
#include "rt/base/os.h"
#include "rt/heap/shadow.h"

#define PAGE_SHIFT MPRT_HEAP_PAGE_SHIFT
#define FINE_CLASSES MPRT_HEAP_FINE_CLASSES

/* A thread caches one free large slot of up to this many pages. */
#define LARGE_CACHED_PAGES 32

static _Atomic uint32_t
    large_pages; /* pages of large slots, in use or cached */

/* Locks are held with signals blocked, so this thread holds none. */
void mprt_heap_before_fork(bool is_outermost)
{
    (void)is_outermost;
    mprt_spans_before_fork();
    mprt_runs_before_fork();
}

void mprt_heap_after_fork(bool is_child, bool is_outermost)
{
    (void)is_outermost;
    mprt_runs_after_fork(is_child);
    mprt_spans_after_fork(is_child);
}

void mprt_heap_init(void)
{
    mprt_classes_init();
    mprt_runs_init();
    mprt_heap_small = mprt_memory_reserve(MPRT_RUNS_PAGES);
    if (mprt_heap_small == NULL)
        mprt_memory_give_up("the heap");
    mprt_spans_init();
}

/* -- small slots ----------------------------------------------------------- */

/* mprt_heap_begin_cache() of this thread. */
static inline struct mprt_heap_cache *begin_cache(void)
{
    return mprt_heap_begin_cache(mprt_thread_current());
}

/* Allocates without a cache. */
static MPRT_NOINLINE void *alloc_one(unsigned class)
{
    uint32_t count;
    void *const list = mprt_spans_take(class, &count);

    if (list != NULL && count > 1)
        mprt_spans_push(class, mprt_spans_header(class, list)->next, count - 1);
    return list;
}

/* Refills the empty list of the thread from its reserve or from the class. */
static MPRT_NOINLINE void *refill(struct mprt_heap_cache *cache, unsigned class)
{
    void *list = cache->class[class].reserve;
    uint32_t got = mprt_classes[class].batch;

    if (list != NULL)
        cache->class[class].reserve = NULL;
    else
        list = mprt_spans_take(class, &got);
    cache->class[class].count = got;
    return list;
}

/* Allocates a small slot when mprt_heap_pop() found none. */
static void *alloc_small(unsigned class)
{
    struct mprt_heap_cache *const cache = begin_cache();

    if (cache == NULL)
        return alloc_one(class);
    void *memory = cache->class[class].list;
    if (memory == NULL)
        memory = refill(cache, class);
    if (memory != NULL) {
        cache->class[class].list = mprt_spans_header(class, memory)->next;
        cache->class[class].count--;
    }
    mprt_heap_end_cache(cache);
    return memory;
}

/* Makes the full list of the thread its reserve. */
static MPRT_NOINLINE void stash_batch(struct mprt_heap_cache *cache,
                                      unsigned class)
{
    void *const reserve = cache->class[class].reserve;

    cache->class[class].reserve = cache->class[class].list;
    cache->class[class].list = NULL;
    cache->class[class].count = 0;
    if (reserve == NULL)
        return;
    mprt_spans_push(class, reserve, mprt_classes[class].batch);
    mprt_spans_trim_surplus(class);
}

static void free_small(void *memory, unsigned class)
{
    struct mprt_heap_free *const header = mprt_spans_header(class, memory);
    struct mprt_heap_cache *const cache = begin_cache();

    if (cache == NULL) {
        header->next = NULL;
        mprt_spans_push(class, memory, 1);
        return;
    }
    /* Make room first, because the list holds at most a batch. */
    if (cache->class[class].count >= mprt_classes[class].batch)
        stash_batch(cache, class);
    header->next = cache->class[class].list;
    cache->class[class].list = memory;
    cache->class[class].count++;
    mprt_heap_end_cache(cache);
}

/* -- large slots ----------------------------------------------------------- */

/* Takes the thread's cached large slot if it has exactly `count` pages. */
static void *take_cached_large(size_t count)
{
    struct mprt_heap_cache *const cache = begin_cache();
    void *slot = NULL;

    if (cache == NULL)
        return NULL;
    if (cache->large != NULL &&
        mprt_runs[mprt_runs_page(cache->large)].pages == count) {
        slot = cache->large;
        cache->large = NULL;
    }
    mprt_heap_end_cache(cache);
    return slot;
}

/* Puts a free large slot into the thread's cache. To others it looks like a
 * slot in use whose block has ended, like a cached small slot. */
static bool cache_large(void *slot, uint32_t count)
{
    struct mprt_heap_cache *const cache =
        count <= LARGE_CACHED_PAGES ? begin_cache() : NULL;

    if (cache == NULL)
        return false;
    const bool has_room = cache->large == NULL;
    if (has_room)
        cache->large = slot;
    mprt_heap_end_cache(cache);
    return has_room;
}

static void *alloc_run(size_t count, bool is_separate, bool *is_zero)
{
    if (count >= MPRT_RUNS_PAGES)
        return NULL;
    const uint64_t signals = mprt_runs_enter();
    const uint32_t run = mprt_runs_take(
        (uint32_t)count, MPRT_RUN_LARGE,
        is_separate || mprt_runs_is_for_system((uint32_t)count), is_zero);
    mprt_runs_leave(signals);
    if (run == 0)
        return NULL;
    MPRT_ADD(large_pages, (uint32_t)count);
    return mprt_runs_start(run - 1);
}

static size_t pages_of(size_t bytes)
{
    return bytes / MPRT_HEAP_PAGE_BYTES + (bytes % MPRT_HEAP_PAGE_BYTES != 0);
}

static void *alloc_large(size_t bytes, bool is_separate, bool *is_zero)
{
    const size_t count = pages_of(bytes);

    *is_zero = false;
    void *const cached = count <= LARGE_CACHED_PAGES && !is_separate
                             ? take_cached_large(count)
                             : NULL;
    return cached != NULL ? cached : alloc_run(count, is_separate, is_zero);
}

static void give_large(uint32_t first)
{
    atomic_fetch_sub_explicit(&large_pages, mprt_runs[first].pages,
                              memory_order_relaxed);
    const uint64_t signals = mprt_runs_enter();
    mprt_runs_give(first);
    mprt_runs_leave(signals);
}

bool mprt_heap_resize(void *memory, size_t bytes)
{
    const uint32_t first = mprt_runs_page(memory);
    const uint32_t count = (uint32_t)pages_of(bytes);

    if (mprt_heap_small[first] != 0 || count == 0)
        return false;
    const uint32_t have = mprt_runs[first].pages;
    if (count == have)
        return true;
    const uint64_t signals = mprt_runs_enter();
    const bool is_done = mprt_runs_resize(first, count);
    mprt_runs_leave(signals);
    if (is_done)
        MPRT_ADD(large_pages, count - have);
    return is_done;
}

static void free_large(uint32_t first)
{
    if (mprt_runs[first].goes_back ||
        !cache_large(mprt_runs_start(first), mprt_runs[first].pages))
        give_large(first);
}

static void empty_cache(struct mprt_heap_cache *cache)
{
    for (unsigned class = 0; class < MPRT_HEAP_CLASSES; class ++) {
        struct mprt_heap_cached *const cached = &cache->class[class];
        if (cached->list != NULL)
            mprt_spans_push(class, cached->list, cached->count);
        if (cached->reserve != NULL)
            mprt_spans_push(class, cached->reserve, mprt_classes[class].batch);
        cached->list = NULL;
        cached->reserve = NULL;
        cached->count = 0;
    }
    if (cache->large != NULL)
        give_large(mprt_runs_page(cache->large));
    cache->large = NULL;
}

void mprt_heap_end_thread(struct mprt_thread *t)
{
    empty_cache(&t->heap);
}

/* -- interface ------------------------------------------------------------- */

void mprt_heap_prepare_sandbox(void)
{
    const uint64_t signals = mprt_runs_enter();

    mprt_runs_open_ahead();
    mprt_runs_leave(signals);
}

struct mprt_heap_slot mprt_heap_alloc(size_t bytes, bool *is_zero)
{
    if (bytes <= MPRT_HEAP_SMALL_BYTES_MAX) {
        const unsigned class = mprt_classes_of(bytes);
        void *const memory = alloc_small(class);
        *is_zero = false;
        return memory == NULL
                   ? (struct mprt_heap_slot){NULL, NULL, 0}
                   : (struct mprt_heap_slot){memory,
                                             mprt_spans_header(class, memory),
                                             mprt_classes[class].room};
    }
    return mprt_heap_slot_of(alloc_large(bytes, false, is_zero));
}

struct mprt_heap_slot mprt_heap_alloc_separate(size_t bytes, bool *is_zero)
{
    return mprt_heap_slot_of(alloc_large(bytes, true, is_zero));
}

void mprt_heap_free(void *memory)
{
    const uint32_t page = mprt_runs_page(memory);
    const uint32_t kind = mprt_runs_kind(page);

    if (MPROF_LIKELY(kind >= MPRT_RUN_SMALL))
        free_small(memory, kind - MPRT_RUN_SMALL);
    else if (kind == MPRT_RUN_LARGE)
        free_large(page);
}

bool mprt_heap_trim(void)
{
    struct mprt_heap_cache *const cache = begin_cache();
    bool has_some = false;

    if (cache != NULL) {
        empty_cache(cache);
        mprt_heap_end_cache(cache);
    }
    for (unsigned class = 0; class < MPRT_HEAP_CLASSES; class ++)
        has_some |= mprt_spans_trim(class);
    const uint64_t signals = mprt_runs_enter();
    has_some |= mprt_runs_trim();
    for (uint32_t run = mprt_runs_next(0); run < mprt_runs_top();
         run = mprt_runs_next(run + mprt_runs[run].pages)) {
        if (mprt_runs_kind(run) < MPRT_RUN_LARGE)
            mprt_shadow_clear_span((uintptr_t)mprt_runs_start(run),
                                   (size_t)mprt_runs[run].pages << PAGE_SHIFT);
    }
    mprt_runs_leave(signals);
    return has_some;
}

size_t mprt_heap_room(const void *memory)
{
    const uint32_t page = mprt_runs_page(memory);
    const uint32_t small = mprt_heap_small[page];

    return small != 0 ? mprt_classes[small - 1].room
                      : (size_t)mprt_runs[page].pages << PAGE_SHIFT;
}

/* Bytes of the free slots in a thread's cache; approximate for other threads.
 */
static uint64_t cached_bytes(const struct mprt_heap_cache *cache)
{
    uint64_t bytes = 0;

    for (unsigned class = 0; class < MPRT_HEAP_CLASSES; class ++) {
        const volatile struct mprt_heap_cached *const cached =
            &cache->class[class];
        const uint64_t count =
            cached->count +
            (cached->reserve != NULL ? mprt_classes[class].batch : 0u);
        bytes += count * mprt_classes[class].whole;
    }
    void *const large = *(void *const volatile *)&cache->large;
    if (large != NULL)
        bytes += (uint64_t)mprt_runs[mprt_runs_page(large)].pages << PAGE_SHIFT;
    return bytes;
}

void mprt_heap_stats(struct mprt_heap_stats *stats)
{
    uint64_t used = mprt_spans_used_bytes();
    uint64_t cached = 0;

    MPRT_EACH_THREAD(t)
        cached += cached_bytes(&t->heap);
    const uint64_t signals = mprt_runs_enter();
    stats->heap_bytes =
        (uint64_t)(mprt_runs_held_pages() - mprt_spans_empty_pages())
        << PAGE_SHIFT;
    mprt_runs_leave(signals);
    used += (uint64_t)atomic_load(&large_pages) << PAGE_SHIFT;
    stats->used_bytes = used > cached ? used - cached : 0;
    stats->free_bytes = stats->heap_bytes > stats->used_bytes
                            ? stats->heap_bytes - stats->used_bytes
                            : 0;
}
