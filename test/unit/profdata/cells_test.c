/* cells_test.c -- tests histograms as spans of cells: building them, and adding
 * them up in any grouping.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/cells.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

#define CELLS 200u

static struct mpdata_cells build(const uint64_t *counts, size_t n)
{
    struct mpdata_cells_builder b = {.words = NULL};
    struct mpdata_cells cells;

    for (size_t i = 0; i < n; i++)
        mpdata_cells_add(&b, i, counts[i]);
    cells = mpdata_cells_copy(mpdata_cells_of(b.words, 0, b.count));
    mpdata_cells_fini(&b);
    assert_non_null(cells.words);
    return cells;
}

static void expect_same(struct mpdata_cells a, struct mpdata_cells b)
{
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.words, b.words, a.count * sizeof(*a.words));
}

static void runs_start_and_end_with_an_access(void **state)
{
    static const uint64_t counts[] = {0, 7, 0, 0, 8, 0, 0, 0, 9, 0};
    static const uint64_t words[] = {1, 4, 7, 0, 0, 8, 8, 1, 9};
    struct mpdata_cells cells = build(counts, MPROF_ARRAY_LEN(counts));

    (void)state;
    assert_int_equal(cells.count, MPROF_ARRAY_LEN(words));
    assert_memory_equal(cells.words, words, sizeof(words));
    free(cells.words);
    cells = build(counts, 1);
    assert_int_equal(cells.count, 0);
    free(cells.words);
}

/* Never more than a number per cell, plus two per span. */
static void runs_take_no_more_room_than_all_cells(void **state)
{
    struct gen g = {.state = 5};
    uint64_t counts[CELLS];

    (void)state;
    for (uint64_t density = 1; density < 12; density++) {
        struct mpdata_cells cells;

        for (size_t i = 0; i < CELLS; i++)
            counts[i] = gen_below(&g, density) == 0;
        cells = build(counts, CELLS);
        assert_true(cells.count <= CELLS + MPDATA_CELLS_HEAD_WORDS);
        free(cells.words);
    }
}

/* Sums equal those of adding cell by cell, in any order. */
static void sums_have_one_form(void **state)
{
    struct gen g = {.state = 6};

    (void)state;
    for (int round = 0; round < 500; round++) {
        uint64_t counts[3][CELLS];
        struct mpdata_cells a;
        struct mpdata_cells b;
        struct mpdata_cells sum;
        struct mpdata_cells expected;
        const uint64_t sparse = 1 + gen_below(&g, 12);
        const uint64_t n = gen_below(&g, CELLS);

        for (size_t i = 0; i < CELLS; i++) {
            const uint64_t more = gen_below(&g, 3);

            counts[0][i] = gen_below(&g, sparse) == 0 ? i + 1 : 0;
            counts[1][i] = i < n && gen_below(&g, sparse) == 0 ? UINT64_MAX : 0;
            counts[1][i] = more == 0 ? counts[0][i] : counts[1][i];
            counts[2][i] = mprof_add_sat_u64(counts[0][i], counts[1][i]);
        }
        a = build(counts[0], CELLS);
        b = build(counts[1], CELLS);
        expected = build(counts[2], CELLS);
        sum = mpdata_cells_sum(b, a);
        expect_same(sum, expected);
        free(sum.words);
        sum = mpdata_cells_sum(a, b);
        expect_same(sum, expected);
        free(sum.words);
        if (mpdata_cells_add_within(a, b))
            expect_same(a, expected);
        free(a.words);
        free(b.words);
        free(expected.words);
    }
}

static void cells_are_added_within_runs_alone(void **state)
{
    static const uint64_t wide[] = {1, 0, 1, 0, 0, 0, 0, 1, 1, 1};
    static const uint64_t inner[] = {0, 5, 0, 0, 0, 0, 0, 0, 6};
    static const uint64_t outer[] = {0, 5, 0, 1, 0, 0, 0, 0, 6};
    static const uint64_t sums[] = {1, 5, 1, 0, 0, 0, 0, 1, 7, 1};
    struct mpdata_cells a = build(wide, MPROF_ARRAY_LEN(wide));
    struct mpdata_cells b = build(outer, MPROF_ARRAY_LEN(outer));
    struct mpdata_cells c = build(inner, MPROF_ARRAY_LEN(inner));
    struct mpdata_cells before = mpdata_cells_copy(a);
    struct mpdata_cells expected = build(sums, MPROF_ARRAY_LEN(sums));

    (void)state;
    assert_false(mpdata_cells_add_within(a, b));
    expect_same(a, before);
    assert_true(mpdata_cells_add_within(a, c));
    expect_same(a, expected);
    free(a.words);
    free(b.words);
    free(c.words);
    free(before.words);
    free(expected.words);
}

static void check_as_8(const uint64_t *counts, size_t count,
                       unsigned unit_cells, const uint64_t (*expected)[2],
                       size_t expected_count)
{
    const struct mpdata_cells cells = build(counts, count);
    struct mpdata_cells_cursor c = {.rest = cells, .unit_cells = unit_cells};

    for (size_t i = 0; i < expected_count; i++) {
        assert_true(mpdata_cells_next(&c));
        assert_int_equal(c.cell, expected[i][0]);
        assert_int_equal(c.count, expected[i][1]);
    }
    assert_false(mpdata_cells_next(&c));
    assert_false(mpdata_cells_next(&c));
    free(cells.words);
}

/* Of two or four cells for each 4 bytes, those of accesses that begin there. */
static void cells_of_4_bytes_are_read_as_8(void **state)
{
    static const uint64_t twos[] = {1, 9, 2, 9, 0, 9, 3, 9, 0, 9, 0, 9, 4};
    static const uint64_t by_two[][2] = {{0, 3}, {1, 3}, {3, 4}};
    /* The first 8 bytes lie in two runs, the second have none, the third end
     * a run. */
    static const uint64_t fours[] = {1, 0, 0, 0, 0, 0, 2, 9, /* 8 bytes */
                                     0, 9, 0, 9, 0, 0, 0, 0, /* 8 bytes */
                                     0, 0, 0, 0, 0, 0, 3, 0, /* 8 bytes */
                                     0, 0, 4};
    static const uint64_t by_four[][2] = {{0, 3}, {2, 3}, {3, 4}};

    (void)state;
    check_as_8(twos, MPROF_ARRAY_LEN(twos), 2, by_two, MPROF_ARRAY_LEN(by_two));
    check_as_8(fours, MPROF_ARRAY_LEN(fours), 4, by_four,
               MPROF_ARRAY_LEN(by_four));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_start_and_end_with_an_access),
        cmocka_unit_test(runs_take_no_more_room_than_all_cells),
        cmocka_unit_test(sums_have_one_form),
        cmocka_unit_test(cells_are_added_within_runs_alone),
        cmocka_unit_test(cells_of_4_bytes_are_read_as_8),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
