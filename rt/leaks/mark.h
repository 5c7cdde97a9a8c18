/* mark.h -- marks the blocks that can be reached from words that may be
 * pointers to blocks. Runs in the process that searches while all threads are
 * stopped; the heap's locks are held. There is one list of blocks at a time.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/record/mibmap.h"
#include "shared/buf.h"

/* Lists all live blocks and marks none as reached. Returns false if out of
 * memory. mprt_mark_end() must follow in any case. */
bool mprt_mark_begin(void);
void mprt_mark_end(void);

/* Finds the block that holds address p and sets the start and end of its bytes.
 * Returns false if there is none. */
bool mprt_mark_find(uintptr_t p, uintptr_t *start, uintptr_t *end);
/* Mark blocks as reached: the block that p points into; the blocks that aligned
 * words of [start, end) point into, as far as they are readable; the blocks of
 * some contexts. */
void mprt_mark_pointer(uintptr_t p);
void mprt_mark_words(uintptr_t start, uintptr_t end);
void mprt_mark_contexts(bool (*is_root)(uint32_t context));
/* Marks all blocks that can be reached from marked blocks. */
void mprt_mark_follow(void);

/* Adds the blocks that are not marked to leaks[context], for contexts below
 * count. */
void mprt_mark_sum(struct mprt_mibmap_leaks *leaks, uint32_t count);

/* A leaked block as a node of a graph. Its edges are the numbers, from 0, of
 * the leaked blocks that it points to; they end where the next block's edges
 * start. */
struct mprt_mark_leak {
    uint64_t first_edge;
    uint64_t bytes;
    uint32_t context;
    uint32_t blocks;
};
/* Appends the leaked blocks of contexts below `contexts`, with an empty one at
 * the end, and their edges (uint32_t). Returns false if out of memory. Call it
 * after mprt_mark_sum(). */
bool mprt_mark_graph(struct mprof_buf *leaks, struct mprof_buf *edges,
                     uint32_t contexts);
