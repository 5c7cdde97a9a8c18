/* metric_filter_test.c -- conditions on metrics.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/metric_filter.h"
#include "test/unit/cmocka_all.h"

static const struct mprof_mib mib = {.AllocCount = 4,
                                     .TotalSize = 4096,
                                     .TotalAccessCount = 10,
                                     .TotalLifetimeNs = 8000000};

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
        /* Of nothing there is no ratio. */
        {"bytes/live>=0", false},
        {"bytes/live<1", false},
        {"live-blocks/blocks<1", true},
    };

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(cases); i++) {
        struct mpdata_metric_filter filter;

        assert_true(mpdata_metric_filter_parse(cases[i].text, &filter));
        assert_int_equal(mpdata_metric_filter_fits(&filter, &mib),
                         cases[i].fits);
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
        "bytes> 1",
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
        "a-name-that-is-longer-than-any-of-ours>1"};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(cases); i++) {
        struct mpdata_metric_filter filter;

        assert_false(mpdata_metric_filter_parse(cases[i], &filter));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares),
        cmocka_unit_test(refuses_what_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
