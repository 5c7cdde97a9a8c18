/* series_test.c -- compares rt/record/series.c, whose slots become longer, with
 * a model that keeps every sample; marks and their limits.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/series.h"
#include "shared/raw_format.h"
#include "test/unit/rt/stubs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKS = 20000 };

static struct mprt_series series;
static struct {
    uint64_t ns;
    uint64_t bytes;
} looks[LOOKS];

/* All samples in the slot: their number, the last, the maximum. */
static void check_slot(uint32_t i, uint32_t count)
{
    const uint64_t step = UINT64_C(1)
                          << (series.shift != 0 ? series.shift
                                                : MPRT_SERIES_SHIFT_MIN);
    uint64_t samples = 0;
    uint64_t last = 0;
    uint64_t most = 0;

    for (uint32_t k = 0; k < count; k++) {
        if (looks[k].ns / step != i)
            continue;
        samples++;
        last = looks[k].bytes;
        most = mprof_max_u64(most, last);
    }
    assert_int_equal(series.slots[i].samples, samples);
    assert_int_equal(series.slots[i].bytes, last);
    assert_int_equal(series.slots[i].most, most);
}

static void take(void)
{
    mprt_series_copy(&series, (struct mprt_series_peak){.bytes = 0});
}

/* Like a forked child. */
static void begin(void)
{
    mprt_series_in_child();
    take();
}

static void test_slots_are_those_of_the_model(void **state)
{
    (void)state;
    for (int run = 0; run < 20; run++) {
        const uint32_t pause = UINT32_C(1) << (10 + rand() % 18);
        uint64_t ns = 0;

        begin();
        for (uint32_t i = 0; i < LOOKS; i++) {
            ns += (uint64_t)rand() % pause;
            if (rand() % 3000 == 0)
                ns += (uint64_t)rand() * 50; /* nothing is allocated */
            looks[i].ns = ns;
            looks[i].bytes = (uint64_t)rand();
            mprt_series_sample(looks[i].bytes, 0, series.start_ns + ns);
        }
        take();
        for (uint32_t i = 0; i < MPRT_SERIES_SLOTS; i++)
            check_slot(i, LOOKS);
        /* At least as fine as half of the slots allows. */
        if (series.shift != 0)
            assert_true(ns >> series.shift >= MPRT_SERIES_SLOTS / 2);
    }
}

static void test_a_time_far_ahead_has_a_slot(void **state)
{
    (void)state;
    begin();
    mprt_series_sample(1, 0, series.start_ns);
    mprt_series_sample(7, 0, series.start_ns + UINT64_MAX / 2);
    take();
    assert_int_equal(series.slots[0].samples, 1);
    assert_int_equal(series.slots[(UINT64_MAX / 2) >> series.shift].bytes, 7);
}

static void test_the_peak_is_in_its_slot(void **state)
{
    static struct mprt_series copy;

    (void)state;
    begin();
    mprt_series_sample(100, 0, series.start_ns);
    mprt_series_sample(
        50, 0, series.start_ns + (UINT64_C(40) << MPRT_SERIES_SHIFT_MIN));
    mprt_series_copy(&copy,
                     (struct mprt_series_peak){
                         .bytes = 300,
                         .ns = series.start_ns +
                               (UINT64_C(5) << MPRT_SERIES_SHIFT_MIN) + 3});
    assert_int_equal(copy.slots[5].most, 300);
    assert_int_equal(copy.slots[0].most, 100);
    assert_int_equal(copy.slots[40].most, 50);
    mprt_series_copy(&copy, (struct mprt_series_peak){.bytes = 0});
    assert_int_equal(copy.slots[5].samples, 0);
}

static uint64_t noted;

static void note(uint64_t rss, uint64_t live_bytes)
{
    (void)rss;
    noted = live_bytes;
}

static void test_memory_of_ending_blocks_is_theirs(void **state)
{
    (void)state;
    begin();
    mprt_series_note_resident = note;
    mprt_series_sample(5, 100, series.start_ns);
    mprt_series_note_resident = NULL;
    take();
    assert_int_equal(noted, 105);
    assert_int_equal(series.slots[0].bytes, 5);
    assert_int_equal(series.slots[0].most, 5);
}

static void test_marks_are_kept_up_to_a_limit(void **state)
{
    char long_name[200];
    uint32_t count;
    uint64_t dropped;
    const struct mprt_series_mark *marks;

    (void)state;
    memset(long_name, 'x', sizeof(long_name) - 1);
    long_name[sizeof(long_name) - 1] = '\0';
    memcpy(long_name + 62, "\xc3\xa4", 2); /* is not cut inside a character */
    mprt_series_mark(MPROF_RAW_MARK_PHASE, "one", 5, 10);
    mprt_series_mark(MPROF_RAW_MARK_PHASE, NULL, 6, 11);
    mprt_series_mark(MPROF_RAW_MARK_MARK, long_name, 6, 12);
    mprt_series_mark(MPROF_RAW_MARK_PHASE, "one", 7, 13);
    marks = mprt_series_marks(&count, &dropped);
    assert_int_equal(count, 4);
    assert_int_equal(dropped, 0);
    assert_string_equal(mprt_series_name(marks[0].name), "one");
    assert_int_equal(marks[1].name, 0);
    assert_int_equal(strlen(mprt_series_name(marks[2].name)), 62);
    assert_int_equal(marks[3].name, marks[0].name);
    for (int i = 0; i < 3000; i++) {
        char name[32];

        snprintf(name, sizeof(name), "%d", i % 400);
        mprt_series_mark(MPROF_RAW_MARK_MARK, name, 1, 1);
    }
    mprt_series_marks(&count, &dropped);
    assert_int_equal(count, MPRT_SERIES_MARKS);
    assert_int_equal(count + dropped, 3004);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots_are_those_of_the_model),
        cmocka_unit_test(test_a_time_far_ahead_has_a_slot),
        cmocka_unit_test(test_the_peak_is_in_its_slot),
        cmocka_unit_test(test_memory_of_ending_blocks_is_theirs),
        cmocka_unit_test(test_marks_are_kept_up_to_a_limit),
    };

    srand(7);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
