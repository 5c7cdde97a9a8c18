/* last_access_test.c -- rt/record/last_access.c: what looks at a block's
 * counters say of the time since its last access.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/rt/stubs.h"

#include "rt/base/clock.h"

static uint64_t test_ns;
#define mprt_clock_now_ns() test_ns
#include "rt/record/last_access.c"

#define S UINT64_C(1000000000)
/* A time is rounded to 4 ms, and an idle time to an eighth. */
#define ROUND ((UINT64_C(1) << TIME_SHIFT))

static _Atomic uint64_t some_words[16];

static int set_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(some_words); i++)
        MPRT_STORE(some_words[i], 0);
    words = some_words;
    return 0;
}

static struct mprt_live_block block_at(unsigned granule, uint64_t born_ns,
                                       uint64_t count)
{
    return (struct mprt_live_block){
        .p = (uintptr_t)mprt_runs_region + granule * MPROF_GRANULE_BYTES,
        .context = mprt_depot_first_id,
        .life = {.size = 64, .alloc_ns = born_ns, .access_count = count}};
}

static void look_when(uint64_t ns, struct mprt_live_block block)
{
    test_ns = ns;
    look_at(NULL, &block);
}

/* The idle time in a dump at this time, of a block that was accessed. */
static uint64_t idle_when(uint64_t ns, struct mprt_live_block block)
{
    struct mprt_last_access last;

    block.life.dealloc_ns = ns;
    assert_true(mprt_last_access_of(&block, &last));
    assert_int_equal(last.kind, MPROF_DETAIL_IDLE);
    return mprof_detail_fine_low(last.bucket);
}

#define IN_RANGE(n, most) assert_in_range((n), (most) / 9 * 8 - ROUND, (most))

static void
a_block_is_idle_since_the_look_that_saw_its_last_change(void **state)
{
    (void)state;
    look_when(2 * S, block_at(3, S, 7));
    look_when(3 * S, block_at(3, S, 8));
    look_when(4 * S, block_at(3, S, 8));
    IN_RANGE(idle_when(10 * S, block_at(3, S, 8)), 7 * S);
    /* accessed after the last look; never seen by a look */
    assert_int_equal(idle_when(10 * S, block_at(3, S, 9)), 0);
    assert_int_equal(idle_when(10 * S, block_at(4, S, 9)), 0);
}

static void a_later_block_at_the_address_is_another_one(void **state)
{
    (void)state;
    look_when(3 * S, block_at(3, S, 8));
    assert_int_equal(idle_when(10 * S, block_at(3, 3 * S + 1, 8)), 0);
    look_when(5 * S, block_at(3, 3 * S + 1, 8));
    IN_RANGE(idle_when(10 * S, block_at(3, 3 * S + 1, 8)), 5 * S);
}

static void a_block_without_accesses_has_an_age(void **state)
{
    struct mprt_live_block block = block_at(3, 2 * S, 0);
    struct mprt_last_access last;
    uint64_t idle_ns;

    (void)state;
    look_when(3 * S, block_at(3, S, 8)); /* of an earlier block */
    look_when(5 * S, block);
    block.life.dealloc_ns = 10 * S;
    assert_true(mprt_last_access_of(&block, &last));
    assert_int_equal(last.kind, MPROF_DETAIL_UNTOUCHED);
    IN_RANGE(mprof_detail_fine_low(last.bucket), 8 * S);
    assert_true(mprt_last_access_idle(&block, &idle_ns));
    assert_int_equal(idle_ns, 8 * S);
}

static void nothing_is_said_of_what_was_not_counted(void **state)
{
    struct mprt_live_block block = block_at(3, S, 8);
    struct mprt_last_access last;

    (void)state;
    look_when(3 * S, block);
    block.life.dealloc_ns = 10 * S;
    block.life.is_unseen = true;
    assert_false(mprt_last_access_of(&block, &last));
    block.life.is_unseen = false;
    block.life.is_saturated = true;
    assert_false(mprt_last_access_of(&block, &last));
    block.life.is_saturated = false;
    block.context = mprt_depot_first_id - 1; /* a parent's block */
    assert_false(mprt_last_access_of(&block, &last));
    block.context = mprt_depot_first_id;
    mprt_bursts_period = 10;
    assert_false(mprt_last_access_of(&block, &last));
    mprt_bursts_period = 1;
    assert_true(mprt_last_access_of(&block, &last));
}

static void fine_buckets_are_ascending_and_within_an_eighth(void **state)
{
    (void)state;
    for (uint32_t bucket = 0; bucket < MPROF_DETAIL_FINE_BUCKETS; bucket++) {
        const uint64_t low = mprof_detail_fine_low(bucket);
        const uint64_t high = bucket + 1 < MPROF_DETAIL_FINE_BUCKETS
                                  ? mprof_detail_fine_low(bucket + 1) - 1
                                  : UINT64_MAX;

        assert_int_equal(mprof_detail_fine(low), bucket);
        assert_int_equal(mprof_detail_fine(high), bucket);
        assert_true(high - low <= low / 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(
            a_block_is_idle_since_the_look_that_saw_its_last_change, set_up),
        cmocka_unit_test_setup(a_later_block_at_the_address_is_another_one,
                               set_up),
        cmocka_unit_test_setup(a_block_without_accesses_has_an_age, set_up),
        cmocka_unit_test_setup(nothing_is_said_of_what_was_not_counted, set_up),
        cmocka_unit_test(fine_buckets_are_ascending_and_within_an_eighth),
    };

    start_runtime();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
