/* sample_test.c -- rt/record/sample.c, and block_*.c with sample=N: estimates
 * are right on average and deviate as their variances predict. One number
 * determines all choices, so each run samples the same blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/sample.h"
#include "test/unit/rt/stubs.h"

#include <math.h>
#include <stdlib.h>

#define PERIOD 4096

static double chance_of(double size)
{
    return -expm1(-size / PERIOD);
}

static struct mprt_thread *thread(void)
{
    return mprt_thread_local.state;
}

/* Deviation in units of the expected one. */
static void assert_near(double found, double expected, double variance)
{
    assert_true(fabs(found - expected) <= 5 * sqrt(variance));
}

static void weights_are_right_on_average(void **state)
{
    enum { COUNT = 20000 };
    static const uint64_t sizes[] = {1,    8,    100,   1000,
                                     4096, 9999, 40000, 1 << 20};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(sizes); i++) {
        const double weight = 1 / chance_of((double)sizes[i]);
        const double part = weight - floor(weight);
        double sum = 0;
        for (uint64_t key = 0; key < COUNT; key++) {
            const uint32_t one = mprt_sample_weight(sizes[i], 0, key);
            assert_true((double)one > weight - 1 && (double)one < weight + 1);
            assert_int_equal(one, mprt_sample_weight(sizes[i], 0, key));
            sum += one;
        }
        assert_near(sum / COUNT, weight,
                    part * (1 - part) / COUNT + 1e-14 * weight);
    }
    assert_int_equal(mprt_sample_weight(40 * PERIOD, 0, 1), 1);
}

/* Asks as a thread without a state. */
static bool leaves_out_orphan(uint64_t size)
{
    const struct mprt_thread_local before = mprt_thread_local;

    mprt_thread_local.state = NULL;
    mprt_thread_local.has_ended = true;
    const bool leaves_out = mprt_sample_leaves_out(size);
    mprt_thread_local = before;
    return leaves_out;
}

/* One byte in PERIOD is a sample: blocks of any sizes in turn. */
static void samples_come_as_they_should(void **state)
{
    enum { COUNT = 200000 };
    static const uint64_t sizes[] = {16, 100, 5000, 30000};
    uint64_t due[MPROF_ARRAY_LEN(sizes)] = {0};
    uint64_t orphans[MPROF_ARRAY_LEN(sizes)] = {0};

    (void)state;
    for (int k = 0; k < COUNT; k++) {
        for (size_t i = 0; i < MPROF_ARRAY_LEN(sizes); i++) {
            due[i] += !mprt_sample_leaves_out(sizes[i]);
            orphans[i] += !leaves_out_orphan(sizes[i]);
        }
    }
    for (size_t i = 0; i < MPROF_ARRAY_LEN(sizes); i++) {
        const double p = chance_of((double)sizes[i]);
        assert_near((double)due[i] / COUNT, p, p * (1 - p) / COUNT);
        assert_near((double)orphans[i] / COUNT, p, p * (1 - p) / COUNT);
    }
    for (int k = 0; k < 1000; k++)
        assert_false(mprt_sample_leaves_out(40 * PERIOD));
}

/* Blocks as the interceptors make them: unsampled ones are libc's. */
static __attribute__((noinline)) void *new_here(size_t size)
{
    void *const p = mprt_sample_leaves_out(size)
                        ? malloc(size)
                        : mprt_block_new(size, 16, false, MPRT_CALLER());

    __asm__ volatile("");
    return p;
}

static void free_here(void *p)
{
    if (mprt_heap_contains(p))
        mprt_block_free(p, MPRT_NO_CALLER);
    else
        free(p);
}

static void *resize_here(void *p, size_t size)
{
    const bool is_left = mprt_sample_leaves_out(size);

    if (mprt_heap_contains(p)) {
        if (!is_left)
            return mprt_block_resize(p, size, MPRT_NO_CALLER);
        assert_true(mprt_block_replace(p, size, MPRT_NO_CALLER));
    } else {
        free(p);
    }
    return is_left ? malloc(size)
                   : mprt_block_new(size, 16, false, MPRT_NO_CALLER);
}

/* All contexts with sampled blocks together. */
static struct mprof_mib take_all(void)
{
    struct mprt_snapshot *const s = mprt_snapshot_make(true, false);
    struct mprof_mib all = {.AllocCount = 0};

    assert_non_null(s);
    for (uint64_t i = 0; i < s->count; i++) {
        const struct mprof_mib *const mib = &mprt_snapshot_at(s, i)->entry->mib;
        assert_true(mib->SampledCount != 0);
        assert_int_equal(mib->MeasuredCount, mib->AllocCount);
        mprof_mib_merge(&all, mib);
    }
    mprt_snapshot_free(s);
    return all;
}

/* Relative error of the variances of sums over rounds: 1 if they are right. */
struct errors {
    double difference;
    double squares;
    double variances;
    double all;
};

static void add_round(struct errors *e, uint64_t found, uint64_t variance,
                      double expected)
{
    const double off = (double)found - expected;

    e->difference += off;
    e->squares += off * off;
    e->variances += (double)variance;
    e->all += expected;
}

/* Unbiased, and with the right variances: the mean of that many squares has an
 * error of 3 %. */
static void check(const struct errors *e)
{
    assert_near(e->difference, 0, e->variances);
    assert_true(fabs(e->squares / e->variances - 1) < 0.15);
}

static void count_accesses(uintptr_t p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ++*mprt_shadow_counter_of(p);
}

/* A third of each round's blocks is live at its end. Accesses to an unsampled
 * block do not count for another one. changes: the rate changes during each
 * round, while blocks live. */
static void check_estimates(bool changes)
{
    static const uint64_t periods[] = {PERIOD, 512, 0, 2 * PERIOD};
    enum { ROUNDS = 2000, COUNT = 300 };
    static void *live[COUNT];
    struct errors count = {0};
    struct errors size = {0};
    struct errors accesses = {0};
    struct errors live_size = {0};
    uint64_t number = 1;

    take_all();
    for (unsigned round = 0; round < ROUNDS; round++) {
        double sizes = 0;
        double live_sizes = 0;
        double all_accesses = 0;
        for (int i = 0; i < COUNT; i++) {
            number = number * UINT64_C(6364136223846793005) + 1442695041;
            const size_t n = (number >> 40) % 1000 + 1;
            if (changes && i % 100 == 50)
                assert_true(mprt_sample_set(
                    periods[(number >> 33) % MPROF_ARRAY_LEN(periods)]));
            live[i] = new_here(n);
            count_accesses((uintptr_t)live[i], n / 100);
            sizes += (double)n;
            all_accesses += (double)(n / 100);
            live_sizes += i % 3 == 0 ? (double)n : 0;
            if (i % 3 != 0)
                free_here(live[i]);
        }
        const struct mprof_mib all = take_all();
        add_round(&count, all.AllocCount, all.AllocCountVariance, COUNT);
        add_round(&size, all.TotalSize, all.TotalSizeVariance, sizes);
        add_round(&accesses, all.TotalAccessCount, all.TotalAccessCountVariance,
                  all_accesses);
        add_round(&live_size, all.LiveBytes, all.LiveBytesVariance, live_sizes);
        for (int i = 0; i < COUNT; i += 3)
            free_here(live[i]);
        take_all();
    }
    check(&count);
    check(&size);
    check(&accesses);
    check(&live_size);
}

static void estimates_are_right_and_so_are_their_errors(void **state)
{
    (void)state;
    check_estimates(false);
}

static void estimates_are_right_across_a_change(void **state)
{
    (void)state;
    check_estimates(true);
    assert_int_equal(mprt_sample_period, 2 * PERIOD);
    for (uint64_t n = 1; n <= MPRT_SAMPLE_RATES - 4; n++)
        assert_true(mprt_sample_set(n));
    assert_false(mprt_sample_set(MPRT_SAMPLE_RATES));
    assert_true(mprt_sample_set(PERIOD));
}

/* Nothing remains of what was freed. */
static void what_lives_is_estimated(void **state)
{
    enum { COUNT = 20000, SIZE = 48 };
    static void *all[COUNT];
    const double weight = 1 / chance_of(SIZE);
    struct mprt_block_stats before;
    struct mprt_block_stats stats;

    (void)state;
    take_all();
    mprt_block_stats(&before);
    for (int i = 0; i < COUNT; i++)
        all[i] = new_here(SIZE);
    mprt_live_note_now();
    mprt_block_stats(&stats);
    assert_int_equal(mprt_live_last_peak().bytes, stats.live_bytes);
    assert_near((double)(stats.live_blocks - before.live_blocks), COUNT,
                COUNT * (weight - 1));
    assert_near((double)(stats.live_bytes - before.live_bytes),
                (double)COUNT * SIZE,
                COUNT * (weight - 1) * (double)(SIZE * SIZE));
    for (int i = 0; i < COUNT; i++)
        free_here(all[i]);
    mprt_block_stats(&stats);
    assert_int_equal(stats.live_blocks, before.live_blocks);
    assert_int_equal(stats.live_bytes, before.live_bytes);
}

static struct mprof_mib make_pairs(bool has_others)
{
    enum { COUNT = 2000, SIZE = 1000 };

    for (int i = 0; i < COUNT; i++) {
        void *const p = new_here(SIZE);
        while (has_others && !mprt_sample_leaves_out(1))
            ;
        free_here(p);
    }
    return take_all();
}

/* An unsampled block after a sampled one makes that no temporary block. */
static void unsampled_blocks_are_allocations_too(void **state)
{
    (void)state;
    take_all();
    const struct mprof_mib alone = make_pairs(false);
    const struct mprof_mib others = make_pairs(true);
    assert_true(alone.AllocCount > 1000 && others.AllocCount > 1000);
    assert_int_equal(alone.TemporaryCount, alone.AllocCount);
    assert_int_equal(others.TemporaryCount, 0);
}

/* At the peak, and in the maximum of a context, each live block has its weight,
 * in whatever order the blocks are freed. */
static void nothing_is_left_of_what_was_freed(void **state)
{
    enum { COUNT = 3000, SIZE = 200 };
    static void *all[COUNT];

    (void)state;
    take_all();
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++)
            all[i] = new_here(SIZE);
        for (int i = 0; i < COUNT; i += 2)
            all[i] = resize_here(all[i], i % 4 == 0 ? 150 : 3000);
        for (int i = COUNT; i-- > 0;)
            free_here(all[i]);
    }
    const struct mprof_mib mib = take_all();
    /* Taking restarts the maxima with what lives. */
    for (uint32_t id = mprt_depot_first_id; id <= mprt_depot_count(); id++) {
        assert_int_equal(mprt_live_most(id).bytes, 0);
        assert_int_equal(mprt_live_most(id).blocks, 0);
    }
    assert_true(mib.MaxLiveBytes > COUNT * SIZE / 2);
    assert_true(mib.PeakBytes > COUNT * SIZE);
    assert_true(mib.ReallocCount > COUNT);
    assert_int_equal(mib.LiveCount, 0);
}

/* The parent's blocks do not count as the child's. */
static void a_child_samples_anew(void **state)
{
    enum { COUNT = 200, SIZE = 500 };
    static void *all[COUNT];

    (void)state;
    for (int i = 0; i < COUNT; i++)
        all[i] = new_here(SIZE);
    const struct mprt_thread_sample before = thread()->sample;
    mprt_lifecycle_after_fork(true, true);
    assert_int_not_equal(before.random, thread()->sample.random);
    struct mprt_block_stats stats;
    mprt_block_stats(&stats);
    const uint64_t of_parent = stats.live_blocks;
    void *const own = mprt_block_new(SIZE, 16, false, MPRT_NO_CALLER);
    for (int i = 0; i < COUNT; i++)
        free_here(all[i]);
    mprt_live_note_now();
    const uint64_t peak = mprt_live_last_peak().bytes;
    assert_true(peak / SIZE >= PERIOD / SIZE &&
                peak / SIZE <= PERIOD / SIZE + 2);
    mprt_block_stats(&stats);
    assert_int_equal(stats.live_blocks, of_parent + peak / SIZE);
    mprt_block_free(own, MPRT_NO_CALLER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_right_on_average),
        cmocka_unit_test(samples_come_as_they_should),
        cmocka_unit_test(estimates_are_right_and_so_are_their_errors),
        cmocka_unit_test(estimates_are_right_across_a_change),
        cmocka_unit_test(what_lives_is_estimated),
        cmocka_unit_test(unsampled_blocks_are_allocations_too),
        cmocka_unit_test(nothing_is_left_of_what_was_freed),
        cmocka_unit_test(a_child_samples_anew),
    };

    mprt_options.sample = PERIOD;
    mprt_options.sample_seed = 1;
    start_runtime();
    free_here(new_here(1)); /* creates the thread's state */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
