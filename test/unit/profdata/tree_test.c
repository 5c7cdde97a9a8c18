/* tree_test.c -- tests the orders in which a forest is visited.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/tree.h"
#include "test/unit/cmocka_all.h"

/* roots 0 (key 5), 1 (key 2); 0 has 2 (9) and 4 (1); 1 has 3 (7); 4 has 5 (0);
 * 6 (key 0) under 0 is excluded. */
static const uint32_t parents[] = {0, 0, 1, 2, 1, 5, 1};
static const uint32_t keys[] = {5, 2, 9, 7, 1, 0, MPDATA_TREE_SKIP};
static const struct mpdata_tree tree = {
    .parents = {parents, 1}, .keys = {keys, 1}, .count = 7, .key_count = 10};

static void levels_ascend_by_parent_and_key(void **state)
{
    static const uint32_t expected[] = {1, 0, 3, 4, 2, 5};
    uint32_t order[7];

    (void)state;
    assert_int_equal(mpdata_tree_levels(&tree, order), 6);
    assert_memory_equal(order, expected, sizeof(expected));
}

static void preorder_keeps_subtrees_together(void **state)
{
    static const uint32_t expected[] = {1, 3, 0, 4, 5, 2};
    uint32_t order[7];

    (void)state;
    assert_int_equal(mpdata_tree_preorder(&tree, order), 6);
    assert_memory_equal(order, expected, sizeof(expected));
}

static void columns_of_rows_serve_as_well(void **state)
{
    static const uint32_t expected[] = {1, 3, 0, 4, 5, 2};
    uint32_t rows[7][2];
    uint32_t order[7];

    (void)state;
    for (size_t i = 0; i < 7; i++) {
        rows[i][0] = parents[i];
        rows[i][1] = keys[i];
    }
    assert_int_equal(
        mpdata_tree_preorder(&(struct mpdata_tree){.parents = {&rows[0][0], 2},
                                                   .keys = {&rows[0][1], 2},
                                                   .count = 7,
                                                   .key_count = 10},
                             order),
        6);
    assert_memory_equal(order, expected, sizeof(expected));
}

static void nothing_has_an_order(void **state)
{
    const struct mpdata_tree none = {.count = 0};
    uint32_t order[1];

    (void)state;
    assert_int_equal(mpdata_tree_levels(&none, order), 0);
    assert_int_equal(mpdata_tree_preorder(&none, order), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_ascend_by_parent_and_key),
        cmocka_unit_test(preorder_keeps_subtrees_together),
        cmocka_unit_test(columns_of_rows_serve_as_well),
        cmocka_unit_test(nothing_has_an_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
