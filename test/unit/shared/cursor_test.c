/* cursor_test.c -- tests bounded reading.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/cursor.h"
#include "test/unit/cmocka_all.h"

static void reads_numbers_in_order(void **state)
{
    const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    struct mprof_cursor c = mprof_cursor_over(bytes, sizeof(bytes), 0, "t");

    (void)state;
    assert_int_equal(*mprof_cursor_bytes(&c, 1), 1);
    assert_int_equal(mprof_cursor_u16(&c), 0x0302);
    assert_int_equal(mprof_cursor_u32(&c), 0x07060504);
    assert_true(mprof_cursor_u64(&c) == UINT64_C(0x0f0e0d0c0b0a0908));
    assert_int_equal(mprof_cursor_left(&c), 0);
    assert_int_equal(mprof_cursor_status(&c, NULL), MPROF_E_OK);
}

static void the_first_failure_stays_and_tells_its_place(void **state)
{
    const uint8_t bytes[] = {1, 2, 3};
    struct mprof_cursor c = mprof_cursor_over(bytes, 3, 100, "part");
    struct mprof_diag diag;

    (void)state;
    mprof_cursor_bytes(&c, 1);
    assert_int_equal(mprof_cursor_u32(&c), 0);
    assert_null(mprof_cursor_bytes(&c, 1));
    assert_int_equal(mprof_cursor_left(&c), 0);
    mprof_cursor_fail(&c, MPROF_E_VALUE);
    assert_int_equal(mprof_cursor_status(&c, &diag), MPROF_E_TRUNCATED);
    assert_int_equal(diag.offset, 101);
    assert_string_equal(diag.section, "part");
}

static void seeking_is_bounded(void **state)
{
    const uint8_t bytes[] = {1, 2, 3};
    struct mprof_cursor c = mprof_cursor_over(bytes, 3, 0, "t");

    (void)state;
    mprof_cursor_seek(&c, 3);
    assert_int_equal(c.err, MPROF_E_OK);
    mprof_cursor_seek(&c, 4);
    assert_int_equal(c.err, MPROF_E_OFFSET);
    c = mprof_cursor_over(bytes, 3, 0, "t");
    mprof_cursor_seek(&c, UINT64_MAX);
    assert_int_equal(c.err, MPROF_E_OFFSET);
}

static void a_huge_length_does_not_wrap(void **state)
{
    const uint8_t bytes[] = {1, 2, 3};
    struct mprof_cursor c = mprof_cursor_over(bytes, 3, 0, "t");

    (void)state;
    mprof_cursor_bytes(&c, 1);
    assert_null(mprof_cursor_bytes(&c, UINT64_MAX));
    assert_int_equal(c.err, MPROF_E_TRUNCATED);
    c = mprof_cursor_over(bytes, 3, 0, "t");
    assert_false(mprof_cursor_can_hold(&c, UINT64_MAX, 8));
    c = mprof_cursor_over(bytes, 3, 0, "t");
    assert_true(mprof_cursor_can_hold(&c, 3, 1));
    assert_false(mprof_cursor_can_hold(&c, 2, 2));
}

static void leb128_has_at_most_64_bits(void **state)
{
    const uint8_t max[] = {0xff, 0xff, 0xff, 0xff, 0xff,
                           0xff, 0xff, 0xff, 0xff, 0x01};
    const uint8_t more[] = {0xff, 0xff, 0xff, 0xff, 0xff,
                            0xff, 0xff, 0xff, 0xff, 0x02};
    const uint8_t small[] = {0xe5, 0x8e, 0x26};
    struct mprof_cursor c = mprof_cursor_over(max, sizeof(max), 0, "t");

    (void)state;
    assert_true(mprof_cursor_uleb(&c) == UINT64_MAX);
    assert_int_equal(c.err, MPROF_E_OK);
    c = mprof_cursor_over(more, sizeof(more), 0, "t");
    mprof_cursor_uleb(&c);
    assert_int_equal(c.err, MPROF_E_VALUE);
    c = mprof_cursor_over(small, sizeof(small), 0, "t");
    assert_int_equal(mprof_cursor_uleb(&c), 624485);
    c = mprof_cursor_over(small, 2, 0, "t");
    mprof_cursor_uleb(&c);
    assert_int_equal(c.err, MPROF_E_TRUNCATED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_numbers_in_order),
        cmocka_unit_test(the_first_failure_stays_and_tells_its_place),
        cmocka_unit_test(seeking_is_bounded),
        cmocka_unit_test(a_huge_length_does_not_wrap),
        cmocka_unit_test(leb128_has_at_most_64_bits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
