/* lock_test.c -- rt/base/lock.c: which threads do not wait forever.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/cmocka_all.h"

#include "rt/base/lock.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static struct mprt_lock held;
static struct mprt_lock sought;

static void wait_for_sleeper(const struct mprt_lock *lock)
{
    while (atomic_load(&lock->word) != 2)
        sched_yield();
}

/* Waits for a lock; returns NULL if it gave up. */
static void *wait_with_room(void *lock)
{
    void *bail[5];

    if (__builtin_setjmp(bail) != 0)
        return NULL;
    mprt_lock_bail_when_stuck = bail;
    mprt_lock_acquire((struct mprt_lock *)lock);
    mprt_lock_bail_when_stuck = NULL;
    mprt_lock_release((struct mprt_lock *)lock);
    return lock;
}

static void *wait_without_room(void *lock)
{
    mprt_lock_acquire((struct mprt_lock *)lock);
    mprt_lock_release((struct mprt_lock *)lock);
    return lock;
}

static void *do_without(void *lock)
{
    void *bail[5];
    bool was_got;

    if (__builtin_setjmp(bail) != 0)
        return lock;
    mprt_lock_bail_when_stuck = bail;
    was_got = mprt_lock_try_while_bounded((struct mprt_lock *)lock, 1);
    mprt_lock_bail_when_stuck = mprt_lock_bail = NULL;
    if (was_got)
        mprt_lock_release((struct mprt_lock *)lock);
    return was_got ? lock : NULL;
}

static void *in_thread(void *(*run)(void *), struct mprt_lock *lock,
                       void (*meanwhile)(void))
{
    pthread_t thread;
    void *result;

    assert_int_equal(pthread_create(&thread, NULL, run, lock), 0);
    wait_for_sleeper(lock);
    meanwhile();
    assert_int_equal(pthread_join(thread, &result), 0);
    return result;
}

static void release_sought(void)
{
    mprt_lock_release(&sought);
}

/* Until a thread is stuck, each waits as long as it takes. */
static void test_a_lock_is_waited_for(void **state)
{
    (void)state;
    mprt_lock_acquire(&sought);
    assert_ptr_equal(in_thread(wait_with_room, &sought, release_sought),
                     &sought);
    mprt_lock_acquire(&sought);
    assert_ptr_equal(in_thread(do_without, &sought, release_sought), &sought);
    assert_false(mprt_lock_is_bounded());
}

static _Atomic int holders;
static _Atomic int overlaps;

/* Holds the lock for longer than a waiting thread sleeps. */
static void *hold_alone(void *lock)
{
    mprt_lock_acquire((struct mprt_lock *)lock);
    atomic_fetch_add(&overlaps, atomic_fetch_add(&holders, 1));
    usleep(150000);
    atomic_fetch_sub(&holders, 1);
    mprt_lock_release((struct mprt_lock *)lock);
    return lock;
}

/* A helper was killed while it held the lock. */
static void test_a_lock_of_the_dead_is_taken_over(void **state)
{
    static _Atomic uint32_t tid = 7;
    static struct mprt_lock orphan;
    pthread_t threads[8];

    (void)state;
    mprt_lock_watch(&tid);
    mprt_lock_acquire(&orphan);
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hold_alone, &orphan),
                         0);
    wait_for_sleeper(&orphan);
    atomic_store(&tid, 0);
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(overlaps, 0);
    assert_int_equal(atomic_load(&orphan.word), 0);
    mprt_lock_watch(NULL);
}

/* The holder never releases the lock: a signal handler interrupts it and waits.
 * This is permanent, so it is the last test. */
static void test_nobody_waits_for_who_is_stuck(void **state)
{
    (void)state;
    mprt_lock_acquire(&held);
    assert_null(in_thread(wait_with_room, &held, mprt_lock_say_stuck));
    assert_null(do_without(&held));
    /* A thread that does not end with the program keeps waiting. */
    mprt_lock_acquire(&sought);
    assert_ptr_equal(in_thread(wait_without_room, &sought, release_sought),
                     &sought);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_lock_is_waited_for),
        cmocka_unit_test(test_a_lock_of_the_dead_is_taken_over),
        cmocka_unit_test(test_nobody_waits_for_who_is_stuck),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
