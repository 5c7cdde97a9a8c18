/* clock_test.c -- rt/base/clock.c: every clock stays within 100 us or 1 % of
 * the system's and never goes back.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/rt/stubs.h"

#include <time.h>

#define NS_PER_MS UINT64_C(1000000)
#define INTERRUPTION_NS (20 * NS_PER_MS)

/* The system's clock as clock.c sees it: the thread loses its processor right
 * after one in so many readings; 0: never. */
static unsigned interrupt_every;
static unsigned readings;
uint64_t __real_mprt_os_monotonic_ns(void);
uint64_t __wrap_mprt_os_monotonic_ns(void);

uint64_t __wrap_mprt_os_monotonic_ns(void)
{
    const uint64_t now = __real_mprt_os_monotonic_ns();

    if (interrupt_every != 0 && ++readings % interrupt_every == 0) {
        while (__real_mprt_os_monotonic_ns() - now < INTERRUPTION_NS)
            ;
    }
    return now;
}

static uint64_t system_now_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000 * NS_PER_MS + (uint64_t)t.tv_nsec;
}

/* Compares the clock with this name with one of the system's. */
static void check_clock_beside(const char *name, clockid_t clock,
                               uint64_t error_min_ns)
{
    uint64_t last = 0;
    uint64_t start;
    uint64_t start_min; /* the system's, before and after; a busy machine may */
    uint64_t start_max; /* let time pass anywhere */

    mprt_options.clock = name;
    mprt_clock_init();
    start_min = system_now_ns(clock);
    start = mprt_clock_now_ns();
    start_max = system_now_ns(clock);
    for (;;) {
        const uint64_t before = system_now_ns(clock) - start_max;
        const uint64_t now = mprt_clock_now_ns();
        const uint64_t after = system_now_ns(clock) - start_min;
        const uint64_t error = mprof_max_u64(after / 100, error_min_ns);
        assert_true(now >= last);
        assert_true(now - start + error >= before);
        assert_true(now - start <= after + error);
        last = now;
        if (after >
            60 * NS_PER_MS + 10 * (interrupt_every != 0 ? INTERRUPTION_NS : 0))
            return;
    }
}

static void check_clock(const char *name, uint64_t error_min_ns)
{
    check_clock_beside(name, CLOCK_MONOTONIC, error_min_ns);
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

/* An odd and an even number, so that each reading of a pair is hit. */
static void interrupted(void **state)
{
    static const char *const names[] = {"cached", "tsc"};

    (void)state;
    for (interrupt_every = 2; interrupt_every <= 3; interrupt_every++) {
        for (size_t i = 0; i < MPROF_ARRAY_LEN(names); i++)
            check_clock(names[i], 100000);
    }
    interrupt_every = 0;
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
    /* It stands still while the kernel gets no ticks, for any time. */
    check_clock_beside("coarse", CLOCK_MONOTONIC_COARSE, 0);
    assert_true(mprt_clock_resolution_ns() == mprt_os_coarse_resolution_ns());
}

/* It does not restore the clock, so it is the last of all. */
static void lost(void **state)
{
    (void)state;
    mprt_options.clock = "cached";
    mprt_clock_init();
    assert_false(mprt_counter_is_lost());
    for (uint64_t before = 0; before < 10 * NS_PER_MS;) {
        const uint64_t now = mprt_clock_now_ns();
        assert_true(now >= before);
        before = now;
    }
    mprt_counter_lose();
    assert_int_equal(mprt_counter_read(), 0);
    check_clock("cached", 100000);
    assert_string_equal(mprt_clock_name(), "monotonic");
    check_clock("tsc", 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cached),      cmocka_unit_test(tsc),
        cmocka_unit_test(interrupted), cmocka_unit_test(monotonic),
        cmocka_unit_test(coarse),      cmocka_unit_test(lost),
    };

    mprt_os_init(false);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
