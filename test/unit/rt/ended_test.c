/* ended_test.c -- rt/record/ended.c: lives that a thread collects reach the MIB
 * of their context, each once.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/rt/stubs.h"

#include "rt/record/ended.h"

enum { CONTEXTS = 3, SIZE = 100 };

static uint32_t ids[CONTEXTS];

static void add(size_t i, uint32_t peak)
{
    const struct mprof_block_life life = {.size = SIZE, .peak = peak};

    mprt_ended_add(mprt_thread_current(), ids[i], &life);
}

/* MIBs since the last call. */
static void take(struct mprof_mib mibs[CONTEXTS])
{
    struct mprt_mibmap_taken taken;

    mprt_ended_add_all();
    mprt_mibmap_take(&taken);
    for (size_t i = 0; i < CONTEXTS; i++) {
        const struct mprt_context *const row = &taken.rows[ids[i]];

        mibs[i] = row->entry != NULL ? row->entry->mib
                                     : (struct mprof_mib){.AllocCount = 0};
    }
    mprt_mibmap_part(&taken, false);
    mprt_mibmap_drop(&taken);
}

static void each_life_is_added_once(void **state)
{
    struct mprof_mib mibs[CONTEXTS];

    (void)state;
    for (unsigned count = 0; count < 1000; count += 37) {
        for (unsigned k = 0; k < count; k++) {
            for (size_t i = 0; i < CONTEXTS; i++)
                add(i, 0);
        }
        take(mibs);
        for (size_t i = 0; i < CONTEXTS; i++) {
            assert_int_equal(mibs[i].AllocCount, count);
            assert_int_equal(mibs[i].TotalSize, count * SIZE);
        }
    }
}

/* A thread may add a life when the MIB has blocks of a later peak. */
static void a_block_of_an_earlier_peak_was_not_alive_at_this_one(void **state)
{
    const struct mprof_block_life late = {.size = SIZE, .peak = 2};
    struct mprof_mib mibs[CONTEXTS];

    (void)state;
    add(0, 1);
    mprt_mibmap_add(ids[0], &late, 0, NULL, NULL, 0);
    mprt_mibmap_add(ids[0], &late, 0, NULL, NULL, 0);
    add(0, 2);
    take(mibs);
    assert_int_equal(mibs[0].AllocCount, 4);
    assert_int_equal(mibs[0].PeakCount, 3);
}

/* They have contexts of the parent, which adds them. */
static void a_child_forgets_lives_of_its_parent(void **state)
{
    struct mprof_mib mibs[CONTEXTS];

    (void)state;
    add(1, 0);
    mprt_depot_in_child();
    mprt_mibmap_in_child();
    mprt_ended_in_child();
    take(mibs);
    assert_int_equal(mibs[1].AllocCount, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_life_is_added_once),
        cmocka_unit_test(a_block_of_an_earlier_peak_was_not_alive_at_this_one),
        cmocka_unit_test(a_child_forgets_lives_of_its_parent),
    };

    start_runtime();
    for (size_t i = 0; i < CONTEXTS; i++) {
        const uintptr_t pc = 0x1000 + i;

        ids[i] = mprt_depot_put(&pc, 1, false);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
