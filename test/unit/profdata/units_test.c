/* units_test.c -- tests the formatting of numbers with units.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/units.h"
#include "test/unit/cmocka_all.h"

#define IS(call, expected) assert_string_equal(call, expected)

static void bytes_have_three_digits(void **state)
{
    (void)state;
    IS(mpdata_units_bytes(0).text, "0 B");
    IS(mpdata_units_bytes(1023).text, "1023 B");
    IS(mpdata_units_bytes(1024).text, "1 KiB");
    IS(mpdata_units_bytes(1536).text, "1.50 KiB");
    IS(mpdata_units_bytes(100000).text, "97.7 KiB");
    IS(mpdata_units_bytes(1048575).text, "1.00 MiB");
    IS(mpdata_units_bytes(UINT64_MAX).text, "16 EiB");
}

static void times_change_their_unit(void **state)
{
    (void)state;
    IS(mpdata_units_ns(999).text, "999 ns");
    IS(mpdata_units_ns(1500).text, "1.50 us");
    IS(mpdata_units_ns(999600).text, "1.00 ms");
    IS(mpdata_units_ns(2500000000).text, "2.50 s");
    IS(mpdata_units_ns(UINT64_C(320000000000)).text, "5 min 20 s");
    IS(mpdata_units_ns(UINT64_C(7500000000000)).text, "2 h 5 min");
    IS(mpdata_units_ns(UINT64_C(180000000000000)).text, "2 days 2 h");
}

static void counts_are_grouped(void **state)
{
    (void)state;
    IS(mpdata_units_count(0).text, "0");
    IS(mpdata_units_count(999).text, "999");
    IS(mpdata_units_count(1234567).text, "1,234,567");
    IS(mpdata_units_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
}

static void shares_show_that_little_is_not_nothing(void **state)
{
    (void)state;
    IS(mpdata_units_share(1, 3).text, "33.3 %");
    IS(mpdata_units_share(1, 100000).text, "<0.1 %");
    IS(mpdata_units_share(0, 5).text, "0.0 %");
    IS(mpdata_units_share(1, 0).text, "");
}

static void accesses_are_counted_by_the_block(void **state)
{
    (void)state;
    IS(mpdata_units_per_block(0, 100).text, "never accessed");
    IS(mpdata_units_per_block(5524, 100).text, "55.2 accesses per block");
    IS(mpdata_units_per_block(200, 100).text, "2 accesses per block");
    IS(mpdata_units_per_block(100, 100).text, "1 access per block");
    IS(mpdata_units_per_block(101, 100).text, "1.0 accesses per block");
    IS(mpdata_units_per_block(20, 100).text, "0.20 accesses per block");
    IS(mpdata_units_per_block(1, 230).text, "1 access per 230 blocks");
    IS(mpdata_units_per_block(1234000, 100).text, "12,340 accesses per block");
    IS(mpdata_units_per_block(12, 1).text, "12 accesses");
    IS(mpdata_units_per_block(1, 1).text, "1 access");
    IS(mpdata_units_per_block(5, 0).text, "5 accesses");
}

static void accesses_are_counted_by_eight_bytes(void **state)
{
    (void)state;
    /* Written once from start to end, eight bytes at a time. */
    IS(mpdata_units_per_8_bytes(12, 96).text, "1 per 8 bytes");
    IS(mpdata_units_per_8_bytes(40, 100).text, "3.2 per 8 bytes");
    IS(mpdata_units_per_8_bytes(2, 100).text, "0.16 per 8 bytes");
    IS(mpdata_units_per_8_bytes(1, 230).text, "1 per 230 bytes");
    IS(mpdata_units_per_8_bytes(5, 0).text, "40 per 8 bytes");
    IS(mpdata_units_per_8_bytes(UINT64_MAX, 1).text,
       "18,446,744,073,709,551,615 per 8 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_have_three_digits),
        cmocka_unit_test(times_change_their_unit),
        cmocka_unit_test(counts_are_grouped),
        cmocka_unit_test(shares_show_that_little_is_not_nothing),
        cmocka_unit_test(accesses_are_counted_by_the_block),
        cmocka_unit_test(accesses_are_counted_by_eight_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
