/* state.h -- how far the runtime is: ready, running, recording.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_STATE_H
#define MPRT_STATE_H

#include "rt/base/rt.h"

/* The first start is over, and the program is served (rt/api/behind.h). */
extern MPRT_HIDDEN _Atomic bool mprt_state_ready;

/* The slow way into it, which is rt/start/start.c's: makes the runtime ready;
 * idempotent; may be called by the first malloc of the dynamic linker, before
 * any constructor. The one call upwards that test/lint/symbols.py lets through,
 * because every interface function may be the first. */
void mprt_start_init(void);

/* Pairs with the release at the end of mprt_start_init(). */
static inline bool mprt_state_is_ready(void)
{
    return MPROF_LIKELY(
        atomic_load_explicit(&mprt_state_ready, memory_order_acquire));
}

/* Every interface function begins with it. */
static inline void mprt_state_require(void)
{
    if (!mprt_state_is_ready())
        mprt_start_init();
}

/* True between the end of the first start and the final dump. */
extern MPRT_HIDDEN _Atomic bool mprt_state_running;
static inline bool mprt_state_is_running(void)
{
    return atomic_load_explicit(&mprt_state_running, memory_order_relaxed);
}

/* True where new blocks are recorded: while it runs and the program has not
 * stopped it. What was recorded at its birth is recorded to its end. */
extern MPRT_HIDDEN _Atomic bool mprt_state_recording;
static inline bool mprt_state_is_recording(void)
{
    return atomic_load_explicit(&mprt_state_recording, memory_order_relaxed);
}
/* What follows from it; any thread at any time. */
static inline void mprt_state_set_recording(bool records)
{
    atomic_store_explicit(&mprt_state_recording, records, memory_order_relaxed);
}

/* True where another malloc than the runtime's comes first in the program,
 * whose blocks are not recorded. Known when the C library is up. */
extern MPRT_HIDDEN _Atomic bool mprt_state_other_malloc;

/* The first start is over, and whether blocks are recorded from here on. */
void mprt_state_begin(bool records);
/* After the final dump: nothing is recorded any more. */
void mprt_state_end(void);

#endif
