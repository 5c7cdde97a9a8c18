/* interpose_malloc.h -- allocation by C library functions that return a block
 * (strdup, getcwd, ...), and which malloc the program calls.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* Allocates n bytes like malloc, for a call that returns to caller_pc, in the
 * frame caller_frame. Calls the program's own malloc if the program has one.
 * Returns NULL and sets errno if that fails. */
void *mprt_interpose_malloc_new(size_t n, uintptr_t caller_pc,
                                uintptr_t caller_frame);

/* Finds out by its address whether the program calls the malloc of
 * interpose_malloc.c. */
void mprt_interpose_malloc_init(void);

/* Finds it out by a call of malloc. Needed if the runtime is a shared library:
 * a program that is not position-independent and takes malloc's address has a
 * stub with that name, which jumps to the first definition. Returns true if the
 * first definition is the one of interpose_malloc.c. */
bool mprt_interpose_malloc_try(void);

/* _own() returns our allocation function with this name, or NULL. _give_out()
 * returns `own` and records that the program has our malloc's address, so its
 * own malloc may call ours. */
void *mprt_interpose_malloc_own(const char *name);
void *mprt_interpose_malloc_give_out(void *own);
