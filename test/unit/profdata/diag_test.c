/* diag_test.c -- tests the text of errors and warnings.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/diag.h"
#include "test/unit/cmocka_all.h"

#include <string.h>

static void leaves_out_what_is_not_known(void **state)
{
    struct mprof_diag diag;
    char text[200];

    (void)state;
    mpdata_diag_fail(&diag, MPROF_E_VALUE, "raw NODES", 0x20, "row %d", 7);
    diag.file = "a.raw";
    assert_string_equal(mpdata_diag_sentence(&diag, text, sizeof(text)),
                        "a.raw: raw NODES at 0x20: a value is not one that the "
                        "format allows: row 7");
    mprof_err_plain(&diag, MPROF_E_EMPTY);
    assert_string_equal(mpdata_diag_sentence(&diag, text, sizeof(text)),
                        "the file is empty");
    mprof_err_fail(&diag, MPROF_E_MISSING, "raw META", MPROF_DIAG_NO_OFFSET);
    assert_string_equal(mpdata_diag_sentence(&diag, text, sizeof(text)),
                        "raw META: a required section or column is missing");
    mpdata_diag_text(&diag, MPROF_E_IO, "No such file");
    diag.file = "gone";
    assert_string_equal(mpdata_diag_sentence(&diag, text, sizeof(text)),
                        "gone: No such file");
    mprof_err_plain(&diag, MPROF_E_IO);
    assert_string_equal(mpdata_diag_sentence(&diag, text, sizeof(text)),
                        "input/output error");
    mprof_err_fail(&diag, MPROF_E_TRUNCATED, NULL, 9);
    diag.file = "f";
    assert_string_equal(mpdata_diag_sentence(&diag, text, sizeof(text)),
                        "f: at 0x9: the data ends too early");
}

static void cuts_long_texts(void **state)
{
    struct mprof_diag diag;
    char text[10];

    (void)state;
    mpdata_diag_fail(&diag, MPROF_E_VALUE, NULL, 0, "%0500d", 1);
    assert_int_equal(strlen(diag.text), MPROF_DIAG_TEXT_BYTES - 1);
    assert_int_equal(strlen(mpdata_diag_sentence(&diag, text, sizeof(text))),
                     9);
    assert_int_equal(mpdata_diag_fail(NULL, MPROF_E_IO, NULL, 0, "x"),
                     MPROF_E_IO);
}

static void note(void *context, const char *file, const char *text)
{
    assert_string_equal(file, "f");
    assert_string_equal(text, "3 of 4");
    ++*(int *)context;
}

static void warnings_reach_who_listens(void **state)
{
    int calls = 0;
    const struct mpdata_diag_warn warn = {.fn = note, .context = &calls};

    (void)state;
    mpdata_diag_warn(&warn, "f", "%d of %d", 3, 4);
    mpdata_diag_warn(NULL, "f", "nobody listens");
    assert_int_equal(calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_out_what_is_not_known),
        cmocka_unit_test(cuts_long_texts),
        cmocka_unit_test(warnings_reach_who_listens),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
