/* depot_test.c -- rt/stack/depot.c: equal stacks have the same id and different
 * ones different ids, also if threads add them at the same time.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/rt/stubs.h"

#include <pthread.h>
#include <time.h>

static void equal_stacks_have_one_id(void **state)
{
    const uintptr_t a[] = {0x1001, 2, 3};
    const uintptr_t b[] = {0x1001, 2, 4};
    struct mprt_stack stack;
    const uint32_t id = mprt_depot_put(a, 3, false);

    (void)state;
    assert_int_not_equal(id, 0);
    assert_int_equal(mprt_depot_put(a, 3, false), id);
    assert_int_not_equal(mprt_depot_put(a, 2, false), id);
    assert_int_not_equal(mprt_depot_put(b, 3, false), id);
    assert_int_not_equal(mprt_depot_put(a, 3, true), id);
    assert_int_not_equal(mprt_depot_put(a, 0, false), 0);
    mprt_depot_get(id, &stack);
    assert_int_equal(stack.count, 3);
    assert_memory_equal(stack.pcs, a, sizeof(a));
    assert_false(stack.truncated);
    mprt_depot_get(mprt_depot_put(b, 2, true), &stack);
    assert_int_equal(stack.count, 2);
    assert_memory_equal(stack.pcs, b, 2 * sizeof(b[0]));
    assert_true(stack.truncated);
    mprt_depot_get(mprt_depot_put(a, 0, true), &stack);
    assert_int_equal(stack.count, 0);
    assert_true(stack.truncated);
}

enum { THREADS = 4, STACKS = 20000 };
static uint32_t ids[THREADS][STACKS];

static void *add_stacks(void *argument)
{
    const uintptr_t thread = (uintptr_t)argument;

    for (uintptr_t i = 0; i < STACKS; i++) {
        const uintptr_t pcs[] = {0x1000 + i * 16, i % 7, 99};
        ids[thread][i] = mprt_depot_put(pcs, 3, false);
    }
    return NULL;
}

static void threads_agree(void **state)
{
    pthread_t threads[THREADS];

    (void)state;
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, add_stacks, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (uintptr_t i = 0; i < STACKS; i++) {
        for (int t = 1; t < THREADS; t++)
            assert_int_equal(ids[t][i], ids[0][i]);
        struct mprt_stack stack;
        mprt_depot_get(ids[0][i], &stack);
        assert_int_equal(stack.count, 3);
        assert_int_equal(stack.pcs[0], 0x1000 + i * 16);
        assert_int_equal(stack.pcs[2], 99);
        assert_true(ids[0][i] <= mprt_depot_count());
    }
}

/* Stacks whose frames are each chosen at random from two functions. */
static void add_random_stacks(uint64_t *random, unsigned count)
{
    uintptr_t pcs[24];

    while (count-- != 0) {
        *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
        for (unsigned i = 0; i < MPROF_ARRAY_LEN(pcs); i++)
            pcs[i] = 0x3000 + ((*random >> (40 - i)) & 1) * 64;
        assert_int_not_equal(mprt_depot_put(pcs, MPROF_ARRAY_LEN(pcs), false),
                             0);
    }
}

/* Eight times as many stacks take about eight times as long; with linear
 * searches they would take sixty times as long. */
static void time_is_linear_in_stacks(void **state)
{
    const unsigned few = 20000;
    uint64_t random = 1;
    const clock_t start = clock();

    (void)state;
    add_random_stacks(&random, few);
    const clock_t middle = clock();
    add_random_stacks(&random, 8 * few);
    assert_true(clock() - middle < 30 * (middle - start));
}

/* Under the names of threads and without a name: an id for each, one stack, and
 * one more context. */
static void threads_have_their_own(void **state)
{
    const uintptr_t pcs[] = {0x2001, 0x2002};
    const uint32_t any = mprt_depot_put(pcs, 2, false);
    const uint32_t nodes = mprt_depot_node_count();
    const uint32_t first = mprt_depot_put_of(1, pcs, 2, false);
    const uint32_t last = mprt_depot_put_of(MPRT_NAMES - 1, pcs, 2, false);
    const uint32_t cut = mprt_depot_put_of(7, pcs, 0, true);
    struct mprt_stack stack;

    (void)state;
    assert_int_equal(mprt_depot_put_of(0, pcs, 2, false), any);
    assert_int_equal(mprt_depot_put_of(1, pcs, 2, false), first);
    assert_int_not_equal(first, any);
    assert_int_not_equal(last, first);
    assert_int_equal(mprt_depot_node_count(), nodes + 3);
    assert_int_equal(mprt_depot_name(any), 0);
    assert_int_equal(mprt_depot_name(first), 1);
    assert_int_equal(mprt_depot_name(last), MPRT_NAMES - 1);
    assert_int_equal(mprt_depot_leaf(last), mprt_depot_leaf(any));
    mprt_depot_get(last, &stack);
    assert_int_equal(stack.count, 2);
    assert_memory_equal(stack.pcs, pcs, sizeof(pcs));
    assert_int_equal(mprt_depot_name(cut), 7);
    mprt_depot_get(cut, &stack);
    assert_int_equal(stack.count, 0);
    assert_true(stack.truncated);
}

/* The last test: afterwards the other tests' ids belong to a parent. */
static void a_child_gets_new_ids(void **state)
{
    const uintptr_t pcs[] = {0x1003, 2, 1};
    const uint32_t before = mprt_depot_put(pcs, 3, false);
    const uint32_t nodes = mprt_depot_node_count();
    struct mprt_stack stack;

    (void)state;
    mprt_depot_in_child();
    assert_int_equal(mprt_depot_first_id, mprt_depot_count() + 1);
    assert_true(before < mprt_depot_first_id);
    const uint32_t after = mprt_depot_put(pcs, 3, false);
    assert_int_equal(after, mprt_depot_first_id);
    assert_int_equal(mprt_depot_put(pcs, 3, false), after);
    /* The tree is still there. */
    assert_int_equal(mprt_depot_node_count(), nodes);
    mprt_depot_get(after, &stack);
    assert_int_equal(stack.count, 3);
    assert_int_equal(stack.pcs[2], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_stacks_have_one_id),
        cmocka_unit_test(threads_agree),
        cmocka_unit_test(time_is_linear_in_stacks),
        cmocka_unit_test(threads_have_their_own),
        cmocka_unit_test(a_child_gets_new_ids),
    };

    start_runtime();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
