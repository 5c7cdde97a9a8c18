/* series_test.c -- profdata/model/series.c: of several dumps of a run the
 * series of the last one is kept, whatever the order of merging.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/series.h"
#include "test/unit/cmocka_all.h"

#define SLOT 1000u

static struct mpdata_sample slots[3] = {
    {0, 1, 50, 1, 7, 0}, {SLOT, 2, 60, 2, 7, 0}, {2 * SLOT, 3, 70, 3, 7, 9}};
static struct mpdata_mark marks[1] = {{1, 1, 1, 1}};

static struct mpdata_series make(uint64_t until_ns,
                                 struct mpdata_sample *samples, uint32_t count)
{
    return (struct mpdata_series){.run_id = 9,
                                  .step_ns = SLOT,
                                  .until_ns = until_ns,
                                  .samples = samples,
                                  .marks = marks,
                                  .sample_count = count};
}

/* Adds both, and returns which one is kept. */
static struct mpdata_series add_both(const struct mpdata_series *first,
                                     const struct mpdata_series *second,
                                     struct mpdata_vec *rows)
{
    mpdata_series_init(rows);
    assert_true(mpdata_series_add(rows, first));
    assert_true(mpdata_series_add(rows, second));
    assert_int_equal(rows->count, 1);
    return *(const struct mpdata_series *)rows->data;
}

/* In both orders. */
static void check_stays(const struct mpdata_series *stays,
                        const struct mpdata_series *goes)
{
    for (int turn = 0; turn < 2; turn++) {
        struct mpdata_vec rows;
        const struct mpdata_series left =
            add_both(turn == 0 ? stays : goes, turn == 0 ? goes : stays, &rows);

        assert_int_equal(left.step_ns, stays->step_ns);
        assert_int_equal(left.sample_count, stays->sample_count);
        assert_int_equal(left.mark_count, stays->mark_count);
        assert_memory_equal(left.samples, stays->samples,
                            stays->sample_count * sizeof(*stays->samples));
        mpdata_series_fini(&rows);
    }
}

/* The live blocks have ended in the slot of the last dump. */
static void test_same_slot(void **state)
{
    struct mpdata_sample later[2] = {slots[0], slots[1]};
    struct mpdata_series a = make(SLOT + 1, slots, 2);
    struct mpdata_series b = make(SLOT + 2, later, 2);

    (void)state;
    later[1].bytes = 0;
    check_stays(&b, &a);
    later[1].bytes = 60;
    check_stays(&b, &a);
}

/* Slots have become twice as long, so the last one begins earlier. */
static void test_longer_slots(void **state)
{
    struct mpdata_sample later[1] = {{0, 3, 70, 1, 7, 0}};
    struct mpdata_series a = make(2 * SLOT + 1, slots, 3);
    struct mpdata_series b = make(3 * SLOT, later, 1);

    (void)state;
    b.step_ns = 4 * SLOT;
    check_stays(&b, &a);
    /* Without an end time. */
    a.until_ns = b.until_ns = 0;
    check_stays(&b, &a);
}

static void test_unknown_end(void **state)
{
    struct mpdata_sample other[2] = {slots[0], slots[1]};
    struct mpdata_series a = make(0, slots, 2);
    struct mpdata_series b = make(0, other, 2);

    (void)state;
    other[1].most++;
    check_stays(&b, &a);
    other[1] = slots[1];
    other[1].bytes++;
    check_stays(&b, &a);
    b.samples = slots;
    b.mark_count = 1;
    check_stays(&b, &a);
    a = make(0, slots, 3);
    check_stays(&a, &b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_slot),
        cmocka_unit_test(test_longer_slots),
        cmocka_unit_test(test_unknown_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
