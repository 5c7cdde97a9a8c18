/* stack.h -- from a call to its context; see stack.c.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_STACK_H
#define MPRT_STACK_H

#include "rt/rt.h"

/* Takes the option; called once. */
void mprt_stack_init(void);
/* The context of an allocation that returns to caller_pc, in the frame
 * caller_frame; 0 where the depot is full. Inside the guard. */
uint32_t mprt_stack_context(uintptr_t caller_pc, uintptr_t caller_frame);
/* Folds recursion in pcs[0..count), the allocation first (see stack.c); how
 * many frames are left. */
size_t mprt_stack_fold(uintptr_t *pcs, size_t count);
/* Forgets walks of the state's last thread: its stack is gone. */
struct mprt_thread;
void mprt_stack_forget(struct mprt_thread *t);

#endif
