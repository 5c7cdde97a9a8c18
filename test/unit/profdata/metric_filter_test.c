/* metric_filter_test.c -- conditions on metrics.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/metric_filter.h"
#include "shared/index_format.h"
#include "test/unit/cmocka_all.h"

static const struct mprof_mib mib = {.AllocCount = 4,
                                     .TotalSize = 4096,
                                     .TotalAccessCount = 10,
                                     .TotalLifetimeNs = 8000000};

/* One call stack against all of them. */
static bool fits(const struct mpdata_metric_filter *filters, size_t count,
                 const struct mprof_mib *of, uint32_t flags)
{
    /* The MIB equals its base, the first of the view's. */
    const struct mpdata_context context = {.flags = flags, .mib = {.base = 0}};
    const struct mpdata_view view = {
        .contexts = &context, .context_count = 1, .mib_bases = of};

    return mpdata_metric_filter_fits_all(filters, count, &view, 0);
}

static void compares(void **state)
{
    static const struct {
        const char *text;
        bool fits;
    } cases[] = {
        {"bytes>=4K", true},
        {"bytes>4K", false},
        {"bytes<=4KiB", true},
        {"bytes<4096", false},
        {"bytes=4096B", true},
        {"bytes!=4K", false},
        {"bytes<0.5M", true},
        {"bytes<1MiB", true},
        {"bytes<1G", true},
        {"blocks=4", true},
        {"accesses!=0", true},
        {"bytes/blocks=1K", true},
        {"bytes/blocks>1024.5", false},
        {"accesses/blocks>=2.5", true},
        {"lifetime/blocks<2ms", false},
        {"lifetime/blocks<=2000us", true},
        {"lifetime<1s", true},
        {"lifetime>7999999ns", true},
        {"live=0", true},
        /* Nothing has no ratio. */
        {"bytes/live>=0", false},
        {"bytes/live<1", false},
        {"live-blocks/blocks<1", true},
        /* One of several. */
        {"live=0|blocks=3", true},
        {"live=1|bytes=4K", true},
        {"live=1|bytes/blocks>=1K|blocks=3", true},
        {"live=1|bytes=4M", false},
        /* Spaces, and another name. */
        {"  bytes / blocks >= 1 KiB | blocks = 3 ", true},
        {"allocated = 4K", true},
    };

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(cases); i++) {
        struct mpdata_metric_filter filters[4];
        const size_t count = mpdata_metric_filter_parse(
            cases[i].text, false, filters, MPROF_ARRAY_LEN(filters));

        assert_true(count != 0);
        assert_int_equal(fits(filters, count, &mib, 0), cases[i].fits);
    }
}

static void refuses_what_is_none(void **state)
{
    static const char *const cases[] = {
        "",
        "bytes",
        "bytes>",
        "bytes>=",
        "bytes>-1",
        "bytes>nan",
        "bytes>1 2",
        "by tes>1",
        "bytes-growth>1",
        "bytes>1%",
        "bytes=>1",
        "bytes>1x",
        "bytes>1ms",
        "lifetime>1K",
        "blocks>1K",
        "size>1",
        "bytes/>1",
        "bytes/size>1",
        "/bytes>1",
        "bytes/blocks/live>1",
        ">1",
        "bytes>1|",
        "|bytes>1",
        "bytes>1||live=0",
        "bytes>1K|live>1ms",
        "live=0|live=1|live=2|live=3|live=4",
        "a-name-that-is-longer-than-any-of-ours>1"};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(cases); i++) {
        struct mpdata_metric_filter filters[4];

        assert_int_equal(mpdata_metric_filter_parse(cases[i], false, filters,
                                                    MPROF_ARRAY_LEN(filters)),
                         0);
    }
}

/* From a budget. */
static void knows_growth(void **state)
{
    struct mpdata_metric_filter f;

    (void)state;
    assert_int_equal(
        mpdata_metric_filter_parse("live-blocks-growth <= 5.5 %", true, &f, 1),
        1);
    assert_int_equal(f.metric, MPDATA_METRIC_LIVE_BLOCKS);
    assert_true(f.is_growth && f.is_percent && !f.is_ratio);
    assert_true(mpdata_metric_filter_compares(&f, 5.5));
    assert_false(mpdata_metric_filter_compares(&f, 5.51));
    assert_int_equal(
        mpdata_metric_filter_parse("bytes-growth<=1K", true, &f, 1), 1);
    assert_true(f.is_growth && !f.is_percent);
    assert_int_equal(mpdata_metric_filter_parse("bytes<=5%", true, &f, 1), 0);
    assert_int_equal(
        mpdata_metric_filter_parse("bytes-growth/blocks<=5", true, &f, 1), 0);
    assert_int_equal(mpdata_metric_filter_parse("growth<=5", true, &f, 1), 0);
}

/* All of some, one of others, combined as given. */
static void all_must_fit(void **state)
{
    struct mpdata_metric_filter filters[4] = {{.text = NULL}};
    size_t count = 0;

    (void)state;
    assert_true(fits(filters, 0, &mib, 0));
    count += mpdata_metric_filter_parse("live=1|bytes=4K", false, filters, 4);
    count +=
        mpdata_metric_filter_parse("blocks=4|live=1", false, filters + 2, 2);
    assert_int_equal(count, 4);
    assert_true(fits(filters, 4, &mib, 0));
    filters[1].value = 1;
    assert_false(fits(filters, 4, &mib, 0));
    filters[1].value = 4096;
    filters[2].value = 5;
    assert_false(fits(filters, 4, &mib, 0));
}

/* Unmeasured is not zero. */
static void what_was_not_measured_does_not_fit(void **state)
{
    struct mpdata_metric_filter filter;
    const struct mprof_mib none = {.AllocCount = 1, .TotalSize = 8};
    const uint32_t unseen[] = {MPROF_CONTEXT_FL_NOT_MEASURED,
                               MPROF_CONTEXT_FL_NOT_ALL_SEEN};

    (void)state;
    assert_int_equal(mpdata_metric_filter_parse("reads=0", false, &filter, 1),
                     1);
    assert_false(fits(&filter, 1, &none, 0));
    assert_int_equal(
        mpdata_metric_filter_parse("accesses=0", false, &filter, 1), 1);
    assert_true(fits(&filter, 1, &none, 0));
    for (size_t i = 0; i < MPROF_ARRAY_LEN(unseen); i++)
        assert_false(fits(&filter, 1, &none, unseen[i]));
    assert_int_equal(mpdata_metric_filter_parse("bytes=8", false, &filter, 1),
                     1);
    assert_true(fits(&filter, 1, &none, unseen[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares),
        cmocka_unit_test(refuses_what_is_none),
        cmocka_unit_test(knows_growth),
        cmocka_unit_test(all_must_fit),
        cmocka_unit_test(what_was_not_measured_does_not_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
