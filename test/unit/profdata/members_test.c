/* members_test.c -- tests the names of offsets in blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/members.h"
#include "profdata/query/histogram.h"
#include "test/unit/cmocka_all.h"

#include <string.h>

static const char *at(const char *text, uint64_t from, uint64_t to)
{
    static char out[24];
    const struct mpdata_members members = {.text = text};

    mpdata_members_at(&members, from, to, out, sizeof(out));
    return out;
}

static void names_what_has_a_byte_there(void **state)
{
    static const char text[] = "0+8 next;8+4 x;12+4 y;16+1 low;16+9 name";

    (void)state;
    assert_string_equal(at(text, 0, 8), "next");
    assert_string_equal(at(text, 8, 16), "x, y");
    assert_string_equal(at(text, 16, 24), "low, name");
    assert_string_equal(at(text, 24, 32), "name");
    assert_string_equal(at(text, 25, 32), "");
    assert_string_equal(at("0+8 next:T *;8+4 x:a::b;12+4 y", 0, 16),
                        "next, x, y");
    /* As far as the name fits. */
    assert_string_equal(at(text, 0, 64), "next, x, y, low, name");
    assert_string_equal(at("0+1 a_long_name_that_does_not_fit_here", 0, 8),
                        "a_long_name_that_does_n");
    /* 23 bytes, the last of which would be part of a character. */
    assert_string_equal(at("0+1 a_long_name_with_umlaut\xc3\xa4x", 0, 8),
                        "a_long_name_with_umlaut");
    assert_string_equal(at("0+1 a_long_name_with_umlau\xc3\xa4x", 0, 8),
                        "a_long_name_with_umlau");
    assert_string_equal(at("0+1 a_long_name_with_umla\xc3\xa4x", 0, 8),
                        "a_long_name_with_umla\xc3\xa4");
}

static void damaged_lists_end(void **state)
{
    static const char *const texts[] = {"",
                                        "?",
                                        "0",
                                        "0+",
                                        "0+8",
                                        ";",
                                        "x",
                                        "+",
                                        "0+x",
                                        "0 8",
                                        "99999999999999999999999+1 a",
                                        "0+8 a;",
                                        "0+8 a;;8+8 b"};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(texts); i++)
        assert_true(strlen(at(texts[i], 0, 64)) <= 1);
    assert_string_equal(
        at("18446744073709551615+9 a", UINT64_MAX - 1, UINT64_MAX), "");
}

/* A context with blocks of these sizes whose type has 16 bytes. */
static struct mpdata_profile *make(const char *fields, uint64_t least,
                                   uint64_t most)
{
    struct mpdata_profile *const p = mpdata_profile_new();
    const struct mpdata_frame frame = {
        .type = mpdata_profile_string(p, "T", 1),
        .type_bytes = 16,
        .type_fields = mpdata_profile_string(p, fields, strlen(fields)),
        .line = 1};
    const struct mprof_mib mib = {
        .AllocCount = 2, .TotalSize = 2, .MinSize = least, .MaxSize = most};
    const struct mpdata_cells none = {.words = NULL};

    mpdata_profile_context(
        p, mpdata_profile_node(p, 0, mpdata_profile_frame(p, &frame)), 0, &mib,
        none);
    assert_int_equal(mpdata_profile_status(p), MPROF_E_OK);
    return p;
}

static void names_nothing_that_may_be_wrong(void **state)
{
    static const struct {
        const char *fields;
        uint64_t least;
        uint64_t most;
        const char *text;
        uint64_t element;
        uint64_t array; /* as from mpdata_histogram_element() */
    } cases[] = {
        {"0+8 a", 16, 16, "0+8 a", 0, 0},
        {"0+8 a", 16, 32, NULL, 0, 0}, /* something follows it */
        {"0+8 a", 32, 32, NULL, 0, 0},
        {"0+8 a", 8, 16, NULL, 0, 0},
        {"[]0+8 a", 16, 16, "0+8 a", 16, 0},
        {"[]0+8 a", 16, 64, "0+8 a", 16, 16},
        {"[]0+8 a", 16, 40, NULL, 0, 0},
        {"?", 16, 16, NULL, 0, 0},
        {"?", 32, 32, NULL, 0, 16},
        {"", 16, 16, NULL, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(cases); i++) {
        struct mpdata_profile *const p =
            make(cases[i].fields, cases[i].least, cases[i].most);
        const struct mpdata_view view = mpdata_profile_view(p);
        const struct mpdata_members members = mpdata_members_of(&view, 0);

        if (cases[i].text == NULL)
            assert_null(members.text);
        else
            assert_string_equal(members.text, cases[i].text);
        assert_int_equal(members.element_bytes, cases[i].element);
        assert_int_equal(mpdata_histogram_element(&view, 0), cases[i].array);
        mpdata_profile_free(p);
    }
}

static void profiles_that_differ_have_none(void **state)
{
    struct mpdata_profile *const p = make("0+8 a", 16, 16);
    const struct mpdata_view view = mpdata_profile_view(p);
    struct mpdata_frame frame = view.frames[0];

    (void)state;
    frame.type_fields = 0;
    mpdata_profile_frame(p, &frame);
    assert_non_null(mpdata_members_of(&view, 0).text);
    frame.type_fields = mpdata_profile_string(p, "0+8 b", 5);
    mpdata_profile_frame(p, &frame);
    {
        const struct mpdata_view now = mpdata_profile_view(p);

        assert_null(mpdata_members_of(&now, 0).text);
    }
    frame.type_fields = mpdata_profile_string(p, "0+8 a", 5);
    mpdata_profile_frame(p, &frame);
    {
        const struct mpdata_view now = mpdata_profile_view(p);

        assert_null(mpdata_members_of(&now, 0).text);
    }
    mpdata_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_what_has_a_byte_there),
        cmocka_unit_test(damaged_lists_end),
        cmocka_unit_test(names_nothing_that_may_be_wrong),
        cmocka_unit_test(profiles_that_differ_have_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
