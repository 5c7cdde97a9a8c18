/* err_test.c -- tests errors as values.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/err.h"
#include "test/unit/cmocka_all.h"

#include <string.h>

static void every_error_has_a_text_and_an_exit_status(void **state)
{
    (void)state;
#define MPROF_ERR(number, name, exit, text)                    \
    assert_string_equal(mprof_err_text(MPROF_E_##name), text); \
    assert_int_equal(mprof_err_exit(MPROF_E_##name), exit);    \
    assert_true((exit) >= 0 && (exit) <= 3);
#include "shared/err.inc"
#undef MPROF_ERR
}

static void an_unknown_number_is_still_an_error(void **state)
{
    (void)state;
    assert_string_equal(mprof_err_text((enum mprof_err)9999), "unknown error");
    assert_int_equal(mprof_err_exit((enum mprof_err)9999), 1);
}

static void fail_fills_the_diagnosis_and_returns_the_error(void **state)
{
    struct mprof_diag diag;

    (void)state;
    memset(&diag, 0x55, sizeof(diag));
    assert_int_equal(mprof_err_fail(&diag, MPROF_E_OFFSET, "part", 42),
                     MPROF_E_OFFSET);
    assert_int_equal(diag.err, MPROF_E_OFFSET);
    assert_null(diag.file);
    assert_string_equal(diag.section, "part");
    assert_int_equal(diag.offset, 42);
    assert_string_equal(diag.text, "");
    assert_int_equal(mprof_err_fail(NULL, MPROF_E_IO, NULL, 0), MPROF_E_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_has_a_text_and_an_exit_status),
        cmocka_unit_test(an_unknown_number_is_still_an_error),
        cmocka_unit_test(fail_fills_the_diagnosis_and_returns_the_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
