/* bursts.h -- counts accesses in bursts (accesses=1/N). Any thread, also in
 * signal handlers.
 *
 * The checks of code with two versions cut a thread's execution into windows of
 * MPROF_BURST_CHECKS checks. Each window is a burst with probability 1/N,
 * independent of all others; accesses count in bursts only. So each access
 * counts with probability 1/N, however much slower the counting version of the
 * code is.
 *
 * If c accesses to a block were counted, N * c is an unbiased estimate of all
 * of them. N * (N - 1) * sum of x^2, over bursts in which x accesses were
 * counted, is an unbiased estimate of its variance (record/spread.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"
#include "rt/base/thread.h"
#include "shared/abi.h"

/* N of accesses=1/N; 1 for accesses=all and for accesses=none. */
extern MPRT_HIDDEN uint32_t mprt_bursts_period;
extern MPRT_HIDDEN bool mprt_bursts_count_nothing; /* accesses=none */
static inline bool mprt_bursts_are_on(void)
{
    return MPROF_UNLIKELY(mprt_bursts_period > 1);
}

/* Takes the options; called once. */
void mprt_bursts_init(void);
/* Whether some code counts always, so that accesses=1/N is not possible. */
bool mprt_bursts_are_impossible(void);
/* In the helper: reads the option accesses= again while the program runs. Each
 * thread changes at its next check; a loop that counts its iterations, after 16
 * of them. The caller discards the records. */
void mprt_bursts_change(void);
void mprt_bursts_start_thread(struct mprt_thread *t);
void mprt_bursts_end_thread(struct mprt_thread *t);
/* Gives a forked child other bursts than its parent. */
void mprt_bursts_in_child(void);
/* A module's compiled code starts that always counts: counts all accesses from
 * now on. After the first burst only says that the module's accesses are
 * counted too often. */
void mprt_bursts_give_up(void);

/* As many checks as n bytes have granules, at least one, of which the first
 * ones are executed: those in one window. Returns how many bytes these are, and
 * in *counts whether the window is a burst. */
size_t mprt_bursts_check_range(size_t n, bool *counts);
/* Decremented by most checks; negative in a burst. Read and changed by code
 * with two versions. */
extern _Thread_local int32_t __memprof_checks_v1;
/* A window begins, after a burst unless it is the thread's first: sets the
 * number of checks until the next burst. */
void mprt_bursts_next(int32_t *word);
/* A check in the runtime. True in a burst. */
static inline bool mprt_bursts_check(void)
{
    __memprof_checks_v1--;
    if (MPROF_UNLIKELY(__memprof_checks_v1 < -MPROF_BURST_CHECKS))
        mprt_bursts_next(&__memprof_checks_v1);
    return __memprof_checks_v1 < 0;
}
/* Executes as many checks as above if none of them is in a burst, and returns
 * true. Otherwise executes none. */
static inline bool mprt_bursts_pass_range(size_t n)
{
    const size_t checks = n == 0 ? 1 : (n - 1) / MPROF_GRANULE_BYTES + 1;
    const int64_t left = (int64_t)__memprof_checks_v1 - (int64_t)checks;

    if (MPROF_UNLIKELY(left < 0))
        return false;
    __memprof_checks_v1 = (int32_t)left;
    return true;
}
/* True if the thread is between two bursts. No check. */
static inline bool mprt_bursts_skip(void)
{
    return mprt_bursts_are_on() && __memprof_checks_v1 >= 0;
}
/* Returns the number of bursts of all threads since the start or the fork,
 * including one in which this thread is. */
uint64_t mprt_bursts_number(void);
/* Returns whether a burst ended after `ns` (mprt_clock_now_ns()), or this
 * thread is in one. */
bool mprt_bursts_were_since(uint64_t ns);
/* Returns false if a block that was allocated at `ns` lived through one burst
 * at most. */
bool mprt_bursts_were_several_since(uint64_t ns);

/* Called at the end of each burst, inside user code; may be NULL. */
extern MPRT_HIDDEN void (*mprt_bursts_ended)(uint64_t now_ns);
