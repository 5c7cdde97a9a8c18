/* clock.h -- time since the start of the run. Safe in signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_CLOCK_H
#define MPRT_CLOCK_H

#include "rt/base/counter.h"

/* Takes the option; called once. */
void mprt_clock_init(void);
/* Nanoseconds since mprt_clock_init(), never going back on one thread. */
uint64_t mprt_clock_now_ns(void);
/* How far a time may be off. */
uint64_t mprt_clock_resolution_ns(void);
/* As the option names it; lives as long as the process. */
const char *mprt_clock_name(void);
/* Around fork(), in parent and child: what time is stays well defined. */
void mprt_clock_before_fork(bool is_outermost);
void mprt_clock_after_fork(bool is_child, bool is_outermost);
/* A thread's state, which may have been another's. */
void mprt_clock_start_thread(struct mprt_thread *t);
/* Realtime of mprt_clock_init(), ns since 1970. */
uint64_t mprt_clock_start_realtime_ns(void);

/* -- the common case ------------------------------------------------------- */

#define MPRT_CLOCK_RATE_SHIFT 32

static inline uint64_t mprt_clock_convert(const struct mprt_conversion *c,
                                          uint64_t tsc)
{
    return c->ns + (uint64_t)(((unsigned __int128)(tsc - c->tsc) * c->rate) >>
                              MPRT_CLOCK_RATE_SHIFT);
}

/* mprt_clock_now_ns() for this thread. */
static inline uint64_t mprt_clock_now_in(const struct mprt_thread *t)
{
    /* Where there is no conversion, it may be that the counter is lost. */
    if (MPROF_LIKELY(t != NULL && t->conversion.counts != 0)) {
        const uint64_t tsc = __builtin_ia32_rdtsc();
        /* Before the conversion's start is after its end, too. */
        if (MPROF_LIKELY(tsc - t->conversion.tsc <= t->conversion.counts))
            return mprt_clock_convert(&t->conversion, tsc);
    }
    return mprt_clock_now_ns();
}

#endif
