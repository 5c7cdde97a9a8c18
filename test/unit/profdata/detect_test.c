/* detect_test.c -- tests the detection of a file's kind by its first bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/parse.h"
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

/* The magic reveals a conversion of line ends. */
static enum mpdata_kind kind_of(const char *text)
{
    return detect(text, strlen(text));
}

static void knows_json_by_its_first_key(void **state)
{
    (void)state;
    assert_int_equal(kind_of("{\"MemprofProfile\":1"), MPDATA_KIND_TEXT);
    assert_int_equal(kind_of("\r\n {\t\"MemprofProfile\" : 1"),
                     MPDATA_KIND_TEXT);
    assert_int_equal(kind_of("{\"MemprofProfiles\":1"), MPDATA_KIND_UNKNOWN);
    assert_int_equal(kind_of("{                      "), MPDATA_KIND_UNKNOWN);
}

static const char *llvm_text(const char *text)
{
    assert_int_equal(kind_of(text), MPDATA_KIND_LLVM_TEXT);
    return mpdata_detect_llvm_text((const uint8_t *)text, strlen(text));
}

static void knows_texts_of_llvm(void **state)
{
    static const char *const yaml[] = {
        "---\nHeapProfileRecords:\n", "---\nDataAccessProfiles:\n",
        "--- # a\n# b\n{ HeapProfileRecords: [] }\n"};
    static const char *const counters[] = {
        "# IR level\n:ir\nmain\n", ":csir\nmain\n",
        "main\n# Func Hash:\n0x10\n# Num Counters:\n2\n7\n"};
    static const char *const others[] = {"---\nLanguage: Cpp\n",
                                         "--- a/old\n+++ b/new\n",
                                         "# nothing but comments",
                                         "MemprofProfile:\n",
                                         "---\nMemprofdataText: 1\n",
                                         "main\n0x10\n2\n7\n",
                                         ":irr\nmain\n",
                                         "1\n2\n3\n4\n5\n"};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(yaml); i++)
        assert_non_null(strstr(llvm_text(yaml[i]), "YAML"));
    for (size_t i = 0; i < MPROF_ARRAY_LEN(counters); i++)
        assert_non_null(strstr(llvm_text(counters[i]), "PGO counters"));
    for (size_t i = 0; i < MPROF_ARRAY_LEN(others); i++)
        assert_int_equal(kind_of(others[i]), MPDATA_KIND_UNKNOWN);
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
    assert_non_null(strstr(lookalike("BZh91AY", 7), "bzip2"));
    assert_non_null(strstr(lookalike("desc: (none)\n", 13), "massif"));
    assert_non_null(strstr(lookalike("{\"dhatFileVersion\":2", 20), "DHAT"));
    assert_non_null(strstr(lookalike("goroutine 1 [", 13), "that of the heap"));
    assert_string_equal(lookalike("\1\2\3\4", 4), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_profiles_by_their_magic),
        cmocka_unit_test(knows_json_by_its_first_key),
        cmocka_unit_test(knows_texts_of_llvm),
        cmocka_unit_test(does_not_take_a_converted_file),
        cmocka_unit_test(names_what_people_give_by_mistake),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
