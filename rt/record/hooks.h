/* hooks.h -- functions of the program that are called for each block
 * (<sanitizer/allocator_interface.h>).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/state.h"
#include "rt/base/thread.h"

/* Call the program's hooks, after a block was made and before a block ends.
 * Call without locks and outside the guard. mprt_hooks_free() returns true if
 * the program asks to keep the block (__sanitizer_ignore_free_hook()); then do
 * not free it. */
void mprt_hooks_malloc(const void *p, size_t size);
bool mprt_hooks_free(const void *p);
/* Calls note() for each new block, too, after the program's hooks. */
void mprt_hooks_note_blocks(void (*note)(const void *p));
/* False if there are no hooks, neither call sites of free nor duplicates are
 * recorded, and no block is named; and inside the runtime. */
static inline bool mprt_hooks_are_set(void)
{
    return (mprt_state_get() & MPRT_STATE_HOOKS) != 0 &&
           !mprt_thread_local.is_inside;
}
/* Looks for hooks. Called once, when the program is relocated. */
void mprt_hooks_init(void);
