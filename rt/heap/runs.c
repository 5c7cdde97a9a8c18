/* runs.c -- the region that holds all blocks, and its runs of pages.
 *
 * Page descriptors lie in an array beside the region; a bitmap marks where runs
 * begin. A free run is clean (zero), stale or dirty (used before); neighbouring
 * free runs of one kind are joined.
 *
 * Pages above the top are inaccessible except for a few, so that neither core
 * dumps nor RLIMIT_DATA include unused memory.
 *
 * A new block must not inherit what the program did to the pages of an older
 * one: it may have locked or protected them, or mapped a file over them. Memory
 * that is given back is therefore mapped anew, and counts as zero only if that
 * succeeded. We give back what libc would unmap: a large slot that was larger
 * than all slots freed before, or than KEPT_PAGES_MAX, or that was requested
 * with page alignment. Other large slots become dirty runs, which are kept
 * until there are too many.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/heap/runs.h"
#include "rt/base/lock.h"
#include "rt/base/memory.h"
#include "rt/base/os.h"

#define PAGE_SHIFT MPRT_HEAP_PAGE_SHIFT
#define PAGES MPRT_RUNS_PAGES

/* Limit of dirty pages: the size of the largest freed slot, but at least
 * DIRTY_PAGES_MIN and at most KEPT_PAGES_MAX, which suffices for a program that
 * frees and allocates again; plus an eighth of the pages in use. Above it, half
 * of that is kept. */
#define DIRTY_PAGES_MIN 32
#define KEPT_PAGES_MAX 512
#define DIRTY_USED_SHIFT 3

/* Number of pages to make accessible at a time: at least this, or an eighth of
 * the accessible pages. Few, because core dumps visit each page, and because
 * the heap of a small program must not contain a whole huge page. */
#define OPEN_PAGES_MIN 16
#define OPEN_SHIFT 3
/* Number of pages to make accessible before the program forbids itself system
 * calls. */
#define OPEN_PAGES_SANDBOX ((uint32_t)1 << (33 - PAGE_SHIFT))

/* Lists of free runs: one for each short length, then one for each power of
 * two. */
#define EXACT_BINS 128
#define BINS (EXACT_BINS + 20)

struct bins {
    uint32_t head[BINS]; /* first page of the run + 1 */
    uint64_t used[(BINS + 63) / 64];
};

/* The upper half of the address space belongs to the kernel. */
char *mprt_runs_region = (char *)(UINTPTR_MAX / 2 + 1);
struct mprt_run *mprt_runs;
static _Atomic uint64_t *starts; /* bitmap of first pages */

static struct {
    struct mprt_lock lock;
    uint32_t top;         /* number of pages that were ever used */
    uint32_t opened;      /* number of accessible pages, at least top */
    uint32_t clean_pages; /* stale pages, too */
    uint32_t dirty_pages;
    /* size of the largest freed slot, see DIRTY_PAGES_MIN */
    uint32_t kept_pages;
    struct bins clean;
    struct bins dirty;
} heap;

void mprt_runs_init(void)
{
    mprt_runs_region = mprt_memory_reserve_closed(MPRT_HEAP_REGION_BYTES);
    mprt_runs = mprt_memory_reserve(PAGES * sizeof(*mprt_runs));
    starts = mprt_memory_reserve(PAGES / 8);
    if (mprt_runs_region == NULL || mprt_runs == NULL || starts == NULL)
        mprt_memory_give_up("the heap");
}

uint64_t mprt_runs_enter(void)
{
    const uint64_t signals = mprt_os_block_signals();

    mprt_lock_acquire(&heap.lock);
    return signals;
}

void mprt_runs_leave(uint64_t signals)
{
    mprt_lock_release(&heap.lock);
    mprt_os_restore_signals(signals);
}

void mprt_runs_before_fork(void)
{
    mprt_lock_acquire(&heap.lock);
}

void mprt_runs_after_fork(bool is_child)
{
    mprt_lock_after_fork(&heap.lock, is_child, true);
}

/* -- where runs begin ------------------------------------------------------ */

static void mark_start(uint32_t page, bool is_start)
{
    const uint64_t bit = UINT64_C(1) << (page % 64);

    if (is_start)
        atomic_fetch_or_explicit(&starts[page / 64], bit, memory_order_relaxed);
    else
        atomic_fetch_and_explicit(&starts[page / 64], ~bit,
                                  memory_order_relaxed);
}

uint32_t mprt_runs_next(uint32_t page)
{
    while (page < heap.top) {
        const uint64_t word = MPRT_LOAD(starts[page / 64]) >> (page % 64);
        if (word != 0)
            return page + (uint32_t)__builtin_ctzll(word);
        page = (page / 64 + 1) * 64;
    }
    return heap.top;
}

uint32_t mprt_runs_first(uint32_t page)
{
    uint32_t i = page / 64;
    uint64_t word =
        MPRT_LOAD(starts[i]) << (63 - page % 64) >> (63 - page % 64);

    if (page >= __atomic_load_n(&heap.top, __ATOMIC_RELAXED))
        return page;
    while (word == 0 && i != 0)
        word = MPRT_LOAD(starts[--i]);
    return i * 64 + 63 - (uint32_t)__builtin_clzll(word | 1);
}

static void set_run(uint32_t first, uint32_t count, uint32_t kind)
{
    struct mprt_run *const last = &mprt_runs[first + count - 1];

    mprt_runs[first].first = first;
    mprt_runs[first].pages = count;
    MPRT_STORE(mprt_runs[first].kind, kind);
    last->first = first;
    MPRT_STORE(last->kind, kind);
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
    return kind == MPRT_RUN_DIRTY ? &heap.dirty : &heap.clean;
}

static void unlink_run(uint32_t first)
{
    struct mprt_run *const run = &mprt_runs[first];
    const uint32_t kind = mprt_runs_kind(first);
    struct bins *const bins = bins_of(kind);
    const unsigned bin = bin_of(run->pages);

    if (run->prev != 0)
        mprt_runs[run->prev - 1].next = run->next;
    else
        bins->head[bin] = run->next;
    if (run->next != 0)
        mprt_runs[run->next - 1].prev = run->prev;
    if (bins->head[bin] == 0)
        bins->used[bin / 64] &= ~(UINT64_C(1) << (bin % 64));
    if (kind == MPRT_RUN_DIRTY)
        heap.dirty_pages -= run->pages;
    else
        heap.clean_pages -= run->pages;
}

static void link_run(uint32_t first, uint32_t count, uint32_t kind)
{
    struct bins *const bins = bins_of(kind);
    const unsigned bin = bin_of(count);

    set_run(first, count, kind);
    mprt_runs[first].prev = 0;
    mprt_runs[first].next = bins->head[bin];
    if (bins->head[bin] != 0)
        mprt_runs[bins->head[bin] - 1].prev = first + 1;
    bins->head[bin] = first + 1;
    bins->used[bin / 64] |= UINT64_C(1) << (bin % 64);
    if (kind == MPRT_RUN_DIRTY)
        heap.dirty_pages += count;
    else
        heap.clean_pages += count;
}

/* Links a free run into its list after joining it with free neighbours of the
 * same kind. */
static void add_free_run(uint32_t first, uint32_t count, uint32_t kind)
{
    if (first != 0 && mprt_runs_kind(first - 1) == kind) {
        const uint32_t before = mprt_runs[first - 1].first;
        unlink_run(before);
        mark_start(first, false);
        count += first - before;
        first = before;
    }
    if (first + count < heap.top && mprt_runs_kind(first + count) == kind) {
        const uint32_t after = first + count;
        unlink_run(after);
        mark_start(after, false);
        count += mprt_runs[after].pages;
    }
    link_run(first, count, kind);
}

/* Finds a free run of at least count pages. Returns its first page + 1, or 0.
 */
static uint32_t find_run(const struct bins *bins, uint32_t count)
{
    unsigned bin = bin_of(count);

    if (bin >= EXACT_BINS) {
        /* Runs in this list may be too short. */
        for (uint32_t run = bins->head[bin]; run != 0;
             run = mprt_runs[run - 1].next) {
            if (mprt_runs[run - 1].pages >= count)
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

/* Gives memory back to the system and returns the run's new kind. If the
 * program has forbidden itself to map memory, the old memory is reused. If only
 * this memory cannot be mapped, the program has sealed it; libc would lose it,
 * too. */
static uint32_t renew(char *start, size_t bytes)
{
    if (mprt_os_renew(start, bytes))
        return MPRT_RUN_CLEAN;
    mprt_os_discard(start, bytes);
    void *const other = mprt_os_map(bytes);
    if (other == NULL)
        return MPRT_RUN_STALE;
    mprt_os_unmap(other, bytes);
    return MPRT_RUN_LOST;
}

/* Releases the lock for a while. */
static void give_back(uint32_t first, uint32_t count)
{
    set_run(first, count, MPRT_RUN_BUSY);
    mprt_lock_release(&heap.lock);
    const uint32_t kind =
        renew(mprt_runs_start(first), (size_t)count << PAGE_SHIFT);
    mprt_lock_acquire(&heap.lock);
    if (kind == MPRT_RUN_LOST)
        set_run(first, count, kind);
    else
        add_free_run(first, count, kind);
}

/* Gives dirty runs back until at most `leave` dirty pages remain. */
static void clean_runs(uint32_t leave)
{
    while (heap.dirty_pages > leave) {
        unsigned bin = BINS - 1;
        while (heap.dirty.head[bin] == 0)
            bin--;
        const uint32_t first = heap.dirty.head[bin] - 1;
        unlink_run(first);
        give_back(first, mprt_runs[first].pages);
    }
}

bool mprt_runs_trim(void)
{
    const bool has_some = heap.dirty_pages != 0;

    clean_runs(0);
    return has_some;
}

/* Takes the first count pages of a free run. */
static void split_run(uint32_t first, uint32_t count)
{
    const uint32_t kind = mprt_runs_kind(first);
    const uint32_t rest = mprt_runs[first].pages - count;

    unlink_run(first);
    if (rest != 0)
        link_run(first + count, rest, kind);
}

/* Makes the pages below `top` accessible. False if a limit does not allow it.
 */
static bool open_to(uint32_t top)
{
    const uint32_t step =
        (uint32_t)mprof_max_u64(OPEN_PAGES_MIN, heap.opened >> OPEN_SHIFT);
    uint32_t ahead = (uint32_t)mprof_min_u64(
        mprof_max_u64(top, (uint64_t)heap.opened + step), PAGES);

    while (heap.opened < top) {
        if (mprt_memory_open(mprt_runs_start(heap.opened),
                             (size_t)(ahead - heap.opened) << PAGE_SHIFT))
            heap.opened = ahead;
        else if (ahead != top)
            ahead = top;
        else
            return false;
    }
    return true;
}

void mprt_runs_open_ahead(void)
{
    open_to((uint32_t)mprof_min_u64((uint64_t)heap.top + OPEN_PAGES_SANDBOX,
                                    PAGES));
}

uint32_t mprt_runs_take(uint32_t count, uint32_t kind, bool goes_back,
                        bool *is_zero)
{
    uint32_t run = goes_back ? 0 : find_run(&heap.dirty, count);

    if (run == 0)
        run = find_run(&heap.clean, count);
    if (run == 0 && PAGES - heap.top < count) {
        clean_runs(0);
        run = find_run(&heap.clean, count);
    }
    *is_zero = run == 0 || mprt_runs_kind(run - 1) == MPRT_RUN_CLEAN;
    if (run != 0) {
        split_run(run - 1, count);
    } else if (PAGES - heap.top >= count && open_to(heap.top + count)) {
        run = heap.top + 1;
        heap.top += count;
    } else {
        return 0;
    }
    mprt_runs[run - 1].goes_back = goes_back;
    set_run(run - 1, count, kind);
    return run;
}

bool mprt_runs_is_for_system(uint32_t count)
{
    return count > heap.kept_pages;
}

/* Frees pages at the end of a large slot, or all of it. */
static void end_pages(uint32_t first, uint32_t count, bool goes_back)
{
    if (goes_back)
        give_back(first, count);
    else
        add_free_run(first, count, MPRT_RUN_DIRTY);
    const uint32_t used = heap.top - heap.clean_pages - heap.dirty_pages;
    const uint32_t limit =
        (uint32_t)mprof_max_u64(heap.kept_pages, DIRTY_PAGES_MIN) +
        (used >> DIRTY_USED_SHIFT);
    if (heap.dirty_pages > limit)
        clean_runs(limit / 2);
}

void mprt_runs_give(uint32_t first)
{
    const uint32_t count = mprt_runs[first].pages;

    if (count <= KEPT_PAGES_MAX)
        heap.kept_pages = (uint32_t)mprof_max_u64(heap.kept_pages, count);
    end_pages(first, count, mprt_runs[first].goes_back);
}

/* Takes count pages right behind a run: the beginning of a free run, or pages
 * beyond the top. */
static bool take_behind(uint32_t page, uint32_t count, bool goes_back)
{
    const uint32_t kind =
        page < heap.top ? mprt_runs_kind(page) : MPRT_RUN_CLEAN;
    const bool is_free = kind == MPRT_RUN_CLEAN || kind == MPRT_RUN_STALE ||
                         (kind == MPRT_RUN_DIRTY && !goes_back);
    const uint32_t free = page < heap.top ? mprt_runs[page].pages : 0;

    if (!is_free ||
        (free < count && (page + free != heap.top || PAGES - page < count)) ||
        !open_to(page + count))
        return false;
    if (free != 0) {
        split_run(page, free < count ? free : count);
        mark_start(page, false);
    }
    if (page + count > heap.top)
        heap.top = page + count;
    return true;
}

bool mprt_runs_resize(uint32_t first, uint32_t count)
{
    const uint32_t have = mprt_runs[first].pages;
    const bool goes_back = mprt_runs[first].goes_back;

    if (count > have && !take_behind(first + have, count - have, goes_back))
        return false;
    set_run(first, count, MPRT_RUN_LARGE);
    if (count < have)
        end_pages(first + count, have - count, goes_back);
    return true;
}

uint32_t mprt_runs_top(void)
{
    return heap.top;
}

uint32_t mprt_runs_held_pages(void)
{
    return heap.top - heap.clean_pages;
}
