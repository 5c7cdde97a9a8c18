/* heap.c -- memory for blocks: slots of 64-byte multiples in one reserved
 * region.
 *
 * The region is cut into pages of 64 KiB and these into runs of pages: free,
 * one large slot, or a span of small slots of one class. Page descriptors lie
 * in an array beside the region; a bitmap marks where runs begin. Free runs
 * know whether their memory is zero ("clean") or was used ("dirty"); runs of
 * one kind are joined. Dirty runs are kept for the next large slot until there
 * are too many; then their memory goes back to the system and they are clean.
 *
 * Small slots: each thread has a list per class and a batch in reserve, and
 * whole batches go between it and the class's shared stack of batches. A free
 * slot's first word links it, the next two are the batch's in its first slot;
 * the owner of the slot must keep the state that others read (see block.c)
 * elsewhere. Spans stay with their class for ever. The stack is lock-free: its
 * head is a slot's number and a count of changes, so that a head that was taken
 * and came back meanwhile is not taken for the same.
 *
 * Whether an address is ours is a range check, and everything in the region can
 * be read at any time.
 *
 * Locks: a class's lock, then the page lock. Signals are blocked while one is
 * held, so that a handler may allocate wherever it interrupts: it finds the
 * cache busy at worst, and then does without. Locks are for new memory only.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/heap/heap.h"
#include "rt/base/libc.h"
#include "rt/base/lock.h"
#include "rt/base/log.h"
#include "rt/base/os.h"

#include <sys/mman.h>

#define REGION_BYTES MPRT_HEAP_REGION_BYTES
#define PAGE_SHIFT MPRT_HEAP_PAGE_SHIFT
#define PAGE_BYTES ((size_t)1 << PAGE_SHIFT)
#define PAGES (REGION_BYTES >> PAGE_SHIFT)

#define STEPS MPRT_HEAP_STEPS
#define SMALL_BYTES_MAX \
    ((size_t)MPROF_GRANULE_BYTES * STEPS << (MPRT_HEAP_CLASSES / STEPS - 1))
/* What may be left over at a span's end. */
#define SPAN_REST_SHIFT 3

enum kind {
    KIND_NONE, /* beyond the top, or inside a run */
    KIND_CLEAN,
    KIND_DIRTY,
    KIND_BUSY, /* a dirty run on its way to be clean */
    KIND_LARGE,
    KIND_SMALL /* + class */
};

/* Valid at the first and the last page of a run, and at every page of a span.
 */
struct page {
    _Atomic uint32_t kind;
    uint32_t first; /* of the run */
    uint32_t pages; /* of the run; only at its first page, as what follows */
    uint32_t prev;  /* free runs: the list */
    uint32_t next;
    _Atomic uint32_t carved; /* spans: slots handed out so far */
};

#define BATCH_BYTES ((size_t)16 << 10)
#define BATCH_MAX 64
#define BATCH_MIN 2

/* Dirty pages that are kept: 32 MiB and an eighth of what is in use. */
#define DIRTY_PAGES_MIN ((size_t)512)
#define DIRTY_USED_SHIFT 3

/* A thread keeps one freed large slot of up to this many pages. */
#define LARGE_CACHED_PAGES 32

/* Lists of free runs: by exact length, then by powers of two. */
#define EXACT_BINS 128
#define BINS (EXACT_BINS + 20)

struct class
{
    _Atomic uint64_t batches;     /* the stack's head, see HEAD_* */
    _Atomic uint64_t free_count;  /* slots in it */
    _Atomic uint64_t slots_count; /* ever carved */
    struct mprt_lock lock;        /* for what follows */
    uint32_t left;
    struct page *span; /* that slots are carved from */
    char *bump;
} __attribute__((aligned(64)));

/* A head: a slot's number from 1 (0: none), and how often it has changed. */
#define HEAD_NUMBER_BITS 37
#define HEAD_NUMBER_MASK ((UINT64_C(1) << HEAD_NUMBER_BITS) - 1)
_Static_assert(REGION_BYTES / MPROF_GRANULE_BYTES <= HEAD_NUMBER_MASK,
               "every slot has a number");

struct bins {
    uint32_t head[BINS]; /* page + 1 */
    uint64_t used[(BINS + 63) / 64];
};

/* The upper half of the address space is the kernel's. */
char *mprt_heap_region = (char *)(UINTPTR_MAX / 2 + 1);
static struct page *pages;
uint8_t *mprt_heap_small;
static _Atomic uint64_t *starts; /* bitmap */
static struct class classes[MPRT_HEAP_CLASSES];
uint8_t mprt_heap_batches[MPRT_HEAP_CLASSES];

static struct {
    struct mprt_lock lock;
    uint32_t top; /* pages ever used */
    uint32_t clean_pages;
    uint32_t dirty_pages;
    uint32_t large_pages; /* of large slots, in use or cached */
    struct bins clean;
    struct bins dirty;
} heap;

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

/* -- sizes ----------------------------------------------------------------- */

static unsigned class_of(size_t bytes)
{
    /* The last of its granules. */
    const size_t last = bytes != 0 ? (bytes - 1) / MPROF_GRANULE_BYTES : 0;

    if (last < STEPS)
        return (unsigned)last;
    /* The highest bit chooses the doubling, the next three the step. */
    const unsigned shift = 60 - (unsigned)__builtin_clzll(last);
    return STEPS * shift + (unsigned)(last >> shift);
}

static size_t class_bytes(unsigned class)
{
    if (class < STEPS)
        return (size_t)(class + 1) * MPROF_GRANULE_BYTES;
    const unsigned shift = class / STEPS - 1;
    return (size_t)(class % STEPS + STEPS + 1) * MPROF_GRANULE_BYTES << shift;
}

/* The fewest pages of which not more than an eighth is left over. */
static uint32_t span_pages(size_t bytes)
{
    size_t pages_count = (bytes + PAGE_BYTES - 1) >> PAGE_SHIFT;

    while ((pages_count << PAGE_SHIFT) % bytes > (pages_count << PAGE_SHIFT) >>
           SPAN_REST_SHIFT)
        pages_count++;
    return (uint32_t)pages_count;
}

static uint32_t batch_of(size_t bytes)
{
    const size_t n = BATCH_BYTES / bytes;

    return (uint32_t)(n > BATCH_MAX   ? BATCH_MAX
                      : n < BATCH_MIN ? BATCH_MIN
                                      : n);
}

static char *page_start(uint32_t page)
{
    return mprt_heap_region + ((size_t)page << PAGE_SHIFT);
}

static uint32_t page_of(const void *p)
{
    return (uint32_t)((size_t)((const char *)p - mprt_heap_region) >>
                      PAGE_SHIFT);
}

static uint32_t kind_of(uint32_t page)
{
    return atomic_load_explicit(&pages[page].kind, memory_order_relaxed);
}

/* The locks are held with signals blocked, so this thread holds none. */
void mprt_heap_before_fork(bool is_outermost)
{
    (void)is_outermost;
    for (unsigned class = 0; class < MPRT_HEAP_CLASSES; class ++)
        mprt_lock_acquire(&classes[class].lock);
    mprt_lock_acquire(&heap.lock);
}

void mprt_heap_after_fork(bool is_child, bool is_outermost)
{
    (void)is_outermost;
    mprt_lock_after_fork(&heap.lock, is_child, true);
    for (unsigned class = 0; class < MPRT_HEAP_CLASSES; class ++)
        mprt_lock_after_fork(&classes[class].lock, is_child, true);
}

void mprt_heap_init(void)
{
    for (unsigned class = 0; class < MPRT_HEAP_CLASSES; class ++)
        mprt_heap_batches[class] = (uint8_t)batch_of(class_bytes(class));
    mprt_heap_region = mprt_os_reserve_near(0, REGION_BYTES);
    pages = mprt_os_reserve(PAGES * sizeof(*pages));
    mprt_heap_small = mprt_os_reserve(PAGES);
    starts = mprt_os_reserve(PAGES / 8);
    if (mprt_heap_region == NULL || pages == NULL || mprt_heap_small == NULL ||
        starts == NULL)
        mprt_log_give_up("the heap");
}

/* -- runs of pages; the page lock is held ---------------------------------- */

static void mark_start(uint32_t page, bool is_start)
{
    const uint64_t bit = UINT64_C(1) << (page % 64);

    if (is_start)
        atomic_fetch_or_explicit(&starts[page / 64], bit, memory_order_relaxed);
    else
        atomic_fetch_and_explicit(&starts[page / 64], ~bit,
                                  memory_order_relaxed);
}

/* The first run start in [page, top), or top. */
static uint32_t next_start(uint32_t page)
{
    while (page < heap.top) {
        const uint64_t word =
            atomic_load_explicit(&starts[page / 64], memory_order_relaxed) >>
            (page % 64);
        if (word != 0)
            return page + (uint32_t)__builtin_ctzll(word);
        page = (page / 64 + 1) * 64;
    }
    return heap.top;
}

/* The last run start in [0, page]; there is one below the top. */
static uint32_t last_start(uint32_t page)
{
    uint32_t i = page / 64;
    uint64_t word = atomic_load_explicit(&starts[i], memory_order_relaxed)
                        << (63 - page % 64) >>
                    (63 - page % 64);

    while (word == 0 && i != 0)
        word = atomic_load_explicit(&starts[--i], memory_order_relaxed);
    return i * 64 + 63 - (uint32_t)__builtin_clzll(word | 1);
}

static void set_run(uint32_t first, uint32_t count, uint32_t kind)
{
    struct page *const last = &pages[first + count - 1];

    pages[first].first = first;
    pages[first].pages = count;
    atomic_store_explicit(&pages[first].kind, kind, memory_order_relaxed);
    last->first = first;
    atomic_store_explicit(&last->kind, kind, memory_order_relaxed);
    mark_start(first, true);
}

static unsigned bin_of(uint32_t count)
{
    if (count < EXACT_BINS)
        return count;
    return EXACT_BINS + 24 - (unsigned)__builtin_clz(count);
}

static struct bins *bins_of(uint32_t kind)
{
    return kind == KIND_CLEAN ? &heap.clean : &heap.dirty;
}

static void unlink_run(uint32_t first)
{
    struct page *const run = &pages[first];
    const uint32_t kind = kind_of(first);
    struct bins *const bins = bins_of(kind);
    const unsigned bin = bin_of(run->pages);

    if (run->prev != 0)
        pages[run->prev - 1].next = run->next;
    else
        bins->head[bin] = run->next;
    if (run->next != 0)
        pages[run->next - 1].prev = run->prev;
    if (bins->head[bin] == 0)
        bins->used[bin / 64] &= ~(UINT64_C(1) << (bin % 64));
    if (kind == KIND_CLEAN)
        heap.clean_pages -= run->pages;
    else
        heap.dirty_pages -= run->pages;
}

static void link_run(uint32_t first, uint32_t count, uint32_t kind)
{
    struct bins *const bins = bins_of(kind);
    const unsigned bin = bin_of(count);

    set_run(first, count, kind);
    pages[first].prev = 0;
    pages[first].next = bins->head[bin];
    if (bins->head[bin] != 0)
        pages[bins->head[bin] - 1].prev = first + 1;
    bins->head[bin] = first + 1;
    bins->used[bin / 64] |= UINT64_C(1) << (bin % 64);
    if (kind == KIND_CLEAN)
        heap.clean_pages += count;
    else
        heap.dirty_pages += count;
}

/* Puts a run on its list, joined with neighbours of its kind. */
static void add_free_run(uint32_t first, uint32_t count, uint32_t kind)
{
    if (first != 0 && kind_of(first - 1) == kind) {
        const uint32_t before = pages[first - 1].first;
        unlink_run(before);
        mark_start(first, false);
        count += first - before;
        first = before;
    }
    if (first + count < heap.top && kind_of(first + count) == kind) {
        const uint32_t after = first + count;
        unlink_run(after);
        mark_start(after, false);
        count += pages[after].pages;
    }
    link_run(first, count, kind);
}

/* The first page + 1 of a free run of at least count pages, or 0. */
static uint32_t find_run(const struct bins *bins, uint32_t count)
{
    unsigned bin = bin_of(count);

    if (bin >= EXACT_BINS) {
        /* Runs in this bin may be too short. */
        for (uint32_t run = bins->head[bin]; run != 0;
             run = pages[run - 1].next) {
            if (pages[run - 1].pages >= count)
                return run;
        }
        bin++;
    }
    for (unsigned i = bin / 64; i < MPROF_ARRAY_LEN(bins->used); i++) {
        uint64_t word = bins->used[i];
        if (i == bin / 64)
            word &= ~UINT64_C(0) << (bin % 64);
        if (word != 0)
            return bins->head[i * 64 + (unsigned)__builtin_ctzll(word)];
    }
    return 0;
}

/* Gives the memory of dirty runs back until few are left. Lets the lock go
 * meanwhile. */
static void clean_runs(uint32_t leave)
{
    while (heap.dirty_pages > leave) {
        unsigned bin = BINS - 1;
        while (heap.dirty.head[bin] == 0)
            bin--;
        const uint32_t first = heap.dirty.head[bin] - 1;
        const uint32_t count = pages[first].pages;
        unlink_run(first);
        set_run(first, count, KIND_BUSY);
        mprt_lock_release(&heap.lock);
        mprt_os_discard(page_start(first), (size_t)count << PAGE_SHIFT);
        mprt_lock_acquire(&heap.lock);
        add_free_run(first, count, KIND_CLEAN);
    }
}

/* Takes count pages out of the free run at first. */
static void split_run(uint32_t first, uint32_t count)
{
    const uint32_t kind = kind_of(first);
    const uint32_t rest = pages[first].pages - count;

    unlink_run(first);
    if (rest != 0)
        link_run(first + count, rest, kind);
}

/* count pages as a run of this kind: its first page + 1, or 0. */
static uint32_t take_pages(uint32_t count, uint32_t kind, bool *is_zero)
{
    uint32_t run = find_run(&heap.dirty, count);

    *is_zero = run == 0;
    if (run == 0)
        run = find_run(&heap.clean, count);
    if (run == 0 && PAGES - heap.top < count) {
        clean_runs(0);
        run = find_run(&heap.clean, count);
    }
    if (run != 0) {
        split_run(run - 1, count);
    } else if (PAGES - heap.top >= count) {
        run = heap.top + 1;
        heap.top += count;
    } else {
        return 0;
    }
    set_run(run - 1, count, kind);
    return run;
}

/* -- small slots ----------------------------------------------------------- */

/* The stack of batches holds this one too from now on. */
static void push_batch(struct class *c, struct mprt_heap_slot *first,
                       uint64_t count)
{
    const uint64_t number =
        (uint64_t)((char *)first - mprt_heap_region) / MPROF_GRANULE_BYTES + 1;
    uint64_t head = atomic_load_explicit(&c->batches, memory_order_relaxed);

    first->count = count;
    do {
        atomic_store_explicit(&first->below, head & HEAD_NUMBER_MASK,
                              memory_order_relaxed);
        /* Pairs with the acquire in pop_batch(): the batch is written. */
    } while (!atomic_compare_exchange_weak_explicit(
        &c->batches, &head,
        ((head & ~HEAD_NUMBER_MASK) + HEAD_NUMBER_MASK + 1) | number,
        memory_order_release, memory_order_relaxed));
    atomic_fetch_add_explicit(&c->free_count, count, memory_order_relaxed);
}

/* The batch on top of the stack, or NULL; its size in *count. */
static struct mprt_heap_slot *pop_batch(struct class *c, uint32_t *count)
{
    uint64_t head = atomic_load_explicit(&c->batches, memory_order_acquire);
    struct mprt_heap_slot *first;

    do {
        const uint64_t number = head & HEAD_NUMBER_MASK;
        if (number == 0)
            return NULL;
        first = (struct mprt_heap_slot *)(void *)(mprt_heap_region +
                                                  (number - 1) *
                                                      MPROF_GRANULE_BYTES);
        /* Others may have taken it and written to it: then the head has
         * changed. */
    } while (!atomic_compare_exchange_weak_explicit(
        &c->batches, &head,
        ((head & ~HEAD_NUMBER_MASK) + HEAD_NUMBER_MASK + 1) |
            (atomic_load_explicit(&first->below, memory_order_relaxed) &
             HEAD_NUMBER_MASK),
        memory_order_acquire, memory_order_acquire));
    *count = (uint32_t)first->count;
    atomic_fetch_sub_explicit(&c->free_count, *count, memory_order_relaxed);
    return first;
}

/* A new span for the class, whose lock is held. */
static bool add_span(unsigned class)
{
    struct class *const c = &classes[class];
    const size_t bytes = class_bytes(class);
    const uint32_t count = span_pages(bytes);
    bool is_zero;

    mprt_lock_acquire(&heap.lock);
    const uint32_t run = take_pages(count, KIND_SMALL + class, &is_zero);
    if (run != 0) {
        const uint32_t first = run - 1;
        atomic_store_explicit(&pages[first].carved, 0, memory_order_relaxed);
        mprt_libc_memset(&mprt_heap_small[first], (int)class + 1, count);
        for (uint32_t i = 1; i < count; i++) {
            pages[first + i].first = first;
            atomic_store_explicit(&pages[first + i].kind, KIND_SMALL + class,
                                  memory_order_relaxed);
        }
    }
    mprt_lock_release(&heap.lock);
    if (run == 0)
        return false;
    c->span = &pages[run - 1];
    c->bump = page_start(run - 1);
    c->left = (uint32_t)(((size_t)count << PAGE_SHIFT) / bytes);
    return true;
}

/* Up to want new slots of the class as a linked list; how many in *got. */
static struct mprt_heap_slot *carve_slots(unsigned class, uint32_t want,
                                          uint32_t *got)
{
    struct class *const c = &classes[class];
    const size_t bytes = class_bytes(class);
    struct mprt_heap_slot *list = NULL;
    uint32_t n = 0;

    const uint64_t signals = enter(&c->lock);
    if (c->left != 0 || add_span(class)) {
        n = want < c->left ? want : c->left;
        list = (struct mprt_heap_slot *)(void *)c->bump;
        for (uint32_t i = 1; i < n; i++) {
            struct mprt_heap_slot *const next =
                (struct mprt_heap_slot *)(void *)(c->bump + bytes);
            ((struct mprt_heap_slot *)(void *)c->bump)->next = next;
            c->bump += bytes;
        }
        ((struct mprt_heap_slot *)(void *)c->bump)->next = NULL;
        c->bump += bytes;
        c->left -= n;
        atomic_fetch_add_explicit(&c->slots_count, n, memory_order_relaxed);
        /* Pairs with the acquire in mprt_heap_walk(). */
        atomic_fetch_add_explicit(&c->span->carved, n, memory_order_release);
    }
    leave(&c->lock, signals);
    *got = n;
    return list;
}

/* A batch of the class, or some slots; how many in *got. */
static struct mprt_heap_slot *take_slots(unsigned class, uint32_t *got)
{
    struct mprt_heap_slot *const list = pop_batch(&classes[class], got);

    return list != NULL ? list
                        : carve_slots(class, mprt_heap_batches[class], got);
}

/* This thread's cache, or NULL where there is none or a signal interrupted its
 * use; mprt_heap_end_cache() must follow. */
static inline struct mprt_heap_cache *begin_cache(void)
{
    return mprt_heap_begin_cache(mprt_thread_current());
}

/* Without a cache. */
static __attribute__((noinline)) void *alloc_one(unsigned class)
{
    uint32_t count;
    struct mprt_heap_slot *const list = take_slots(class, &count);

    if (list != NULL && count > 1)
        push_batch(&classes[class], list->next, count - 1);
    return list;
}

/* The thread's list has run out: the reserve, or slots from elsewhere. */
static __attribute__((noinline)) struct mprt_heap_slot *
refill(struct mprt_heap_cache *cache, unsigned class)
{
    struct mprt_heap_slot *list = cache->class[class].reserve;
    uint32_t got = mprt_heap_batches[class];

    if (list != NULL)
        cache->class[class].reserve = NULL;
    else
        list = take_slots(class, &got);
    cache->class[class].count = got;
    return list;
}

/* Where mprt_heap_pop() found none. */
static void *alloc_small(unsigned class)
{
    struct mprt_heap_cache *const cache = begin_cache();

    if (cache == NULL)
        return alloc_one(class);
    struct mprt_heap_slot *slot = cache->class[class].list;
    if (slot == NULL)
        slot = refill(cache, class);
    if (slot != NULL) {
        cache->class[class].list = slot->next;
        cache->class[class].count--;
    }
    mprt_heap_end_cache(cache);
    return slot;
}

/* The thread's list is a whole batch: it becomes the reserve. */
static __attribute__((noinline)) void stash_batch(struct mprt_heap_cache *cache,
                                                  unsigned class)
{
    struct mprt_heap_slot *const reserve = cache->class[class].reserve;

    cache->class[class].reserve = cache->class[class].list;
    cache->class[class].list = NULL;
    cache->class[class].count = 0;
    if (reserve != NULL)
        push_batch(&classes[class], reserve, mprt_heap_batches[class]);
}

static void free_small(struct mprt_heap_slot *slot, unsigned class)
{
    struct mprt_heap_cache *const cache = begin_cache();

    if (cache == NULL) {
        slot->next = NULL;
        push_batch(&classes[class], slot, 1);
        return;
    }
    /* Room for it first: the list is a batch at most. */
    if (cache->class[class].count >= mprt_heap_batches[class])
        stash_batch(cache, class);
    slot->next = cache->class[class].list;
    cache->class[class].list = slot;
    cache->class[class].count++;
    mprt_heap_end_cache(cache);
}

/* -- large slots ----------------------------------------------------------- */

/* The thread's one cached slot, where it has just so many pages. */
static void *take_cached_large(size_t count)
{
    struct mprt_heap_cache *const cache = begin_cache();
    void *slot = NULL;

    if (cache == NULL)
        return NULL;
    if (cache->large != NULL && pages[page_of(cache->large)].pages == count) {
        slot = cache->large;
        cache->large = NULL;
    }
    mprt_heap_end_cache(cache);
    return slot;
}

/* A slot that is cached looks as if it were in use, like small ones: the block
 * in it has ended. */
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

static void *alloc_large(size_t bytes, bool *is_zero)
{
    const size_t count = (bytes + PAGE_BYTES - 1) >> PAGE_SHIFT;
    uint32_t run = 0;

    *is_zero = false;
    void *const cached =
        count <= LARGE_CACHED_PAGES ? take_cached_large(count) : NULL;
    if (cached != NULL)
        return cached;

    if (count < PAGES) {
        const uint64_t signals = enter(&heap.lock);
        run = take_pages((uint32_t)count, KIND_LARGE, is_zero);
        if (run != 0)
            heap.large_pages += (uint32_t)count;
        leave(&heap.lock, signals);
    }
    return run != 0 ? page_start(run - 1) : NULL;
}

static void give_large(uint32_t first)
{
    const uint64_t signals = enter(&heap.lock);
    heap.large_pages -= pages[first].pages;
    add_free_run(first, pages[first].pages, KIND_DIRTY);
    const uint32_t used = heap.top - heap.clean_pages - heap.dirty_pages;
    const uint32_t limit =
        (uint32_t)DIRTY_PAGES_MIN + (used >> DIRTY_USED_SHIFT);
    if (heap.dirty_pages > limit)
        clean_runs(limit / 2);
    leave(&heap.lock, signals);
}

static void free_large(uint32_t first)
{
    if (!cache_large(page_start(first), pages[first].pages))
        give_large(first);
}

void mprt_heap_end_thread(struct mprt_thread *t)
{
    struct mprt_heap_cache *const cache = &t->heap;

    for (unsigned class = 0; class < MPRT_HEAP_CLASSES; class ++) {
        struct class *const c = &classes[class];
        if (cache->class[class].list != NULL)
            push_batch(c, cache->class[class].list, cache->class[class].count);
        if (cache->class[class].reserve != NULL)
            push_batch(c, cache->class[class].reserve,
                       mprt_heap_batches[class]);
        cache->class[class].list = NULL;
        cache->class[class].reserve = NULL;
        cache->class[class].count = 0;
    }
    if (cache->large != NULL)
        give_large(page_of(cache->large));
    cache->large = NULL;
}

/* -- the interface --------------------------------------------------------- */

void *mprt_heap_alloc(size_t bytes, bool *is_zero)
{
    if (bytes <= SMALL_BYTES_MAX) {
        *is_zero = false;
        return alloc_small(class_of(bytes));
    }
    return bytes <= REGION_BYTES ? alloc_large(bytes, is_zero) : NULL;
}

void mprt_heap_free(void *p)
{
    const uint32_t page = page_of(p);
    const uint32_t kind = kind_of(page);

    if (MPROF_LIKELY(kind >= KIND_SMALL))
        free_small(p, kind - KIND_SMALL);
    else if (kind == KIND_LARGE)
        free_large(page);
}

size_t mprt_heap_slot_bytes(const void *slot)
{
    const uint32_t page = page_of(slot);
    const uint32_t kind = kind_of(page);

    return kind >= KIND_SMALL ? class_bytes(kind - KIND_SMALL)
                              : (size_t)pages[page].pages << PAGE_SHIFT;
}

void *mprt_heap_slot_of(const void *p, size_t *slot_bytes)
{
    if (!mprt_heap_contains(p))
        return NULL;
    const uint64_t signals = enter(&heap.lock);
    const uint32_t page = page_of(p);
    const uint32_t first = page < heap.top ? last_start(page) : page;
    const uint32_t kind = page < heap.top ? kind_of(first) : KIND_NONE;
    const uint32_t count = pages[first].pages;
    leave(&heap.lock, signals);
    if (kind == KIND_LARGE) {
        *slot_bytes = (size_t)count << PAGE_SHIFT;
        return page_start(first);
    }
    if (kind < KIND_SMALL)
        return NULL;
    const size_t bytes = class_bytes(kind - KIND_SMALL);
    const size_t slot = (size_t)((const char *)p - page_start(first)) / bytes;
    if (slot >=
        atomic_load_explicit(&pages[first].carved, memory_order_acquire))
        return NULL;
    *slot_bytes = bytes;
    return page_start(first) + slot * bytes;
}

/* A run and how long it is; 0 pages: there is none from page on. The lock is
 * held. */
struct run {
    uint32_t first;
    uint32_t pages;
    uint32_t kind;
};

static struct run next_run(uint32_t page)
{
    const uint32_t first = next_start(page);

    if (first >= heap.top)
        return (struct run){.pages = 0};
    return (struct run){first, pages[first].pages, kind_of(first)};
}

static void visit_run(struct run run,
                      void (*visit)(void *context, void *slot, size_t bytes),
                      void *context)
{
    if (run.kind == KIND_LARGE)
        visit(context, page_start(run.first), (size_t)run.pages << PAGE_SHIFT);
    if (run.kind < KIND_SMALL)
        return;
    const size_t bytes = class_bytes(run.kind - KIND_SMALL);
    /* Pairs with the release in take_slots(). */
    const uint32_t carved =
        atomic_load_explicit(&pages[run.first].carved, memory_order_acquire);
    for (uint32_t i = 0; i < carved; i++)
        visit(context, page_start(run.first) + i * bytes, bytes);
}

void mprt_heap_walk(void (*visit)(void *context, void *slot, size_t bytes),
                    void *context)
{
    struct run run = {.first = 0};

    for (;;) {
        /* The lock makes the step from run to run exact; a run may change while
         * it is visited, but what lives on stays where it is. */
        const uint64_t signals = enter(&heap.lock);
        run = next_run(run.first + run.pages);
        leave(&heap.lock, signals);
        if (run.pages == 0)
            return;
        visit_run(run, visit, context);
    }
}

void mprt_heap_walk_held(void (*visit)(void *context, void *slot, size_t bytes),
                         void *context)
{
    for (struct run run = next_run(0); run.pages != 0;
         run = next_run(run.first + run.pages))
        visit_run(run, visit, context);
}

/* Bytes of the free slots that a thread keeps; a moment ago, if it is another.
 */
static uint64_t cached_bytes(const struct mprt_heap_cache *cache)
{
    uint64_t bytes = 0;

    for (unsigned class = 0; class < MPRT_HEAP_CLASSES; class ++) {
        const volatile struct mprt_heap_cached *const cached =
            &cache->class[class];
        const uint64_t count =
            cached->count +
            (cached->reserve != NULL ? mprt_heap_batches[class] : 0u);
        bytes += count * class_bytes(class);
    }
    void *const large = *(void *const volatile *)&cache->large;
    if (large != NULL)
        bytes += (uint64_t)pages[page_of(large)].pages << PAGE_SHIFT;
    return bytes;
}

void mprt_heap_stats(struct mprt_heap_stats *stats)
{
    uint64_t used = 0;
    uint64_t cached = 0;

    for (unsigned class = 0; class < MPRT_HEAP_CLASSES; class ++)
        used += (atomic_load(&classes[class].slots_count) -
                 atomic_load(&classes[class].free_count)) *
                class_bytes(class);
    for (const struct mprt_thread *t = mprt_thread_first(); t != NULL;
         t = t->next_all)
        cached += cached_bytes(&t->heap);
    const uint64_t signals = enter(&heap.lock);
    stats->heap_bytes = (uint64_t)(heap.top - heap.clean_pages) << PAGE_SHIFT;
    used += (uint64_t)heap.large_pages << PAGE_SHIFT;
    leave(&heap.lock, signals);
    stats->used_bytes = used > cached ? used - cached : 0;
    stats->free_bytes = stats->heap_bytes > stats->used_bytes
                            ? stats->heap_bytes - stats->used_bytes
                            : 0;
}
