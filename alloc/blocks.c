/* blocks.c -- blocks of the cold and hot regions. Each thread has a jemalloc
 * cache for each region: through the thread's ordinary cache, a freed cold
 * block would be reused as an ordinary one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <jemalloc/jemalloc.h>
#include <pthread.h>

#include "alloc/blocks.h"
#include "inc/memprof_hints.h"

/* A thread's flags for mallocx(). They are never 0 once made: even "no cache"
 * is a number other than 0 in MALLOCX_TCACHE(). */
struct thread {
    int flags[MPALLOC_REGIONS]; /* arena and cache for mallocx(); 0: not made */
    bool refused[MPALLOC_REGIONS];
    bool cached[MPALLOC_REGIONS];
    unsigned cache[MPALLOC_REGIONS];
    bool ended; /* its destructors run: make no more caches */
};
static __thread struct thread thread __attribute__((tls_model("initial-exec")));

static pthread_key_t at_end;
static bool at_end_known;

static void end_thread(void *unused)
{
    (void)unused;
    thread.ended = true;
    for (unsigned i = 0; i < MPALLOC_REGIONS; i++) {
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

/* jemalloc has a few thousand caches; further threads get none. */
static int make_cache(enum mpalloc_region region)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    unsigned *const cache = &thread.cache[region];
    size_t size = sizeof(*cache);

    pthread_once(&once, make_key);
    if (thread.ended || !at_end_known ||
        pthread_setspecific(at_end, &thread) != 0 ||
        je_mallctl("tcache.create", cache, &size, NULL, 0) != 0)
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

/* Only blocks that are certainly hot go to the hot region: an ambiguous hint
 * means that some of the blocks are not. */
enum mpalloc_region mpalloc_blocks_region(uint8_t hint)
{
    if (hint < MEMPROF_HINT_NOTCOLD)
        return MPALLOC_COLD;
    return hint >= MEMPROF_HINT_HOT ? MPALLOC_HOT : MPALLOC_ORDINARY;
}

void *mpalloc_blocks_new(size_t size, size_t align, bool zero, uint8_t hint)
{
    const enum mpalloc_region region = mpalloc_blocks_region(hint);
    const int flags = region == MPALLOC_ORDINARY ? 0 : flags_of(region);

    if (flags == 0)
        return NULL;
    return je_mallocx(mpalloc_size(size),
                      flags |
                          (align > MPALLOC_ALIGN ? MALLOCX_ALIGN(align) : 0) |
                          (zero ? MALLOCX_ZERO : 0));
}

void *mpalloc_blocks_resize(enum mpalloc_region region, void *p, size_t size)
{
    return je_rallocx(p, mpalloc_size(size), flags_of(region));
}

void mpalloc_blocks_free(enum mpalloc_region region, void *p)
{
    const int saved_errno = errno;

    je_dallocx(p, flags_of(region));
    errno = saved_errno;
}
