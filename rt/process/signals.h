/* signals.h -- signals that end the program, or ask for a dump.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

#include <signal.h>

/* Replaces the default action of the signals that the options name. Called
 * once, after mprt_real_init(). */
void mprt_signals_init(void);
/* Whether the runtime replaces the default action of this signal, or may. */
bool mprt_signals_is_watched(int number);
/* sigaction() for the program; works even if the program defines a function of
 * that name. */
int mprt_signals_set_action(int number, const struct sigaction *action,
                            struct sigaction *before);
/* rests: restores what the program set, because no profile can be written any
 * more; otherwise takes the signals back. Not in signal handlers. */
void mprt_signals_rest(bool rests);
/* Around fork(), see lifecycle.h; all signals are blocked in between. */
void mprt_signals_before_fork(bool is_outermost);
void mprt_signals_after_fork(bool is_child, bool is_outermost);
