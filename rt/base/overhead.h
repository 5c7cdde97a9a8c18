/* owntime.h -- what the runtime's own time is; see owntime.c.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_OWNTIME_H
#define MPRT_OWNTIME_H

#include "rt/base/thread.h"

void mprt_owntime_init(void);
/* Chooses the thread's next call that is timed. */
void mprt_owntime_arm(struct mprt_thread *t);

/* True where this call of thread t is to be timed: then mprt_owntime_begin()
 * and, behind it, mprt_owntime_end(). In between it is false. */
static inline bool mprt_owntime_is_due(struct mprt_thread *t)
{
    return --t->calls_to_timed == 0;
}
struct mprt_timed {
    uint64_t tsc;
    uint64_t weight; /* calls that this one stands for */
};
struct mprt_timed mprt_owntime_begin(void);
void mprt_owntime_end(struct mprt_timed timed);

/* The estimate since the start of the run, from *calls calls. */
uint64_t mprt_owntime_ns(uint64_t *calls);
/* In a forked child: from zero. */
void mprt_owntime_restart(void);

#endif
