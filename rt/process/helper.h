/* helper.h -- the process of ours that dumps while the program runs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_HELPER_H
#define MPRT_HELPER_H

#include "rt/base/rt.h"

/* Starts it where the options ask for it and it is not there. Called with libc,
 * and in a forked child. */
void mprt_helper_start(void);
/* Ends it, after the dump that it is at; true where there was one. Not under
 * the dump lock. Bounded in time, so good for the end of the program. */
bool mprt_helper_stop(void);
/* Asks it for a dump. Safe in signal handlers. */
void mprt_helper_wake(void);
/* In a forked child the helper is the parent's; its own starts. */
void mprt_helper_after_fork(bool is_child, bool is_outermost);

#endif
