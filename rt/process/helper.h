/* helper.h -- the helper: the runtime's process that dumps while the program
 * runs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* Starts the helper if the options need it and it does not run. Called when
 * libc is ready, and in a forked child. */
void mprt_helper_start(void);
/* Ends the helper after its current dump. True if it was running. Not under the
 * dump lock. Takes a bounded time, so the end of the program may call it. */
bool mprt_helper_stop(void);
/* Asks the helper for a dump. Safe in signal handlers. */
void mprt_helper_wake(void);
/* Starts a helper of its own for a forked child. */
void mprt_helper_after_fork(bool is_child, bool is_outermost);
