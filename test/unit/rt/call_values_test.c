/* call_values_test.c -- rt/stack/call_values.h: values are no longer used after
 * too many differences, and values that share a slot are all found.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/rt/stubs.h"

/* More differences than the limit, each found when the check interval is
 * over. */
#define CHECKS 200
#define LOOKUPS_PER_CHECK 5000

/* A call from an address without code, which ends the stack. */
static uintptr_t frame[2];

/* Inverse of an odd number modulo 2^64: each step doubles the number of right
 * bits. */
static uint64_t inverse_of_value_factor(void)
{
    uint64_t inverse = MPRT_CALL_VALUES_VALUE_FACTOR;

    for (unsigned bits = 3; bits < 64; bits *= 2)
        inverse *= 2 - MPRT_CALL_VALUES_VALUE_FACTOR * inverse;
    return inverse;
}

/* The value and the stack pointer are the same each time; the return address,
 * which is not part of the value, differs. */
static uint32_t call_from(uintptr_t pc)
{
    __memprof_calls_v1.sp = (uintptr_t)frame + sizeof(frame);
    __memprof_calls_v1.value =
        0 - pc * MPRT_CALL_VALUES_PC_FACTOR * inverse_of_value_factor();
    return mprt_call_values_context(mprt_thread_current(),
                                    (struct mprt_caller){pc, (uintptr_t)frame});
}

static uint64_t plain_key(uintptr_t pc)
{
    __memprof_calls_v1.sp = (uintptr_t)frame + sizeof(frame);
    __memprof_calls_v1.value = 7;
    return mprt_call_values_key((struct mprt_caller){pc, (uintptr_t)frame});
}

static void call_plainly(uintptr_t pc)
{
    __memprof_calls_v1.sp = (uintptr_t)frame + sizeof(frame);
    __memprof_calls_v1.value = 7;
    mprt_call_values_context(mprt_thread_current(),
                             (struct mprt_caller){pc, (uintptr_t)frame});
}

static bool is_known(const struct mprt_call_values *v, uint64_t key)
{
    const size_t count = (size_t)1 << (64 - v->shift);
    size_t i = 0;

    while (i < count && v->places[i].key != key)
        i++;
    return i < count;
}

/* As many as a cache line holds, in turn. */
static void values_of_one_place_are_all_known(void **state)
{
    enum { CALLS = 4, ROUNDS = 8 };
    const struct mprt_call_values *const v = &mprt_thread_current()->values;
    uintptr_t pcs[CALLS];
    size_t count = 0;

    (void)state;
    call_plainly(1);
    for (uintptr_t pc = 2; count < CALLS; pc++) {
        if (count == 0 || mprt_call_values_at(v, plain_key(pc)) ==
                              mprt_call_values_at(v, plain_key(pcs[0])))
            pcs[count++] = pc;
    }
    for (size_t i = 0; i < (size_t)CALLS * ROUNDS; i++)
        call_plainly(pcs[i % CALLS]);
    for (size_t i = 0; i < CALLS; i++)
        assert_true(is_known(v, plain_key(pcs[i])));
    assert_int_equal(v->evictions, 0);
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
        cmocka_unit_test(values_of_one_place_are_all_known),
        cmocka_unit_test(wrong_values_are_not_used_any_more),
    };

    start_runtime();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
