/* cells_test.c -- tests histograms in the runtime: added counts are found
 * again, and memory depends on what was accessed.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/cells.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/rt/stubs.h"

#include <string.h>

static struct mprt_cells_pool pool;

static void add(struct mprt_cells *cells, uint64_t cell, uint32_t count)
{
    struct mprt_cells_adder adder = {
        .pool = &pool, .cells = cells, .weight = 1};

    mprt_cells_add_block(&adder, cell, &count, 1);
    assert_false(adder.failed);
}

/* The next accessed cell, from *cell on. */
static void expect_next(struct mprt_cells_reader *reader, uint64_t *cell,
                        uint64_t expected)
{
    assert_int_not_equal(mprt_cells_next(reader, cell), 0);
    assert_int_equal(*cell, expected);
    ++*cell;
}

static void expect_end(struct mprt_cells_reader *reader, uint64_t *cell)
{
    assert_int_equal(mprt_cells_next(reader, cell), 0);
    assert_int_equal(mprt_cells_next(reader, cell), 0);
}

static void cells_far_from_each_other(void **state)
{
    struct mprt_cells cells = {.root = 0};
    struct mprt_cells_reader reader = {.cells = cells};
    uint64_t cell = 0;

    (void)state;
    assert_int_equal(mprt_cells_get(&reader, 5), 0);
    expect_end(&reader, &cell);
    cell = 0;
    add(&cells, 3, 1);
    add(&cells, UINT32_MAX - 1, 2);
    add(&cells, (uint64_t)1 << 20, 3);
    add(&cells, 3, UINT32_MAX);
    reader = (struct mprt_cells_reader){.cells = cells};
    assert_int_equal(mprt_cells_get(&reader, 3), (uint64_t)UINT32_MAX + 1);
    assert_int_equal(mprt_cells_get(&reader, 4), 0);
    assert_int_equal(mprt_cells_get(&reader, 1000), 0);
    assert_int_equal(mprt_cells_get(&reader, (uint64_t)1 << 40), 0);
    assert_int_equal(mprt_cells_get(&reader, UINT32_MAX - 1), 2);
    assert_int_equal(mprt_cells_get(&reader, (uint64_t)1 << 20), 3);
    expect_next(&reader, &cell, 3);
    expect_next(&reader, &cell, (uint64_t)1 << 20);
    expect_next(&reader, &cell, UINT32_MAX - 1);
    expect_end(&reader, &cell);
}

static void cells_near_each_other(void **state)
{
    struct mprt_cells cells = {.root = 0};
    struct mprt_cells_reader reader;
    uint64_t cell = 0;

    (void)state;
    add(&cells, 0, 1);
    add(&cells, 15, 1);
    add(&cells, 255, 1);
    add(&cells, 256, 1);
    reader = (struct mprt_cells_reader){.cells = cells};
    expect_next(&reader, &cell, 0);
    expect_next(&reader, &cell, 15);
    expect_next(&reader, &cell, 255);
    expect_next(&reader, &cell, 256);
    expect_end(&reader, &cell);
}

static void histograms_add_up(void **state)
{
    struct mprt_cells a = {.root = 0};
    struct mprt_cells b = {.root = 0};
    struct mprt_cells_adder adder = {.pool = &pool, .cells = &a};
    struct mprt_cells_reader reader;
    uint64_t cell = 0;

    (void)state;
    for (uint64_t i = 0; i < 300; i++) {
        add(&a, i * i, 1);
        add(&b, i * i * i, 10);
    }
    mprt_cells_add_all(&adder, b);
    reader = (struct mprt_cells_reader){.cells = a};
    assert_int_equal(mprt_cells_get(&reader, 64), 11);
    assert_int_equal(mprt_cells_get(&reader, 9), 1);
    assert_int_equal(mprt_cells_get(&reader, 27), 10);
    assert_int_equal(mprt_cells_get(&reader, 299 * 299 * 299), 10);
    for (int i = 0; i < 593; i++, cell++)
        assert_int_not_equal(mprt_cells_next(&reader, &cell), 0);
    assert_int_equal(mprt_cells_next(&reader, &cell), 0);
}

/* A single cell needs a node on each level; many cells need little more than a
 * number each. */
static void memory_is_by_what_was_accessed(void **state)
{
    const size_t before = mprt_cells_pool_bytes(&pool);
    struct mprt_cells one = {.root = 0};
    struct mprt_cells many = {.root = 0};
    size_t bytes;

    (void)state;
    add(&one, UINT32_MAX - 1, 1);
    bytes = mprt_cells_pool_bytes(&pool) - before;
    assert_true(bytes <= 8 * sizeof(union mprt_cells_node));
    for (uint64_t cell = 0; cell < 1 << 16; cell++)
        add(&many, cell, 1);
    bytes += before;
    assert_true(mprt_cells_pool_bytes(&pool) - bytes <
                (1 << 16) * sizeof(uint64_t) * 9 / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_far_from_each_other),
        cmocka_unit_test(cells_near_each_other),
        cmocka_unit_test(histograms_add_up),
        cmocka_unit_test(memory_is_by_what_was_accessed),
    };

    start_runtime();
    assert_true(mprt_cells_pool_init(&pool));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
