/* pool.h -- blocks of the program's own allocators, which are parts of blocks
 * of ours (or of anything): what the program says of them. Any thread.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_POOL_H
#define MPRT_POOL_H

#include "rt/record/mibmap.h"

/* A pool begins, under a number of mprt_names_of_event(MPROF_PART_POOL); one
 * that is there ends first. */
void mprt_pool_create(uintptr_t pool, uint32_t name);
/* All of its blocks end; and so does the pool, unless it stays. A pool that is
 * not there is ignored, here and below. */
void mprt_pool_end(uintptr_t pool, bool stays);
/* A block of it begins, in a call that returns to caller_pc, in the frame
 * caller_frame (MPRT_CALLER_*); one that is there ends first. */
void mprt_pool_alloc(uintptr_t pool, uintptr_t p, uint64_t size,
                     uintptr_t caller_pc, uintptr_t caller_frame);
/* It ends, where it is one. */
void mprt_pool_free(uintptr_t pool, uintptr_t p);

/* Adds the blocks that live, for a snapshot (mprt_mibmap_add_live()). */
void mprt_pool_add_live(const struct mprt_mibmap_taken *taken);
/* All that live as if they were born now. */
void mprt_pool_restart_all(void);

/* Around fork(), see lifecycle.h. */
void mprt_pool_before_fork(bool is_outermost);
void mprt_pool_after_fork(bool is_child, bool is_outermost);

#endif
