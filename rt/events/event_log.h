/* event_log.h -- the log of every block, from the option log, or a call of the
 * program, to its end.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/record/trail.h"

struct memprof_log_options;

/* Takes the option and begins to keep events. Called once. */
void mprt_event_log_init(void);
/* Opens the log. Called once, with libc, inside the guard. */
void mprt_event_log_open(void);
static inline bool mprt_event_log_is_on(void)
{
    return mprt_trail_is_on;
}
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
/* The helper writes when no thread does, unless a function of the program gets
 * the bytes. In the program: */
bool mprt_event_log_wants_helper(void);
/* In the program, before it makes the helper, whose descriptors are those of
 * that moment: returns the one that the helper keeps, or -1. */
int mprt_event_log_begin_helper(void);
/* How long until mprt_event_log_help() is to be called; UINT64_MAX: never. */
uint64_t mprt_event_log_help_in_ns(void);
void mprt_event_log_help(void);
/* In the helper: calls change(value), which changes what logs state at their
 * start; *is_done is its result. No log begins meanwhile. Returns false, and
 * does not call it, if a log is being written or seems to be, because its lock
 * stays taken. */
bool mprt_event_log_change(bool (*change)(const char *), const char *value,
                           bool *is_done);
/* Around fork(), see lifecycle.h. */
void mprt_event_log_before_fork(bool is_outermost);
void mprt_event_log_after_fork(bool is_child, bool is_outermost);
