/* stack_memory.h -- whether a block was used as a stack. Code does not count
 * the accesses to its own stack, so nothing is known of such a block.
 *
 * The runtime is told of most stacks (block_new.c, process/). A program that
 * switches stacks by code of its own and never allocates there leaves only
 * return addresses in the memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

#define MPRT_STACK_BYTES_MIN 4096

/* Whether a block of the context was a stack, as far as the end of this one or
 * of an earlier one tells. Every block of a new context is searched, of others
 * fewer and fewer, because a search needs system calls. Memory that the program
 * has made unreadable, or that another thread unmaps, is recognized. Inside the
 * guard. */
bool mprt_stack_memory_search(uint32_t context, uintptr_t p, uint64_t bytes);

/* The same for a block with so many counted accesses. One that is accessed more
 * often than to fill it is neither "never accessed" nor cold. */
static inline bool mprt_stack_memory_is(uint32_t context, uintptr_t p,
                                        uint64_t bytes, uint64_t access_count)
{
    return MPROF_UNLIKELY(bytes >= MPRT_STACK_BYTES_MIN &&
                          access_count <= bytes / 8) &&
           mprt_stack_memory_search(context, p, bytes);
}
