/* log_events.h -- the blocks of events of the log.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/mapbuf.h"
#include "rt/record/trail.h"

/* Appends the events of a buffer that are not yet written to *out. Under the
 * log's lock, inside the guard. */
void mprt_log_events_write(struct mprt_trail *trail, struct mprof_buf *out);
