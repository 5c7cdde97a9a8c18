/* mib_test.c -- building and merging memory info blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/mib.h"
#include "test/unit/cmocka_all.h"

#include <string.h>

static struct mprof_mib random_mib(uint64_t *seed)
{
    struct mprof_mib mib = {.AllocCount = 0};

    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++) {
        *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        mprof_mib_set(&mib, i, *seed >> (*seed >> 59));
    }
    mib.AccessHistogram = 0;
    return mib;
}

static void one_block_gives_llvms_numbers(void **state)
{
    const struct mprof_block_life life = {.size = 30,
                                          .access_count = 10,
                                          .alloc_ns = 1999999,
                                          .dealloc_ns = 5000001,
                                          .alloc_cpu = 1,
                                          .dealloc_cpu = 2};
    struct mprof_mib mib;

    (void)state;
    mprof_mib_from_block(&mib, &life);
    assert_int_equal(mib.AllocCount, 1);
    assert_int_equal(mib.TotalSize, 30);
    assert_int_equal(mib.AllocTimestamp, 1);
    assert_int_equal(mib.DeallocTimestamp, 5);
    assert_int_equal(mib.TotalLifetime, 4);
    assert_int_equal(mib.TotalLifetimeNs, 3000002);
    assert_int_equal(mib.NumMigratedCpu, 1);
    assert_int_equal(mib.TotalAccessDensity, 33);
    assert_int_equal(mib.TotalLifetimeAccessDensity, 33 * 1000 / 4);
    assert_int_equal(mib.LiveCount, 0);
}

static void odd_blocks_do_not_divide_by_zero(void **state)
{
    const struct mprof_block_life life = {
        .access_count = 3, .alloc_ns = 9, .dealloc_ns = 5, .is_live = true};
    struct mprof_mib mib;

    (void)state;
    mprof_mib_from_block(&mib, &life);
    assert_int_equal(mib.TotalAccessDensity, 300);
    assert_int_equal(mib.TotalLifetimeNs, 0);
    assert_int_equal(mib.TotalLifetimeAccessDensity, 300000);
    assert_int_equal(mib.LiveCount, 1);
}

/* Numbers of all magnitudes, including the limits of their ranges. */
static uint64_t random_number(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    const unsigned shift = (unsigned)(*seed >> 58);
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return shift == 63 ? UINT64_MAX : *seed >> shift;
}

/* Adds a block's MIB with the formulas of the column `add`. */
static void append(struct mprof_mib *mib, const struct mprof_mib *next)
{
    const struct mprof_mib before = *mib;
    const struct mprof_mib *const last = &before;
    const uint64_t alloc_ms = next->AllocTimestamp;
    const uint64_t alloc_cpu = next->AllocCpuId;
    const uint64_t dealloc_cpu = next->DeallocCpuId;

    mprof_mib_merge(mib, next);
    if (last->AllocCount == 0)
        return;
#define MPROF_MIB_PAIR(name, formula) const uint64_t name = (formula);
#include "shared/MIBDef.inc"
#define ADD_SAME(name, value)
#define ADD_RARE(name, value)
#define ADD_LAST(name, value) mib->name = next->name;
#define ADD_PAIR(name, value) mib->name += value;
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    ADD_##add(name, formula)
#include "shared/MIBDef.inc"
}

static void adding_a_life_is_appending_its_mib(void **state)
{
    uint64_t seed = 4;

    (void)state;
    for (int run = 0; run < 200; run++) {
        struct mprof_mib appended = {.AllocCount = 0};
        struct mprof_mib added = {.AllocCount = 0};

        for (int i = 0; i < 100; i++) {
            /* Half of the runs have small numbers only. */
            const uint64_t mask = run % 2 == 0 ? UINT64_MAX : 0xffffff;
            const struct mprof_block_life life = {
                .size = random_number(&seed) & mask,
                .access_count = random_number(&seed) & mask,
                .alloc_ns = random_number(&seed) & mask,
                .dealloc_ns = random_number(&seed) & mask,
                .alloc_cpu = random_number(&seed) & 1,
                .dealloc_cpu = random_number(&seed) & 1,
                .is_live = random_number(&seed) & 1,
                .is_saturated = random_number(&seed) & 1,
                .peak = random_number(&seed) & 1,
                .is_temporary = random_number(&seed) & 1,
                .is_elsewhere = random_number(&seed) & 1,
                .is_replaced = random_number(&seed) & 1,
                .grown_bytes = random_number(&seed) & mask & 0xffffffff,
            };
            struct mprof_mib block;

            mprof_mib_from_block(&block, &life);
            append(&appended, &block);
            mprof_mib_add_life(&added, &life);
            assert_memory_equal(&added, &appended, sizeof(added));
        }
    }
}

static void appending_counts_against_the_block_before(void **state)
{
    const struct mprof_block_life first = {
        .size = 8, .alloc_ns = 0, .dealloc_ns = 9000000, .alloc_cpu = 3};
    const struct mprof_block_life second = {.size = 16,
                                            .alloc_ns = 4000000,
                                            .dealloc_ns = 5000000,
                                            .alloc_cpu = 3,
                                            .dealloc_cpu = 1};
    struct mprof_mib mib = {.AllocCount = 0};

    (void)state;
    mprof_mib_add_life(&mib, &first);
    mprof_mib_add_life(&mib, &second);
    assert_int_equal(mib.AllocCount, 2);
    assert_int_equal(mib.MinSize, 8);
    assert_int_equal(mib.MaxSize, 16);
    assert_int_equal(mib.NumLifetimeOverlaps, 1);
    assert_int_equal(mib.NumSameAllocCpu, 1);
    assert_int_equal(mib.NumSameDeallocCpu, 0);
    assert_int_equal(mib.DeallocTimestamp, 5);
    assert_int_equal(mib.DeallocCpuId, 1);
}

static void merging_is_commutative_and_associative(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        const struct mprof_mib a = random_mib(&seed);
        const struct mprof_mib b = random_mib(&seed);
        const struct mprof_mib c = random_mib(&seed);
        struct mprof_mib ab = a;
        struct mprof_mib ba = b;
        struct mprof_mib bc = b;
        struct mprof_mib a_bc = a;

        mprof_mib_merge(&ab, &b);
        mprof_mib_merge(&ba, &a);
        assert_memory_equal(&ab, &ba, sizeof(ab));
        mprof_mib_merge(&ab, &c);
        mprof_mib_merge(&bc, &c);
        mprof_mib_merge(&a_bc, &bc);
        assert_memory_equal(&ab, &a_bc, sizeof(ab));
    }
}

static void nothing_is_neutral_and_sums_saturate(void **state)
{
    struct mprof_mib none = {.AllocCount = 0, .MinSize = 0};
    struct mprof_mib a = {.AllocCount = UINT64_MAX - 1, .MinSize = 5};
    const struct mprof_mib b = {.AllocCount = 7, .MinSize = 6};
    const struct mprof_mib before = a;

    (void)state;
    mprof_mib_merge(&a, &none);
    assert_memory_equal(&a, &before, sizeof(a));
    mprof_mib_merge(&none, &a);
    assert_memory_equal(&a, &none, sizeof(a));
    mprof_mib_merge(&a, &b);
    assert_true(a.AllocCount == UINT64_MAX);
    assert_int_equal(a.MinSize, 5);
}

/* Times and CPUs of the pair before it count as often as its weight. */
static void a_sampled_block_is_as_many_blocks(void **state)
{
    static const uint32_t weights[] = {1, 2, 1000};
    struct mprof_mib sampled = {.AllocCount = 0};
    struct mprof_mib all = {.AllocCount = 0};
    struct mprof_mib pairs = {.AllocCount = 0};
    uint64_t same_cpu = 0;

    (void)state;
    for (uint32_t i = 0; i < MPROF_ARRAY_LEN(weights); i++) {
        const struct mprof_block_life life = {.size = 100 - i,
                                              .access_count = 10 * i,
                                              .alloc_ns = 5000000 * i,
                                              .dealloc_ns = 7000001 * i,
                                              .alloc_cpu = 1,
                                              .dealloc_cpu = (uint16_t)i,
                                              .is_live = i == 1,
                                              .peak = i};
        const uint64_t before = pairs.NumSameAllocCpu;
        mprof_mib_add_life(&pairs, &life);
        same_cpu += (pairs.NumSameAllocCpu - before) * weights[i];
        mprof_mib_add_sampled(&sampled, &life, weights[i]);
        for (uint32_t k = 0; k < weights[i]; k++)
            mprof_mib_add_life(&all, &life);
    }
    assert_int_equal(sampled.NumSameAllocCpu, 1002);
    assert_int_equal(sampled.NumSameAllocCpu, same_cpu);
    assert_int_equal(sampled.NumSameDeallocCpu, 0);
    assert_int_equal(sampled.NumLifetimeOverlaps, 0);
    assert_int_equal(sampled.SampledCount, 3);
    assert_int_equal(sampled.AllocCountVariance, 2 + 1000 * 999);
    assert_int_equal(sampled.TotalSizeVariance,
                     2 * 99 * 99 + UINT64_C(98) * 98 * 1000 * 999);
    assert_int_equal(sampled.TotalAccessCountVariance,
                     2 * 10 * 10 + UINT64_C(20) * 20 * 1000 * 999);
    assert_int_equal(sampled.LiveBytesVariance, 2 * 99 * 99);
    assert_int_equal(sampled.PeakBytesVariance, sampled.TotalSizeVariance);
#define NO_SAME(field)
#define NO_RARE(field)
#define NO_LAST(field)
#define NO_PAIR(field) all.field = sampled.field;
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help) \
    NO_##add(name)
#include "shared/MIBDef.inc"
    all.SampledCount = sampled.SampledCount;
    all.AllocCountVariance = sampled.AllocCountVariance;
    all.TotalSizeVariance = sampled.TotalSizeVariance;
    all.TotalAccessCountVariance = sampled.TotalAccessCountVariance;
    all.LiveBytesVariance = sampled.LiveBytesVariance;
    all.PeakBytesVariance = sampled.PeakBytesVariance;
    assert_memory_equal(&all, &sampled, sizeof(all));
}

static void what_was_measured_of_no_block_is_not_held(void **state)
{
    const struct mprof_block_rw whole = {.reads = 3,
                                         .writes = 4,
                                         .read_bytes = 30,
                                         .write_bytes = 40,
                                         .is_measured = true,
                                         .has_bytes = true};
    struct mprof_block_rw some = whole;
    struct mprof_mib mib = {.AllocCount = 3};
    const struct mprof_mib others = {.AllocCount = 5, .TotalAccessCount = 9};

    (void)state;
    some.is_measured = false;
    mprof_mib_add_rw(&mib, &some, 1);
    assert_false(mprof_mib_is_held(&mib, MPROF_MIB_INDEX_TotalReads));
    assert_false(mprof_mib_is_held(&mib, MPROF_MIB_INDEX_MeasuredRw));
    assert_true(mprof_mib_is_held(&mib, MPROF_MIB_INDEX_LiveCount));
    some = whole;
    some.has_bytes = false;
    mprof_mib_add_rw(&mib, &some, 1);
    assert_true(mprof_mib_is_held(&mib, MPROF_MIB_INDEX_TotalReads));
    assert_false(mprof_mib_is_held(&mib, MPROF_MIB_INDEX_TotalReadBytes));
    mprof_mib_add_rw(&mib, &whole, 2);
    mprof_mib_merge(&mib, &others);
    assert_true(mprof_mib_is_held(&mib, MPROF_MIB_INDEX_TotalReadBytes));
    assert_int_equal(mib.TotalReads, 9);
    assert_int_equal(mib.TotalWrites, 12);
    assert_int_equal(mib.MeasuredRw, 3);
    assert_int_equal(mib.TotalReadBytes, 60);
    assert_int_equal(mib.TotalWriteBytes, 80);
    assert_int_equal(mib.MeasuredRwBytes, 2);
}

static void fields_are_found_by_tag_and_saturate_for_llvm(void **state)
{
    struct mprof_mib mib = {.AllocCount = UINT64_C(1) << 40,
                            .TotalSize = UINT64_C(1) << 40};

    (void)state;
    assert_int_equal(mprof_mib_index_of_tag(1), MPROF_MIB_INDEX_AllocCount);
    assert_int_equal(mprof_mib_index_of_tag(999), MPROF_MIB_FIELDS);
    assert_int_equal(mprof_mib_get(&mib, MPROF_MIB_FIELDS), 0);
    assert_true(mprof_mib_llvm_value(&mib, MPROF_MIB_INDEX_AllocCount) ==
                UINT32_MAX);
    assert_true(mprof_mib_llvm_value(&mib, MPROF_MIB_INDEX_TotalSize) ==
                UINT64_C(1) << 40);
    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++) {
        assert_int_equal(mprof_mib_index_of_tag(mprof_mib_fields[i].tag), i);
        mprof_mib_set(&mib, i, i + 100);
        assert_int_equal(mprof_mib_get(&mib, i), i + 100);
        assert_int_equal(((const uint64_t *)&mib)[i], i + 100);
        if (i > 0)
            assert_true(mprof_mib_fields[i - 1].tag < mprof_mib_fields[i].tag);
    }
}

/* Two blocks of one burst are one cluster; another burst is another. */
static void accesses_of_a_burst_are_one_cluster(void **state)
{
    struct mprof_mib mib = {.AllocCount = 3, .TotalAccessCountVariance = 7};
    uint64_t sum = 0;

    (void)state;
    mprof_mib_add_bursts(&mib, 2, &sum, 32);
    mprof_mib_add_bursts(&mib, 3, &sum, 32);
    assert_true(sum == 5);
    sum = 0;
    mprof_mib_add_bursts(&mib, 1, &sum, 32);
    assert_true(mib.BurstVariance == 32 * 31 * (5 * 5 + 1));
    assert_true(mib.TotalAccessCountVariance == mib.BurstVariance + 7);
    sum = UINT64_MAX;
    mprof_mib_add_bursts(&mib, 1, &sum, 32);
    assert_true(mib.BurstVariance == UINT64_MAX);
}

/* (3 + 4)^2 = 3^2 + 4^2 + 2 * 3 * 4: the accesses to some blocks of a call
 * stack and to others may be of the same bursts. */
static void errors_of_a_call_stacks_blocks_add_up(void **state)
{
    struct mprof_mib mib = {.BurstVariance = 9, .TotalAccessCountVariance = 16};
    struct mprof_mib other = {.BurstVariance = 5,
                              .TotalAccessCountVariance = 6};

    (void)state;
    mprof_mib_join_bursts(&mib, 0, 2);
    assert_true(mib.BurstVariance == 9);
    mprof_mib_join_bursts(&mib, 8, 2);
    assert_true(mib.BurstVariance == 49);
    assert_true(mib.TotalAccessCountVariance == 56);
    mprof_mib_move_bursts(&mib, &other);
    assert_true(mib.BurstVariance == 54);
    assert_true(mib.TotalAccessCountVariance == 61);
    assert_true(other.BurstVariance == 0);
    assert_true(other.TotalAccessCountVariance == 1);
    mprof_mib_join_bursts(&mib, UINT64_MAX, 2);
    assert_true(mib.BurstVariance == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_block_gives_llvms_numbers),
        cmocka_unit_test(odd_blocks_do_not_divide_by_zero),
        cmocka_unit_test(adding_a_life_is_appending_its_mib),
        cmocka_unit_test(appending_counts_against_the_block_before),
        cmocka_unit_test(merging_is_commutative_and_associative),
        cmocka_unit_test(what_was_measured_of_no_block_is_not_held),
        cmocka_unit_test(a_sampled_block_is_as_many_blocks),
        cmocka_unit_test(accesses_of_a_burst_are_one_cluster),
        cmocka_unit_test(errors_of_a_call_stacks_blocks_add_up),
        cmocka_unit_test(nothing_is_neutral_and_sums_saturate),
        cmocka_unit_test(fields_are_found_by_tag_and_saturate_for_llvm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
