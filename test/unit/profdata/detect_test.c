/* detect_test.c -- kinds of files by their first bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/detect.h"
#include "test/unit/cmocka_all.h"

#include <string.h>

static enum mpdata_kind detect(const char *bytes, size_t size)
{
    return mpdata_detect((const uint8_t *)bytes, size);
}

static void knows_profiles_by_their_magic(void **state)
{
    (void)state;
    assert_int_equal(detect("\x8dmpraw\r\n", 8), MPDATA_KIND_RAW);
    assert_int_equal(detect("\x81rforpm\xff", 8), MPDATA_KIND_RAW_LLVM);
    assert_int_equal(detect("\xfflprofi\x81", 8), MPDATA_KIND_INDEXED);
    assert_int_equal(detect("\xfflprofi", 7), MPDATA_KIND_UNKNOWN);
    assert_int_equal(detect("", 0), MPDATA_KIND_UNKNOWN);
    assert_int_equal(detect("12345678", 8), MPDATA_KIND_UNKNOWN);
}

/* A conversion of line ends is seen in our magic. */
static enum mpdata_kind kind_of(const char *text)
{
    return detect(text, strlen(text));
}

static void knows_text_by_its_start(void **state)
{
    (void)state;
    assert_int_equal(kind_of("---\nHeapProfileRecords:\n"), MPDATA_KIND_TEXT);
    assert_int_equal(kind_of("# by hand\n\nHeapProfileRecords:\n"),
                     MPDATA_KIND_TEXT);
    assert_int_equal(kind_of("DataAccessProfiles:\n"), MPDATA_KIND_TEXT);
    assert_int_equal(kind_of("--- # a\n# b\n{ HeapProfileRecords: [] }\n"),
                     MPDATA_KIND_TEXT);
    assert_int_equal(kind_of("---\nLanguage: Cpp\n"), MPDATA_KIND_UNKNOWN);
    assert_int_equal(kind_of("--- a/old\n+++ b/new\n"), MPDATA_KIND_UNKNOWN);
    assert_int_equal(kind_of("# nothing but comments"), MPDATA_KIND_UNKNOWN);
    assert_int_equal(kind_of("MemprofProfile:\n"), MPDATA_KIND_UNKNOWN);
    assert_int_equal(kind_of("{\"MemprofProfile\":1"), MPDATA_KIND_TEXT);
    assert_int_equal(kind_of("\r\n {\t\"MemprofProfile\" : 1"),
                     MPDATA_KIND_TEXT);
    assert_int_equal(kind_of("{\"MemprofProfiles\":1"), MPDATA_KIND_UNKNOWN);
    assert_int_equal(kind_of("{                      "), MPDATA_KIND_UNKNOWN);
    /* It says what to do. */
    assert_int_equal(kind_of("---\nMemprofdataText: 1\n"), MPDATA_KIND_TEXT);
}

static void knows_counters_by_their_lines(void **state)
{
    (void)state;
    assert_int_equal(kind_of("# IR level\n:ir\nmain\n"), MPDATA_KIND_TEXT);
    assert_int_equal(kind_of(":CSIR\r\nmain\n"), MPDATA_KIND_TEXT);
    assert_int_equal(kind_of("main\n# Hash:\n0x10\n\n2\n7\n"),
                     MPDATA_KIND_TEXT);
    assert_int_equal(kind_of("main\n0x10\n2\n"), MPDATA_KIND_UNKNOWN);
    assert_int_equal(kind_of("main\nten\n2\n7\n"), MPDATA_KIND_UNKNOWN);
    assert_int_equal(kind_of(":irr\nmain\n"), MPDATA_KIND_UNKNOWN);
    /* A list of numbers. */
    assert_int_equal(kind_of("1\n2\n3\n4\n5\n"), MPDATA_KIND_UNKNOWN);
}

static void does_not_take_a_converted_file(void **state)
{
    (void)state;
    assert_int_equal(detect("\x8dmpraw\n\0\0", 9), MPDATA_KIND_UNKNOWN);
}

static const char *lookalike(const char *bytes, size_t size)
{
    const char *what = mpdata_detect_lookalike((const uint8_t *)bytes, size);

    return what != NULL ? what : "";
}

static void names_what_people_give_by_mistake(void **state)
{
    (void)state;
    assert_non_null(strstr(lookalike("\x7f"
                                     "ELF\2\1",
                                     6),
                           "--profiled-binary"));
    assert_non_null(strstr(lookalike("\x81rforpl\xff", 8), "raw PGO profile"));
    assert_non_null(strstr(lookalike("hello\n", 6), "text"));
    assert_non_null(strstr(lookalike("---\nMemprofProfile:\n", 20), "YAML"));
    assert_non_null(strstr(lookalike("--- a/old\n", 10), "text"));
    assert_string_equal(lookalike("\1\2\3\4", 4), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_profiles_by_their_magic),
        cmocka_unit_test(knows_text_by_its_start),
        cmocka_unit_test(knows_counters_by_their_lines),
        cmocka_unit_test(does_not_take_a_converted_file),
        cmocka_unit_test(names_what_people_give_by_mistake),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
