/* toml_test.c -- the part of TOML that is read, and that the rest is refused
 * with its line.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/toml.h"
#include "test/unit/cmocka_all.h"

#include <string.h>

static void is_string(const char *text, const char *value)
{
    struct mpdata_toml toml;
    const struct mpdata_toml_value *v;

    assert_int_equal(mpdata_toml_read(&toml, text, strlen(text)), MPROF_E_OK);
    assert_int_equal(toml.values.count, 1);
    v = (const struct mpdata_toml_value *)toml.values.data;
    assert_int_equal(v->kind, MPDATA_TOML_STRING);
    assert_string_equal(v->text, value);
    mpdata_toml_fini(&toml);
}

static void is_number(const char *text, enum mpdata_toml_kind kind,
                      int64_t number)
{
    struct mpdata_toml toml;
    const struct mpdata_toml_value *v;

    assert_int_equal(mpdata_toml_read(&toml, text, strlen(text)), MPROF_E_OK);
    assert_int_equal(toml.values.count, 1);
    v = (const struct mpdata_toml_value *)toml.values.data;
    assert_int_equal(v->kind, kind);
    assert_int_equal(v->number, number);
    mpdata_toml_fini(&toml);
}

static void is_bad(const char *text, uint32_t line, const char *why)
{
    struct mpdata_toml toml;

    assert_int_equal(mpdata_toml_read(&toml, text, strlen(text)),
                     MPROF_E_VALUE);
    assert_int_equal(toml.bad_line, line);
    if (strstr(toml.why, why) == NULL)
        fail_msg("%s: %s", text, toml.why);
    mpdata_toml_fini(&toml);
}

static void values_are_as_written(void **state)
{
    (void)state;
    is_string("a = \"x # y\" # z", "x # y");
    is_string("\t a-b_1=\"\"", "");
    is_string("a = \"\\\"\\\\\\n\\t\"\r\n", "\"\\\n\t");
    is_string("a = 'C:\\.x$'", "C:\\.x$");
    is_number("a = 0", MPDATA_TOML_NUMBER, 0);
    is_number("a = +1_000", MPDATA_TOML_NUMBER, 1000);
    is_number("a = 9223372036854775807", MPDATA_TOML_NUMBER, INT64_MAX);
    is_number("a = -9223372036854775808", MPDATA_TOML_NUMBER, INT64_MIN);
    is_number("a = true", MPDATA_TOML_BOOL, 1);
    is_number("a = false#", MPDATA_TOML_BOOL, 0);
}

static void tables_stand_in_the_order_of_the_file(void **state)
{
    static const char text[] = "a = 1\n[t]\na = 2\n\n[[ u ]]\nb = 3\n[[u]]\n";
    struct mpdata_toml toml;
    const struct mpdata_toml_table *t;
    const struct mpdata_toml_value *v;

    (void)state;
    assert_int_equal(mpdata_toml_read(&toml, text, strlen(text)), MPROF_E_OK);
    t = (const struct mpdata_toml_table *)toml.tables.data;
    v = (const struct mpdata_toml_value *)toml.values.data;
    assert_int_equal(toml.tables.count, 4);
    assert_string_equal(t[0].name, "");
    assert_string_equal(t[1].name, "t");
    assert_false(t[1].is_array);
    assert_int_equal(t[1].line, 2);
    assert_string_equal(t[3].name, "u");
    assert_true(t[3].is_array);
    assert_int_equal(t[3].line, 7);
    assert_int_equal(toml.values.count, 3);
    assert_int_equal(v[1].table, 1);
    assert_int_equal(v[2].table, 2);
    assert_int_equal(v[2].line, 6);
    mpdata_toml_fini(&toml);
}

static void the_rest_is_refused_with_its_line(void **state)
{
    (void)state;
    is_bad("\n\na", 3, "= is expected after a");
    is_bad("a = 1\na = 2", 2, "there already, in line 1");
    is_bad("[t]\n[u]\n[t]", 3, "there already, in line 1");
    is_bad("[[t]]\n[t]", 2, "there already");
    is_bad("[t]\n[[t]]", 2, "there already");
    is_bad("[t", 1, "] is expected");
    is_bad("[[t]", 1, "]] is expected");
    is_bad("[t] x", 1, "more in the line");
    is_bad("a = 1 2", 1, "more in the line");
    is_bad("a = \"x", 1, "no end");
    is_bad("a = 'x", 1, "no end");
    is_bad("a = \"\\u0041\"", 1, "escapes");
    is_bad("a = \"x\\", 1, "escapes");
    is_bad("a = \"\"\"x\"\"\"", 1, "several lines");
    is_bad("a = '''x'''", 1, "several lines");
    is_bad("a = [1]", 1, "lists");
    is_bad("a = {}", 1, "lists");
    is_bad("a.b = 1", 1, "dotted");
    is_bad("[a.b]", 1, "dotted");
    is_bad("\"a\" = 1", 1, "a name");
    is_bad("a = 1.5", 1, "whole");
    is_bad("a = 1e3", 1, "whole");
    is_bad("a = 0x10", 1, "whole");
    is_bad("a = 012", 1, "whole");
    is_bad("a = 1__0", 1, "whole");
    is_bad("a = 1_", 1, "whole");
    is_bad("a = _1", 1, "whole");
    is_bad("a = ", 1, "whole");
    is_bad("a = 1979-05-27", 1, "whole");
    is_bad("a = 07:32:00", 1, "whole");
    is_bad("a = trues", 1, "more in the line");
    is_bad("a = 9223372036854775808", 1, "too large");
    is_bad("a = -9223372036854775809", 1, "too large");
    is_bad("a = 1\rb = 2", 1, "control character");
    is_bad("# \x01", 1, "control character");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_as_written),
        cmocka_unit_test(tables_stand_in_the_order_of_the_file),
        cmocka_unit_test(the_rest_is_refused_with_its_line)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
