/* use_log_test.c -- tests logs of compilations that used a profile: adding them
 * up, and what is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/use_log.h"
#include "test/unit/cmocka_all.h"

#include <string.h>

#define MODULE(name) "module\t1\t" name "\tp\n"

static struct mpdata_use_log log_;

static int setup(void **state)
{
    (void)state;
    mpdata_use_log_init(&log_);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    mpdata_use_log_fini(&log_);
    return 0;
}

static void read(const char *text)
{
    assert_int_equal(mpdata_use_log_read(&log_, text, strlen(text)),
                     MPROF_E_OK);
}

static void finish(void)
{
    assert_int_equal(mpdata_use_log_finish(&log_), MPROF_E_OK);
}

static const struct mpdata_use_module *module_at(uint32_t i)
{
    return (const struct mpdata_use_module *)log_.modules.data + i;
}

static void adds_up(void **state)
{
    (void)state;
    read(MODULE("a.c") "function\t0a\tmatched\t3\t3\tf\n"
                       "function\t0b\tstale\t5\t1\tg\n"
                       "site\t1\tcold\t2\t100\t100\t0\tmalloc\tf\ta.c:1:2\n"
                       "site\t2\thot\t1\t40\t0\t40\tmalloc\tf\ta.c:2:2\n"
                       "site\t3\tcloned\t4\t70\t30\t0\tmalloc\tf\ta.c:3:2\n");
    read(MODULE("b.c") "site\t4\tmixed\t4\t7\t2\t1\tmalloc\th\tb.c:3:2\n"
                       "site\t5\tlink\t4\t9\t4\t1\tmalloc\th\tb.c:4:2\n"
                       "site\t6\tnone\t4\t11\t0\t0\tmalloc\th\tb.c:5:2\n");
    finish();
    assert_int_equal(log_.sums.functions[MPDATA_USE_STATE_MATCHED], 1);
    assert_int_equal(log_.sums.functions[MPDATA_USE_STATE_STALE], 1);
    assert_int_equal(log_.sums.places, 8);
    assert_int_equal(log_.sums.found, 4);
    assert_int_equal(log_.sums.bytes, 237);
    assert_int_equal(log_.sums.cold_bytes, 130);
    assert_int_equal(log_.sums.hot_bytes, 40);
    assert_int_equal(log_.sums.lost_bytes, 3);
    assert_int_equal(log_.sums.link_bytes, 5);
    assert_int_equal(module_at(0)->sums.bytes, 210);
    assert_int_equal(module_at(1)->sums.bytes, 27);
    assert_string_equal(module_at(1)->name, "b.c");
}

/* Inline functions are compiled in many modules. */
static void counts_each_once(void **state)
{
    (void)state;
    read(MODULE("a.c") "function\tA\tmatched\t3\t3\tf\n"
                       "site\t1\tnone\t2\t100\t100\t0\tmalloc\tf\ta.h:1:2\n");
    read(MODULE("b.c") "function\ta\tstale\t3\t2\tf\n"
                       "site\t1\tcold\t2\t100\t100\t0\tmalloc\tf\ta.h:1:2\n");
    finish();
    assert_int_equal(log_.functions.count, 1);
    assert_int_equal(log_.sums.functions[MPDATA_USE_STATE_STALE], 1);
    assert_int_equal(log_.sums.functions[MPDATA_USE_STATE_MATCHED], 0);
    assert_int_equal(log_.sums.bytes, 100);
    assert_int_equal(log_.sums.sites[MPDATA_USE_OUTCOME_COLD], 1);
    assert_int_equal(module_at(0)->sums.bytes, 100);
    assert_int_equal(module_at(1)->sums.bytes, 100);
}

static void takes_the_last_compilation(void **state)
{
    (void)state;
    read(MODULE("a.c") "function\t1\tstale\t3\t1\tf\n");
    read(MODULE("b.c") "function\t2\tmatched\t1\t1\tg\n");
    read(MODULE("a.c") "function\t1\tmatched\t4\t4\tf\n");
    finish();
    assert_int_equal(log_.replaced, 1);
    assert_true(module_at(0)->is_replaced);
    assert_false(module_at(2)->is_replaced);
    assert_int_equal(log_.sums.functions[MPDATA_USE_STATE_STALE], 0);
    assert_int_equal(log_.sums.found, 5);
}

/* A later version may have more. */
static void passes_over_what_it_does_not_know(void **state)
{
    (void)state;
    read(MODULE("a.c") "loop\t1\t2\n\n"
                       "function\t1\tmoved\t1\t1\tf\tmore\tand more\n");
    finish();
    assert_int_equal(log_.sums.functions[MPDATA_USE_STATE_MOVED], 1);
}

static void refuses_the_rest(void **state)
{
    static const struct {
        const char *text;
        uint64_t line;
        enum mprof_err err;
    } cases[] = {
        {"function\t1\tmatched\t1\t1\tf\n", 1, MPROF_E_VALUE},
        {"\n" MODULE("a"), 1, MPROF_E_VALUE},
        {"module\t2\ta\tp\n", 1, MPROF_E_VERSION},
        {"module\t1\ta\n", 1, MPROF_E_VALUE},
        {MODULE("a") "function\tx\tmatched\t1\t1\tf\n", 2, MPROF_E_VALUE},
        {MODULE("a") "function\t1\tlost\t1\t1\tf\n", 2, MPROF_E_VALUE},
        {MODULE("a") "function\t1\tmatched\t1\t2\tf\n", 2, MPROF_E_VALUE},
        {MODULE("a") "function\t1\tmatched\t\t0\tf\n", 2, MPROF_E_VALUE},
        {MODULE("a") "function\t1\tmatched\t-1\t0\tf\n", 2, MPROF_E_VALUE},
        {MODULE("a") "function\t11111111111111111\tmatched\t1\t1\tf\n", 2,
         MPROF_E_VALUE},
        {MODULE("a") "function\t1\tmatched\t18446744073709551616\t0\tf\n", 2,
         MPROF_E_VALUE},
        {MODULE("a") "site\t1\tcold\t1\t1\t1\t1\tmalloc\tf\n", 2,
         MPROF_E_VALUE},
        {MODULE("a") "site\t1\twarm\t1\t1\t1\t1\tmalloc\tf\ta:1\n", 2,
         MPROF_E_VALUE},
        {"an ELF file", 1, MPROF_E_VALUE},
    };

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(cases); i++) {
        struct mpdata_use_log l;

        mpdata_use_log_init(&l);
        assert_int_equal(
            mpdata_use_log_read(&l, cases[i].text, strlen(cases[i].text)),
            cases[i].err);
        assert_int_equal(l.bad_line, cases[i].line);
        mpdata_use_log_fini(&l);
    }
}

static void refuses_a_nul(void **state)
{
    static const char text[] = MODULE("a") "function\t1\tmat\0\t1\t1\tf\n";

    (void)state;
    assert_int_equal(mpdata_use_log_read(&log_, text, sizeof(text) - 1),
                     MPROF_E_VALUE);
}

/* For example by a full disk. */
static void reads_what_is_whole(void **state)
{
    static const char text[] = MODULE("a.c") "function\t1\tmatched\t4\t4\tf\n"
                                             "site\t1\tcold\t2\t10\t10\t0\tx\n";
    const size_t lines[] = {0, strlen(MODULE("a.c")),
                            strlen(text) - strlen(strstr(text, "site"))};

    (void)state;
    for (size_t size = strlen("module"); size < strlen(text); size++) {
        struct mpdata_use_log l;
        uint32_t whole = 0;

        mpdata_use_log_init(&l);
        while (whole < MPROF_ARRAY_LEN(lines) - 1 && lines[whole + 1] <= size)
            whole++;
        assert_int_equal(mpdata_use_log_read(&l, text, size), MPROF_E_OK);
        assert_int_equal(l.cut_line, size == lines[whole] ? 0 : whole + 1);
        assert_int_equal(l.modules.count, whole > 0);
        assert_int_equal(l.functions.count, whole > 1);
        assert_int_equal(mpdata_use_log_finish(&l), MPROF_E_OK);
        mpdata_use_log_fini(&l);
    }
}

static void nothing_is_nothing(void **state)
{
    (void)state;
    assert_int_equal(mpdata_use_log_read(&log_, NULL, 0), MPROF_E_OK);
    finish();
    assert_int_equal(log_.modules.count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(adds_up),
        TEST(counts_each_once),
        TEST(takes_the_last_compilation),
        TEST(passes_over_what_it_does_not_know),
        TEST(refuses_the_rest),
        TEST(refuses_a_nul),
        TEST(reads_what_is_whole),
        TEST(nothing_is_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
