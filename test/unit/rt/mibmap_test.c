/* mibmap_test.c -- rt/record/mibmap.c: the row of a context has the sums of its
 * blocks, in the map that a snapshot takes and in a copy.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/rt/stubs.h"

#include <string.h>

enum { CONTEXTS = 400, BLOCKS_MAX = 48 };

/* Expected row of a context. */
static struct {
    uint32_t id;
    struct mprof_mib mib;
    uint32_t peak;
    uint64_t sizes[MPROF_DETAIL_BUCKETS]; /* blocks */
    uint64_t lifetimes[MPROF_DETAIL_BUCKETS];
} expected[CONTEXTS];

static uint64_t seed = 9;

/* Numbers of few bits are as frequent as numbers of many. */
static uint64_t random_number(unsigned bits_max)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    const unsigned bits = 1 + (unsigned)(seed >> 58) % bits_max;
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return seed >> (64 - bits);
}

static bool one_in(unsigned n)
{
    return random_number(60) % n == 0;
}

/* Some numbers are very large. `late` blocks were alive at another peak. */
static struct mprof_block_life random_life(bool late)
{
    struct mprof_block_life life = {
        .size = random_number(one_in(60) ? 50 : 16),
        .access_count = random_number(one_in(60) ? 50 : 16),
        .alloc_ns = random_number(one_in(60) ? 60 : 40),
        .alloc_cpu = one_in(4),
        .dealloc_cpu = one_in(4),
        .is_live = one_in(8),
        .is_saturated = one_in(100),
        .peak = one_in(3) ? 1 + late : 0,
        .is_temporary = one_in(2),
        .is_elsewhere = one_in(8),
        .is_replaced = one_in(100),
    };

    life.dealloc_ns = life.alloc_ns + random_number(one_in(60) ? 60 : 40);
    life.grown_bytes = life.is_replaced ? random_number(20) : 0;
    return life;
}

static void expect_life(size_t i, const struct mprof_block_life *life)
{
    if (life->peak != 0 && life->peak != expected[i].peak) {
        expected[i].mib.PeakCount = expected[i].mib.PeakBytes = 0;
        expected[i].peak = life->peak;
    }
    mprof_mib_add_life(&expected[i].mib, life);
    expected[i].sizes[mprof_detail_bucket(life->size)]++;
    expected[i].lifetimes[mprof_detail_bucket(
        mprof_sub_sat_u64(life->dealloc_ns, life->alloc_ns))]++;
}

static void add_lives(void)
{
    for (size_t i = 0; i < CONTEXTS; i++) {
        const uintptr_t pc = 0x2000 + i;
        const size_t count = 1 + random_number(60) % BLOCKS_MAX;

        expected[i].id = mprt_depot_put(&pc, 1, false);
        expected[i].mib = (struct mprof_mib){.AllocCount = 0};
        expected[i].peak = 0;
        memset(expected[i].sizes, 0, sizeof(expected[i].sizes));
        memset(expected[i].lifetimes, 0, sizeof(expected[i].lifetimes));
        for (size_t k = 0; k < count; k++) {
            const struct mprof_block_life life = random_life(2 * k > count);

            expect_life(i, &life);
            mprt_mibmap_add(expected[i].id, &life, 0, NULL, NULL, 0);
        }
    }
}

/* A context without counts of its own has all blocks in the common bucket. */
static void compare_log2_counts(const struct mprt_mibmap_taken *taken,
                                const struct mprt_context *c, uint32_t kind,
                                uint8_t common_bucket, uint64_t blocks,
                                const uint64_t *wanted)
{
    uint64_t counts[MPROF_DETAIL_BUCKETS];

    if (mprt_log2_counts_sum(mprt_mibmap_counts(taken, false),
                             c->entry->log2_counts, common_bucket, kind, blocks,
                             counts))
        assert_memory_equal(counts, wanted, sizeof(counts));
    else
        assert_true(wanted[common_bucket] == blocks);
}

/* In a copy, or in the map itself, with one more live block in some
 * contexts. */
static void compare(bool take)
{
    struct mprt_mibmap_taken taken;

    if (take)
        mprt_mibmap_take(&taken);
    else
        mprt_mibmap_copy(&taken);
    mprt_mibmap_part(&taken, false);
    for (size_t i = 0; i < CONTEXTS; i++) {
        struct mprof_mib *const mib = &expected[i].mib;
        const struct mprt_context *const c = &taken.rows[expected[i].id];
        const struct mprof_block_life life = random_life(true);
        const uint64_t most = random_number(one_in(30) ? 40 : 20);
        const bool has_live = one_in(2);

        if (has_live) {
            mprt_mibmap_add_live(&taken, expected[i].id, 0, &life, NULL, 0);
            expect_life(i, &life);
        }
        mprt_mibmap_finalize(&taken, expected[i].id, 2, most, 1);
        if (expected[i].peak != 2)
            mib->PeakCount = mib->PeakBytes = 0;
        mib->MeasuredCount = mib->AllocCount;
        mib->MaxLiveBytes = mprof_max_u64(most, mib->MaxSize);
        mib->MaxLiveCount = 1;
        assert_true(mprt_context_has_blocks(c));
        assert_memory_equal(&c->entry->mib, mib, sizeof(*mib));
        assert_true(mprt_context_get(c, i % MPROF_MIB_FIELDS) ==
                    mprof_mib_get(mib, i % MPROF_MIB_FIELDS));
        compare_log2_counts(&taken, c, MPROF_DETAIL_SIZE,
                            c->common_buckets.size, mib->AllocCount,
                            expected[i].sizes);
        compare_log2_counts(&taken, c, MPROF_DETAIL_LIFETIME,
                            c->common_buckets.lifetime, mib->AllocCount,
                            expected[i].lifetimes);
    }
    mprt_mibmap_drop(&taken);
}

static void a_taken_map_says_the_same(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        add_lives();
        compare(true);
    }
}

static void a_copy_says_the_same(void **state)
{
    struct mprt_mibmap_taken taken;

    (void)state;
    for (int round = 0; round < 20; round++) {
        add_lives();
        compare(false);
        mprt_mibmap_take(&taken);
        mprt_mibmap_part(&taken, false);
        mprt_mibmap_drop(&taken);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_taken_map_says_the_same),
        cmocka_unit_test(a_copy_says_the_same),
    };

    start_runtime();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
