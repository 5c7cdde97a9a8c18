/* behind.h -- the allocator that our malloc replaces ("behind" ours): the C
 * library's, or another allocator that the program is linked with.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_BEHIND_H
#define MPRT_BEHIND_H

#include "rt/base/rt.h"

/* Finds that allocator. From here on, blocks that are not ours are passed to
 * its free. Called once, after libc has been initialized. */
void mprt_behind_init(void);

/* The allocator behind ours is the C library's, and the process has no
 * other. */
extern MPRT_HIDDEN bool mprt_behind_is_glibc;
/* The allocator behind ours serves the program: calls of malloc are passed on,
 * nothing is recorded, mprt_state_ready is false. */
extern MPRT_HIDDEN bool mprt_behind_serves;
/* Makes the allocator behind ours serve the program. `why` ends the message
 * that is printed. */
void mprt_behind_begin_serving(const char *why);
/* Allocates a block from the allocator behind ours. `size` in bytes, `align` a
 * power of two. */
void *mprt_behind_new(size_t size, size_t align, bool zero);

/* Return false if p cannot be a block of the allocator behind ours. Otherwise
 * _resize() sets *q to the resized block (NULL if out of memory), and _size()
 * sets *size to the usable bytes of p. mprt_block_free() frees such blocks. */
bool mprt_behind_resize(void *p, size_t size, void **q);
bool mprt_behind_size(void *p, size_t *size);

#endif
