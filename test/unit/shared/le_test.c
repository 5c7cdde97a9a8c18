/* le_test.c -- little-endian loads and stores.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/le.h"
#include "test/unit/cmocka_all.h"

static void loads_every_width_from_an_odd_address(void **state)
{
    const uint8_t bytes[] = {0xff, 1, 2, 3, 4, 5, 6, 7, 0x88};

    (void)state;
    assert_int_equal(mprof_le_load(bytes + 1, 0), 0);
    assert_int_equal(mprof_le_load(bytes + 1, 1), 1);
    assert_int_equal(mprof_le_load(bytes + 1, 2), 0x0201);
    assert_int_equal(mprof_le_load(bytes + 1, 3), 0x030201);
    assert_int_equal(mprof_le_load32(bytes + 1), 0x04030201);
    assert_true(mprof_le_load64(bytes + 1) == UINT64_C(0x8807060504030201));
}

static void stores_no_more_than_asked(void **state)
{
    uint8_t bytes[] = {9, 9, 9, 9, 9};

    (void)state;
    mprof_le_store(bytes + 1, UINT64_C(0xaabbccddeeff), 3);
    assert_int_equal(bytes[0], 9);
    assert_int_equal(bytes[1], 0xff);
    assert_int_equal(bytes[2], 0xee);
    assert_int_equal(bytes[3], 0xdd);
    assert_int_equal(bytes[4], 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_every_width_from_an_odd_address),
        cmocka_unit_test(stores_no_more_than_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
