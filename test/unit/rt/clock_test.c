/* clock_test.c -- rt/base/clock.c: every clock keeps to the system's within
 * 100 us or 1 %, and never goes back.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/rt/stubs.h"

#define NS_PER_MS UINT64_C(1000000)

static void check_clock(const char *name, uint64_t error_min_ns)
{
    uint64_t last = 0;
    uint64_t start;
    uint64_t start_min; /* the system's, before and after; a busy machine may */
    uint64_t start_max; /* let time pass anywhere */

    mprt_options.clock = name;
    mprt_clock_init();
    start_min = mprt_os_monotonic_ns();
    start = mprt_clock_now_ns();
    start_max = mprt_os_monotonic_ns();
    for (;;) {
        const uint64_t before = mprt_os_monotonic_ns() - start_max;
        const uint64_t now = mprt_clock_now_ns();
        const uint64_t after = mprt_os_monotonic_ns() - start_min;
        const uint64_t error = mprof_max_u64(after / 100, error_min_ns);
        assert_true(now >= last);
        assert_true(now - start + error >= before);
        assert_true(now - start <= after + error);
        last = now;
        if (after > 60 * NS_PER_MS)
            return;
    }
}

static void cached(void **state)
{
    (void)state;
    check_clock("cached", 100000);
}

static void tsc(void **state)
{
    (void)state;
    check_clock("tsc", 100000);
}

static void monotonic(void **state)
{
    (void)state;
    check_clock("monotonic", 100000);
    assert_string_equal(mprt_clock_name(), "monotonic");
}

static void coarse(void **state)
{
    (void)state;
    check_clock("coarse", 2 * mprt_os_coarse_resolution_ns());
    assert_true(mprt_clock_resolution_ns() == mprt_os_coarse_resolution_ns());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cached),
        cmocka_unit_test(tsc),
        cmocka_unit_test(monotonic),
        cmocka_unit_test(coarse),
    };

    mprt_os_init(false);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
