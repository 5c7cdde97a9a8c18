/* lifecycle_test.c -- rt/base/lifecycle.c: the order in which parts start, get
 * threads and go through a fork.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/lifecycle.h"
#include "rt/base/lock.h"
#include "test/unit/cmocka_all.h"

#include <string.h>

static char calls[64];
static struct mprt_lock lock;

static void add(const char *call)
{
    strcat(calls, call);
    strcat(calls, " ");
}

#define PART(name)                                             \
    static void init_##name(void)                              \
    {                                                          \
        add("init-" #name);                                    \
    }                                                          \
    static void start_##name(struct mprt_thread *t)            \
    {                                                          \
        assert_ptr_equal(t, calls);                            \
        add("start-" #name);                                   \
    }                                                          \
    static void end_##name(struct mprt_thread *t)              \
    {                                                          \
        assert_ptr_equal(t, calls);                            \
        add("end-" #name);                                     \
    }                                                          \
    static void before_##name(bool is_outermost)               \
    {                                                          \
        assert_true(is_outermost);                             \
        add("before-" #name);                                  \
    }                                                          \
    static void after_##name(bool is_child, bool is_outermost) \
    {                                                          \
        assert_true(is_outermost);                             \
        add(is_child ? "child-" #name : "parent-" #name);      \
    }                                                          \
    static void in_child_##name(void)                          \
    {                                                          \
        add("in-" #name);                                      \
    }

PART(a)
PART(b)

/* The part in the middle has only a lock. */
static const struct mprt_part parts[] = {
    {init_a, init_a, start_a, end_a, NULL, before_a, after_a, in_child_a},
    {.lock = &lock},
    {init_b, init_b, start_b, end_b, NULL, before_b, after_b, in_child_b},
};

static int set_up(void **state)
{
    (void)state;
    calls[0] = '\0';
    mprt_lifecycle_set(parts, MPROF_ARRAY_LEN(parts));
    return 0;
}

static void a_part_starts_after_those_behind_it(void **state)
{
    (void)state;
    mprt_lifecycle_init();
    mprt_lifecycle_init_with_libc();
    assert_string_equal(calls, "init-b init-a init-b init-a ");
}

static void a_thread_ends_in_the_other_order(void **state)
{
    struct mprt_thread *const t = (struct mprt_thread *)(void *)calls;

    (void)state;
    mprt_lifecycle_start_thread(t);
    mprt_lifecycle_end_thread(t);
    assert_string_equal(calls, "start-b start-a end-a end-b ");
}

static void locks_are_given_back_in_the_other_order(void **state)
{
    (void)state;
    mprt_lifecycle_before_fork(true);
    assert_int_equal(lock.word, 1);
    mprt_lifecycle_after_fork(false, true);
    assert_int_equal(lock.word, 0);
    assert_string_equal(calls, "before-a before-b parent-b parent-a ");
    calls[0] = '\0';
    mprt_lock_acquire(&lock);
    mprt_lifecycle_after_fork(true, true);
    assert_int_equal(lock.word, 0);
    assert_string_equal(calls, "in-b child-b in-a child-a ");
}

static void without_a_table_nothing_happens(void **state)
{
    (void)state;
    mprt_lifecycle_set(NULL, 0);
    mprt_lifecycle_init();
    mprt_lifecycle_before_fork(true);
    mprt_lifecycle_after_fork(true, true);
    assert_string_equal(calls, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_part_starts_after_those_behind_it, set_up),
        cmocka_unit_test_setup(a_thread_ends_in_the_other_order, set_up),
        cmocka_unit_test_setup(locks_are_given_back_in_the_other_order, set_up),
        cmocka_unit_test_setup(without_a_table_nothing_happens, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
