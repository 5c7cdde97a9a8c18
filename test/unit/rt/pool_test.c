/* pool_test.c -- rt/record/pool.c: the table of pools after a fork in the
 * middle of a change.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/rt/stubs.h"

#include "rt/record/pool.c"

enum { POOL = 0x1000, BLOCKS = 100 };

static uint32_t count_blocks(uint32_t pool)
{
    uint32_t count = 0;

    for (uint32_t i = pools[pool].first; i != 0; i = blocks[i].after)
        count++;
    return count;
}

static void fill(void)
{
    mprt_pool_create(POOL, 0);
    for (uintptr_t i = 1; i <= BLOCKS; i++)
        add_block(find_pool(POOL), i * 64, 10, 1, 1);
    assert_int_equal(count_blocks(find_pool(POOL)), BLOCKS);
}

static void test_a_child_has_its_parents_pools(void **state)
{
    (void)state;
    fill();
    mprt_pool_before_fork(true);
    mprt_pool_after_fork(true, true);
    assert_int_equal(count_blocks(find_pool(POOL)), BLOCKS);
    mprt_pool_end(POOL, false);
    assert_int_equal(find_pool(POOL), 0);
}

/* A signal handler does not wait for the table, and in the child no thread
 * completes the change that another thread had begun. */
static void test_a_childs_table_is_whole_or_empty(void **state)
{
    (void)state;
    fill();
    mprt_lock_acquire(&lock);
    mprt_pool_before_fork(false);
    mprt_pool_after_fork(true, false);
    assert_int_equal(find_pool(POOL), 0);
    fill();
    assert_int_equal(last_pool, 1);
    assert_int_equal(last_block, BLOCKS);
    mprt_pool_end(POOL, false);
    assert_int_equal(find_pool(POOL), 0);
}

static void test_a_handlers_child_keeps_a_table_that_was_free(void **state)
{
    (void)state;
    fill();
    mprt_pool_before_fork(false);
    mprt_pool_after_fork(true, false);
    assert_int_equal(count_blocks(find_pool(POOL)), BLOCKS);
    mprt_pool_end(POOL, false);
}

static void test_a_parent_goes_on(void **state)
{
    (void)state;
    fill();
    mprt_lock_acquire(&lock);
    mprt_pool_before_fork(false);
    mprt_pool_after_fork(false, false);
    assert_int_equal(atomic_load(&lock.word), 1);
    mprt_lock_release(&lock);
    assert_int_equal(count_blocks(find_pool(POOL)), BLOCKS);
    mprt_pool_end(POOL, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_child_has_its_parents_pools),
        cmocka_unit_test(test_a_childs_table_is_whole_or_empty),
        cmocka_unit_test(test_a_handlers_child_keeps_a_table_that_was_free),
        cmocka_unit_test(test_a_parent_goes_on),
    };

    start_runtime();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
