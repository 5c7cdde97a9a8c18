/* signal_stack.h -- an alternate stack for signals for each thread without one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_SIGNAL_STACK_H
#define MPRT_SIGNAL_STACK_H

#include "rt/base/thread.h"

/* Takes the options, and gives this thread a stack. Called once. */
void mprt_signal_stack_init(void);
/* Gives a thread that has none a stack for signals, and takes it away. */
void mprt_signal_stack_start_thread(struct mprt_thread *t);
void mprt_signal_stack_end_thread(struct mprt_thread *t);

#endif
