/* heaptrack_blocks_test.c -- checks that the sums over single blocks equal the
 * MIB.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/export/heaptrack_blocks.h"
#include "test/unit/profile_gen.h"
#include "test/unit/cmocka_all.h"

#define ROUNDS 20000

static const bool all_held[MPDATA_METRIC_COUNT] = {
    [MPDATA_METRIC_BYTES] = true,    [MPDATA_METRIC_BLOCKS] = true,
    [MPDATA_METRIC_LIVE] = true,     [MPDATA_METRIC_LIVE_BLOCKS] = true,
    [MPDATA_METRIC_PEAK] = true,     [MPDATA_METRIC_PEAK_BLOCKS] = true,
    [MPDATA_METRIC_TEMPORARY] = true};
static const bool none_held[MPDATA_METRIC_COUNT] = {
    [MPDATA_METRIC_BYTES] = true, [MPDATA_METRIC_BLOCKS] = true};

/* A MIB of some blocks, each freed or not, live at the peak or not. */
static struct mprof_mib some_mib(struct gen *g)
{
    const uint64_t count = 1 + gen_below(g, 30);
    const uint64_t largest = 1 + gen_below(g, 1000);
    const uint64_t part = gen_below(g, 4);
    const uint64_t peak_part = gen_below(g, 5);
    struct mprof_mib mib = {.AllocCount = count, .MinSize = UINT64_MAX};

    for (uint64_t i = 0; i < count; i++) {
        const uint64_t size = gen_below(g, largest);

        mib.TotalSize += size;
        mib.MinSize = mprof_min_u64(mib.MinSize, size);
        mib.MaxSize = mprof_max_u64(mib.MaxSize, size);
        const bool is_live = gen_below(g, 4) < part;

        if (is_live) {
            mib.LiveCount++;
            mib.LiveBytes += size;
        }
        if (gen_below(g, 4) < peak_part) {
            mib.PeakCount++;
            mib.PeakBytes += size;
        } else if (!is_live && gen_below(g, 2) == 0) {
            mib.TemporaryCount++;
        }
    }
    return mib;
}

struct sums {
    uint64_t count;
    uint64_t bytes;
    uint64_t min;
    uint64_t max;
};

static struct sums sums_of(const struct mpdata_heaptrack_blocks *blocks,
                           size_t first_end, size_t end)
{
    struct sums sums = {.min = UINT64_MAX};

    for (size_t k = first_end * MPDATA_HEAPTRACK_SIZES;
         k < end * MPDATA_HEAPTRACK_SIZES; k++) {
        const struct mpdata_heaptrack_kind *const kind = &blocks->kinds[k];

        if (kind->count == 0)
            continue;
        sums.count += kind->count;
        sums.bytes += kind->count * kind->size;
        sums.min = mprof_min_u64(sums.min, kind->size);
        sums.max = mprof_max_u64(sums.max, kind->size);
    }
    return sums;
}

static void sums_are_those_of_the_mib(void **state)
{
    struct gen g = {.state = 1};
    uint64_t contradicted = 0;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        const struct mprof_mib mib = some_mib(&g);
        const struct mpdata_heaptrack_blocks blocks =
            mpdata_heaptrack_blocks(&mib, all_held, 1);
        const struct sums all = sums_of(&blocks, 0, MPDATA_HEAPTRACK_ENDS);
        const struct sums live =
            sums_of(&blocks, MPDATA_HEAPTRACK_BOTH, MPDATA_HEAPTRACK_ENDS);
        const struct sums peak =
            sums_of(&blocks, MPDATA_HEAPTRACK_PEAK, MPDATA_HEAPTRACK_LIVE);

        assert_int_equal(all.count, mib.AllocCount);
        assert_int_equal(all.bytes, mib.TotalSize);
        /* The number that are both is a guess, and so are their sizes. */
        if (mib.PeakCount == 0 || mib.LiveCount == 0)
            assert_true(all.min >= mib.MinSize && all.max <= mib.MaxSize);
        assert_int_equal(live.count, mib.LiveCount);
        assert_int_equal(live.bytes, mib.LiveBytes);
        contradicted += peak.count != mib.PeakCount;
        if (peak.count != mib.PeakCount)
            continue;
        assert_int_equal(peak.bytes, mib.PeakBytes);
        assert_true(blocks.temporary <= mib.TemporaryCount);
    }
    assert_int_equal(contradicted, 0);
}

/* A temporary block that was live at the peak is reported if no other block can
 * be it. */
static void temporary_blocks_at_the_peak(void **state)
{
    const struct mprof_mib mib = {.AllocCount = 4,
                                  .TotalSize = 40,
                                  .MinSize = 10,
                                  .MaxSize = 10,
                                  .PeakCount = 1,
                                  .PeakBytes = 10,
                                  .TemporaryCount = 4};
    struct mpdata_heaptrack_blocks blocks =
        mpdata_heaptrack_blocks(&mib, all_held, 1);

    (void)state;
    assert_int_equal(blocks.temporary, 3);
    assert_true(blocks.is_peak_temporary);
    blocks = mpdata_heaptrack_blocks(&mib, none_held, 1);
    assert_int_equal(blocks.temporary, 0);
    assert_false(blocks.is_peak_temporary);
}

/* If no block is live and three or more leave room for them, one has the
 * smallest size and one the largest. */
static void the_range_is_reached(void **state)
{
    struct gen g = {.state = 2};
    uint64_t reached = 0;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        const struct mprof_mib mib = some_mib(&g);
        const struct mpdata_heaptrack_blocks blocks =
            mpdata_heaptrack_blocks(&mib, none_held, 1);
        const struct sums all = sums_of(&blocks, 0, MPDATA_HEAPTRACK_ENDS);

        assert_int_equal(all.count, mib.AllocCount);
        assert_int_equal(all.bytes, mib.TotalSize);
        if (mib.AllocCount < 3)
            continue;
        assert_int_equal(all.min, mib.MinSize);
        assert_int_equal(all.max, mib.MaxSize);
        reached++;
    }
    assert_true(reached > ROUNDS / 2);
}

static void fewer_blocks_have_the_same_bytes(void **state)
{
    struct gen g = {.state = 3};

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        const struct mprof_mib mib = some_mib(&g);
        const uint64_t scale = 2 + gen_below(&g, 20);
        const struct mpdata_heaptrack_blocks blocks =
            mpdata_heaptrack_blocks(&mib, all_held, scale);
        const struct sums all = sums_of(&blocks, 0, MPDATA_HEAPTRACK_ENDS);
        const struct sums live =
            sums_of(&blocks, MPDATA_HEAPTRACK_BOTH, MPDATA_HEAPTRACK_ENDS);

        assert_true(all.count >= mib.AllocCount / scale);
        assert_true(all.count <=
                    mib.AllocCount / scale + MPDATA_HEAPTRACK_ENDS);
        assert_int_equal(all.bytes, mib.TotalSize);
        assert_int_equal(live.bytes, mib.LiveBytes);
    }
}

static uint64_t count_all(const struct mpdata_profile *profile, uint64_t scale)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    uint64_t count = 0;

    for (uint32_t i = 0; i < view.context_count; i++) {
        const struct mprof_mib mib = mpdata_view_mib(&view, i);
        const struct mpdata_heaptrack_blocks blocks =
            mpdata_heaptrack_blocks(&mib, all_held, scale);

        count += sums_of(&blocks, 0, MPDATA_HEAPTRACK_ENDS).count;
    }
    return count;
}

static void the_scale_keeps_to_the_limit(void **state)
{
    struct mpdata_profile *profile = mpdata_profile_new();
    struct gen g = {.state = 4};
    struct mpdata_view view;

    (void)state;
    assert_non_null(profile);
    for (int i = 0; i < 200; i++)
        gen_context(&g, profile);
    view = mpdata_profile_view(profile);
    for (uint64_t most = 1; most < 30000; most = most * 3 / 2 + 1) {
        const uint64_t scale =
            mpdata_heaptrack_blocks_scale(&view, all_held, most);
        const uint64_t ends =
            (uint64_t)MPDATA_HEAPTRACK_ENDS * view.context_count;

        assert_true(scale >= 1);
        assert_true(count_all(profile, scale) <= mprof_max_u64(most, 2 * ends));
    }
    assert_int_equal(mpdata_heaptrack_blocks_scale(&view, all_held, UINT64_MAX),
                     1);
    mpdata_profile_free(profile);
}

/* Contradictory numbers, as a file may have them. */
static void nonsense_is_borne(void **state)
{
    const struct mprof_mib mib = {.AllocCount = 3,
                                  .TotalSize = 5,
                                  .MinSize = UINT64_MAX,
                                  .MaxSize = 1,
                                  .LiveCount = UINT64_MAX,
                                  .LiveBytes = UINT64_MAX};
    const struct mpdata_heaptrack_blocks blocks =
        mpdata_heaptrack_blocks(&mib, all_held, 1);

    (void)state;
    assert_int_equal(sums_of(&blocks, 0, MPDATA_HEAPTRACK_ENDS).count, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_mib),
        cmocka_unit_test(temporary_blocks_at_the_peak),
        cmocka_unit_test(the_range_is_reached),
        cmocka_unit_test(fewer_blocks_have_the_same_bytes),
        cmocka_unit_test(the_scale_keeps_to_the_limit),
        cmocka_unit_test(nonsense_is_borne)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
