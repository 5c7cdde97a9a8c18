/* clock.c -- time since the start of the run, in nanoseconds.
 *
 *   cached     default: the processor's time stamp counter, calibrated against
 *              the monotonic clock. Cheap. Its rate comes from ever longer
 *              spans of the run; the error of a lifetime is below 0.1 %
 *   tsc        the same; the rate is measured before the program starts
 *   monotonic  the kernel's clock, through the vDSO
 *   coarse     the kernel's tick clock: cheapest, off by up to one tick
 *
 * cached and tsc need a processor whose counter runs at one rate in all power
 * states; on others they use the monotonic clock. If a thread may not read the
 * counter (counter.h), all clocks are monotonic from then on, by system calls.
 * If those are forbidden too, time stands still.
 *
 * A conversion is (counter, nanoseconds, rate). A new conversion continues the
 * old one at the counter where it begins, and its rate approaches the true
 * time, so that time has no steps. A sequence number protects the current
 * conversion. Each thread copies it (clock.h) and uses the copy until its range
 * ends.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/clock.h"
#include "rt/base/libc.h"
#include "rt/base/lock.h"
#include "rt/base/options.h"
#include "rt/base/os.h"

#include <cpuid.h>

#define RATE_ONE (UINT64_C(1) << MPRT_CLOCK_RATE_SHIFT)
#define RATE_STEP_SHIFT 12
#define NS_PER_MS UINT64_C(1000000)
/* Until the run has lasted this long, the monotonic clock is used. */
#define FIRST_SPAN_NS (2 * NS_PER_MS)
#define TSC_SPAN_NS (2 * NS_PER_MS)
#define LAST_SPAN_NS (1000 * NS_PER_MS)
/* Error of one reading of the counter, the monotonic clock, or both. */
#define READ_ERROR_NS 1000

/* Both clocks are read together up to PAIR_TRIES times, until counter readings
 * before and after the clock differ by at most PAIR_NEAR_COUNTS: half a
 * microsecond to one. */
#define PAIR_TRIES 4
#define PAIR_NEAR_COUNTS 2048

#define FORK_TRIES 1000
#define READ_TRIES 100000

#define CPUID_POWER 0x80000007u
#define CPUID_INVARIANT_TSC (1u << 8)

enum source { SOURCE_MONOTONIC, SOURCE_COARSE, SOURCE_TSC };

static enum source source;
static const char *name;
static uint64_t start_realtime_ns;
static uint64_t start_ns; /* of the monotonic clock */
static uint64_t start_tsc;

/* One thread at a time makes a new conversion. sequence is odd while it writes
 * the conversion. */
static atomic_flag is_calibrating = ATOMIC_FLAG_INIT;
static _Atomic uint32_t sequence;
static struct mprt_conversion current; /* rate 0: no conversion yet */

/* The monotonic clock and, in *tsc, the counter at the same moment. Takes the
 * closest of several readings, because the thread may be preempted between
 * them. */
static uint64_t read_pair(uint64_t *tsc)
{
    uint64_t nearest = UINT64_MAX;
    uint64_t ns = 0;

    for (unsigned i = 0; i < PAIR_TRIES && nearest > PAIR_NEAR_COUNTS; i++) {
        const uint64_t before = mprt_counter_read();
        const uint64_t now = mprt_os_monotonic_ns();
        const uint64_t counts = mprt_counter_read() - before;
        if (counts < nearest) {
            nearest = counts;
            ns = now;
            *tsc = before + counts / 2;
        }
    }
    return ns;
}

/* a * b / c, saturating. The compiler's 128-bit division would call a function
 * of libgcc. */
static uint64_t multiply_divide(uint64_t a, uint64_t b, uint64_t c)
{
    const unsigned __int128 product = (unsigned __int128)a * b;
    const uint64_t high = (uint64_t)(product >> 64);
    uint64_t quotient;
    uint64_t rest;

    if (high >= c)
        return UINT64_MAX;
    __asm__("divq %4"
            : "=a"(quotient), "=d"(rest)
            : "a"((uint64_t)product), "d"(high), "r"(c)
            : "cc");
    return quotient;
}

static uint64_t convert(const struct mprt_conversion *c, uint64_t tsc)
{
    return (int64_t)(tsc - c->tsc) <= 0 ? c->ns : mprt_clock_convert(c, tsc);
}

/* Copies the current conversion. Rate 0 if a dying program cannot get it: this
 * signal handler may have interrupted publish(). */
static void read_conversion(struct mprt_conversion *c)
{
    unsigned tries = 0;
    uint32_t before;

    do {
        if (MPROF_UNLIKELY(tries++ == READ_TRIES && mprt_lock_is_bounded())) {
            c->rate = 0;
            return;
        }
        /* Pairs with the release in publish(). */
        before = MPRT_LOAD_ACQUIRE(sequence);
        *c = *(volatile struct mprt_conversion *)&current;
        atomic_thread_fence(memory_order_acquire);
    } while ((before & 1) != 0 || MPRT_LOAD(sequence) != before);
}

static void publish(const struct mprt_conversion *c)
{
    const uint32_t before = MPRT_LOAD(sequence);

    MPRT_STORE(sequence, before + 1);
    atomic_thread_fence(memory_order_release);
    *(volatile struct mprt_conversion *)&current = *c;
    /* Pairs with the acquire in read_conversion(). */
    MPRT_STORE_RELEASE(sequence, before + 2);
}

/* Makes a new conversion from the whole run so far. One thread does; others
 * continue with the old conversion. */
static void calibrate(void)
{
    struct mprt_conversion c;

    if (atomic_flag_test_and_set_explicit(&is_calibrating,
                                          memory_order_acquire))
        return;
    const struct mprt_conversion old = current;
    const uint64_t now = read_pair(&c.tsc) - start_ns;
    if (mprt_counter_is_lost()) {
        atomic_flag_clear_explicit(&is_calibrating, memory_order_release);
        return;
    }
    const uint64_t counts = c.tsc - start_tsc;
    const uint64_t rate =
        counts != 0 ? multiply_divide(now, RATE_ONE, counts) : 0;
    const uint64_t span = now < LAST_SPAN_NS ? now : LAST_SPAN_NS;
    c.ns = old.rate != 0 ? convert(&old, c.tsc) : now;
    c.counts = rate != 0 ? multiply_divide(span, RATE_ONE, rate) : 0;
    c.rate = rate;
    if (old.rate != 0 && span != 0) {
        /* Choose a rate that is right at the end of the next span, within
         * RATE_STEP_SHIFT. */
        const bool is_ahead = c.ns > now;
        const uint64_t change = mprof_min_u64(
            multiply_divide(is_ahead ? c.ns - now : now - c.ns, rate, span),
            rate >> RATE_STEP_SHIFT);
        c.rate = is_ahead ? rate - change : rate + change;
    }
    publish(&c);
    atomic_flag_clear_explicit(&is_calibrating, memory_order_release);
}

void mprt_clock_before_fork(bool is_outermost)
{
    (void)is_outermost;
    /* Does not wait forever: this signal handler may have interrupted
     * calibrate(). */
    for (unsigned i = 0; i < FORK_TRIES; i++) {
        if (!atomic_flag_test_and_set_explicit(&is_calibrating,
                                               memory_order_acquire))
            return;
        mprt_os_yield();
    }
}

void mprt_clock_after_fork(bool is_child, bool is_outermost)
{
    const uint32_t now = MPRT_LOAD(sequence);

    (void)is_outermost;
    if (is_child && (now & 1) != 0) {
        /* Another thread was in publish() at the fork. */
        current.rate = 0;
        MPRT_STORE_RELEASE(sequence, now + 1);
    }
    atomic_flag_clear_explicit(&is_calibrating, memory_order_release);
}

void mprt_clock_start_thread(struct mprt_thread *t)
{
    t->conversion.counts = 0;
}

static bool has_steady_tsc(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(CPUID_POWER, &a, &b, &c, &d) != 0 &&
           (d & CPUID_INVARIANT_TSC) != 0;
}

void mprt_clock_init(void)
{
    const char *const wanted = mprt_options.clock;

    if (mprt_thread_local.state != NULL)
        mprt_thread_local.state->conversion.counts = 0;
    source = SOURCE_MONOTONIC;
    name = "monotonic";
    mprt_counter_init();
    start_realtime_ns = mprt_os_realtime_ns();
    start_ns = read_pair(&start_tsc);
    if (mprt_libc_strcmp(wanted, "coarse") == 0) {
        source = SOURCE_COARSE;
        name = "coarse";
        start_ns = mprt_os_coarse_ns();
    } else if (mprt_libc_strcmp(wanted, "monotonic") != 0 && has_steady_tsc() &&
               !mprt_counter_is_lost()) {
        source = SOURCE_TSC;
        name = "tsc";
        if (mprt_libc_strcmp(wanted, "tsc") == 0) {
            while (mprt_os_monotonic_ns() - start_ns < TSC_SPAN_NS)
                mprt_os_yield();
            calibrate();
        } else {
            name = "cached";
        }
    }
}

static uint64_t since_start(uint64_t now)
{
    static _Atomic uint64_t last_ns;

    /* This thread may not ask for the time. */
    if (MPROF_UNLIKELY(now == 0))
        return MPRT_LOAD(last_ns);
    if (mprt_counter_is_lost())
        MPRT_STORE(last_ns, now - start_ns);
    return now - start_ns;
}

static uint64_t system_now(void)
{
    return since_start(mprt_os_monotonic_ns());
}

static uint64_t tsc_now(void)
{
    struct mprt_thread *const t = mprt_thread_local.state;
    const uint64_t tsc = mprt_counter_read();
    struct mprt_conversion c;

    if (mprt_counter_is_lost())
        return system_now();
    read_conversion(&c);
    if (MPROF_UNLIKELY(c.rate == 0)) {
        const uint64_t now = system_now();
        if (now >= FIRST_SPAN_NS)
            calibrate();
        return now;
    }
    if ((int64_t)(tsc - c.tsc) > (int64_t)c.counts) {
        calibrate();
        read_conversion(&c);
        if (MPROF_UNLIKELY(c.rate == 0 || mprt_counter_is_lost()))
            return system_now();
    }
    if (t != NULL && !mprt_counter_is_lost())
        t->conversion = c;
    return convert(&c, tsc);
}

uint64_t mprt_clock_now_ns(void)
{
    switch (source) {
    case SOURCE_TSC:
        return tsc_now();
    case SOURCE_COARSE:
        return since_start(mprt_os_coarse_ns());
    case SOURCE_MONOTONIC:
        break;
    }
    return system_now();
}

uint64_t mprt_clock_resolution_ns(void)
{
    return source == SOURCE_COARSE ? mprt_os_coarse_resolution_ns()
                                   : READ_ERROR_NS;
}

const char *mprt_clock_name(void)
{
    return name;
}

uint64_t mprt_clock_start_realtime_ns(void)
{
    return start_realtime_ns;
}
