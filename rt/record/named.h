/* named.h -- blocks that the program wants to know more about
 * (__memprof_block_histogram()): where they are accessed. Any thread; no locks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_NAMED_H
#define MPRT_NAMED_H

#include "rt/base/rt.h"

/* The live block at p is one, until it ends. False where there are too many. */
bool mprt_named_add(uintptr_t p);
/* Whether the block at p is one; and it is one no more. */
bool mprt_named_has(uintptr_t p);
bool mprt_named_take(uintptr_t p);

#endif
