/* clock.h -- the clock's common case, inline. See clock.c.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_CLOCK_H
#define MPRT_CLOCK_H

#include "rt/base/thread.h"

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
    if (MPROF_LIKELY(t != NULL)) {
        const uint64_t tsc = __builtin_ia32_rdtsc();
        /* Before the conversion's start is after its end, too; where there is
         * none, it ends where it starts, in the past. */
        if (MPROF_LIKELY(tsc - t->conversion.tsc <= t->conversion.counts))
            return mprt_clock_convert(&t->conversion, tsc);
    }
    return mprt_clock_now_ns();
}

#endif
