/* jump.h -- counts jumps out of signal handlers. The accesses that the
 * interrupted functions have counted in registers are lost.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* Counts a longjmp() called by `caller`, if it leaves a signal handler. target
 * is the stack pointer that it restores. Callable from anywhere. */
void mprt_jump_note(struct mprt_caller caller, uintptr_t target);
/* Number of such jumps since the process began. */
uint64_t mprt_jump_count(void);
/* See lifecycle.h. */
void mprt_jump_in_child(void);
