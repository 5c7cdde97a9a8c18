/* block.h -- birth and death of blocks. Any thread, also in signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_BLOCK_H
#define MPRT_BLOCK_H

#include "rt/base/thread.h"
#include "shared/mib.h"

/* Takes the options; called once. */
void mprt_block_init(void);

/* A number for the thread. */
void mprt_block_start_thread(struct mprt_thread *t);

/* A new block allocated by a call that returns to caller_pc, in the frame
 * caller_frame (MPRT_CALLER_*). size may be 0. align: power of two. NULL
 * without memory. zero: contents are zero. Begins recording. */
void *mprt_block_new(size_t size, size_t align, bool zero, uintptr_t caller_pc,
                     uintptr_t caller_frame);
/* More is never given. */
size_t mprt_block_size_max(void);
/* Ends the block at p, for a call that returns to caller_pc, in the frame
 * caller_frame (MPRT_CALLER_*), or 0 where that is not known. NULL is allowed.
 * A p that is no live block is reported once and ignored. */
void mprt_block_free(void *p, uintptr_t caller_pc, uintptr_t caller_frame);
/* Is asked about such a p first; true where it was freed. NULL: nobody is. */
extern MPRT_HIDDEN bool (*mprt_block_free_other)(void *p);
/* realloc: ends the block and begins one at the caller's context; the copy is
 * not counted. NULL without memory (the old block lives on). */
void *mprt_block_resize(void *p, size_t size, uintptr_t caller_pc,
                        uintptr_t caller_frame);
/* True where p is the start of a live block; size in *size. */
bool mprt_block_find(const void *p, size_t *size);
/* The live block that holds address p, or NULL. */
void *mprt_block_holding(const void *p, size_t *size);

/* Notes that the live block that holds address p, if there is one, is accessed
 * by what does not count: nothing is known of it from then on. Any p. False
 * where no block holds it. */
bool mprt_block_mark_unseen(const void *p);

/* Calls visit for every live block with its life so far (is_live set). Others
 * may allocate and free meanwhile: a block that ends meanwhile is left out. */
struct mprt_live_block {
    uintptr_t p;
    uint32_t context;
    struct mprof_block_life life;
    struct mprof_block_rw rw; /* where reads and writes are counted apart */
    uint32_t weight; /* blocks that it stands for; 0: nothing is sampled */
};
void mprt_block_walk(void (*visit)(void *context,
                                   const struct mprt_live_block *block),
                     void *context);
/* Calls visit for every live block in order of addresses, without its life; for
 * who holds the heap's locks, as mprt_heap_walk_held(). `context` of a block: 0
 * where it is not recorded. */
struct mprt_held_block {
    uintptr_t p;
    size_t size;
    uint32_t context;
    uint32_t weight; /* blocks that it stands for */
    /* Of hardly another block at p that came after it. */
    uint64_t state;
    uint64_t birth_ns;
};
void mprt_block_walk_held(void (*visit)(void *context,
                                        const struct mprt_held_block *block),
                          void *context);
/* True where p is the start of a live block, which is described. */
bool mprt_block_describe(uintptr_t p, struct mprt_held_block *block);
/* Totals since start, for statistics. */
struct mprt_block_stats {
    uint64_t live_blocks;
    uint64_t live_bytes;
    uint64_t allocated_blocks;
    uint64_t allocated_bytes;
    uint64_t foreign_frees;
    uint64_t dropped_blocks;
};
void mprt_block_stats(struct mprt_block_stats *stats);

/* All live blocks as if they were born now, never accessed. */
void mprt_block_restart_all(void);

#endif
