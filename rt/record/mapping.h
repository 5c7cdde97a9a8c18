/* mapping.h -- memory that the program maps by mmap() and mremap(): blocks of
 * pools that are named by what is mapped. Any thread.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/record/mibmap.h"

/* Reserves the table unless mappings=0. Called once. */
void mprt_mapping_init(void);

/* Begins a mapping of `size` bytes at p, with mmap()'s prot and flags. The call
 * returns to caller_pc, in the frame caller_frame (MPRT_CALLER_*). */
void mprt_mapping_add(uintptr_t p, uint64_t size, int prot, int flags,
                      uintptr_t caller_pc, uintptr_t caller_frame);

/* Locks the table for a call that ends mappings, so that another thread, which
 * gets the same addresses, adds its mapping afterwards. Returns false if
 * nothing is recorded; then mprt_mapping_unlock() must not be called. */
bool mprt_mapping_lock(uint64_t *signals);
void mprt_mapping_unlock(uint64_t signals);
/* Between these two: ends the mappings of `size` bytes at p, or parts of them.
 * A part counts as a block, with the birth of the whole. */
void mprt_mapping_end(uintptr_t p, uint64_t size);
/* Likewise: the name of the mapping that contains p, or 0. */
uint32_t mprt_mapping_name(uintptr_t p);
/* As mprt_mapping_add(), under a name of mprt_mapping_name(). */
void mprt_mapping_add_named(uintptr_t p, uint64_t size, uint32_t name,
                            uintptr_t caller_pc, uintptr_t caller_frame);

/* Adds all mappings to a snapshot (mprt_mibmap_add_live()). */
void mprt_mapping_add_live(const struct mprt_mibmap_taken *taken);
/* Makes all mappings look as if they were born now. */
void mprt_mapping_restart_all(void);

/* Around fork(), see lifecycle.h. */
void mprt_mapping_before_fork(bool is_outermost);
void mprt_mapping_after_fork(bool is_child, bool is_outermost);
