/* sample.c -- chooses the blocks that are recorded with sample=N.
 *
 * A thread counts down bytes to its next sample. The process is memoryless, so
 * the countdown restarts after each sample. Its length has a geometric
 * distribution, the exponential distribution in whole bytes: it ends within
 * `size` bytes with probability 1 - exp(-size / N), exactly.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/sample.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/base/state.h"
#include "rt/heap/shadow.h"
#include "rt/record/live.h"

/* Counters of unsampled blocks are discarded after so many allocated bytes, at
 * least, and after a fourth of the live bytes. */
#define DISCARD_BYTES_MIN (UINT64_C(8) << 20)
#define DISCARD_SHIFT 2
#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

uint64_t mprt_sample_period;
uint64_t mprt_sample_rates[MPRT_SAMPLE_RATES];
_Atomic uint32_t mprt_sample_rate;
bool mprt_sample_is_outside;

static uint32_t rate_count = 1;
static bool may_be_outside;
static uint64_t seed;
static _Atomic uint64_t streams;
static _Atomic uint64_t orphans;
/* Bytes allocated since the last discard of counters, roughly. */
static _Atomic uint64_t since_discard;

/* Begins to sample, or makes N longer than it was. */
static void extend(uint64_t period)
{
    if (mprt_sample_period == 0)
        seed = mprt_options.sample_seed != 0
                   ? (uint64_t)mprt_options.sample_seed
                   : mprt_os_random();
    mprt_state_set(MPRT_STATE_SAMPLES);
    mprt_sample_period = period;
    mprt_sample_is_outside = may_be_outside;
}

void mprt_sample_init(void)
{
    const int64_t period = mprt_options.sample;

    if (period <= 0)
        return;
    mprt_sample_rates[0] =
        mprof_min_u64((uint64_t)period, MPRT_SAMPLE_PERIOD_MAX);
    extend(mprt_sample_rates[0]);
}

void mprt_sample_allow_outside(void)
{
    may_be_outside = true;
    mprt_sample_is_outside = mprt_sample_period != 0;
}

bool mprt_sample_set(uint64_t period)
{
    uint32_t rate = 0;

    while (rate < rate_count && mprt_sample_rates[rate] != period)
        rate++;
    if (rate == MPRT_SAMPLE_RATES)
        return false;
    if (rate == rate_count)
        mprt_sample_rates[rate_count++] = period;
    if (period > mprt_sample_period)
        extend(period);
    /* Pairs with the acquire in mprt_sample_rate_now(). */
    MPRT_STORE_RELEASE(mprt_sample_rate, rate);
    return true;
}

/* -- mathematics ----------------------------------------------------------- */

/* The finalizer of SplitMix64: each bit of the result depends on all bits of x.
 */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* A number in (0, 1]. */
static double uniform(uint64_t random)
{
    return (double)((random >> 11) + 1) * 0x1p-53;
}

/* Natural logarithm of x in (0, 1]: of the power of two, plus the series of the
 * inverse hyperbolic tangent for the rest. */
static double logarithm(double x)
{
    static const double ln2 = 0.693147180559945309;
    double power = 0;
    double sum = 0;

    while (x < 0.75) {
        x *= 2;
        power += ln2;
    }
    const double s = (x - 1) / (x + 1);
    double term = s;
    for (int i = 1; i < 16; i += 2) {
        sum += term / i;
        term *= s * s;
    }
    return 2 * sum - power;
}

/* 1 - exp(-x) for x > 0: by the series for x halved until it is small; then for
 * each halving 1 - q^2 = (1 - q)(2 - (1 - q)). */
static double one_minus_exp(double x)
{
    int halvings = 0;
    double sum = 0;

    if (x > 40)
        return 1;
    for (; x > 0.125; halvings++)
        x /= 2;
    double term = x;
    for (int i = 2; i < 10; i++) {
        sum += term;
        term *= -x / i;
    }
    for (; halvings > 0; halvings--)
        sum *= 2 - sum;
    return sum;
}

/* Of a block, to be sampled with this N, which is not 0. */
static double probability_of(uint64_t size, uint64_t period)
{
    return one_minus_exp((double)size / (double)period);
}

/* -- samples --------------------------------------------------------------- */

uint32_t mprt_sample_weight(uint64_t size, uint32_t rate, uint64_t key)
{
    const uint64_t period = mprt_sample_rates[rate];

    if (period == 0)
        return 1;
    const double weight = 1 / probability_of(size, period);
    const uint32_t whole = (uint32_t)weight;

    return whole +
           (uniform(mix(mix(key ^ seed) + GOLDEN)) <= weight - (double)whole);
}

/* Code counts accesses to unsampled blocks, too. Gives back the memory of these
 * counters when an eighth of it may have grown by 1/32 of the live bytes. */
static void limit_counters(uint64_t period)
{
    const uint64_t allocated = MPRT_ADD(since_discard, period);

    if (allocated < DISCARD_BYTES_MIN ||
        allocated < mprt_live_bytes() >> DISCARD_SHIFT)
        return;
    MPRT_STORE(since_discard, 0);
    mprt_shadow_discard_others();
}

static void draw(struct mprt_thread *t)
{
    t->sample.random += GOLDEN;
    t->sample.left = (int64_t)(-logarithm(uniform(mix(t->sample.random))) *
                               (double)mprt_sample_rates[t->sample.rate]);
}

/* Draws for each block, without a countdown. */
static bool is_orphan_left_out(uint64_t size)
{
    const uint64_t n = MPRT_ADD(orphans, GOLDEN);
    const uint64_t period = mprt_sample_rates[mprt_sample_rate_now()];

    return period != 0 &&
           uniform(mix(n + ~seed)) > probability_of(size, period);
}

static void take_rate(struct mprt_thread *t)
{
    if (t->sample.random == 0) /* began while all blocks were recorded */
        t->sample.random = mix(seed + atomic_fetch_add(&streams, 1));
    t->sample.rate = mprt_sample_rate_now();
    draw(t);
}

bool mprt_sample_leaves_out(uint64_t size)
{
    struct mprt_thread *const t = mprt_thread_current();

    if (size == 0)
        size = 1; /* as the block has it */
    if (t == NULL)
        return is_orphan_left_out(size);
    if (MPROF_UNLIKELY(t->sample.rate != mprt_sample_rate_now()))
        take_rate(t);
    if (mprt_sample_rates[t->sample.rate] == 0)
        return false;
    if (mprt_sample_count_down(t, size))
        return true;
    draw(t);
    limit_counters(mprt_sample_rates[t->sample.rate]);
    return false;
}

void mprt_sample_start_thread(struct mprt_thread *t)
{
    t->sample.random = 0;
    if (mprt_sample_period != 0)
        take_rate(t);
}

void mprt_sample_in_child(void)
{
    if (mprt_sample_period == 0)
        return;
    seed = mix(seed + (mprt_options.sample_seed != 0 ? 1 : mprt_os_random()));
    if (mprt_thread_local.state != NULL)
        mprt_sample_start_thread(mprt_thread_local.state);
}
