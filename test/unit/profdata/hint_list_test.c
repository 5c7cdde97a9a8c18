/* hint_list_test.c -- tests lists of hints and their effect.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/hint_list.h"
#include "profdata/base/guid.h"
#include "test/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum mprof_err read(struct mpdata_list *list, const char *text)
{
    return mpdata_hint_list_read(list, text, strlen(text));
}

static const struct mpdata_hint_list_row *row_of(const struct mpdata_list *list,
                                                 uint32_t i)
{
    return (const struct mpdata_hint_list_row *)list->rows.data + i;
}

static void reads_lines(void **state)
{
    struct mpdata_list list;

    (void)state;
    assert_int_equal(read(&list, "# a comment\n\n  cold one  \r\n"
                                 "hot\t two(int, char) \n\t# more\nnone *x*y"),
                     MPROF_E_OK);
    assert_int_equal(list.rows.count, 3);
    assert_int_equal(row_of(&list, 0)->kind, MPDATA_VERDICT_COLD);
    assert_string_equal(row_of(&list, 0)->pattern, "one");
    assert_int_equal(row_of(&list, 0)->line, 3);
    assert_int_equal(row_of(&list, 1)->kind, MPDATA_VERDICT_HOT);
    assert_string_equal(row_of(&list, 1)->pattern, "two(int, char)");
    assert_int_equal(row_of(&list, 2)->kind, MPDATA_VERDICT_NONE);
    assert_string_equal(row_of(&list, 2)->pattern, "*x*y");
    mpdata_lines_fini(&list);
    assert_int_equal(mpdata_hint_list_read(&list, NULL, 0), MPROF_E_OK);
    assert_int_equal(list.rows.count, 0);
    mpdata_lines_fini(&list);
}

static void says_which_line_is_none(void **state)
{
    static const struct {
        const char *text;
        uint32_t line;
    } cases[] = {{"warm x", 1},       {"cold a\n\ncold\n", 3},
                 {"cold  \n", 1},     {"#\nCold x", 2},
                 {"colder x", 1},     {"not-measured x", 1},
                 {"cold a\nhotx", 2}, {"cold: x", 1}};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(cases); i++) {
        struct mpdata_list list;

        assert_int_equal(read(&list, cases[i].text), MPROF_E_VALUE);
        assert_int_equal(list.bad_line, cases[i].line);
        mpdata_lines_fini(&list);
    }
}

/* Text after it would not be read. */
static void refuses_a_nul(void **state)
{
    static const char text[] = "cold a\ncold b\0c\ncold d\n";
    struct mpdata_list list;

    (void)state;
    assert_int_equal(mpdata_hint_list_read(&list, text, sizeof(text) - 1),
                     MPROF_E_VALUE);
    assert_int_equal(list.bad_line, 2);
    mpdata_lines_fini(&list);
}

/* -- a profile ------------------------------------------------------------- */

/* names: outermost first, NULL at the end. */
static void add(struct mpdata_profile *p, const char *const *names,
                bool has_names)
{
    const struct mprof_mib mib = {.AllocCount = 1, .TotalSize = 100};
    mpdata_ref node = 0;

    for (; *names != NULL; names++) {
        const size_t size = strlen(*names);
        const struct mpdata_function f = {
            .name = has_names ? mpdata_profile_string(p, *names, size) : 0,
            .guid = mpdata_guid(*names, size)};
        const struct mpdata_frame frame = {.function =
                                               mpdata_profile_function(p, &f)};

        node = mpdata_profile_node(p, node, mpdata_profile_frame(p, &frame));
    }
    mpdata_profile_context(p, node, 0, &mib, (struct mpdata_cells){0});
}

static void fits_whole_names(void **state)
{
    static const struct {
        const char *pattern;
        const char *name;
        bool fits;
    } cases[] = {{"load", "load", true},
                 {"load", "reload", false},
                 {"load", "loader", false},
                 {"*load", "reload", true},
                 {"load*", "load", true},
                 {"*", "x", true},
                 {"a*b*c", "aXbYbZc", true},
                 {"a*b*c", "aXbYbZ", false},
                 {"*ab", "aab", true},
                 {"*ab", "aba", false},
                 {"ns::f(*)", "ns::f(int)", true}};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(cases); i++) {
        struct mpdata_profile *const p = mpdata_profile_new();
        struct mpdata_verdicts verdicts;
        struct mpdata_list list;
        char line[64];

        assert_non_null(p);
        add(p, (const char *const[]){cases[i].name, NULL}, true);
        snprintf(line, sizeof(line), "cold %s", cases[i].pattern);
        assert_int_equal(read(&list, line), MPROF_E_OK);
        assert_int_equal(
            mpdata_verdict_make(&verdicts, p, MPDATA_VERDICT_FITTING),
            MPROF_E_OK);
        assert_int_equal(mpdata_hint_list_apply(&list, &verdicts, p, NULL),
                         MPROF_E_OK);
        assert_int_equal(verdicts.rows[0].kind == MPDATA_VERDICT_COLD,
                         cases[i].fits);
        assert_int_equal(row_of(&list, 0)->stacks, cases[i].fits);
        mpdata_verdict_fini(&verdicts);
        mpdata_lines_fini(&list);
        mpdata_profile_free(p);
    }
}

/* The reason of each of the three call stacks added here, in order. */
static void decide(const char *text, bool has_names, const char *expected)
{
    struct mpdata_profile *const p = mpdata_profile_new();
    struct mpdata_verdicts verdicts;
    struct mpdata_list list;
    char found[128] = "";

    assert_non_null(p);
    add(p, (const char *const[]){"main", "load", "xmalloc", NULL}, has_names);
    add(p, (const char *const[]){"main", "serve", "xmalloc", NULL}, has_names);
    add(p, (const char *const[]){"start", NULL}, has_names);
    assert_int_equal(read(&list, text), MPROF_E_OK);
    assert_int_equal(mpdata_verdict_make(&verdicts, p, MPDATA_VERDICT_FITTING),
                     MPROF_E_OK);
    assert_int_equal(mpdata_hint_list_apply(&list, &verdicts, p, NULL),
                     MPROF_E_OK);
    for (uint32_t i = 0; i < verdicts.count; i++) {
        strcat(found, mpdata_verdict_words[verdicts.rows[i].kind]);
        strcat(found, " ");
    }
    assert_string_equal(found, expected);
    mpdata_verdict_fini(&verdicts);
    mpdata_lines_fini(&list);
    mpdata_profile_free(p);
}

static void decides_by_the_innermost(void **state)
{
    (void)state;
    decide("", true, "not-measured not-measured not-measured ");
    decide("cold load", true, "cold not-measured not-measured ");
    decide("cold main\nhot serve", true, "cold hot not-measured ");
    decide("cold main\nhot serve\nnone xmalloc", true,
           "none none not-measured ");
    /* Of two rows for one function the first counts. */
    decide("cold load\nhot load", true, "cold not-measured not-measured ");
    decide("hot s*", true, "not-measured hot hot ");
}

static void knows_guids(void **state)
{
    (void)state;
    decide("cold load\nhot s*", false, "cold not-measured not-measured ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_lines),
        cmocka_unit_test(says_which_line_is_none),
        cmocka_unit_test(refuses_a_nul),
        cmocka_unit_test(fits_whole_names),
        cmocka_unit_test(decides_by_the_innermost),
        cmocka_unit_test(knows_guids),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
