/* pools.h -- small blocks in pools. A pool lays its blocks in the order of
 * allocation, without headers, at their own sizes rounded up to 8 bytes. All
 * pools lie in one range of addresses (regions.h).
 *
 * Each thread has a heap, with its part of every pool. The heap of a thread
 * that has ended goes to the next thread that wants one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "inc/memprof_hints.h"
#include "shared/pool_sizes.h"

/* The numbered pools, those of dense blocks without a number, and of dense hot
 * blocks without one. */
#define MPALLOC_POOLS (MEMPROF_HINT_POOLS + 2)

struct mpalloc_heap;

/* Returns a heap for the calling thread; NULL if no memory. Keeps errno. */
struct mpalloc_heap *mpalloc_pools_open(void);
/* The calling thread ends. */
void mpalloc_pools_close(struct mpalloc_heap *heap);
/* Gives the system up to `size` bytes that the heap keeps for later, rounded up
 * to a span, because the program takes as much for other blocks. Keeps errno.
 */
void mpalloc_pools_make_room(struct mpalloc_heap *heap, size_t size);

/* Allocates `size` bytes, at most MPROF_POOL_BYTES_MAX, aligned by 16 or else
 * by 8. Returns NULL if there is no memory, or if more than half of the pool's
 * memory is free but has other sizes. Keeps errno. */
void *mpalloc_pools_new(struct mpalloc_heap *heap, unsigned pool, size_t size,
                        bool by_16);
/* Frees a block of any thread. `heap` is the calling thread's, or NULL. */
void mpalloc_pools_free(struct mpalloc_heap *heap, void *block);
/* Size of the block: what was requested, or a little more. */
size_t mpalloc_pools_size(const void *block);
