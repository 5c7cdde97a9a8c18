/* mark.h -- which blocks can be reached: from words that may be pointers to
 * blocks, and on from those. For the process that looks while all threads
 * stand; the heap's locks are held. One list at a time.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_MARK_H
#define MPRT_MARK_H

#include "rt/record/mibmap.h"
#include "shared/buf.h"

/* Lists all live blocks, none of which is reached; false without memory.
 * mprt_mark_end() must follow in any case. */
bool mprt_mark_begin(void);
void mprt_mark_end(void);

/* The block that holds address p, start and end of its bytes; false: none. */
bool mprt_mark_find(uintptr_t p, uintptr_t *start, uintptr_t *end);
/* What p points into, what aligned words of [start, end) do as far as they can
 * be read, and the blocks of contexts, is reached. */
void mprt_mark_pointer(uintptr_t p);
void mprt_mark_words(uintptr_t start, uintptr_t end);
void mprt_mark_contexts(bool (*is_root)(uint32_t context));
/* And what can be reached from it. */
void mprt_mark_follow(void);

/* Adds what was not reached to leaks[context], for contexts below count. */
void mprt_mark_sum(struct mprt_mibmap_leaks *leaks, uint32_t count);

/* Appends which of these contexts' leaked blocks hold which others',
 * themselves or through further ones (struct mprt_mibmap_held); nothing, and
 * false, where that would take too long, or without memory. After
 * mprt_mark_sum(). */
bool mprt_mark_held(struct mprof_buf *held, uint32_t count);

#endif
