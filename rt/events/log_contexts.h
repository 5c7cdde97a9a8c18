/* log_contexts.h -- what a snapshot has of contexts beside the events of their
 * blocks, as blocks of the log: events and pools of the program, histograms.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/record/snapshot.h"
#include "shared/buf.h"

/* Called once. */
void mprt_log_contexts_init(void);
/* Makes the blocks, instead of those of an earlier snapshot, and adds call
 * stacks that they refer to. is_whole: the log began with the run. Otherwise it
 * has less than the snapshot, so there are no blocks unless they are empty. */
void mprt_log_contexts_keep(const struct mprt_snapshot *snapshot,
                            bool is_whole);
/* Moves the blocks to *out, which is empty. */
void mprt_log_contexts_take(struct mprof_buf *out);
/* Forgets the blocks. is_child: another thread's lock does not count. */
void mprt_log_contexts_restart(bool is_child);
