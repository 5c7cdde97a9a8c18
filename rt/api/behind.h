/* behind.h -- the allocator that our malloc replaces ("behind" ours): the C
 * library's, or another allocator that the program is linked with.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/heap/heap.h"
#include "rt/real/real.h"
#include "rt/record/sample.h"

/* Finds that allocator. From here on, blocks that are not ours are passed to
 * its free. Called once, after libc has been initialized. */
void mprt_behind_init(void);

/* The allocator behind ours is the C library's, and the process has no
 * other. */
extern MPRT_HIDDEN bool mprt_behind_is_glibc;
/* The allocator behind ours serves the program: calls of malloc are passed on,
 * nothing is recorded, mprt_state_is_ready() is false. */
extern MPRT_HIDDEN bool mprt_behind_serves;
/* Makes the allocator behind ours serve the program. `why` ends the message
 * that is printed. */
void mprt_behind_begin_serving(const char *why);
/* Allocates a block from the allocator behind ours. `size` in bytes, `align` a
 * power of two. */
static inline void *mprt_behind_new(size_t size, size_t align, bool zero)
{
    if (zero)
        return mprt_real.calloc(1, size);
    /* Some allocators align blocks of less than 16 bytes to 8. */
    return align <= MPRT_HEAP_ALIGN / 2 && align <= size
               ? mprt_real.malloc(size)
               : mprt_real.memalign(align, size);
}

/* Return false if p cannot be a block of the allocator behind ours. Otherwise
 * _resize() sets *q to the resized block (NULL if out of memory), and _size()
 * sets *size to the usable bytes of p. mprt_block_free() frees such blocks. */
bool mprt_behind_resize(void *p, size_t size, void **q);
bool mprt_behind_size(void *p, size_t *size);

/* -- unsampled blocks ------------------------------------------------------ */

/* Whether p, a block or NULL, is a block of the allocator behind ours, or NULL,
 * because of sampling. */
static inline bool mprt_behind_has(const void *p)
{
    return mprt_sample_is_outside && !mprt_heap_contains(p);
}
