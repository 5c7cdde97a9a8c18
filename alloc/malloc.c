/* malloc.c -- malloc() and its relatives, without and with a hint
 * (inc/memprof_hints.h). A block is an ordinary block of jemalloc if it has no
 * hint or its region has no memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <jemalloc/jemalloc.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc/blocks.h"
#include "alloc/pools.h"
#include "alloc/regions.h"
#include "inc/memprof_hints.h"

#define EXPORT __attribute__((visibility("default")))

static bool total_of(size_t count, size_t size, size_t *total)
{
    if (!__builtin_mul_overflow(count, size, total))
        return true;
    errno = ENOMEM;
    return false;
}

/* -- blocks with a hint ---------------------------------------------------- */

EXPORT void *__memprof_malloc_hint(size_t size, uint8_t hint)
{
    void *const p = mpalloc_blocks_new_plain(size, hint);

    return p != NULL ? p : malloc(size);
}

EXPORT void *__memprof_calloc_hint(size_t count, size_t size, uint8_t hint)
{
    size_t total = 0;

    if (!total_of(count, size, &total))
        return NULL;
    void *const p = mpalloc_blocks_new(total, 1, true, hint);

    return p != NULL ? p : calloc(1, total);
}

/* Copies the old block to p and frees it. If p is NULL, leaves the old block
 * alone and returns NULL. */
static void *move(void *p, void *old, size_t size)
{
    if (p == NULL)
        return NULL;
    const size_t old_size = malloc_usable_size(old);

    memcpy(p, old, old_size < size ? old_size : size);
    free(old);
    return p;
}

static void *resize(void *p, size_t size, enum mpalloc_region region)
{
    const bool ordinary = region == MPALLOC_ORDINARY;
    void *q = ordinary ? je_realloc(p, mpalloc_size(size))
                       : mpalloc_blocks_resize(region, p, size);

    if (q == NULL && !ordinary)
        q = move(malloc(size), p, size);
    /* jemalloc does not set errno for sizes beyond its limit. */
    if (q == NULL)
        errno = ENOMEM;
    return q;
}

/* Resizes a block within its region. An ordinary block goes to the program's
 * realloc(), if it has one. */
static void *resize_again(void *p, size_t size, enum mpalloc_region is)
{
    return is == MPALLOC_ORDINARY ? realloc(p, size) : resize(p, size, is);
}

/* Resizes a block, and moves it if the hint selects another region and that has
 * memory. */
static void *resize_as(void *p, size_t size, uint8_t hint)
{
    const enum mpalloc_region is = mpalloc_region_of(p);
    const enum mpalloc_region shall = mpalloc_blocks_region(hint);

    if (is == shall && is != MPALLOC_POOLED)
        return resize_again(p, size, is);
    void *const q = shall == MPALLOC_ORDINARY
                        ? malloc(size)
                        : mpalloc_blocks_new_plain(size, hint);

    return q != NULL ? move(q, p, size) : resize_again(p, size, is);
}

EXPORT void *__memprof_realloc_hint(void *p, size_t size, uint8_t hint)
{
    if (p == NULL)
        return __memprof_malloc_hint(size, hint);
    if (size == 0) {
        free(p);
        return NULL;
    }
    return resize_as(p, size, hint);
}

EXPORT void *__memprof_reallocarray_hint(void *p, size_t count, size_t size,
                                         uint8_t hint)
{
    size_t total = 0;

    return total_of(count, size, &total)
               ? __memprof_realloc_hint(p, total, hint)
               : NULL;
}

static bool is_power(size_t align)
{
    return align != 0 && (align & (align - 1)) == 0;
}

EXPORT void *__memprof_memalign_hint(size_t align, size_t size, uint8_t hint)
{
    void *const p =
        is_power(align) ? mpalloc_blocks_new(size, align, false, hint) : NULL;

    return p != NULL ? p : memalign(align, size);
}

EXPORT void *__memprof_aligned_alloc_hint(size_t align, size_t size,
                                          uint8_t hint)
{
    return __memprof_memalign_hint(align, size, hint);
}

EXPORT int __memprof_posix_memalign_hint(void **block, size_t align,
                                         size_t size, uint8_t hint)
{
    void *const p = is_power(align) && align % sizeof(void *) == 0
                        ? mpalloc_blocks_new(size, align, false, hint)
                        : NULL;

    if (p == NULL)
        return posix_memalign(block, align, size);
    *block = p;
    return 0;
}

static char *copy(const char *text, size_t length, uint8_t hint)
{
    char *const p = __memprof_malloc_hint(length + 1, hint);

    if (p == NULL)
        return NULL;
    p[length] = '\0';
    return memcpy(p, text, length);
}

EXPORT char *__memprof_strdup_hint(const char *text, uint8_t hint)
{
    return copy(text, strlen(text), hint);
}

EXPORT char *__memprof_strndup_hint(const char *text, size_t size, uint8_t hint)
{
    return copy(text, strnlen(text, size), hint);
}

/* -- the C library's ------------------------------------------------------- */

EXPORT void *malloc(size_t size)
{
    return je_malloc(mpalloc_size(size));
}

EXPORT void *calloc(size_t count, size_t size)
{
    size_t total = 0;

    return total_of(count, size, &total) ? je_calloc(1, mpalloc_size(total))
                                         : NULL;
}

/* The block stays in its region. */
EXPORT void *realloc(void *p, size_t size)
{
    if (p == NULL)
        return malloc(size);
    if (size == 0) {
        free(p);
        return NULL;
    }
    return resize(p, size, mpalloc_region_of(p));
}

EXPORT void *reallocarray(void *p, size_t count, size_t size)
{
    size_t total = 0;

    return total_of(count, size, &total) ? realloc(p, total) : NULL;
}

EXPORT void free(void *p)
{
    const enum mpalloc_region region = mpalloc_region_of(p);

    if (__builtin_expect(region == MPALLOC_ORDINARY, true))
        je_free(p);
    else
        mpalloc_blocks_free(region, p);
}

/* Like glibc, rounds any alignment up to a power of two. */
EXPORT void *memalign(size_t align, size_t size)
{
    size_t power = MPALLOC_ALIGN;

    while (power < align && power << 1 != 0)
        power <<= 1;
    if (power < align) {
        errno = EINVAL;
        return NULL;
    }
    return je_memalign(power, size);
}

EXPORT void *aligned_alloc(size_t align, size_t size)
{
    return memalign(align, size);
}

EXPORT int posix_memalign(void **block, size_t align, size_t size)
{
    return je_posix_memalign(block, align, mpalloc_size(size));
}

EXPORT void *valloc(size_t size)
{
    return memalign((size_t)sysconf(_SC_PAGESIZE), size);
}

EXPORT void *pvalloc(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (size > SIZE_MAX - page) {
        errno = ENOMEM;
        return NULL;
    }
    return memalign(page, (size + page - 1) & ~(page - 1));
}

EXPORT size_t malloc_usable_size(void *p)
{
    return mpalloc_region_of(p) == MPALLOC_POOLED ? mpalloc_pools_size(p)
                                                  : je_malloc_usable_size(p);
}

/* -- does the program have its own malloc()? ------------------------------- */

/* If a program has its own malloc(), it also has its own free(), which does not
 * know our blocks. Addresses do not tell: an executable may have a stub, with
 * an address of its own, for a library's function. So we allocate and ask
 * jemalloc how much it has given to this thread. */
static uint64_t allocated_by_jemalloc(void)
{
    uint64_t bytes = 0;
    size_t size = sizeof(bytes);

    je_mallctl("thread.allocated", &bytes, &size, NULL, 0);
    return bytes;
}

static bool is_malloc_ours(void)
{
    const uint64_t before = allocated_by_jemalloc();
    void *volatile p = malloc(1); /* keeps the compiler from removing the
                                   * call */
    const uint64_t after = allocated_by_jemalloc();

    free(p);
    return after != before;
}

/* Runs before the program's own code. */
__attribute__((constructor)) static void look_for_own_malloc(void)
{
    if (!is_malloc_ours())
        mpalloc_regions_forbid();
}
