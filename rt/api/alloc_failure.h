/* alloc_failure.h -- what the runtime does when an allocation fails. Every
 * function may be called on any thread, outside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* Reports that an allocation of `size` bytes failed. The allocating call
 * returns to caller_pc, in the frame caller_frame. Returns so that the caller
 * can return NULL; does not return if the user set allocator_may_return_null=0,
 * which ends the program. */
void mprt_alloc_failure(size_t size, uintptr_t caller_pc,
                        uintptr_t caller_frame);
/* The same if the requested size overflows size_t, as calloc's product can.
 * `function` is the name of the allocating function. */
void mprt_alloc_failure_overflow(const char *function, uintptr_t caller_pc,
                                 uintptr_t caller_frame);
/* The same if posix_memalign (is_posix) or memalign and its relatives refuse
 * the alignment. Prints no message if the program goes on. */
void mprt_alloc_failure_alignment(size_t align, bool is_posix,
                                  uintptr_t caller_pc, uintptr_t caller_frame);
/* Sets the function to call before a failed allocation ends the program; NULL
 * for none. */
void mprt_alloc_failure_set_callback(void (*callback)(void));
