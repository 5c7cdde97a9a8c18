/* heap.c -- memory for blocks: slots of whole granules in one reserved region.
 *
 * The region is cut into pages of 64 KiB and these into runs of pages: free,
 * one large slot, or a span of small slots of one class. Page descriptors lie
 * in an array beside the region; a bitmap marks where runs begin. Free runs
 * know whether their memory is zero ("clean") or was used ("dirty"); runs of
 * one kind are joined. Dirty runs are kept for the next large slot until there
 * are too many; then their memory goes back to the system and they are clean.
 *
 * Small slots lie as classes.c has it; the header of a large one is with the
 * descriptor of its first page.
 *
 * Small slots: each thread has a list per class and a batch in reserve, and
 * whole batches go between it and the class's shared stack of batches. A free
 * slot's header links it and holds what the stack needs; memory is not touched.
 * The header's last word is the owner's for ever (see block.c), and so are
 * spans their class's. The stack is lock-free: its head is a slot's number and
 * a count of changes, so that a head that was taken and came back meanwhile is
 * not taken for the same.
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

#define FINE_CLASSES MPRT_HEAP_FINE_CLASSES

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
    /* Of a large slot; kept when it has ended. */
    struct mprt_heap_free header;
};

/* Dirty pages that are kept: twice the largest slot that was freed, as libc
 * does, which is enough for a program that frees and asks again; and an eighth
 * of what is in use. */
#define DIRTY_PAGES_MIN 32
#define DIRTY_PAGES_MAX 512
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
#define HEAD_NUMBER_BITS 38
#define HEAD_NUMBER_MASK ((UINT64_C(1) << HEAD_NUMBER_BITS) - 1)
_Static_assert(REGION_BYTES / MPRT_HEAP_ALIGN <= HEAD_NUMBER_MASK,
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

static struct {
    struct mprt_lock lock;
    uint32_t top; /* pages ever used */
    uint32_t clean_pages;
    uint32_t dirty_pages;
    uint32_t large_pages; /* of large slots, in use or cached */
    uint32_t kept_pages;  /* see DIRTY_PAGES_MIN */
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

/* -- pages ----------------------------------------------------------------- */

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

/* Of a slot of this class. */
static struct mprt_heap_free *header_of(unsigned class, const void *memory)
{
    const struct mprt_class *const c = &mprt_classes[class];
    const uint32_t page = page_of(memory);
    char *const span =
        page_start(class < FINE_CLASSES ? page : pages[page].first);
    const uint64_t i = mprt_classes_index(
        c, (uint32_t)((const char *)memory - span) - c->first);

    return (struct mprt_heap_free *)(void *)(span + i * c->stride);
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
    mprt_classes_init();
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
static void push_batch(unsigned class, void *first, uint64_t count)
{
    struct class *const c = &classes[class];
    struct mprt_heap_free *const header = header_of(class, first);
    const uint64_t number =
        (uint64_t)((char *)first - mprt_heap_region) / MPRT_HEAP_ALIGN + 1;
    uint64_t head = atomic_load_explicit(&c->batches, memory_order_relaxed);

    do {
        atomic_store_explicit(&header->batch,
                              (head & HEAD_NUMBER_MASK) |
                                  count << HEAD_NUMBER_BITS,
                              memory_order_relaxed);
        /* Pairs with the acquire in pop_batch(): the batch is written. */
    } while (!atomic_compare_exchange_weak_explicit(
        &c->batches, &head,
        ((head & ~HEAD_NUMBER_MASK) + HEAD_NUMBER_MASK + 1) | number,
        memory_order_release, memory_order_relaxed));
    atomic_fetch_add_explicit(&c->free_count, count, memory_order_relaxed);
}

/* The batch on top of the stack, or NULL; its size in *count. */
static void *pop_batch(unsigned class, uint32_t *count)
{
    struct class *const c = &classes[class];
    uint64_t head = atomic_load_explicit(&c->batches, memory_order_acquire);
    uint64_t batch;
    char *first;

    do {
        const uint64_t number = head & HEAD_NUMBER_MASK;
        if (number == 0)
            return NULL;
        first = mprt_heap_region + (number - 1) * MPRT_HEAP_ALIGN;
        /* Others may have taken it and written to it: then the head has
         * changed. */
        batch = atomic_load_explicit(&header_of(class, first)->batch,
                                     memory_order_relaxed);
    } while (!atomic_compare_exchange_weak_explicit(
        &c->batches, &head,
        ((head & ~HEAD_NUMBER_MASK) + HEAD_NUMBER_MASK + 1) |
            (batch & HEAD_NUMBER_MASK),
        memory_order_acquire, memory_order_acquire));
    *count = (uint32_t)(batch >> HEAD_NUMBER_BITS);
    atomic_fetch_sub_explicit(&c->free_count, *count, memory_order_relaxed);
    return first;
}

/* No slot of a new span says that it held a block. */
static void clear_headers(unsigned class, char *span)
{
    const struct mprt_class *const c = &mprt_classes[class];

    for (uint32_t i = 0; i < c->end / c->bytes; i++)
        mprt_libc_memset(span + (size_t)i * c->stride, 0,
                         MPRT_HEAP_HEADER_BYTES);
}

/* A new span for the class, whose lock is held. */
static bool add_span(unsigned class)
{
    struct class *const c = &classes[class];
    const uint32_t count = mprt_classes[class].pages;
    bool is_zero;

    mprt_lock_acquire(&heap.lock);
    const uint32_t run = take_pages(count, KIND_SMALL + class, &is_zero);
    if (run != 0) {
        const uint32_t first = run - 1;
        if (!is_zero)
            clear_headers(class, page_start(first));
        atomic_store_explicit(&pages[first].carved, 0, memory_order_relaxed);
        for (uint32_t i = 1; i < count; i++) {
            pages[first + i].first = first;
            atomic_store_explicit(&pages[first + i].kind, KIND_SMALL + class,
                                  memory_order_relaxed);
        }
        mprt_libc_memset(&mprt_heap_small[first], (int)class + 1, count);
    }
    mprt_lock_release(&heap.lock);
    if (run == 0)
        return false;
    c->span = &pages[run - 1];
    c->bump = page_start(run - 1) + mprt_classes[class].first;
    c->left = mprt_classes[class].end / mprt_classes[class].bytes;
    return true;
}

/* Up to want new slots of the class as a list; how many in *got. */
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
        atomic_fetch_add_explicit(&c->slots_count, n, memory_order_relaxed);
        /* Pairs with the acquire in mprt_heap_walk(). */
        atomic_fetch_add_explicit(&c->span->carved, n, memory_order_release);
    }
    leave(&c->lock, signals);
    *got = n;
    return list;
}

/* A batch of the class, or some slots; how many in *got. */
static void *take_slots(unsigned class, uint32_t *got)
{
    void *const list = pop_batch(class, got);

    return list != NULL ? list
                        : carve_slots(class, mprt_classes[class].batch, got);
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
    void *const list = take_slots(class, &count);

    if (list != NULL && count > 1)
        push_batch(class, header_of(class, list)->next, count - 1);
    return list;
}

/* The thread's list has run out: the reserve, or slots from elsewhere. */
static __attribute__((noinline)) void *refill(struct mprt_heap_cache *cache,
                                              unsigned class)
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

/* Where mprt_heap_pop() found none. */
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

/* The thread's list is a whole batch: it becomes the reserve. */
static __attribute__((noinline)) void stash_batch(struct mprt_heap_cache *cache,
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
    /* Room for it first: the list is a batch at most. */
    if (cache->class[class].count >= mprt_classes[class].batch)
        stash_batch(cache, class);
    header->next = cache->class[class].list;
    cache->class[class].list = memory;
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
    const uint32_t count = pages[first].pages;

    const uint64_t signals = enter(&heap.lock);
    heap.large_pages -= count;
    heap.kept_pages = (uint32_t)mprof_min_u64(
        mprof_max_u64(heap.kept_pages, count), DIRTY_PAGES_MAX);
    add_free_run(first, count, KIND_DIRTY);
    const uint32_t used = heap.top - heap.clean_pages - heap.dirty_pages;
    const uint32_t limit =
        (uint32_t)mprof_max_u64(heap.kept_pages, DIRTY_PAGES_MIN) +
        (used >> DIRTY_USED_SHIFT);
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
        give_large(page_of(cache->large));
    cache->large = NULL;
}

/* -- the interface --------------------------------------------------------- */

/* The slot of this number in a span. */
static struct mprt_heap_slot small_slot(unsigned class, uint32_t first,
                                        uint64_t i)
{
    const struct mprt_class *const c = &mprt_classes[class];
    char *const span = page_start(first);

    return (struct mprt_heap_slot){span + c->first + i * c->bytes,
                                   span + i * c->stride, c->room};
}

static struct mprt_heap_slot large_slot(uint32_t first, uint32_t count)
{
    return (struct mprt_heap_slot){page_start(first), &pages[first].header,
                                   (size_t)count << PAGE_SHIFT};
}

static const struct mprt_heap_slot no_slot = {NULL, NULL, 0};

struct mprt_heap_slot mprt_heap_alloc(size_t bytes, bool *is_zero)
{
    if (bytes <= MPRT_HEAP_SMALL_BYTES_MAX) {
        const unsigned class = mprt_classes_of(bytes);
        void *const memory = alloc_small(class);
        *is_zero = false;
        return memory == NULL
                   ? no_slot
                   : (struct mprt_heap_slot){memory, header_of(class, memory),
                                             mprt_classes[class].room};
    }
    void *const memory =
        bytes <= REGION_BYTES ? alloc_large(bytes, is_zero) : NULL;
    if (memory == NULL)
        return no_slot;
    return large_slot(page_of(memory), pages[page_of(memory)].pages);
}

void mprt_heap_free(void *memory)
{
    const uint32_t page = page_of(memory);
    const uint32_t kind = kind_of(page);

    if (MPROF_LIKELY(kind >= KIND_SMALL))
        free_small(memory, kind - KIND_SMALL);
    else if (kind == KIND_LARGE)
        free_large(page);
}

size_t mprt_heap_room(const void *memory)
{
    const uint32_t page = page_of(memory);
    const uint32_t small = mprt_heap_small[page];

    return small != 0 ? mprt_classes[small - 1].room
                      : (size_t)pages[page].pages << PAGE_SHIFT;
}

/* In a span of small slots. Whatever is read, is in the region. */
static struct mprt_heap_slot small_slot_of(unsigned class, const void *p)
{
    const struct mprt_class *const c = &mprt_classes[class];
    const uint32_t first =
        class < FINE_CLASSES ? page_of(p) : pages[page_of(p)].first;
    const size_t distance =
        (size_t)((const char *)p - page_start(first)) - c->first;
    const uint64_t i = distance / c->bytes;

    if (distance >= c->end || distance - i * c->bytes >= c->room ||
        i >= atomic_load_explicit(&pages[first].carved, memory_order_acquire))
        return no_slot;
    return small_slot(class, first, i);
}

/* Without the lock: from before to after its life a slot's run starts at one
 * page, and no other where it lies. What is found of other runs may be old. */
static struct mprt_heap_slot large_slot_of(const void *p)
{
    const uint32_t page = page_of(p);
    const uint32_t first = page < __atomic_load_n(&heap.top, __ATOMIC_RELAXED)
                               ? last_start(page)
                               : page;
    const uint32_t count =
        __atomic_load_n(&pages[first].pages, __ATOMIC_RELAXED);

    return kind_of(first) == KIND_LARGE && page - first < count
               ? large_slot(first, count)
               : no_slot;
}

struct mprt_heap_slot mprt_heap_slot_of(const void *p)
{
    if (!mprt_heap_contains(p))
        return no_slot;
    const uint32_t small = mprt_heap_small[page_of(p)];

    return small != 0 ? small_slot_of(small - 1, p) : large_slot_of(p);
}

/* Memory of large slots begins where a page does, and the descriptor of that
 * says by itself whether a block lives there: headers are kept. */
void *mprt_heap_coarse_header_at(void *p)
{
    const uint32_t page = page_of(p);
    const uint32_t small = mprt_heap_small[page];

    if (small == 0)
        return p == page_start(page) ? &pages[page].header : NULL;
    const struct mprt_heap_slot slot = small_slot_of(small - 1, p);
    return p == slot.memory ? slot.header : NULL;
}

static void visit_span(uint32_t first, unsigned class,
                       void (*visit)(void *context,
                                     const struct mprt_heap_slot *slot),
                       void *context)
{
    /* Pairs with the release in carve_slots(). */
    const uint32_t carved =
        atomic_load_explicit(&pages[first].carved, memory_order_acquire);

    for (uint32_t i = 0; i < carved; i++) {
        const struct mprt_heap_slot slot = small_slot(class, first, i);
        visit(context, &slot);
    }
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
                      void (*visit)(void *context,
                                    const struct mprt_heap_slot *slot),
                      void *context)
{
    if (run.kind == KIND_LARGE) {
        const struct mprt_heap_slot slot = large_slot(run.first, run.pages);
        visit(context, &slot);
    }
    if (run.kind >= KIND_SMALL)
        visit_span(run.first, run.kind - KIND_SMALL, visit, context);
}

void mprt_heap_walk(void (*visit)(void *context,
                                  const struct mprt_heap_slot *slot),
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

void mprt_heap_walk_held(void (*visit)(void *context,
                                       const struct mprt_heap_slot *slot),
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
            (cached->reserve != NULL ? mprt_classes[class].batch : 0u);
        bytes += count * mprt_classes[class].whole;
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
                mprt_classes[class].whole;
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
