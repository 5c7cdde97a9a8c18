/* pool.h -- blocks of the program's own allocators, as the program reports
 * them. They are parts of our blocks or of other memory. Any thread.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/record/mibmap.h"

/* Begins a pool under a number of mprt_names_of_event(MPROF_TAG_POOL). If the
 * pool exists already, it ends first. */
void mprt_pool_create(uintptr_t pool, uint32_t name);
/* Ends all blocks of a pool, and the pool itself unless it stays. Here and
 * below, an unknown pool is ignored. */
void mprt_pool_end(uintptr_t pool, bool stays);
/* Begins a block of a pool. The call returns to `caller`. If a block at p
 * exists already, it ends first. With a name, an unknown pool is made, under
 * this name.
 */
void mprt_pool_alloc(uintptr_t pool, const char *name, uintptr_t p,
                     uint64_t size, struct mprt_caller caller);
/* Ends the block at p and returns its size; 0 if there is none. */
uint64_t mprt_pool_free(uintptr_t pool, uintptr_t p);

/* Size and context of the block at p. False if there is none. */
bool mprt_pool_look(uintptr_t pool, uintptr_t p, uint64_t *size,
                    uint32_t *context);

/* Adds all live blocks to a snapshot (mprt_mibmap_add_live()). */
void mprt_pool_add_live(const struct mprt_mibmap_taken *taken);
/* Makes all live blocks look as if they were born now. */
void mprt_pool_restart_all(void);

/* Around fork(), see lifecycle.h. */
void mprt_pool_before_fork(bool is_outermost);
void mprt_pool_after_fork(bool is_child, bool is_outermost);
