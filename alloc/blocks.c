/* blocks.c -- blocks of the regions. Each thread has a heap of pools, and a
 * jemalloc cache for cold and one for hot blocks: through the thread's ordinary
 * cache, a freed cold block would be reused as an ordinary one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <jemalloc/jemalloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "alloc/blocks.h"
#include "alloc/huge.h"
#include "alloc/pools.h"
#include "inc/memprof_hints.h"

/* When so many bytes of cold blocks were freed, the kernel gets their pages.
 * For each page by itself it would take too many calls of madvise(). */
#define COLD_PURGE_BYTES ((size_t)1 << 20)

/* A thread's flags for mallocx(). They are never 0 once made: even "no cache"
 * is a number other than 0 in MALLOCX_TCACHE(). */
struct thread {
    int flags[MPALLOC_ARENAS]; /* arena and cache for mallocx(); 0: not made */
    bool refused[MPALLOC_REGIONS];
    bool cached[MPALLOC_ARENAS];
    unsigned cache[MPALLOC_ARENAS];
    struct mpalloc_heap *heap; /* of pools; NULL: not made */
    bool ended; /* its destructors run: make no more caches and no heap */
};
static __thread struct thread thread __attribute__((tls_model("initial-exec")));

static pthread_key_t at_end;
static bool at_end_known;

static void end_thread(void *unused)
{
    (void)unused;
    thread.ended = true;
    if (thread.heap != NULL)
        mpalloc_pools_close(thread.heap);
    thread.heap = NULL;
    for (unsigned i = 0; i < MPALLOC_ARENAS; i++) {
        if (!thread.cached[i])
            continue;
        thread.cached[i] = false;
        thread.flags[i] &= ~MALLOCX_TCACHE(thread.cache[i]);
        thread.flags[i] |= MALLOCX_TCACHE_NONE;
        je_mallctl("tcache.destroy", NULL, NULL, &thread.cache[i],
                   sizeof(thread.cache[i]));
    }
}

static void make_key(void)
{
    at_end_known = pthread_key_create(&at_end, end_thread) == 0;
}

/* True if end_thread() will run. */
static bool watch_end(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_key);
    return !thread.ended && at_end_known &&
           pthread_setspecific(at_end, &thread) == 0;
}

/* jemalloc has a few thousand caches; further threads get none. */
static int make_cache(enum mpalloc_region region)
{
    unsigned *const cache = &thread.cache[region];
    size_t size = sizeof(*cache);

    if (!watch_end() || je_mallctl("tcache.create", cache, &size, NULL, 0) != 0)
        return MALLOCX_TCACHE_NONE;
    thread.cached[region] = true;
    return MALLOCX_TCACHE(*cache);
}

static __attribute__((noinline)) int begin_flags(enum mpalloc_region region)
{
    const int saved_errno = errno;
    unsigned arena = 0;

    if (thread.refused[region] || !mpalloc_regions_arena(region, &arena)) {
        thread.refused[region] = true;
        return 0;
    }
    thread.flags[region] = MALLOCX_ARENA(arena) | make_cache(region);
    errno = saved_errno;
    return thread.flags[region];
}

static inline int flags_of(enum mpalloc_region region)
{
    const int flags = thread.flags[region];

    return __builtin_expect(flags != 0, true) ? flags : begin_flags(region);
}

/* -- pools ----------------------------------------------------------------- */

static bool is_dense(uint8_t hint)
{
    return hint >= MEMPROF_HINT_DENSE_POOL(1);
}

static bool is_pool(uint8_t hint)
{
    return hint >= MEMPROF_HINT_POOL(1) && hint <= MEMPROF_HINT_DENSE_HOT;
}

/* Number of the pool, from 0 on. */
static unsigned pool_of(uint8_t hint)
{
    return hint -
           (is_dense(hint) ? MEMPROF_HINT_DENSE_POOL(1) : MEMPROF_HINT_POOL(1));
}

static __attribute__((noinline)) struct mpalloc_heap *begin_heap(void)
{
    const int saved_errno = errno;

    if (!thread.refused[MPALLOC_POOLED] && watch_end())
        thread.heap = mpalloc_pools_open();
    thread.refused[MPALLOC_POOLED] = thread.heap == NULL;
    errno = saved_errno;
    return thread.heap;
}

static inline void *new_in_pool(size_t size, size_t align, uint8_t hint)
{
    struct mpalloc_heap *const heap =
        __builtin_expect(thread.heap != NULL, true) ? thread.heap
                                                    : begin_heap();

    if (heap == NULL || size > MPROF_POOL_BYTES_MAX || align > MPALLOC_ALIGN)
        return NULL;
    return mpalloc_pools_new(heap, pool_of(hint), size,
                             !is_dense(hint) || align == MPALLOC_ALIGN);
}

/* Keeps a block in place if the size fits well. Otherwise the pool may be
 * wrong for it, and the alignment, if the program did not say so again. */
static void *fit(void *p, size_t size)
{
    const size_t has = mpalloc_pools_size(p);

    return size <= has && size > has / 2 && (uintptr_t)p % MPALLOC_ALIGN == 0
               ? p
               : NULL;
}

void *mpalloc_blocks_map(void *at, size_t size, int protection, int flags,
                         int fd, off_t offset)
{
    if (thread.heap != NULL && protection != PROT_NONE)
        mpalloc_pools_make_room(thread.heap, size);
    void *const p = mmap(at, size, protection, flags, fd, offset);

    if (p != MAP_FAILED && (protection & PROT_WRITE) != 0)
        mpalloc_huge_advise(p, size);
    return p;
}

/* -- all regions ----------------------------------------------------------- */

/* Only blocks that are certainly hot go to the hot region: an ambiguous hint
 * means that some of the blocks are not. */
enum mpalloc_region mpalloc_blocks_region(uint8_t hint)
{
    if (hint < MEMPROF_HINT_NOTCOLD)
        return MPALLOC_COLD;
    if (is_pool(hint))
        return MPALLOC_POOLED;
    return hint >= MEMPROF_HINT_HOT ? MPALLOC_HOT : MPALLOC_ORDINARY;
}

static __attribute__((noinline)) void *
new_in_arena(size_t size, size_t align, bool zero, enum mpalloc_region region)
{
    const int flags = region == MPALLOC_ORDINARY ? 0 : flags_of(region);

    if (flags == 0)
        return NULL;
    return je_mallocx(mpalloc_size(size),
                      flags |
                          (align > MPALLOC_ALIGN ? MALLOCX_ALIGN(align) : 0) |
                          (zero ? MALLOCX_ZERO : 0));
}

static inline void *new_block(size_t size, size_t align, bool zero,
                              uint8_t hint)
{
    if (!is_pool(hint))
        return new_in_arena(size, align, zero, mpalloc_blocks_region(hint));
    void *const p = new_in_pool(size, align, hint);

    return zero && p != NULL ? memset(p, 0, size) : p;
}

void *mpalloc_blocks_new(size_t size, size_t align, bool zero, uint8_t hint)
{
    return new_block(size, align, zero, hint);
}

void *mpalloc_blocks_new_plain(size_t size, uint8_t hint)
{
    return new_block(size, 1, false, hint);
}

static inline size_t cold_bytes_of(enum mpalloc_region region, void *p)
{
    return region == MPALLOC_COLD ? je_sallocx(p, 0) : 0;
}

/* By all threads: one that ends would leave what it has freed to nobody. */
static inline void note_freed(size_t cold_bytes)
{
    static _Atomic size_t freed;

    if (cold_bytes == 0 ||
        __builtin_expect(atomic_fetch_add_explicit(&freed, cold_bytes,
                                                   memory_order_relaxed) +
                                 cold_bytes <
                             COLD_PURGE_BYTES,
                         true))
        return;
    atomic_store_explicit(&freed, 0, memory_order_relaxed);
    mpalloc_regions_purge_cold();
}

static void *resize_in_arena(enum mpalloc_region region, void *p, size_t size)
{
    const size_t bytes = cold_bytes_of(region, p);
    void *const q = je_rallocx(p, mpalloc_size(size), flags_of(region));

    if (q != NULL && q != p)
        note_freed(bytes);
    return q;
}

void *mpalloc_blocks_resize(enum mpalloc_region region, void *p, size_t size)
{
    return region == MPALLOC_POOLED ? fit(p, size)
                                    : resize_in_arena(region, p, size);
}

void mpalloc_blocks_free(enum mpalloc_region region, void *p)
{
    if (region == MPALLOC_POOLED) {
        mpalloc_pools_free(thread.heap, p);
        return;
    }
    const int saved_errno = errno;
    const size_t bytes = cold_bytes_of(region, p);

    je_dallocx(p, flags_of(region));
    note_freed(bytes);
    errno = saved_errno;
}
