/* overhead.c -- the runtime's own time. A random sample of the calls of
 * allocation functions, one in MPRT_OVERHEAD_MEAN_CALLS, is timed by the time
 * stamp counter. Each timed call stands for all calls since the one before. The
 * cost of reading the counter is subtracted. A call counts at most COUNTS_MAX,
 * because a preempted thread would distort the estimate a thousandfold.
 *
 * Not included: counting in instrumented code, and dumps.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/overhead.h"
#include "rt/base/counter.h"
#include "rt/base/os.h"

#define COUNTS_MAX 100000
#define CALIBRATIONS 16

static uint64_t start_tsc;
static uint64_t start_ns;
static uint64_t read_cost; /* in counts */
static _Atomic uint64_t seed;
static uint64_t before_sum; /* of a forked child's parent */
static uint64_t before_calls;

void mprt_overhead_init(void)
{
    read_cost = UINT64_MAX;
    for (int i = 0; i < CALIBRATIONS; i++) {
        const uint64_t first = mprt_counter_read();

        read_cost = mprof_min_u64(read_cost, mprt_counter_read() - first);
    }
    start_tsc = mprt_counter_read();
    start_ns = mprt_os_monotonic_ns();
    MPRT_STORE(seed, mprt_os_random());
}

static void arm(struct mprt_thread *t)
{
    uint64_t x = MPRT_ADD(seed, UINT64_C(0x9e3779b97f4a7c15));

    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    t->timed_interval =
        1 + (uint32_t)(x >> 32) % (2 * MPRT_OVERHEAD_MEAN_CALLS - 1);
    t->calls_to_timed = t->timed_interval;
}

/* A reused state continues the countdown of its last thread. */
void mprt_overhead_start_thread(struct mprt_thread *t)
{
    if (t->calls_to_timed == 0)
        arm(t);
}

struct mprt_timed mprt_overhead_begin(void)
{
    struct mprt_thread *const t = mprt_thread_local.state;
    struct mprt_timed timed = {.weight = t->timed_interval};

    arm(t);
    t->calls_to_timed++; /* the caller counts this call once more */
    timed.tsc = mprt_counter_read();
    return timed;
}

/* Counts per nanosecond over the whole run. */
static double counts_per_ns(void)
{
    const uint64_t ns = mprt_os_monotonic_ns() - start_ns;

    return ns != 0 ? (double)(mprt_counter_read() - start_tsc) / (double)ns : 1;
}

void mprt_overhead_end(struct mprt_timed timed)
{
    const uint64_t spent = mprt_counter_read() - timed.tsc;
    struct mprt_thread *const t = mprt_thread_local.state;
    const uint64_t counts = spent > read_cost ? spent - read_cost : 0;

    if (t == NULL || mprt_counter_is_lost())
        return;
    mprt_thread_add_count(&t->counts.timed_sum,
                          mprof_min_u64(counts, COUNTS_MAX) * timed.weight,
                          false);
    mprt_thread_add_count(&t->counts.timed_calls, 1, false);
}

static void add_up(uint64_t *sum, uint64_t *calls)
{
    *sum = 0;
    *calls = 0;
    MPRT_EACH_THREAD(t) {
        *sum += MPRT_LOAD(t->counts.timed_sum);
        *calls += MPRT_LOAD(t->counts.timed_calls);
    }
}

uint64_t mprt_overhead_ns(uint64_t *calls)
{
    uint64_t sum;

    *calls = 0;
    if (mprt_counter_is_lost())
        return 0; /* the counter's rate is unknown */
    add_up(&sum, calls);
    *calls -= before_calls;
    return (uint64_t)((double)(sum - before_sum) / counts_per_ns());
}

void mprt_overhead_in_child(void)
{
    add_up(&before_sum, &before_calls);
}
