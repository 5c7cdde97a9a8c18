/* block.h -- what entry.c, mibmap.c and tests need of block.c beyond rt.h.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_BLOCK_H
#define MPRT_BLOCK_H

#include "rt/base/rt.h"

/* Takes the options; called once. */
void mprt_block_init(void);
/* Histogram cells of a block of this size; no more than a 32-bit number. */
uint32_t mprt_block_cell_count(uint64_t size);
/* All live blocks as if they were born now, never accessed. */
void mprt_block_restart_all(void);
/* The largest request that is not refused. */
size_t mprt_block_size_max(void);

#endif
