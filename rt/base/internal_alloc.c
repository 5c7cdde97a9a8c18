/* internal_alloc.c -- malloc for code inside the runtime object: power-of-two
 * sizes from lists in front of mapped chunks; larger blocks are mappings of
 * their own. One lock suffices because no hot path allocates here.
 * rt/redirect.txt directs calls of malloc and the like here.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/internal_alloc.h"
#include "rt/base/libc.h"
#include "rt/base/lock.h"
#include "rt/base/log.h"
#include "rt/base/memory.h"
#include "rt/base/os.h"

#define HEADER_BYTES 16
#define CLASS_SHIFT_MIN 5 /* 32 bytes, including the header */
#define CLASS_SHIFT_MAX 16
#define CLASSES (CLASS_SHIFT_MAX - CLASS_SHIFT_MIN + 1)
#define CHUNK_BYTES ((size_t)256 << 10)

struct header {
    size_t bytes; /* including the header; a power of two, or whole pages */
    struct header *next;
};

struct mprt_lock mprt_internal_alloc_lock; /* protects pool */
static struct {
    struct header *lists[CLASSES];
    struct mprt_memory_chunk chunk;
} pool;
static _Atomic uint64_t mapped_bytes;

uint64_t mprt_internal_alloc_mapped_bytes(void)
{
    return MPRT_LOAD(mapped_bytes);
}

static void *note(void *p, size_t bytes)
{
    if (p != NULL)
        MPRT_ADD(mapped_bytes, bytes);
    return p;
}

static unsigned class_of(size_t bytes)
{
    const unsigned shift = 64 - (unsigned)__builtin_clzll(bytes - 1);

    return shift > CLASS_SHIFT_MIN ? shift - CLASS_SHIFT_MIN : 0;
}

/* *is_zero: the memory reads as zero. */
static void *allocate(size_t n, bool *is_zero)
{
    const size_t bytes = n + HEADER_BYTES;
    struct header *h;

    *is_zero = true;
    if (n > SIZE_MAX / 2)
        return NULL;
    if (bytes > (size_t)1 << CLASS_SHIFT_MAX) {
        const size_t pages = mprof_round_up(bytes, mprt_os_page_bytes());
        h = (struct header *)note(mprt_memory_map(pages), pages);
        if (h == NULL)
            return NULL;
        h->bytes = pages;
        return (char *)h + HEADER_BYTES;
    }
    const unsigned class = class_of(bytes);
    mprt_lock_acquire(&mprt_internal_alloc_lock);
    h = pool.lists[class];
    if (h != NULL) {
        pool.lists[class] = h->next;
        *is_zero = false;
    } else {
        const size_t whole = (size_t)1 << (class + CLASS_SHIFT_MIN);
        h = (struct header *)note(
            mprt_memory_cut(&pool.chunk, whole, CHUNK_BYTES), whole);
    }
    mprt_lock_release(&mprt_internal_alloc_lock);
    if (h == NULL)
        return NULL;
    h->bytes = (size_t)1 << (class + CLASS_SHIFT_MIN);
    h->next = NULL;
    return (char *)h + HEADER_BYTES;
}

void *mprt_internal_alloc_malloc(size_t n)
{
    bool is_zero;

    return allocate(n, &is_zero);
}

void *mprt_internal_alloc_calloc(size_t count, size_t size)
{
    bool is_zero;
    size_t n;

    if (__builtin_mul_overflow(count, size, &n))
        return NULL;
    void *const p = allocate(n, &is_zero);
    if (p != NULL && !is_zero)
        mprt_libc_memset(p, 0, n);
    return p;
}

void mprt_internal_alloc_free(void *p)
{
    if (p == NULL)
        return;
    struct header *const h =
        (struct header *)(void *)((char *)p - HEADER_BYTES);
    if (h->bytes > (size_t)1 << CLASS_SHIFT_MAX) {
        atomic_fetch_sub_explicit(&mapped_bytes, h->bytes,
                                  memory_order_relaxed);
        mprt_memory_unmap(h, h->bytes);
        return;
    }
    const unsigned class = class_of(h->bytes);
    mprt_lock_acquire(&mprt_internal_alloc_lock);
    h->next = pool.lists[class];
    pool.lists[class] = h;
    mprt_lock_release(&mprt_internal_alloc_lock);
}

void *mprt_internal_alloc_realloc(void *p, size_t n)
{
    if (p == NULL)
        return mprt_internal_alloc_malloc(n);
    const struct header *const h =
        (const struct header *)(const void *)((char *)p - HEADER_BYTES);
    const size_t room = h->bytes - HEADER_BYTES;
    if (n <= room)
        return p;
    void *const q = mprt_internal_alloc_malloc(n);
    if (q != NULL) {
        mprt_libc_memcpy(q, p, room);
        mprt_internal_alloc_free(p);
    }
    return q;
}

_Noreturn void mprt_stack_chk_fail(void)
{
    MPRT_LOG("a stack was overwritten inside the runtime");
    mprt_os_exit(1);
}
