/* behind.h -- the malloc behind ours: the C library's, or another allocator's
 * that the program is linked with.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_BEHIND_H
#define MPRT_BEHIND_H

#include "rt/base/rt.h"

/* Finds it, and hands blocks that are not ours back to it from here on. Called
 * once, with libc. */
void mprt_behind_init(void);

/* True where it is the C library's, and no other is in the process. */
extern MPRT_HIDDEN bool mprt_behind_is_glibc;
/* True where it serves the program: calls of malloc are passed on, nothing is
 * recorded, mprt_state_ready is false. */
extern MPRT_HIDDEN bool mprt_behind_serves;
/* Lets it do so, for the reason of this sentence's end. */
void mprt_behind_begin_serving(const char *why);
/* A block of its. */
void *mprt_behind_new(size_t size, size_t align, bool zero);

/* Whether p can be a block of its: then it has a new size (*q, NULL without
 * memory), is so large. mprt_block_free() frees it. */
bool mprt_behind_resize(void *p, size_t size, void **q);
bool mprt_behind_size(void *p, size_t *size);

#endif
