/* threadname.h -- numbers for the names of threads (per_thread=1). See
 * threadname.c.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_THREADNAME_H
#define MPRT_THREADNAME_H

#include "rt/base/rt.h"

struct mprt_thread;

/* The number of this thread's name as it is now. What t remembers of another
 * name is forgotten. t may be NULL: a thread without a state. */
uint32_t mprt_threadname_now(struct mprt_thread *t);

#endif
