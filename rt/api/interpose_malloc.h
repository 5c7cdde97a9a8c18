/* interpose_malloc.h -- blocks that functions of the C library return.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_INTERPOSE_MALLOC_H
#define MPRT_INTERPOSE_MALLOC_H

#include "rt/base/rt.h"

/* A block of n bytes that belongs to the context of a call that returns to
 * caller_pc, in the frame caller_frame, as malloc would give it; or NULL and
 * errno. One of the program's own malloc, where it has that. */
void *mprt_interpose_malloc_new(size_t n, uintptr_t caller_pc,
                                uintptr_t caller_frame);

/* Looks whether the program calls the malloc of interpose_malloc.c. */
void mprt_interpose_malloc_init(void);

/* The same by calling it, for the runtime as a shared library: a program that
 * is no PIE and takes malloc's address has a stub of its own of that name,
 * which goes to the first definition. Returns true if that is
 * interpose_malloc.c's. */
bool mprt_interpose_malloc_try(void);

/* Ours of this name, where that is a function that allocates or frees, or NULL;
 * and the same after a note that a program has it, whatever its malloc is. */
void *mprt_interpose_malloc_own(const char *name);
void *mprt_interpose_malloc_give_out(void *own);

#endif
