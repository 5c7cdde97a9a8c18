/* state.h -- the runtime's state: ready, running, recording.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* The first start is over, so interface functions serve the program
 * (rt/api/behind.h). */
extern MPRT_HIDDEN _Atomic bool mprt_state_ready;

/* Starts the runtime (rt/start/start.c). Idempotent. The dynamic linker's first
 * malloc may call it before any constructor has run. It is the only upward call
 * that test/lint/symbols.py accepts, because any interface function may be the
 * first. */
void mprt_start_init(void);

/* Pairs with the release at the end of mprt_start_init(). */
static inline bool mprt_state_is_ready(void)
{
    return MPROF_LIKELY(
        atomic_load_explicit(&mprt_state_ready, memory_order_acquire));
}

/* Every interface function calls this first. */
static inline void mprt_state_require(void)
{
    if (!mprt_state_is_ready())
        mprt_start_init();
}

/* True from the end of the first start to the final dump. */
extern MPRT_HIDDEN _Atomic bool mprt_state_running;
static inline bool mprt_state_is_running(void)
{
    return atomic_load_explicit(&mprt_state_running, memory_order_relaxed);
}

/* True while new blocks are recorded: the runtime is running and the program
 * has not stopped the recording. A block that was recorded at its birth is
 * recorded to its end. */
extern MPRT_HIDDEN _Atomic bool mprt_state_recording;
static inline bool mprt_state_is_recording(void)
{
    return atomic_load_explicit(&mprt_state_recording, memory_order_relaxed);
}
/* Starts or stops the recording of new blocks. Any thread at any time. */
static inline void mprt_state_set_recording(bool records)
{
    atomic_store_explicit(&mprt_state_recording, records, memory_order_relaxed);
}

/* True if the program uses another malloc than the runtime's, whose blocks are
 * not recorded. Known once libc is ready. */
extern MPRT_HIDDEN _Atomic bool mprt_state_other_malloc;

/* Ends the first start. records: new blocks are recorded from now on. */
void mprt_state_begin(bool records);
/* After the final dump: nothing is recorded any more. */
void mprt_state_end(void);
