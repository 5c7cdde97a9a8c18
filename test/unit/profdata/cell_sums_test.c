/* cell_sums_test.c -- histograms that wait for others: what comes of them is
 * what comes of adding one by one, and little of it is moved.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/cell_sums.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

#define OWNERS 5u
#define CELLS 4000u

struct owner {
    struct mpdata_cells cells;
    struct mpdata_cells expected;
};

/* Some of the first n cells. */
static struct mpdata_cells draw(struct gen *g, uint64_t n, uint64_t sparse)
{
    struct mpdata_cells_builder b = {.words = NULL};
    struct mpdata_cells cells;

    for (uint64_t i = gen_below(g, sparse); i < n;
         i += 1 + gen_below(g, sparse))
        mpdata_cells_add(&b, i, 1 + gen_below(g, 9));
    cells = mpdata_cells_copy(mpdata_cells_of(b.words, 0, b.count));
    mpdata_cells_fini(&b);
    assert_non_null(cells.words);
    return cells;
}

static void set(struct mpdata_cells *cells, struct mpdata_cells to)
{
    assert_non_null(to.words);
    free(cells->words);
    *cells = to;
}

static void expect_same(struct mpdata_cells a, struct mpdata_cells b)
{
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.words, b.words, a.count * sizeof(*a.words));
}

static void sums_are_those_of_one_by_one(void **state)
{
    struct gen g = {.state = 11};
    struct owner owners[OWNERS] = {{.cells = {NULL, 0}}};
    struct mpdata_cell_sums *sums = mpdata_cell_sums_new();

    (void)state;
    assert_non_null(sums);
    for (uint32_t i = 0; i < OWNERS; i++) {
        owners[i].cells = draw(&g, i * CELLS, 2 + i);
        owners[i].expected = mpdata_cells_copy(owners[i].cells);
    }
    for (int i = 0; i < 4000; i++) {
        struct owner *const owner = &owners[gen_below(&g, OWNERS)];
        const uint64_t sparse = gen_below(&g, 8) == 0 ? 9 : CELLS;
        struct mpdata_cells more = draw(&g, gen_below(&g, 9 * CELLS), sparse);

        mpdata_cell_sums_add(sums, (uint32_t)(owner - owners), &owner->cells,
                             more);
        set(&owner->expected, mpdata_cells_sum(owner->expected, more));
        free(more.words);
        if (gen_below(&g, 500) != 0)
            continue;
        mpdata_cell_sums_flush(sums, &owners->cells, sizeof(*owners));
        for (uint32_t k = 0; k < OWNERS; k++)
            expect_same(owners[k].cells, owners[k].expected);
    }
    mpdata_cell_sums_flush(sums, &owners->cells, sizeof(*owners));
    assert_false(mpdata_cell_sums_failed(sums));
    for (uint32_t i = 0; i < OWNERS; i++) {
        expect_same(owners[i].cells, owners[i].expected);
        free(owners[i].cells.words);
        free(owners[i].expected.words);
    }
    mpdata_cell_sums_free(sums);
}

/* A large histogram moves when it has grown by half, not with each cell. */
static void a_large_histogram_seldom_moves(void **state)
{
    struct gen g = {.state = 12};
    struct mpdata_cell_sums *sums = mpdata_cell_sums_new();
    struct mpdata_cells cells = draw(&g, 8 * CELLS, 8);
    const uint64_t *words = cells.words;
    unsigned moves = 0;

    (void)state;
    for (uint64_t i = 0; i < 10000; i++) {
        uint64_t one[] = {9 * CELLS + i * 7919 % 10000 * 9, 1, 1};

        mpdata_cell_sums_add(sums, 0, &cells, (struct mpdata_cells){one, 3});
        moves += cells.words != words;
        words = cells.words;
    }
    assert_in_range(moves, 1, 10);
    mpdata_cell_sums_flush(sums, &cells, sizeof(cells));
    assert_false(mpdata_cell_sums_failed(sums));
    free(cells.words);
    mpdata_cell_sums_free(sums);
}

static void what_waits_can_be_dropped(void **state)
{
    struct gen g = {.state = 13};
    struct mpdata_cell_sums *sums = mpdata_cell_sums_new();
    struct mpdata_cells cells = draw(&g, 8 * CELLS, 8);
    struct mpdata_cells before = mpdata_cells_copy(cells);
    uint64_t one[] = {9 * CELLS, 1, 1};

    (void)state;
    mpdata_cell_sums_drop(sums, 7);
    mpdata_cell_sums_add(sums, 0, &cells, (struct mpdata_cells){one, 3});
    mpdata_cell_sums_drop(sums, 0);
    mpdata_cell_sums_flush(sums, &cells, sizeof(cells));
    expect_same(cells, before);
    mpdata_cell_sums_add(sums, 0, &cells, (struct mpdata_cells){one, 3});
    free(cells.words);
    free(before.words);
    mpdata_cell_sums_free(sums);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_one_by_one),
        cmocka_unit_test(a_large_histogram_seldom_moves),
        cmocka_unit_test(what_waits_can_be_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
