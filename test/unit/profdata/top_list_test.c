/* top_list_test.c -- tests the ranking of contexts.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/lists.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

#define METRIC MPDATA_METRIC_BLOCKS

static struct mpdata_profile *make_profile(uint64_t seed)
{
    struct mpdata_profile *p = gen_profile(seed, 60);

    assert_int_equal(mpdata_profile_canonical_in_place(p), MPROF_E_OK);
    return p;
}

static uint64_t value(const struct mpdata_profile *p, uint32_t row)
{
    const struct mpdata_view view = mpdata_profile_view(p);

    return mpdata_metrics_value(&view, row, METRIC);
}

static void rows_descend_and_equal_ones_keep_their_order(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct mpdata_profile *p = make_profile(seed);
        const struct mpdata_view view = mpdata_profile_view(p);
        struct mpdata_top_list list;

        assert_int_equal(mpdata_top_list_make(&list, p, METRIC, seed),
                         MPROF_E_OK);
        assert_int_equal(list.context_count, view.context_count);
        assert_int_equal(list.count, mprof_min_u64(seed, list.listed_count));
        for (uint32_t i = 1; i < list.count; i++) {
            const uint64_t before = value(p, list.rows[i - 1]);
            const uint64_t after = value(p, list.rows[i]);

            assert_true(before > after ||
                        (before == after && list.rows[i - 1] < list.rows[i]));
        }
        mpdata_top_list_fini(&list);
        mpdata_profile_free(p);
    }
}

static void an_empty_profile_has_an_empty_list(void **state)
{
    struct mpdata_profile *p = mpdata_profile_new();
    struct mpdata_top_list list;

    (void)state;
    assert_int_equal(mpdata_top_list_make(&list, p, METRIC, 10), MPROF_E_OK);
    assert_int_equal(list.count, 0);
    mpdata_top_list_fini(&list);
    mpdata_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_descend_and_equal_ones_keep_their_order),
        cmocka_unit_test(an_empty_profile_has_an_empty_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
