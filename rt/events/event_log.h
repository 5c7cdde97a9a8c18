/* event_log.h -- the log of every block, from the option log, or a call of the
 * program, to its end.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_EVENT_LOG_H
#define MPRT_EVENT_LOG_H

#include "rt/base/rt.h"

struct memprof_log_options;

/* Takes the option and begins to keep events. Called once. */
void mprt_event_log_init(void);
/* Opens the log. Called once, with libc, inside the guard. */
void mprt_event_log_open(void);
bool mprt_event_log_is_on(void);
/* Begin and end a log whose bytes go to a function of the program, outside the
 * guard; enum memprof_log_status. */
int mprt_event_log_start(const struct memprof_log_options *options);
int mprt_event_log_stop(void);
/* Writes what all threads have kept. */
void mprt_event_log_flush(void);
/* Before and after the last dump: makes the snapshot of the dump go into the
 * log; ends the log. Also in signal handlers, if no function of the program may
 * be called. */
void mprt_event_log_before_last(void);
/* The same without a dump. */
void mprt_event_log_take_snapshot(void);
void mprt_event_log_end(bool may_call);
/* Around fork(), see lifecycle.h. */
void mprt_event_log_before_fork(bool is_outermost);
void mprt_event_log_after_fork(bool is_child, bool is_outermost);

#endif
