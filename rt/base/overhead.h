/* overhead.h -- what the runtime's own time is.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_OVERHEAD_H
#define MPRT_OVERHEAD_H

#include "rt/base/thread.h"

/* Measures what measuring costs; called once. */
void mprt_overhead_init(void);
/* Chooses the thread's first call that is timed. */
void mprt_overhead_start_thread(struct mprt_thread *t);

/* True where this call of thread t is to be timed: then mprt_overhead_begin()
 * and, behind it, mprt_overhead_end(). In between it is false. */
static inline bool mprt_overhead_is_due(struct mprt_thread *t)
{
    return --t->calls_to_timed == 0;
}
struct mprt_timed {
    uint64_t tsc;
    uint64_t weight; /* calls that this one stands for */
};
struct mprt_timed mprt_overhead_begin(void);
void mprt_overhead_end(struct mprt_timed timed);

/* The estimate in nanoseconds since the start of the run, from *calls calls. */
uint64_t mprt_overhead_ns(uint64_t *calls);
/* In a forked child: from zero. */
void mprt_overhead_after_fork(bool is_child, bool is_outermost);

#endif
