/* log_stacks.h -- call stacks on their way to the log.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/mapbuf.h"

/* Called once. */
void mprt_log_stacks_init(void);
/* Adds the call stack of a context, unless the log has it. Inside the guard.
 * False if the process that held the lock was killed, so the log must end. */
bool mprt_log_stacks_add(uint32_t context);
/* Moves the block of call stacks, if there is one, to *out, which is empty.
 * False as above. */
bool mprt_log_stacks_take(struct mprof_buf *out);
/* Forgets what was written. is_child: another thread's lock does not count. */
void mprt_log_stacks_restart(bool is_child);
