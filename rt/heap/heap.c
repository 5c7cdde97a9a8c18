/* heap.c -- memory for blocks: slots of whole granules in one reserved region.
 *
 * The region consists of pages of 64 KiB, and these form runs (runs.c). A large
 * slot is a run. Small slots lie in spans; a span is a run with slots of one
 * class (classes.c). The header of a large slot lies in the descriptor of its
 * first page.
 *
 * Each thread has a list of small slots per class and one batch in reserve.
 * Full batches move between a thread and the class's shared stack of batches.
 * The header of a free slot holds the links; the heap does not touch the slot's
 * memory. The header's last word always belongs to the owner of the block
 * (block_state.h), and a span always belongs to its class. The stack is
 * lock-free: its head is a slot's number with a count of changes, which detects
 * a head that was removed and came back.
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
#include "rt/heap/heap.h"
#include "rt/base/libc.h"
#include "rt/base/lock.h"
#include "rt/base/memory.h"
#include "rt/base/os.h"

#include <sys/mman.h>

#define PAGE_SHIFT MPRT_HEAP_PAGE_SHIFT
#define FINE_CLASSES MPRT_HEAP_FINE_CLASSES

/* A thread caches one free large slot of up to this many pages. */
#define LARGE_CACHED_PAGES 32

struct class
{
    _Atomic uint64_t batches;     /* head of the stack, see HEAD_* */
    _Atomic uint64_t free_count;  /* slots in the stack */
    _Atomic uint64_t slots_count; /* slots ever carved from spans */
    struct mprt_lock lock;        /* protects the members below */
    uint32_t left;
    struct mprt_run *span; /* slots are carved from this span */
    char *bump;
} __attribute__((aligned(64)));

/* A head: a slot's number, from 1 (0: none), and a count of changes. */
#define HEAD_NUMBER_BITS 38
#define HEAD_NUMBER_MASK ((UINT64_C(1) << HEAD_NUMBER_BITS) - 1)
_Static_assert(MPRT_HEAP_REGION_BYTES / MPRT_HEAP_ALIGN <= HEAD_NUMBER_MASK,
               "every slot has a number");

static struct class classes[MPRT_HEAP_CLASSES];

static _Atomic uint32_t
    large_pages; /* pages of large slots, in use or cached */

/* -- locks ----------------------------------------------------------------- */

static uint64_t enter(struct mprt_lock *lock)
{
    const uint64_t signals = mprt_os_block_signals();

    mprt_lock_acquire(lock);
    return signals;
}

static void leave(struct mprt_lock *lock, uint64_t signals)
{
    mprt_lock_release(lock);
    mprt_os_restore_signals(signals);
}

/* Header of a slot of this class. */
static struct mprt_heap_free *header_of(unsigned class, const void *memory)
{
    const struct mprt_class *const c = &mprt_classes[class];
    const uint32_t page = mprt_runs_page(memory);
    char *const span =
        mprt_runs_start(class < FINE_CLASSES ? page : mprt_runs[page].first);
    const uint64_t i = mprt_classes_index(
        c, (uint32_t)((const char *)memory - span) - c->first);

    return (struct mprt_heap_free *)(void *)(span + i * c->stride);
}

/* Locks are held with signals blocked, so this thread holds none. */
void mprt_heap_before_fork(bool is_outermost)
{
    (void)is_outermost;
    for (unsigned class = 0; class < MPRT_HEAP_CLASSES; class ++)
        mprt_lock_acquire(&classes[class].lock);
    mprt_runs_before_fork();
}

void mprt_heap_after_fork(bool is_child, bool is_outermost)
{
    (void)is_outermost;
    mprt_runs_after_fork(is_child);
    for (unsigned class = 0; class < MPRT_HEAP_CLASSES; class ++)
        mprt_lock_after_fork(&classes[class].lock, is_child, true);
}

void mprt_heap_init(void)
{
    mprt_classes_init();
    mprt_runs_init();
    mprt_heap_small = mprt_memory_reserve(MPRT_RUNS_PAGES);
    if (mprt_heap_small == NULL)
        mprt_memory_give_up("the heap");
}

/* -- small slots ----------------------------------------------------------- */

/* Pushes a batch onto the class's stack. */
static void push_batch(unsigned class, void *first, uint64_t count)
{
    struct class *const c = &classes[class];
    struct mprt_heap_free *const header = header_of(class, first);
    const uint64_t number =
        (uint64_t)((char *)first - mprt_runs_region) / MPRT_HEAP_ALIGN + 1;
    uint64_t head = MPRT_LOAD(c->batches);

    do {
        MPRT_STORE(header->batch,
                   (head & HEAD_NUMBER_MASK) | count << HEAD_NUMBER_BITS);
        /* Pairs with the acquire in pop_batch(), which reads the batch. */
    } while (!atomic_compare_exchange_weak_explicit(
        &c->batches, &head,
        ((head & ~HEAD_NUMBER_MASK) + HEAD_NUMBER_MASK + 1) | number,
        memory_order_release, memory_order_relaxed));
    MPRT_ADD(c->free_count, count);
}

/* Pops a batch from the class's stack, or returns NULL. *count: its size. */
static void *pop_batch(unsigned class, uint32_t *count)
{
    struct class *const c = &classes[class];
    uint64_t head = MPRT_LOAD_ACQUIRE(c->batches);
    uint64_t batch;
    char *first;

    do {
        const uint64_t number = head & HEAD_NUMBER_MASK;
        if (number == 0)
            return NULL;
        first = mprt_runs_region + (number - 1) * MPRT_HEAP_ALIGN;
        /* Another thread may have popped and overwritten the batch. Then the
         * head has changed and the exchange fails. */
        batch = MPRT_LOAD(header_of(class, first)->batch);
    } while (!atomic_compare_exchange_weak_explicit(
        &c->batches, &head,
        ((head & ~HEAD_NUMBER_MASK) + HEAD_NUMBER_MASK + 1) |
            (batch & HEAD_NUMBER_MASK),
        memory_order_acquire, memory_order_acquire));
    *count = (uint32_t)(batch >> HEAD_NUMBER_BITS);
    atomic_fetch_sub_explicit(&c->free_count, *count, memory_order_relaxed);
    return first;
}

/* Marks all slots of a new span as never used. */
static void clear_headers(unsigned class, char *span)
{
    const struct mprt_class *const c = &mprt_classes[class];

    for (uint32_t i = 0; i < c->end / c->bytes; i++)
        mprt_libc_memset(span + (size_t)i * c->stride, 0,
                         MPRT_HEAP_HEADER_BYTES);
}

/* Adds a span to the class. Its lock is held. */
static bool add_span(unsigned class)
{
    struct class *const c = &classes[class];
    const uint32_t count = mprt_classes[class].pages;
    bool is_zero;

    const uint64_t signals = mprt_runs_enter();
    const uint32_t run =
        mprt_runs_take(count, MPRT_RUN_SMALL + class, false, &is_zero);
    if (run != 0) {
        const uint32_t first = run - 1;
        if (!is_zero)
            clear_headers(class, mprt_runs_start(first));
        MPRT_STORE(mprt_runs[first].carved, 0);
        for (uint32_t i = 1; i < count; i++) {
            mprt_runs[first + i].first = first;
            MPRT_STORE(mprt_runs[first + i].kind, MPRT_RUN_SMALL + class);
        }
        mprt_libc_memset(&mprt_heap_small[first], (int)class + 1, count);
    }
    mprt_runs_leave(signals);
    if (run == 0)
        return false;
    c->span = &mprt_runs[run - 1];
    c->bump = mprt_runs_start(run - 1) + mprt_classes[class].first;
    c->left = mprt_classes[class].end / mprt_classes[class].bytes;
    return true;
}

/* Makes a list of up to `want` new slots of the class. *got: their number. */
static void *carve_slots(unsigned class, uint32_t want, uint32_t *got)
{
    struct class *const c = &classes[class];
    const size_t bytes = mprt_classes[class].bytes;
    void *list = NULL;
    uint32_t n = 0;

    const uint64_t signals = enter(&c->lock);
    if (c->left != 0 || add_span(class)) {
        n = want < c->left ? want : c->left;
        list = c->bump;
        for (uint32_t i = 1; i < n; i++) {
            header_of(class, c->bump)->next = c->bump + bytes;
            c->bump += bytes;
        }
        header_of(class, c->bump)->next = NULL;
        c->bump += bytes;
        c->left -= n;
        MPRT_ADD(c->slots_count, n);
        /* Pairs with the acquire in mprt_heap_walk(). */
        atomic_fetch_add_explicit(&c->span->carved, n, memory_order_release);
    }
    leave(&c->lock, signals);
    *got = n;
    return list;
}

/* A batch of the class, or new slots. *got: their number. */
static void *take_slots(unsigned class, uint32_t *got)
{
    void *const list = pop_batch(class, got);

    return list != NULL ? list
                        : carve_slots(class, mprt_classes[class].batch, got);
}

/* mprt_heap_begin_cache() of this thread. */
static inline struct mprt_heap_cache *begin_cache(void)
{
    return mprt_heap_begin_cache(mprt_thread_current());
}

/* Allocates without a cache. */
static MPRT_NOINLINE void *alloc_one(unsigned class)
{
    uint32_t count;
    void *const list = take_slots(class, &count);

    if (list != NULL && count > 1)
        push_batch(class, header_of(class, list)->next, count - 1);
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
        list = take_slots(class, &got);
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
        cache->class[class].list = header_of(class, memory)->next;
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
    if (reserve != NULL)
        push_batch(class, reserve, mprt_classes[class].batch);
}

static void free_small(void *memory, unsigned class)
{
    struct mprt_heap_free *const header = header_of(class, memory);
    struct mprt_heap_cache *const cache = begin_cache();

    if (cache == NULL) {
        header->next = NULL;
        push_batch(class, memory, 1);
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

void mprt_heap_end_thread(struct mprt_thread *t)
{
    struct mprt_heap_cache *const cache = &t->heap;

    for (unsigned class = 0; class < MPRT_HEAP_CLASSES; class ++) {
        struct mprt_heap_cached *const cached = &cache->class[class];
        if (cached->list != NULL)
            push_batch(class, cached->list, cached->count);
        if (cached->reserve != NULL)
            push_batch(class, cached->reserve, mprt_classes[class].batch);
        cached->list = NULL;
        cached->reserve = NULL;
        cached->count = 0;
    }
    if (cache->large != NULL)
        give_large(mprt_runs_page(cache->large));
    cache->large = NULL;
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
                   : (struct mprt_heap_slot){memory, header_of(class, memory),
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
    uint64_t used = 0;
    uint64_t cached = 0;

    for (unsigned class = 0; class < MPRT_HEAP_CLASSES; class ++)
        used += (atomic_load(&classes[class].slots_count) -
                 atomic_load(&classes[class].free_count)) *
                mprt_classes[class].whole;
    MPRT_EACH_THREAD(t)
        cached += cached_bytes(&t->heap);
    const uint64_t signals = mprt_runs_enter();
    stats->heap_bytes = (uint64_t)mprt_runs_held_pages() << PAGE_SHIFT;
    mprt_runs_leave(signals);
    used += (uint64_t)atomic_load(&large_pages) << PAGE_SHIFT;
    stats->used_bytes = used > cached ? used - cached : 0;
    stats->free_bytes = stats->heap_bytes > stats->used_bytes
                            ? stats->heap_bytes - stats->used_bytes
                            : 0;
}
