/* spread_test.c -- rt/record/spread.c: the sum of squares of the accesses of
 * bursts, from sums over several bursts.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/rt/stubs.h"

#include "rt/record/spread.c"

static uint64_t state_of_random = 5;

static uint64_t random_below(uint64_t n)
{
    state_of_random =
        state_of_random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (state_of_random >> 33) % n;
}

/* Estimated over exact sum of squares, for bursts that count `draw(i)` accesses
 * and intervals of 1 to `longest` bursts. */
static double ratio_for(uint64_t (*draw)(unsigned), uint64_t longest)
{
    struct row row = {.squares = 0};
    double exact = 0;

    bursts_before = 0;
    for (unsigned i = 0; i < 20000;) {
        const uint64_t bursts = 1 + random_below(longest);
        for (uint64_t k = 0; k < bursts; k++, i++) {
            const uint64_t x = draw(i);
            row.ended += x;
            exact += (double)x * (double)x;
        }
        end_interval(&row, bursts);
        bursts_before = bursts;
    }
    assert_true(row.last == row.ended);
    return (double)row.squares / exact;
}

static uint64_t always(unsigned i)
{
    (void)i;
    return 3000;
}

static uint64_t varying(unsigned i)
{
    (void)i;
    return random_below(2000) + (random_below(10) == 0 ? 20000 : 0);
}

static uint64_t one_in_hundred(unsigned i)
{
    (void)i;
    return random_below(100) == 0 ? 700 : 0;
}

/* 200 bursts each 2,000 bursts */
static uint64_t in_phases(unsigned i)
{
    return i % 2000 < 200 ? 400 + random_below(100) : 0;
}

static void intervals_of_one_burst_are_exact(void **state)
{
    (void)state;
    assert_true(ratio_for(always, 1) == 1);
    assert_true(ratio_for(varying, 1) == 1);
    assert_true(ratio_for(one_in_hundred, 1) == 1);
    assert_true(ratio_for(in_phases, 1) == 1);
}

static void estimates_are_hardly_too_small_or_too_large(void **state)
{
    uint64_t (*const draws[])(unsigned) = {always, varying, one_in_hundred};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(draws); i++) {
        const double ratio = ratio_for(draws[i], 20);
        assert_true(ratio > 0.9 && ratio < 2);
    }
}

static void changes_of_a_program_are_not_underestimated(void **state)
{
    const double ratio = ratio_for(in_phases, 20);

    (void)state;
    assert_true(ratio > 0.95 && ratio < 3);
}

/* Nothing is known of an interval without one before. */
static void the_first_interval_counts_as_one_burst(void **state)
{
    struct row row = {.ended = 50};

    (void)state;
    bursts_before = 0;
    end_interval(&row, 10);
    assert_true(row.squares == 50 * 50);
}

static void large_sums_saturate(void **state)
{
    struct row row = {.ended = UINT64_MAX};

    (void)state;
    bursts_before = 7;
    end_interval(&row, 3);
    assert_true(row.squares == UINT64_MAX);
    row.ended = 0;
    end_interval(&row, 1);
    assert_true(row.squares == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_of_one_burst_are_exact),
        cmocka_unit_test(estimates_are_hardly_too_small_or_too_large),
        cmocka_unit_test(changes_of_a_program_are_not_underestimated),
        cmocka_unit_test(the_first_interval_counts_as_one_burst),
        cmocka_unit_test(large_sums_saturate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
