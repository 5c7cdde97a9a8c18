/* transfers.h -- which threads access the cache lines of blocks, for code
 * compiled with -memprof-access=threads. Any thread, also in signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/mib.h"

/* The line is nobody's, or of several threads that read it. */
#define MPRT_TRANSFERS_NOBODY 0
#define MPRT_TRANSFERS_SHARED 0xff

/* What stands for a thread whose mprt_thread.cpu_thread, perhaps with the
 * number of a CPU, is this. */
uint8_t mprt_transfers_owner(uint32_t cpu_thread);
/* The calling thread reads or writes n bytes of the heap. */
void mprt_transfers_note(uintptr_t addr, size_t n, bool is_write);
/* Stores what is known of the block's lines. rw->owner is that of a block of at
 * most half a line beside one that another thread has. */
void mprt_transfers_sum(uintptr_t p, size_t size, struct mprof_block_rw *rw);
