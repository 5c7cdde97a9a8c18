/* log2_counts_test.c -- compares rt/record/log2_counts.c with a model: buckets
 * of random values, full counters, links, copies; and lack of memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/log2_counts.h"
#include "test/unit/rt/stubs.h"

#include <stdlib.h>
#include <string.h>

static struct mprt_log2_counts_pool pool;
static struct mprt_log2_counts_pool other_pool;

struct model {
    uint64_t counts[2][MPROF_DETAIL_BUCKETS];
    uint64_t blocks;
};

static uint64_t random_value(void)
{
    const uint64_t bits = (uint64_t)rand() << 31 ^ (uint64_t)rand();

    return bits >> (rand() % 63);
}

/* Adds the buckets of one block like mprt_mibmap_count(). */
static bool add_one(struct mprt_log2_counts *own_counts,
                    struct mprt_log2_counts_buckets common_buckets,
                    struct mprt_log2_counts_buckets own)
{
    const bool has_size =
        mprt_log2_counts_add_size(pool.nodes, *own_counts, common_buckets,
                                  own) ||
        mprt_log2_counts_add_separate(&pool, own_counts, MPROF_DETAIL_SIZE,
                                      own.size, 1);
    const bool has_lifetime =
        mprt_log2_counts_add_lifetime(pool.nodes, *own_counts, common_buckets,
                                      own) ||
        mprt_log2_counts_add_separate(&pool, own_counts, MPROF_DETAIL_LIFETIME,
                                      own.lifetime, 1);

    return has_size && has_lifetime;
}

/* Bucket of a value by division, which is obviously right. */
static unsigned slow_bucket(uint64_t n)
{
    unsigned bucket = 0;

    for (; n > 1; n /= 2)
        bucket++;
    return bucket;
}

static void test_buckets_have_the_values_between_their_ends(void **state)
{
    (void)state;
    for (int i = 0; i < 100000; i++) {
        const uint64_t n = i < 5000 ? (uint64_t)i : random_value();
        const uint32_t bucket = mprof_detail_bucket(n);

        assert_int_equal(bucket, slow_bucket(n));
        assert_in_range(n, mprof_detail_low(bucket), mprof_detail_high(bucket));
    }
    assert_int_equal(mprof_detail_bucket(UINT64_MAX), 63);
    assert_int_equal(mprof_detail_high(63), UINT64_MAX);
}

static void check(const struct mprt_log2_counts_pool *from,
                  struct mprt_log2_counts own_counts,
                  struct mprt_log2_counts_buckets common_buckets,
                  const struct model *m)
{
    uint64_t counts[MPROF_DETAIL_BUCKETS];

    for (uint32_t kind = MPROF_DETAIL_SIZE; kind <= MPROF_DETAIL_LIFETIME;
         kind++) {
        const uint64_t *const want = m->counts[kind - MPROF_DETAIL_SIZE];
        const uint8_t own = kind == MPROF_DETAIL_SIZE ? common_buckets.size
                                                      : common_buckets.lifetime;
        uint64_t sum = 0;

        if (mprt_log2_counts_sum(from, own_counts, own, kind, m->blocks,
                                 counts))
            assert_memory_equal(counts, want, sizeof(counts));
        else
            assert_int_equal(want[own], m->blocks);
        for (uint32_t i = 0; i < MPROF_DETAIL_BUCKETS; i++)
            sum += want[i];
        assert_int_equal(sum, m->blocks);
    }
}

static void test_counts_are_those_of_the_model(void **state)
{
    (void)state;
    for (int run = 0; run < 300; run++) {
        struct mprt_log2_counts own_counts = {.sizes = 0};
        struct mprt_log2_counts copy;
        struct mprt_log2_counts_buckets common_buckets = {.size = 0};
        struct model m = {.blocks = 0};
        const int blocks = 1 + rand() % 500;
        const int width = 1 + rand() % 62;

        for (int i = 0; i < blocks; i++) {
            const uint64_t size = random_value() >> (63 - width);
            const uint64_t life = random_value() >> (rand() % 60);
            const struct mprt_log2_counts_buckets own =
                mprt_log2_counts_of(size, life);

            if (m.blocks++ == 0)
                common_buckets = own;
            else
                assert_true(add_one(&own_counts, common_buckets, own));
            m.counts[0][slow_bucket(size)]++;
            m.counts[1][slow_bucket(life)]++;
        }
        check(&pool, own_counts, common_buckets, &m);
        assert_true(
            mprt_log2_counts_copy(&other_pool, &copy, &pool, own_counts));
        check(&other_pool, copy, common_buckets, &m);
    }
}

static void test_blocks_that_are_alike_take_no_memory(void **state)
{
    struct mprt_log2_counts own_counts = {.sizes = 0};
    const struct mprt_log2_counts_buckets common_buckets =
        mprt_log2_counts_of(100, 1000);
    const size_t before = mprt_log2_counts_pool_bytes(&pool);

    (void)state;
    for (uint64_t i = 64; i < 128; i++)
        assert_true(
            add_one(&own_counts, common_buckets, mprt_log2_counts_of(i, 600)));
    assert_int_equal(mprt_log2_counts_pool_bytes(&pool), before);
    assert_int_equal(own_counts.sizes, 0);
    assert_int_equal(own_counts.lifetimes, 0);
}

static void test_a_full_counter_goes_on(void **state)
{
    struct mprt_log2_counts own_counts = {.sizes = 0};
    const struct mprt_log2_counts_buckets common_buckets =
        mprt_log2_counts_of(1, 1);
    const struct mprt_log2_counts_buckets own = mprt_log2_counts_of(64, 1);
    uint64_t counts[MPROF_DETAIL_BUCKETS];
    const uint64_t blocks = (UINT64_C(1) << 32) + 11;

    (void)state;
    assert_true(add_one(&own_counts, common_buckets, own));
    pool.nodes[own_counts.sizes].counts.counts[6] = UINT32_MAX - 2;
    for (int i = 0; i < 5; i++)
        assert_true(add_one(&own_counts, common_buckets, own));
    assert_true(mprt_log2_counts_sum(&pool, own_counts, common_buckets.size,
                                     MPROF_DETAIL_SIZE, blocks, counts));
    assert_int_equal(counts[6], (uint64_t)UINT32_MAX + 3);
    assert_int_equal(counts[0], blocks - counts[6]);
}

/* Counts of a value and of missing values share one number. */
static void test_a_full_counter_of_usual_blocks_stays(void **state)
{
    struct mprt_log2_counts own_counts = {.sizes = 0};
    const struct mprt_log2_counts_buckets common_buckets =
        mprt_log2_counts_of(1, 16);
    uint64_t counts[MPROF_DETAIL_BUCKETS];
    const uint64_t blocks = (UINT64_C(1) << 32) + 11;

    (void)state;
    assert_true(
        add_one(&own_counts, common_buckets, mprt_log2_counts_of(1, 8)));
    pool.nodes[own_counts.lifetimes].counts.counts[4] = UINT32_MAX - 2;
    for (int i = 0; i < 5; i++)
        assert_true(add_one(&own_counts, common_buckets, common_buckets));
    assert_int_equal(pool.nodes[own_counts.lifetimes].counts.counts[4],
                     UINT32_MAX);
    assert_true(mprt_log2_counts_sum(&pool, own_counts, common_buckets.lifetime,
                                     MPROF_DETAIL_LIFETIME, blocks, counts));
    assert_int_equal(counts[3], 1);
    assert_int_equal(counts[4], blocks - 1);
}

static void test_links_add_up(void **state)
{
    struct mprt_log2_counts own_counts = {.sizes = 0};
    const struct mprt_log2_counts_link *link = NULL;
    uint64_t want[8][2] = {{0}};
    uint64_t got[8][2] = {{0}};

    (void)state;
    for (int i = 0; i < 10000; i++) {
        const uint32_t other = (uint32_t)rand() % 8;
        const uint64_t bytes = (uint64_t)rand() % 1000;

        assert_true(mprt_log2_counts_add_link(
            &pool, &own_counts, MPROF_DETAIL_REALLOC + (other & 1), other,
            bytes, 1));
        want[other][0]++;
        want[other][1] += bytes;
    }
    while ((link = mprt_log2_counts_next_link(&pool, own_counts, link)) !=
           NULL) {
        assert_int_equal(link->kind, MPROF_DETAIL_REALLOC + (link->key & 1));
        assert_int_equal(got[link->key][0], 0);
        got[link->key][0] = link->count;
        got[link->key][1] = link->bytes;
    }
    assert_memory_equal(got, want, sizeof(want));
}

/* If there are no more nodes, the counts become unknown and stay so. */
static void test_no_memory_is_not_zero(void **state)
{
    struct mprt_log2_counts own_counts = {.sizes = 0};
    const struct mprt_log2_counts_buckets common_buckets =
        mprt_log2_counts_of(1, 1);
    const uint32_t used = pool.used;
    uint64_t counts[MPROF_DETAIL_BUCKETS];

    (void)state;
    pool.used = UINT32_C(1) << 26;
    assert_false(
        add_one(&own_counts, common_buckets, mprt_log2_counts_of(100, 1)));
    pool.used = used;
    assert_true(
        add_one(&own_counts, common_buckets, mprt_log2_counts_of(9, 1)));
    assert_false(mprt_log2_counts_sum(&pool, own_counts, common_buckets.size,
                                      MPROF_DETAIL_SIZE, 3, counts));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buckets_have_the_values_between_their_ends),
        cmocka_unit_test(test_counts_are_those_of_the_model),
        cmocka_unit_test(test_blocks_that_are_alike_take_no_memory),
        cmocka_unit_test(test_a_full_counter_goes_on),
        cmocka_unit_test(test_a_full_counter_of_usual_blocks_stays),
        cmocka_unit_test(test_links_add_up),
        cmocka_unit_test(test_no_memory_is_not_zero),
    };

    srand(7);
    if (!mprt_log2_counts_pool_init(&pool) ||
        !mprt_log2_counts_pool_init(&other_pool))
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
