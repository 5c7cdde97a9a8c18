/* alloc_failure.h -- what happens where an allocation fails. Any thread,
 * outside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_ALLOC_FAILURE_H
#define MPRT_ALLOC_FAILURE_H

#include "rt/base/rt.h"

/* size bytes could not be had for a call that returns to caller_pc, in the
 * frame caller_frame. Returns so that NULL can be returned, unless
 * allocator_may_return_null=0 was asked for: then the program ends. */
void mprt_alloc_failure(size_t size, uintptr_t caller_pc,
                        uintptr_t caller_frame);
/* The same for a size that is no number of 64 bits, of calloc and the like. */
void mprt_alloc_failure_overflow(const char *function, uintptr_t caller_pc,
                                 uintptr_t caller_frame);
/* The same for an alignment that posix_memalign, or memalign and the like,
 * refuse; without a message where the program goes on. */
void mprt_alloc_failure_alignment(size_t align, bool is_posix,
                                  uintptr_t caller_pc, uintptr_t caller_frame);
/* Called before that ends the program; NULL: nothing is. */
void mprt_alloc_failure_set_callback(void (*callback)(void));

#endif
