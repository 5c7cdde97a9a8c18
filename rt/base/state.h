/* state.h -- the runtime's state: ready, running, recording, and whether births
 * and ends of blocks need more than the common path.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* Why a birth or an end of a block may need more than the common path, which
 * tests this word once instead of one word for each feature. */
enum mprt_state_special {
    MPRT_STATE_NOT_READY = 1,   /* the first start is not over */
    MPRT_STATE_NOT_RUNNING = 2, /* before the start, or after the final dump */
    MPRT_STATE_STOPPED = 4,     /* new blocks are not recorded */
    MPRT_STATE_HOOKS = 8,       /* rt/record/hooks.h */
    /* From here on a bit is never cleared; the feature may be off again. */
    MPRT_STATE_SAMPLES = 16,  /* sample=N */
    MPRT_STATE_COUNTERS = 32, /* other counters, or not of all accesses */
    MPRT_STATE_BURSTS = 64,   /* accesses=1/N */
    MPRT_STATE_LOG = 128,     /* rt/record/trail.h */
    MPRT_STATE_SCRIPTS = 256, /* rt/stack/vm.h */
    MPRT_STATE_LOOKS = 512    /* rt/record/last_access.h */
};
extern MPRT_HIDDEN _Atomic uint32_t mprt_state_special;
static inline uint32_t mprt_state_get(void)
{
    /* Pairs with the release at the end of mprt_start_init(). */
    return MPRT_LOAD_ACQUIRE(mprt_state_special);
}
/* Before the feature begins to act. Any thread at any time. */
static inline void mprt_state_set(uint32_t bits)
{
    atomic_fetch_or(&mprt_state_special, bits);
}
static inline void mprt_state_clear(uint32_t bits)
{
    atomic_fetch_and(&mprt_state_special, ~bits);
}

/* Starts the runtime (rt/start/start.c). Idempotent. The dynamic linker's first
 * malloc may call it before any constructor has run. It is the only upward call
 * that test/lint/symbols.py accepts, because any interface function may be the
 * first. */
void mprt_start_init(void);

/* The first start is over, so interface functions serve the program
 * (rt/api/behind.h). */
static inline bool mprt_state_is_ready(void)
{
    return MPROF_LIKELY((mprt_state_get() & MPRT_STATE_NOT_READY) == 0);
}

/* Every interface function calls this first. */
static inline void mprt_state_require(void)
{
    if (!mprt_state_is_ready())
        mprt_start_init();
}

/* True from the end of the first start to the final dump. */
static inline bool mprt_state_is_running(void)
{
    return (mprt_state_get() & MPRT_STATE_NOT_RUNNING) == 0;
}

/* True while new blocks are recorded: the runtime is running and the program
 * has not stopped the recording. A block that was recorded at its birth is
 * recorded to its end. */
static inline bool mprt_state_is_recording(void)
{
    return (mprt_state_get() & MPRT_STATE_STOPPED) == 0;
}
/* Starts or stops the recording of new blocks. Any thread at any time. */
static inline void mprt_state_set_recording(bool records)
{
    if (records)
        mprt_state_clear(MPRT_STATE_STOPPED);
    else
        mprt_state_set(MPRT_STATE_STOPPED);
}

/* True if the program uses another malloc than the runtime's, whose blocks are
 * not recorded. Known once libc is ready. */
extern MPRT_HIDDEN _Atomic bool mprt_state_other_malloc;

/* Ends the first start. records: new blocks are recorded from now on. */
void mprt_state_begin(bool records);
/* After the final dump: nothing is recorded any more. */
void mprt_state_end(void);
