/* log_events.h -- the blocks of events and call stacks of the log. Under the
 * log's lock, inside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_LOG_EVENTS_H
#define MPRT_LOG_EVENTS_H

#include "rt/base/mapbuf.h"
#include "rt/record/trail.h"

/* Makes the sets; false without memory. Called once. */
bool mprt_log_events_init(void);
/* Appends the events of a buffer that are not yet written to *out, and the call
 * stacks that they need to *stacks. */
void mprt_log_events_write(struct mprt_trail *trail, struct mprof_buf *out,
                           struct mprof_buf *stacks);
/* Ends the block of call stacks, if there is one. */
void mprt_log_events_end_stacks(struct mprof_buf *stacks);
/* Forgets what was written. */
void mprt_log_events_restart(void);

#endif
