/* metrics_test.c -- tests the table of metrics: they are sums of the MIB, found
 * by name, and available only if they were measured.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/metrics.h"
#include "profdata/base/units.h"
#include "test/unit/cmocka_all.h"

#include <string.h>

static void each_is_a_sum_and_found_by_its_name(void **state)
{
    enum mpdata_metric found;

    (void)state;
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++) {
        assert_true(mpdata_metrics_find(mpdata_metrics[m].name, &found));
        assert_int_equal(found, m);
        assert_int_equal(mprof_mib_fields[mpdata_metrics[m].field].merge,
                         MPROF_MERGE_SUM);
    }
    assert_false(mpdata_metrics_find("byte", &found));
    assert_false(mpdata_metrics_find("", &found));
}

static void numbers_have_the_unit_of_their_field(void **state)
{
    (void)state;
    assert_string_equal(mpdata_metrics_text(MPDATA_METRIC_LIVE, 2048).text,
                        "2 KiB");
    assert_string_equal(mpdata_metrics_text(MPDATA_METRIC_LIFETIME, 850).text,
                        "850 ns");
    assert_string_equal(mpdata_metrics_text(MPDATA_METRIC_BLOCKS, 2048).text,
                        "2,048");
}

static bool is_held(enum mpdata_metric metric, struct mprof_mib totals,
                    struct mpdata_run_totals runs)
{
    return mpdata_metrics_is_held(metric, &totals, &runs);
}

static void what_was_not_measured_is_not_held(void **state)
{
    const struct mprof_mib none = {.AllocCount = 1};
    const struct mprof_mib no_accesses = {.AllocCount = 1,
                                          .TotalLifetimeAccessDensity = 5};
    const struct mprof_mib rw = {.AllocCount = 2, .MeasuredRw = 1};
    const struct mprof_mib bytes = {.AllocCount = 2, .MeasuredRwBytes = 1};
    const struct mpdata_run_totals llvm = {.runs = 1};
    const struct mpdata_run_totals ours = {
        .runs = 1, .measured_runs = 1, .resolution_ns = 1};

    (void)state;
    assert_true(is_held(MPDATA_METRIC_BYTES, none, llvm));
    assert_true(is_held(MPDATA_METRIC_BLOCKS, none, llvm));
    assert_false(is_held(MPDATA_METRIC_READS, none, ours));
    assert_true(is_held(MPDATA_METRIC_WRITES, rw, llvm));
    assert_false(is_held(MPDATA_METRIC_READ_BYTES, rw, ours));
    assert_true(is_held(MPDATA_METRIC_WRITE_BYTES, bytes, ours));
    assert_true(is_held(MPDATA_METRIC_ACCESSES, none, llvm));
    assert_false(is_held(MPDATA_METRIC_ACCESSES, no_accesses, llvm));
    assert_false(is_held(MPDATA_METRIC_LIFETIME, none, llvm));
    assert_true(is_held(MPDATA_METRIC_LIFETIME, none, ours));
    assert_false(is_held(MPDATA_METRIC_LIVE, none, llvm));
    assert_true(is_held(MPDATA_METRIC_LIVE, none, ours));
    assert_true(is_held(MPDATA_METRIC_LIVE_BLOCKS, none, ours));
    /* a log that ended before its peak was noted; a choice of blocks that did
     * not live then */
    const struct mprof_mib measured = {.AllocCount = 1, .MeasuredCount = 1};
    struct mpdata_run_totals with_peak = ours;
    with_peak.peak_runs = 1;
    assert_false(is_held(MPDATA_METRIC_PEAK, measured, ours));
    assert_true(is_held(MPDATA_METRIC_PEAK, measured, with_peak));
}

static void a_profile_without_runs_holds_sizes(void **state)
{
    struct mpdata_profile *const p = mpdata_profile_new();
    bool held[MPDATA_METRIC_COUNT];

    (void)state;
    assert_non_null(p);
    assert_int_equal(mpdata_metrics_held(p, held), MPROF_E_OK);
    assert_true(held[MPDATA_METRIC_BYTES]);
    assert_false(held[MPDATA_METRIC_LIVE]);
    mpdata_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_a_sum_and_found_by_its_name),
        cmocka_unit_test(numbers_have_the_unit_of_their_field),
        cmocka_unit_test(what_was_not_measured_is_not_held),
        cmocka_unit_test(a_profile_without_runs_holds_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
