/* threadname.h -- numbers for the names of threads (per_thread=1). Any thread;
 * lock-free.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_THREADNAME_H
#define MPRT_THREADNAME_H

#include "rt/base/thread.h"

/* The number of this thread's name as it is now, from 1; last: the number that
 * it had when it was asked for before, or 0. */
uint32_t mprt_threadname_now(uint32_t last);
/* The name behind a number; may be "". Two numbers may have one name. */
const char *mprt_threadname(uint32_t number);

#endif
