/* heap.h -- what block.c, entry.c and tests need of heap.c beyond rt.h.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_HEAP_H
#define MPRT_HEAP_H

#include "rt/thread.h"

/* Reserves the region; false without address space. Called once. */
bool mprt_heap_init(void);
/* Size of the slot that starts here. */
size_t mprt_heap_slot_bytes(const void *slot);
struct mprt_lock *mprt_heap_page_lock(void);
struct mprt_lock *mprt_heap_class_lock(unsigned class);

#endif
