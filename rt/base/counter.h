/* counter.h -- the processor's time stamp counter, as long as it may be read:
 * a thread may be forbidden to (PR_SET_TSC of prctl(), strict seccomp), and
 * gets SIGSEGV then. Safe in signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_COUNTER_H
#define MPRT_COUNTER_H

#include "rt/base/thread.h"

/* Set for good where one thread of the process must not read it. */
extern MPRT_HIDDEN _Atomic bool mprt_counter_lost;
static inline bool mprt_counter_is_lost(void)
{
    return MPROF_UNLIKELY(
        atomic_load_explicit(&mprt_counter_lost, memory_order_relaxed));
}

/* Zero where it is lost, also while it is read. */
static inline uint64_t mprt_counter_read(void)
{
    return mprt_counter_is_lost() ? 0 : __builtin_ia32_rdtsc();
}

/* Asks the kernel whether this thread may read it. */
void mprt_counter_init(void);
/* Neither we nor the vDSO, for us, read it on this thread from now on, nor on
 * threads to come. Others go on for a second at most. */
void mprt_counter_lose(void);

#endif
