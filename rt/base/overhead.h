/* overhead.h -- an estimate of the runtime's own time.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/thread.h"

/* One call in so many is timed, on average. */
#define MPRT_OVERHEAD_MEAN_CALLS 256 /* a power of two */

/* Measures the cost of a measurement; called once. */
void mprt_overhead_init(void);
/* Chooses the thread's first call to be timed. */
void mprt_overhead_start_thread(struct mprt_thread *t);

/* Counts a call of thread t. True if the call is to be timed: then call
 * mprt_overhead_begin() before it and mprt_overhead_end() after it. False in
 * between. */
static inline bool mprt_overhead_is_due(struct mprt_thread *t)
{
    return --t->calls_to_timed == 0;
}
struct mprt_timed {
    uint64_t tsc;
    uint64_t weight; /* number of calls that the timed call stands for */
};
struct mprt_timed mprt_overhead_begin(void);
void mprt_overhead_end(struct mprt_timed timed);

/* Estimated nanoseconds since the start of the run, and in *calls the number of
 * timed calls. */
uint64_t mprt_overhead_ns(uint64_t *calls);
/* Restarts the estimate in a forked child. */
void mprt_overhead_in_child(void);
