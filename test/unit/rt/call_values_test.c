/* call_values_test.c -- rt/stack/call_values.h: values that turn out wrong are
 * not used any more.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/rt/stubs.h"

/* More than are borne, compared each time that the interval is over. */
#define CHECKS 200
#define LOOKUPS_PER_CHECK 5000

/* A call from an address that is nobody's code, which ends the stack. */
static uintptr_t frame[2];

/* Modulo 2^64, of an odd number: each step doubles the bits that are right. */
static uint64_t inverse_of_value_factor(void)
{
    uint64_t inverse = MPRT_CALL_VALUES_VALUE_FACTOR;

    for (unsigned bits = 3; bits < 64; bits *= 2)
        inverse *= 2 - MPRT_CALL_VALUES_VALUE_FACTOR * inverse;
    return inverse;
}

/* What code leaves, and where its stack ends, is as ever; the address that it
 * comes from, which the value does not know of, is another one each time. */
static uint32_t call_from(uintptr_t pc)
{
    __memprof_calls_v1.sp = (uintptr_t)frame + sizeof(frame);
    __memprof_calls_v1.value =
        0 - pc * MPRT_CALL_VALUES_PC_FACTOR * inverse_of_value_factor();
    return mprt_call_values_context(mprt_thread_current(), pc,
                                    (uintptr_t)frame);
}

static void wrong_values_are_not_used_any_more(void **state)
{
    struct mprt_call_values_checks checks;

    (void)state;
    assert_int_equal(call_from(1), call_from(1));
    for (uintptr_t pc = 2; pc < CHECKS; pc++) {
        for (unsigned i = 0; i < LOOKUPS_PER_CHECK; i++)
            call_from(pc);
    }
    checks = mprt_call_values_checks();
    assert_true(checks.differences > 0);
    assert_int_not_equal(call_from(1), call_from(2));
    assert_int_not_equal(call_from(2), call_from(3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_values_are_not_used_any_more),
    };

    start_runtime();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
