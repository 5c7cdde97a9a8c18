/* jump.h -- jumps out of signal handlers: what the interrupted functions have
 * counted in registers is lost with them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_JUMP_H
#define MPRT_JUMP_H

#include "rt/base/rt.h"

/* Counts the longjmp() whose frame this is to the frame that had this stack
 * pointer, if that leaves a handler. Callable from anywhere. */
void mprt_jump_note(uintptr_t caller_pc, uintptr_t caller_frame,
                    uintptr_t target);
/* How many there were since the process began. */
uint64_t mprt_jump_count(void);
/* See lifecycle.h. */
void mprt_jump_after_fork(bool is_child, bool is_outermost);

#endif
