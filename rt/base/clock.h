/* clock.h -- time since the start of the run. Safe in signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/counter.h"

/* Takes the option clock; called once. */
void mprt_clock_init(void);
/* Nanoseconds since mprt_clock_init(). Never goes back on one thread. */
uint64_t mprt_clock_now_ns(void);
/* Largest error of a time. */
uint64_t mprt_clock_resolution_ns(void);
/* The clock's name as the option spells it; a constant. */
const char *mprt_clock_name(void);
/* Around fork(), in parent and child: the clock stays consistent. */
void mprt_clock_before_fork(bool is_outermost);
void mprt_clock_after_fork(bool is_child, bool is_outermost);
/* Resets the conversion in a thread's state, which may be of an earlier thread.
 */
void mprt_clock_start_thread(struct mprt_thread *t);
/* Time of mprt_clock_init() in nanoseconds since 1970. */
uint64_t mprt_clock_start_realtime_ns(void);

/* -- fast path ------------------------------------------------------------- */

#define MPRT_CLOCK_RATE_SHIFT 32

static inline uint64_t mprt_clock_convert(const struct mprt_conversion *c,
                                          uint64_t tsc)
{
    return c->ns + (uint64_t)(((unsigned __int128)(tsc - c->tsc) * c->rate) >>
                              MPRT_CLOCK_RATE_SHIFT);
}

/* mprt_clock_now_ns() for thread t, which is this thread, or NULL. */
static inline uint64_t mprt_clock_now_in(const struct mprt_thread *t)
{
    /* Without a conversion the counter may be unusable. */
    if (MPROF_LIKELY(t != NULL && t->conversion.counts != 0)) {
        const uint64_t tsc = __builtin_ia32_rdtsc();
        /* A time before the conversion's start wraps, so it lies after the end,
         * too. */
        if (MPROF_LIKELY(tsc - t->conversion.tsc <= t->conversion.counts))
            return mprt_clock_convert(&t->conversion, tsc);
    }
    return mprt_clock_now_ns();
}
