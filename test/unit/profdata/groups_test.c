/* groups_test.c -- compares groups by function, line and file with sums that
 * are computed in a slow, simple way.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/lists.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

static const enum mpdata_metric metrics[] = {
    MPDATA_METRIC_BYTES, MPDATA_METRIC_BLOCKS, MPDATA_METRIC_LIVE};

/* Whether two frames are in one group, by their content, not by the method of
 * groups.c. */
static bool is_one(const struct mpdata_frame *a, const struct mpdata_frame *b,
                   enum mpdata_by by)
{
    if (by == MPDATA_BY_BINARY)
        return a->binary == b->binary;
    if ((a->function == 0) != (b->function == 0))
        return false;
    if (a->function == 0)
        return a->binary == b->binary &&
               (by == MPDATA_BY_FILE || a->address == b->address);
    if (by == MPDATA_BY_CALL)
        return a->function == b->function && a->path == b->path &&
               a->line == b->line;
    if (by == MPDATA_BY_FUNCTION || (a->path == 0 && b->path == 0))
        return a->function == b->function;
    return a->path == b->path && (by == MPDATA_BY_FILE || a->line == b->line);
}

static void check_group(const struct mpdata_view *view,
                        const struct mpdata_group *group, enum mpdata_by by,
                        size_t column)
{
    const struct mpdata_frame *const name = &view->frames[group->frame];
    const enum mpdata_metric metric = metrics[column];
    uint64_t self = 0;
    uint64_t total = 0;

    for (uint32_t i = 0; i < view->context_count; i++) {
        const struct mpdata_context *const c = &view->contexts[i];
        bool goes_through = false;

        for (mpdata_ref n = c->node; n != 0; n = view->nodes[n - 1].parent) {
            const bool fits =
                is_one(&view->frames[view->nodes[n - 1].frame], name, by);

            if (fits && n == c->node)
                self = mprof_add_sat_u64(self,
                                         mpdata_metrics_value(view, i, metric));
            goes_through = goes_through || fits;
        }
        if (!goes_through)
            continue;
        total = mprof_add_sat_u64(total, mpdata_metrics_value(view, i, metric));
    }
    assert_true(self == group->self[column]);
    assert_true(total == group->total[column]);
}

static uint64_t sum_of(const struct mpdata_view *view,
                       enum mpdata_metric metric)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < view->context_count; i++)
        sum = mprof_add_sat_u64(sum, mpdata_metrics_value(view, i, metric));
    return sum;
}

/* What frames are grouped by. */
static const enum mpdata_by groupings[] = {MPDATA_BY_FUNCTION, MPDATA_BY_LINE,
                                           MPDATA_BY_FILE, MPDATA_BY_BINARY,
                                           MPDATA_BY_CALL};

static void sums_are_those_of_the_call_stacks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 30; seed++) {
        struct mpdata_profile *p = gen_canonical(seed, 40);
        const struct mpdata_view view = mpdata_profile_view(p);

        for (size_t n = 0; n < MPROF_ARRAY_LEN(groupings); n++) {
            const enum mpdata_by by = groupings[n];
            struct mpdata_groups groups;
            uint64_t sum;

            assert_int_equal(mpdata_groups_make(&groups, p, by, metrics,
                                                MPROF_ARRAY_LEN(metrics)),
                             MPROF_E_OK);
            sum = groups.without_stack[0];
            for (uint32_t i = 0; i < groups.count; i++) {
                const struct mpdata_group *const g = &groups.rows[i];

                for (size_t k = 0; k < MPROF_ARRAY_LEN(metrics); k++)
                    check_group(&view, g, by, k);
                sum = mprof_add_sat_u64(sum, g->self[0]);
                assert_true(i == 0 || g[-1].self[0] >= g->self[0]);
                assert_true(g->total[0] != 0 || g->total[1] != 0 ||
                            g->total[2] != 0);
            }
            assert_true(sum == sum_of(&view, metrics[0]));
            mpdata_groups_fini(&groups);
        }
        mpdata_profile_free(p);
    }
}

static void nothing_makes_no_groups(void **state)
{
    struct mpdata_profile *p = mpdata_profile_new();
    struct mpdata_groups groups;

    (void)state;
    assert_int_equal(mpdata_groups_make(&groups, p, MPDATA_BY_LINE, metrics, 1),
                     MPROF_E_OK);
    assert_int_equal(groups.count, 0);
    mpdata_groups_fini(&groups);
    mpdata_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_call_stacks),
        cmocka_unit_test(nothing_makes_no_groups),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
