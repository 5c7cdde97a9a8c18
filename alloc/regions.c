/* regions.c -- reserves the ranges and gives their pages to jemalloc and to
 * pools.
 *
 * Pages are handed out in order of address. jemalloc never returns address
 * space; it keeps it for later and returns only the memory behind it to the
 * system. No function here takes a lock, so a child of fork() finds a
 * consistent state.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <jemalloc/jemalloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "alloc/huge.h"
#include "alloc/regions.h"
#include "shared/alloc_options.h"

/* Sizes to try for a range. Address space is free; a program that limits it
 * gets no ranges. */
#define EACH_BYTES_MOST ((size_t)1 << 38)
#define EACH_BYTES_LEAST ((size_t)1 << 28)
/* Hot blocks and pools have huge pages if they take more than this: walks over
 * more memory than the processor has translations for wait for those most. Up
 * to MPALLOC_HUGE_BYTES - 1 more are resident. */
#define HUGE_FROM ((size_t)4 << 20)
/* Number of "all arenas" in names for je_mallctl(). */
#define ALL_ARENAS "4096"
/* Pools' size from which, and the share of it by which, jemalloc's freed pages
 * matter. */
#define PURGE_FROM ((size_t)8 << 20)
#define PURGE_SHARE 16

struct mpalloc_ranges mpalloc_ranges;

struct region {
    uintptr_t begin;
    _Atomic uintptr_t next; /* everything below is handed out */
    _Atomic uintptr_t open; /* everything below is accessible */
    uintptr_t end;
    unsigned arena; /* if the region has one, and it is usable */
    bool usable;
};
static struct region regions[MPALLOC_REGIONS];
static atomic_bool forbidden;
/* Advice for madvise() about cold pages; 0 for none. */
static int cold_advice;
static bool may_be_huge; /* not with MALLOC_CONF=thp:never */

/* -- jemalloc's hooks for pages -------------------------------------------- */

/* Advises the kernel about all cold pages below `end`. Called when jemalloc
 * takes more cold pages, because it has then finished with the earlier ones. */
static void advise_cold(const struct region *region, uintptr_t end)
{
    const uintptr_t begin = mpalloc_ranges.base;

    if (region == &regions[MPALLOC_COLD] && cold_advice != 0 && end > begin)
        madvise((void *)begin, end - begin, cold_advice);
}

/* Lets the program access the pages up to `at + size`. A huge page needs all of
 * its addresses accessible before the first is touched, and saves 31 of 32
 * calls of the kernel for the spans of pools. */
static bool open_pages(struct region *region, uintptr_t at, size_t size)
{
    const bool is_huge = region != &regions[MPALLOC_COLD] && may_be_huge &&
                         at + size - region->begin > HUGE_FROM;
    const uintptr_t mask = is_huge ? MPALLOC_HUGE_BYTES - 1 : 0;
    const uintptr_t end = (at + size + mask) & ~mask;
    uintptr_t open = atomic_load(&region->open);

    if (at + size <= open)
        return true;
    /* From `open`, not from `at`: below it all pages must be accessible. */
    const uintptr_t begin = open & ~mask;
    if (mprotect((void *)begin, end - begin, PROT_READ | PROT_WRITE) != 0)
        return false;
    while (open < end &&
           !atomic_compare_exchange_weak(&region->open, &open, end))
        ;
    if (is_huge)
        mpalloc_huge_request((void *)begin, end - begin, (void *)at);
    return true;
}

static void *take_pages(struct region *region, size_t size, size_t alignment)
{
    uintptr_t next = atomic_load(&region->next), at = 0;

    do {
        at = (next + alignment - 1) & ~(uintptr_t)(alignment - 1);
        if (at < next || at > region->end || size > region->end - at)
            return NULL;
    } while (!atomic_compare_exchange_weak(&region->next, &next, at + size));
    if (!open_pages(region, at, size))
        return NULL;
    advise_cold(region, at);
    return (void *)at;
}

static void *alloc_in(enum mpalloc_region which, void *wanted, size_t size,
                      size_t alignment, bool *zero, bool *commit)
{
    if (wanted != NULL)
        return NULL;
    const int saved_errno = errno;
    void *const p = take_pages(&regions[which], size, alignment);

    errno = saved_errno;
    if (p != NULL)
        *zero = *commit = true;
    return p;
}

static void *alloc_cold(extent_hooks_t *hooks, void *wanted, size_t size,
                        size_t alignment, bool *zero, bool *commit,
                        unsigned arena)
{
    (void)hooks, (void)arena;
    return alloc_in(MPALLOC_COLD, wanted, size, alignment, zero, commit);
}

static void *alloc_hot(extent_hooks_t *hooks, void *wanted, size_t size,
                       size_t alignment, bool *zero, bool *commit,
                       unsigned arena)
{
    (void)hooks, (void)arena;
    return alloc_in(MPALLOC_HOT, wanted, size, alignment, zero, commit);
}

static bool purge(extent_hooks_t *hooks, void *p, size_t size, size_t offset,
                  size_t length, unsigned arena)
{
    (void)hooks, (void)size, (void)arena;
    return madvise((char *)p + offset, length, MADV_DONTNEED) != 0;
}

static bool split(extent_hooks_t *hooks, void *p, size_t size, size_t a,
                  size_t b, bool committed, unsigned arena)
{
    (void)hooks, (void)p, (void)size, (void)a, (void)b, (void)committed;
    (void)arena;
    return false;
}

static bool merge(extent_hooks_t *hooks, void *p, size_t p_size, void *q,
                  size_t q_size, bool committed, unsigned arena)
{
    (void)hooks, (void)p, (void)p_size, (void)q, (void)q_size;
    (void)committed, (void)arena;
    return false;
}

/* jemalloc treats a hook that is NULL as one that refuses: pages are neither
 * unmapped nor decommitted, and purged at once instead of lazily. */
static extent_hooks_t hooks[MPALLOC_ARENAS] = {
    [MPALLOC_COLD] = {.alloc = alloc_cold,
                      .purge_forced = purge,
                      .split = split,
                      .merge = merge},
    [MPALLOC_HOT] = {.alloc = alloc_hot,
                     .purge_forced = purge,
                     .split = split,
                     .merge = merge},
};

/* -- start ----------------------------------------------------------------- */

static int advice_by_name(const char *word)
{
#define ADVICE(name, number, help)            \
    if (word != NULL && !strcmp(word, #name)) \
        return number;
    MPROF_ALLOC_COLD_PAGES(ADVICE)
#undef ADVICE
    return 0;
}

static bool reserve(size_t each_bytes)
{
    void *const p =
        mmap(NULL, MPALLOC_REGIONS * each_bytes + MPALLOC_HUGE_BYTES, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        return false;
    const uintptr_t base = ((uintptr_t)p + MPALLOC_HUGE_BYTES - 1) &
                           ~(uintptr_t)(MPALLOC_HUGE_BYTES - 1);

    for (unsigned i = 0; i < MPALLOC_REGIONS; i++) {
        regions[i].begin = base + i * each_bytes;
        regions[i].next = regions[i].open = regions[i].begin;
        regions[i].end = regions[i].begin + each_bytes;
    }
    mpalloc_ranges.base = base;
    mpalloc_ranges.each_bytes = each_bytes;
    return true;
}

static void make_arena(enum mpalloc_region which)
{
    extent_hooks_t *own = &hooks[which];
    size_t size = sizeof(regions[which].arena);

    regions[which].usable = mpalloc_ranges.each_bytes != 0 &&
                            je_mallctl("arenas.create", &regions[which].arena,
                                       &size, &own, sizeof(own)) == 0;
}

/* Cold blocks are rarely allocated, so jemalloc would keep their freed pages
 * for long: mpalloc_regions_purge_cold() returns them. */
static void make_cold(void)
{
    char name[64];
    ssize_t decay_ms = -1;

    make_arena(MPALLOC_COLD);
    snprintf(name, sizeof(name), "arena.%u.dirty_decay_ms",
             regions[MPALLOC_COLD].arena);
    if (regions[MPALLOC_COLD].usable)
        (void)je_mallctl(name, NULL, NULL, &decay_ms, sizeof(decay_ms));
}

void mpalloc_regions_purge_cold(void)
{
    char name[64];

    snprintf(name, sizeof(name), "arena.%u.purge", regions[MPALLOC_COLD].arena);
    (void)je_mallctl(name, NULL, NULL, NULL, 0);
}

static void make_hot(void)
{
    make_arena(MPALLOC_HOT);
}

static void start(void)
{
    struct rlimit limit;

    if (atomic_load(&forbidden))
        return;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY)
        return;
    may_be_huge = mpalloc_huge_is_allowed();
    cold_advice = advice_by_name(secure_getenv(MPROF_ALLOC_COLD_VARIABLE));
    for (size_t each = EACH_BYTES_MOST; !reserve(each); each /= 2) {
        if (each <= EACH_BYTES_LEAST)
            return;
    }
}

void mpalloc_regions_forbid(void)
{
    atomic_store(&forbidden, true);
}

static void start_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, start);
}

/* jemalloc keeps freed pages for its own blocks. If these pages have more than
 * a share of the pools' size, the system gets them back: without pools the
 * pools' blocks would have used them. */
static void purge_freed(size_t pooled_bytes)
{
    uint64_t epoch = 1; /* a new one: jemalloc counts again */
    ssize_t decay_ms = 0;
    size_t pages = 0, size = sizeof(decay_ms);

    if (je_mallctl("opt.dirty_decay_ms", &decay_ms, &size, NULL, 0) != 0 ||
        decay_ms != MPALLOC_DECAY_DEFAULT_MS) /* MALLOC_CONF says how long */
        return;
    je_mallctl("epoch", NULL, NULL, &epoch, sizeof(epoch));
    if (je_mallctl("stats.arenas." ALL_ARENAS ".pdirty", &pages, &size, NULL,
                   0) == 0 &&
        pages * MPALLOC_PAGE_BYTES > pooled_bytes / PURGE_SHARE)
        je_mallctl("arena." ALL_ARENAS ".purge", NULL, NULL, NULL, 0);
}

/* Looks each time that the pools have grown by the share. */
static void purge_as_pools_grow(void)
{
    static _Atomic size_t look_at = PURGE_FROM;
    const struct region *const region = &regions[MPALLOC_POOLED];
    const size_t bytes = atomic_load(&region->next) - region->begin;
    size_t at = atomic_load(&look_at);

    if (bytes >= at && atomic_compare_exchange_strong(
                           &look_at, &at, bytes + bytes / PURGE_SHARE))
        purge_freed(bytes);
}

void *mpalloc_regions_pages(size_t size)
{
    const int saved_errno = errno;
    void *p = NULL;

    start_once();
    if (mpalloc_ranges.each_bytes != 0 && !atomic_load(&forbidden)) {
        p = take_pages(&regions[MPALLOC_POOLED], size, size);
        purge_as_pools_grow();
    }
    errno = saved_errno;
    return p;
}

bool mpalloc_regions_arena(enum mpalloc_region region, unsigned *arena)
{
    static pthread_once_t onces[MPALLOC_ARENAS] = {PTHREAD_ONCE_INIT,
                                                   PTHREAD_ONCE_INIT};
    static void (*const make[MPALLOC_ARENAS])(void) = {
        [MPALLOC_COLD] = make_cold, [MPALLOC_HOT] = make_hot};
    const int saved_errno = errno;

    /* Arenas are made only when needed: each costs about 100 KiB. */
    start_once();
    pthread_once(&onces[region], make[region]);
    errno = saved_errno;
    *arena = regions[region].arena;
    return regions[region].usable && !atomic_load(&forbidden);
}
