/* huge.c -- huge pages for ordinary blocks, of programs that ask for them. The
 * memory is jemalloc's, which maps it with mpalloc_blocks_map().
 *
 * Huge pages are to save page faults. Where one takes longer than as many small
 * ones, the program is better without: the host of a virtual machine may lend
 * memory at the first touch, and the memory of small pages is mostly there.
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
#include <time.h>

#include "inc/memprof_hints.h"

/* Mappings of this size and more have huge pages, once all mappings have that
 * size. jemalloc maps 2 MiB for an arena first, and up to a quarter more each
 * time, so these are of arenas that have some 32 MiB, of which a last huge page
 * that is hardly used does not matter any more; and single blocks of this size.
 * Arenas of threads that allocate little have none. */
#define HUGE_FROM ((size_t)8 << 20)
#define HUGE_FROM_ALL ((size_t)32 << 20)
/* jemalloc returns freed pages one by one, which divides huge pages and lets
 * the kernel fill the holes again, so it does this later: after 30 s instead
 * of 10 s. */
#define DECAY_MS ((ssize_t)30000)

/* Pages that are touched to learn what one costs. */
#define SAMPLE_PAGES 16
/* So many times a huge page was slow: there are no more. */
#define SLOW_MAX 2
/* After so many ranges the others are taken to be as fast. A range's first huge
 * page is resident, also if the program does not use it. */
#define TRIES_MAX 16

static atomic_bool asked;
static atomic_size_t mapped;
static atomic_int slow;
static atomic_int tries;
static atomic_bool always; /* MALLOC_CONF=thp:always */

/* -- what huge pages cost -------------------------------------------------- */

/* CPU time of the thread to touch pages. */
static int64_t touch_ns(volatile char *p, unsigned count)
{
    struct timespec a = {0}, b = {0};

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    for (unsigned i = 0; i < count; i++)
        p[(size_t)i * MPALLOC_PAGE_BYTES] = 0;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    return (b.tv_sec - a.tv_sec) * INT64_C(1000000000) + b.tv_nsec - a.tv_nsec;
}

/* What as many bytes as a huge page has cost in small pages; measured once. */
static int64_t small_pages_ns(void)
{
    static _Atomic int64_t known;
    const size_t size = SAMPLE_PAGES * MPALLOC_PAGE_BYTES;

    if (atomic_load(&known) != 0)
        return atomic_load(&known);
    void *const p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return INT64_MAX;
    madvise(p, size, MADV_NOHUGEPAGE);
    atomic_store(&known, 1 + touch_ns(p, SAMPLE_PAGES) *
                                 (int64_t)(MPALLOC_HUGE_BYTES / size));
    munmap(p, size);
    return atomic_load(&known);
}

void mpalloc_huge_request(void *p, size_t size, void *fresh)
{
    const uintptr_t first =
        ((uintptr_t)fresh + MPALLOC_HUGE_BYTES - 1) & ~(MPALLOC_HUGE_BYTES - 1);
    const int64_t small_ns = small_pages_ns();

    if (atomic_load(&slow) >= SLOW_MAX ||
        first + MPALLOC_HUGE_BYTES > (uintptr_t)p + size ||
        madvise(p, size, MADV_HUGEPAGE) != 0 || atomic_load(&always) ||
        atomic_fetch_add(&tries, 1) >= TRIES_MAX ||
        touch_ns((char *)first, 1) <= small_ns)
        return;
    atomic_fetch_add(&slow, 1);
    madvise(p, size, MADV_NOHUGEPAGE);
}

/* -- ordinary blocks ------------------------------------------------------- */

void mpalloc_huge_advise(void *p, size_t size)
{
    const size_t before = atomic_fetch_add(&mapped, size);
    const int saved_errno = errno;

    if (before >= HUGE_FROM_ALL && size >= HUGE_FROM && atomic_load(&asked))
        mpalloc_huge_request(p, size, p);
    errno = saved_errno;
}

bool mpalloc_huge_is_allowed(void)
{
    const char *word = NULL;
    size_t size = sizeof(word);

    if (je_mallctl("opt.thp", &word, &size, NULL, 0) != 0)
        return true;
    atomic_store(&always, strcmp(word, "always") == 0);
    return strcmp(word, "never") != 0;
}

/* Sets one of jemalloc's times; keeps what MALLOC_CONF says, and cold blocks'.
 */
static void return_later(const char *name)
{
    ssize_t decay_ms = 0;
    size_t size = sizeof(decay_ms);

    if (je_mallctl(name, &decay_ms, &size, NULL, 0) != 0 ||
        decay_ms != MPALLOC_DECAY_DEFAULT_MS)
        return;
    decay_ms = DECAY_MS;
    (void)je_mallctl(name, NULL, NULL, &decay_ms, size);
}

/* Of the arenas that exist, and of later ones. */
static void return_pages_later(void)
{
    unsigned count = 0;
    size_t size = sizeof(count);
    char name[64];

    return_later("arenas.dirty_decay_ms");
    if (je_mallctl("arenas.narenas", &count, &size, NULL, 0) != 0)
        return;
    for (unsigned i = 0; i < count; i++) {
        snprintf(name, sizeof(name), "arena.%u.dirty_decay_ms", i);
        return_later(name);
    }
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
