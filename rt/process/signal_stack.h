/* signal_stack.h -- alternate signal stacks for threads that have none.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/thread.h"

/* Takes the options and gives this thread a stack. Called once. */
void mprt_signal_stack_init(void);
/* Gives a thread without an alternate stack one, and takes it away. */
void mprt_signal_stack_start_thread(struct mprt_thread *t);
void mprt_signal_stack_end_thread(struct mprt_thread *t);
