/* stack_cache_test.c -- rt/stack/stack_cache.h: calls that evict each other
 * from a slot of the cache move to different slots.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/rt/stubs.h"

/* Calls from addresses without code, which ends their stacks. */
static uintptr_t frame[2];
static struct mprt_thread *thread;

/* Next address after pc from which calls have these slots. */
static uintptr_t find_address(uintptr_t pc, unsigned first, unsigned second)
{
    for (;;) {
        const uint64_t hash =
            mprt_stack_cache_hash((struct mprt_caller){++pc, (uintptr_t)frame});

        if (mprt_stack_cache_first(thread->walks, hash) ==
                &thread->walks[first] &&
            mprt_stack_cache_second(thread->walks, hash) ==
                &thread->walks[second])
            return pc;
    }
}

static bool is_remembered(uintptr_t pc)
{
    const uint64_t hash =
        mprt_stack_cache_hash((struct mprt_caller){pc, (uintptr_t)frame});

    return mprt_stack_cache_is_same(
               mprt_stack_cache_first(thread->walks, hash),
               (struct mprt_caller){pc, (uintptr_t)frame}) ||
           mprt_stack_cache_is_same(
               mprt_stack_cache_second(thread->walks, hash),
               (struct mprt_caller){pc, (uintptr_t)frame});
}

static uint32_t call_from(uintptr_t pc)
{
    return mprt_stack_cache_context(thread,
                                    (struct mprt_caller){pc, (uintptr_t)frame});
}

static int set_up(void **state)
{
    (void)state;
    thread = mprt_thread_current();
    call_from(1); /* creates the slots */
    mprt_stack_cache_start_thread(thread);
    return 0;
}

/* Four calls and four slots; the last call finds both of its slots taken. */
static void calls_move_apart(void **state)
{
    const uintptr_t third = find_address(0, 0, 1);
    const uintptr_t pcs[] = {find_address(0, 1, 2), find_address(0, 2, 3),
                             third, find_address(third, 0, 1)};
    enum { CALLS = MPROF_ARRAY_LEN(pcs), ROUNDS = 4 };

    (void)state;
    for (size_t i = 0; i < (size_t)CALLS * ROUNDS; i++)
        call_from(pcs[i % CALLS]);
    for (size_t i = 0; i < CALLS; i++)
        assert_true(is_remembered(pcs[i]));
}

static void a_stack_that_changes_keeps_its_place(void **state)
{
    const uintptr_t in_first = find_address(0, 0, 2);
    const uintptr_t in_second = find_address(0, 1, 2);
    const uintptr_t changes = find_address(0, 0, 1);

    (void)state;
    call_from(in_first);
    call_from(changes);
    call_from(in_second);
    for (frame[0] = 1; frame[0] < 4; frame[0]++)
        call_from(changes);
    frame[0] = 0;
    assert_true(is_remembered(in_first));
    assert_true(is_remembered(in_second));
    assert_false(is_remembered(changes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(calls_move_apart, set_up),
        cmocka_unit_test_setup(a_stack_that_changes_keeps_its_place, set_up),
    };

    start_runtime();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
