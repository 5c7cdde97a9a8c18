/* links.h -- which call stacks' blocks are used together: a sample of
 * small blocks is searched for pointers to blocks that were born at about the
 * same time. A linked pair that the program allocated together is likely to be
 * read together, and an allocator can lay it together (docs/explain.md).
 *
 * One birth in MPRT_OVERHEAD_MEAN_CALLS is sampled. The block is searched
 * MPRT_LINKS_WAIT samples of its thread later, or at a dump, if it still lives:
 * by then the program has set its pointers. So other births and all deaths cost
 * nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/thread.h"

/* Samples the block at p, which thread t has just allocated, and searches an
 * older one. Outside the guard. */
void mprt_links_sample(struct mprt_thread *t, void *p);
/* Searches all sampled blocks. Inside the guard. */
void mprt_links_search_all(void);
