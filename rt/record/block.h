/* block.h -- birth, resize and death of blocks, and queries. Any thread, also
 * in signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/thread.h"
#include "shared/mib.h"

/* Takes the options; called once. */
void mprt_block_init(void);

/* Gives the thread a number. */
void mprt_block_start_thread(struct mprt_thread *t);

/* Allocates a block and begins its record. The allocating call returns to
 * `caller`. size may be 0. align is a power of two. zero: the contents are
 * zero. Returns NULL without memory. */
void *mprt_block_new(size_t size, size_t align, bool zero,
                     struct mprt_caller caller);
/* The same with the default alignment, while mprt_state_get() is 0. */
void *mprt_block_new_usual(size_t size, struct mprt_caller caller);
/* Largest size of a block. Constant after mprt_block_init(). */
extern MPRT_HIDDEN size_t mprt_block_size_max;
/* Ends the block at p for a call that returns to `caller`. p
 * may be NULL. A p that is no live block is reported once and ignored. */
void mprt_block_free(void *p, struct mprt_caller caller);
/* The same while mprt_state_get() is 0. */
void mprt_block_free_usual(void *p, struct mprt_caller caller);
/* If set, asked about a p that is no live block before it is reported. Returns
 * true if it has freed p. */
extern MPRT_HIDDEN bool (*mprt_block_free_other)(void *p);
/* With MPRT_STATE_LOOKS: the first allocation or free at this time or later
 * calls mprt_block_when_due(), outside of the guard. */
extern MPRT_HIDDEN _Atomic uint64_t mprt_block_due_ns;
extern MPRT_HIDDEN void (*mprt_block_when_due)(void);
static inline void mprt_block_check_due(uint64_t now_ns)
{
    if (MPROF_UNLIKELY(now_ns >= MPRT_LOAD(mprt_block_due_ns)))
        mprt_block_when_due();
}
/* realloc: ends the block and begins one with the caller's context. The copy is
 * not counted. Returns NULL without memory; the old block lives on then. */
void *mprt_block_resize(void *p, size_t size, struct mprt_caller caller);
/* realloc: ends the block at p, whose contents were copied to a block of `size`
 * bytes that is not recorded. False if p is no live block, which is reported.
 */
bool mprt_block_replace(void *p, size_t size, struct mprt_caller caller);
/* Whether p is the start of a live block. Stores its size. */
bool mprt_block_find(const void *p, size_t *size);
/* The live block that contains address p, or NULL. Stores its size. */
void *mprt_block_holding(const void *p, size_t *size);

/* Marks the live block that contains p as accessed by code that does not count:
 * nothing is known of its accesses from then on. p may be any address. False if
 * no block contains it. */
bool mprt_block_mark_unseen(const void *p);

/* Calls visit for every live block with its life so far (is_live set). Other
 * threads may allocate and free meanwhile; blocks that end meanwhile are
 * skipped. */
struct mprt_live_block {
    uintptr_t p;
    uint32_t context;
    struct mprof_block_life life;
    struct mprof_block_rw rw; /* if mprt_shadow_has_rw() */
    uint32_t weight; /* number of blocks it stands for; 0: no sampling */
};
void mprt_block_walk(void (*visit)(void *context,
                                   const struct mprt_live_block *block),
                     void *context);
/* The live block that contains address p, without the time until now. False if
 * there is none. */
bool mprt_block_look(uintptr_t p, struct mprt_live_block *live);
/* Calls visit for every live block in order of addresses, without its life, for
 * callers that hold the heap's locks (mprt_heap_walk_held()). `context` is 0 if
 * the block is not recorded. */
struct mprt_held_block {
    uintptr_t p;
    size_t size;
    uint32_t context;
    uint32_t weight; /* number of blocks it stands for */
    /* Identifies the block: a later block at p very rarely has the same state.
     */
    uint64_t state;
    uint64_t birth_ns;
};
void mprt_block_walk_held(void (*visit)(void *context,
                                        const struct mprt_held_block *block),
                          void *context);
/* Whether p is the start of a live block. Describes it in *block. */
bool mprt_block_describe(uintptr_t p, struct mprt_held_block *block);
/* Totals since the start, for statistics. */
struct mprt_block_stats {
    uint64_t live_blocks;
    uint64_t live_bytes;
    uint64_t allocated_blocks;
    uint64_t allocated_bytes;
    uint64_t foreign_frees;
    uint64_t dropped_blocks;
};
void mprt_block_stats(struct mprt_block_stats *stats);

/* Makes all live blocks look as if they were born now and never accessed. */
void mprt_block_restart_all(void);
