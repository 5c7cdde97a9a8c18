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

/* What leaked, as a graph: a block's edges are the numbers, from 0, of leaked
 * blocks that it points to, up to the first of the block behind it. */
struct mprt_mark_leak {
    uint64_t first_edge;
    uint64_t bytes;
    uint32_t context;
    uint32_t blocks;
};
/* Appends the blocks of contexts below that number and one more, which is none,
 * and edges (uint32_t); false without memory. After mprt_mark_sum(). */
bool mprt_mark_graph(struct mprof_buf *leaks, struct mprof_buf *edges,
                     uint32_t contexts);

#endif
