/* textbuf_test.c -- rt/base/textbuf.c: texts are cut if the buffer is too
 * small.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/log.h"
#include "test/unit/cmocka_all.h"

static void texts_are_cut_at_their_room(void **state)
{
    char out[12];
    struct mprt_textbuf t = {out, sizeof(out), 0};

    (void)state;
    MPRT_TEXT(&t, MPRT_DEC(0), " ", MPRT_HEX(0xbeef));
    assert_string_equal(out, "0 beef");
    mprt_textbuf_str(&t, "0123456789");
    assert_string_equal(out, "0 beef01234");
    MPRT_TEXT(&t, MPRT_DEC(UINT64_MAX));
    assert_int_equal(t.used, sizeof(out) - 1);
    assert_string_equal(MPRT_DEC(UINT64_MAX), "18446744073709551615");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_cut_at_their_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
