/* tree_rows_test.c -- tests which nodes of a call tree become rows.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/call_tree.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

static const enum mpdata_metric blocks = MPDATA_METRIC_BLOCKS;
static const struct mpdata_call_tree_of all = {
    .by = MPDATA_BY_CALL, .metrics = &blocks, .metric_count = 1};

/* Every significant node has one row below its caller's; missing children are
 * in the row of folded nodes, or are too small to be shown. */
static void check_rows(const struct mpdata_call_tree *tree,
                       const struct mpdata_tree_rows *rows, uint64_t least)
{
    uint32_t significant = 1;
    uint32_t nodes = 0;

    for (uint32_t i = 1; i < tree->count; i++)
        significant += mpdata_call_tree_total(tree, i, 0) >= least;
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct mpdata_tree_row *const row = &rows->rows[i];
        uint64_t left = mpdata_call_tree_total(tree, row->node, 0);
        uint32_t below = 0;

        if (row->folded != 0)
            continue;
        nodes++;
        left -= mpdata_call_tree_self(tree, row->node, 0);
        for (uint32_t k = i + 1;
             k < rows->count && rows->rows[k].depth > row->depth; k++) {
            if (rows->rows[k].depth != row->depth + 1)
                continue;
            assert_int_equal(tree->nodes[rows->rows[k].node].parent, row->node);
            left -= mpdata_call_tree_rows_total(tree, &rows->rows[k], 0);
            assert_false(below != 0 && rows->rows[k].is_only);
            below++;
        }
        assert_true(left < least);
    }
    assert_int_equal(nodes, significant);
}

static void what_is_significant_is_a_row(void **state)
{
    static const uint64_t parts[] = {1000000, 100, 20, 4, 2, 1};

    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct mpdata_profile *p = gen_canonical(seed, 60);
        struct mpdata_call_tree tree;

        assert_int_equal(mpdata_call_tree_make(&tree, p, &all), MPROF_E_OK);
        assert_int_equal(mpdata_call_tree_sort(&tree), MPROF_E_OK);
        for (size_t i = 0; i < MPROF_ARRAY_LEN(parts); i++) {
            const uint64_t least = mprof_max_u64(
                mpdata_call_tree_total(&tree, 0, 0) / parts[i], 1);
            struct mpdata_tree_rows rows;

            assert_int_equal(mpdata_call_tree_rows(&rows, &tree, least),
                             MPROF_E_OK);
            check_rows(&tree, &rows, least);
            mpdata_call_tree_rows_fini(&rows);
        }
        mpdata_call_tree_fini(&tree);
        mpdata_profile_free(p);
    }
}

static void nothing_is_the_root_alone(void **state)
{
    struct mpdata_profile *p = mpdata_profile_new();
    struct mpdata_call_tree tree;
    struct mpdata_tree_rows rows;

    (void)state;
    assert_int_equal(mpdata_call_tree_make(&tree, p, &all), MPROF_E_OK);
    assert_int_equal(mpdata_call_tree_rows(&rows, &tree, 1), MPROF_E_OK);
    assert_int_equal(rows.count, 1);
    mpdata_call_tree_rows_fini(&rows);
    mpdata_call_tree_fini(&tree);
    mpdata_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_significant_is_a_row),
        cmocka_unit_test(nothing_is_the_root_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
