/* huge.c -- huge pages for ordinary blocks, of programs that ask for them. The
 * memory is jemalloc's, which calls mpalloc_huge_map() instead of mmap()
 * (alloc/build.mk).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "alloc/huge.h"

#include <errno.h>
#include <jemalloc/jemalloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "inc/memprof_hints.h"

/* Mappings of this size and more have huge pages. jemalloc maps 2 MiB for an
 * arena first, and up to a quarter more each time, so an arena with such a
 * mapping has 32 MiB: the last huge page, of which little may be used, does not
 * matter any more. Arenas of threads that allocate little have none. */
#define HUGE_FROM ((size_t)8 << 20)
/* jemalloc returns freed pages one by one, which divides huge pages and lets
 * the kernel fill the holes again, so it does this later: after 30 s instead
 * of 10 s. */
#define DECAY_MS ((ssize_t)30000)
#define DECAY_DEFAULT_MS ((ssize_t)10000)

static atomic_bool asked;

void *mpalloc_huge_map(void *at, size_t size, int protection, int flags, int fd,
                       off_t offset)
{
    void *const p = mmap(at, size, protection, flags, fd, offset);

    if (p == MAP_FAILED || size < HUGE_FROM || !atomic_load(&asked))
        return p;
    const int saved_errno = errno;

    madvise(p, size, MADV_HUGEPAGE);
    errno = saved_errno;
    return p;
}

bool mpalloc_huge_is_allowed(void)
{
    const char *word = NULL;
    size_t size = sizeof(word);

    return je_mallctl("opt.thp", &word, &size, NULL, 0) != 0 ||
           strcmp(word, "never") != 0;
}

/* Keeps what MALLOC_CONF says. */
static void return_pages_later(void)
{
    ssize_t decay_ms = 0;
    size_t size = sizeof(decay_ms);
    char name[64];

    if (je_mallctl("opt.dirty_decay_ms", &decay_ms, &size, NULL, 0) != 0 ||
        decay_ms != DECAY_DEFAULT_MS)
        return;
    decay_ms = DECAY_MS;
    snprintf(name, sizeof(name), "arena.%u.dirty_decay_ms",
             (unsigned)MALLCTL_ARENAS_ALL);
    (void)je_mallctl(name, NULL, NULL, &decay_ms, size);
    (void)je_mallctl("arenas.dirty_decay_ms", NULL, NULL, &decay_ms, size);
}

__attribute__((visibility("default"))) void
__memprof_huge_pages_hint(uint8_t hint)
{
    const int saved_errno = errno;

    if (hint >= MEMPROF_HINT_HOT && mpalloc_huge_is_allowed() &&
        !atomic_exchange(&asked, true))
        return_pages_later();
    errno = saved_errno;
}
