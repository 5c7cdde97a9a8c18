/* histcount_test.c -- the 16-bit code of histogram cells.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/histcount.h"
#include "test/unit/cmocka_all.h"

static uint64_t there_and_back(uint64_t count)
{
    return mprof_histcount_decode(mprof_histcount_encode(count));
}

static void numbers_up_to_4095_are_exact(void **state)
{
    (void)state;
    for (uint64_t i = 0; i <= 4095; i++)
        assert_int_equal(there_and_back(i), i);
}

static void larger_numbers_are_halved_rounding_up(void **state)
{
    (void)state;
    assert_int_equal(mprof_histcount_encode(4096), 0x1800);
    assert_int_equal(there_and_back(4097), 4098);
    assert_int_equal(there_and_back(8190), 8190);
    /* 8191 -> 4096 -> 2048 with exponent 2. */
    assert_int_equal(mprof_histcount_encode(8191), 0x2800);
}

static void the_largest_number_saturates(void **state)
{
    (void)state;
    assert_int_equal(there_and_back(UINT64_C(4095) << 15), 134184960);
    assert_int_equal(there_and_back((UINT64_C(4095) << 15) + 100000),
                     134184960);
    assert_int_equal(mprof_histcount_encode(UINT64_MAX), 0xffff);
}

static void every_code_is_stable(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= UINT16_MAX; code++) {
        const uint64_t value = mprof_histcount_decode((uint16_t)code);

        assert_int_equal(there_and_back(value), value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_up_to_4095_are_exact),
        cmocka_unit_test(larger_numbers_are_halved_rounding_up),
        cmocka_unit_test(the_largest_number_saturates),
        cmocka_unit_test(every_code_is_stable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
