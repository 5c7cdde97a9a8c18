/* log_tail.h -- memprofdata events --tail: events of a log while it grows.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/cmd/log_list.h"

/* Prints the events. Returns an exit status. */
int log_tail_print(struct log_list *l, struct session *session);
