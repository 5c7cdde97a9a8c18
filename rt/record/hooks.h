/* hooks.h -- the program's own functions that are called with each block
 * (<sanitizer/allocator_interface.h>).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_HOOKS_H
#define MPRT_HOOKS_H

#include "rt/base/rt.h"

/* After a block was made, before one is ended: calls the program's hooks. To be
 * called without locks and outside the guard. mprt_hooks_free() returns true
 * where the program asks that the block be kept
 * (__sanitizer_ignore_free_hook()): it is then not freed. */
void mprt_hooks_malloc(const void *p, size_t size);
bool mprt_hooks_free(const void *p);
/* Calls note() of each block too, after the program's hooks. */
void mprt_hooks_note_blocks(void (*note)(const void *p));
/* False where there are none to call, and nobody asks who frees a block, nor
 * for what is in a named one. */
extern MPRT_HIDDEN _Atomic bool mprt_hooks_are_set;
/* Looks whether there are any. Called once, when the program is relocated. */
void mprt_hooks_init(void);

#endif
