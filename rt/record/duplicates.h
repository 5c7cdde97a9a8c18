/* duplicates.h -- which blocks have the same content as another one of their
 * call stack and size (duplicates=1).
 *
 * A set of keys holds the contents of all blocks that were freed, a second one
 * those of the live blocks of a dump. A key is a hash of call stack, size and
 * content; blocks of more than 64 KiB are left out. Memory that the
 * program has made unreadable is recognized. A block of zeros only is no
 * duplicate, because nothing may have been written to it. Any thread; no locks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/record/block.h"
#include "rt/record/mibmap.h"

/* Reads the option; called once. */
void mprt_duplicates_init(void);
/* Adds a freed block, which is not sampled, to its context's DETAILS before its
 * memory is used again. Inside the guard. */
void mprt_duplicates_add_freed(uint32_t context, uintptr_t p, uint64_t size);
/* Adds the live blocks of a dump: forgets those of the last dump; adds one. */
void mprt_duplicates_begin_live(void);
void mprt_duplicates_add_live(const struct mprt_mibmap_taken *taken,
                              const struct mprt_live_block *block);
