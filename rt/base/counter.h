/* counter.h -- the processor's time stamp counter. A thread may be forbidden to
 * read it (PR_SET_TSC of prctl(), strict seccomp) and gets SIGSEGV then; the
 * runtime stops using it before. Safe in signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/thread.h"

/* Set once a thread of the process may not read the counter; never cleared. */
extern MPRT_HIDDEN _Atomic bool mprt_counter_lost;
static inline bool mprt_counter_is_lost(void)
{
    return MPROF_UNLIKELY(MPRT_LOAD(mprt_counter_lost));
}

/* The counter, or 0 if it may not be read. */
static inline uint64_t mprt_counter_read(void)
{
    return mprt_counter_is_lost() ? 0 : __builtin_ia32_rdtsc();
}

/* Asks the kernel whether this thread may read the counter. */
void mprt_counter_init(void);
/* Stops the use of the counter by us and by the vDSO, on this thread at once
 * and on new threads. Other threads may use it for one more second. */
void mprt_counter_lose(void);
