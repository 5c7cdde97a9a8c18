/* run_totals_test.c -- tests the totals of several dumps of a process, and of
 * several processes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/run_totals.h"
#include "profdata/model/runs.h"
#include "shared/index_format.h"
#include "test/unit/cmocka_all.h"

static struct mpdata_run_totals add_up(const struct mpdata_run *runs,
                                       uint32_t count)
{
    struct mpdata_runs rows;
    struct mpdata_view view = {.run_count = 0};
    struct mpdata_run_totals totals;

    mpdata_runs_init(&rows);
    for (uint32_t i = 0; i < count; i++)
        assert_true(mpdata_runs_add(&rows, &runs[i]));
    view.runs = rows.rows.data;
    view.run_count = rows.rows.count;
    assert_int_equal(mpdata_run_totals(&view, &totals), MPROF_E_OK);
    mpdata_runs_fini(&rows);
    return totals;
}

static struct mpdata_run dump(uint64_t pid, uint64_t ns, uint64_t count)
{
    return (struct mpdata_run){.run_id = ns,
                               .count = count,
                               .kind = MPROF_RUN_MEMPROF,
                               .pid = pid,
                               .start_ns = 1000,
                               .duration_ns = ns,
                               .own_time_ns = ns / 10,
                               .timed_calls = ns / 100,
                               .own_memory_bytes = ns * 2,
                               .dropped_blocks = ns / 50,
                               .foreign_frees = ns / 20,
                               .handler_jumps = ns / 25,
                               .context_checks = ns / 10,
                               .context_differences = ns / 20,
                               .has_other_malloc = pid == 8};
}

/* Totals that a process counts from its start are in each of its dumps. */
static void counts_a_process_once(void **state)
{
    const struct mpdata_run runs[] = {dump(7, 100, 1), dump(8, 1000, 1),
                                      dump(7, 300, 1), dump(7, 200, 1)};
    const struct mpdata_run_totals t = add_up(runs, 4);

    (void)state;
    assert_int_equal(t.runs, 4);
    assert_int_equal(t.measured_runs, 4);
    assert_int_equal(t.duration_ns, 1300);
    assert_int_equal(t.own_time_ns, 130);
    assert_int_equal(t.timed_calls, 13);
    assert_int_equal(t.own_memory_bytes, 2000);
    assert_int_equal(t.dropped, 26);
    assert_int_equal(t.foreign_frees, 65);
    assert_int_equal(t.handler_jumps, 52);
    assert_int_equal(t.other_malloc, 1);
    assert_int_equal(t.context_checks, 130);
    assert_int_equal(t.context_differences, 65);
}

/* The second copy of a process's dump adds nothing; data of an unknown process,
 * and data that adds up, counts as often as the run does. */
static void counts_by_weight(void **state)
{
    struct mpdata_run runs[] = {dump(7, 100, 3), dump(7, 200, 3)};
    struct mpdata_run_totals t;

    (void)state;
    runs[1].truncated_stacks = 5;
    t = add_up(runs, 2);
    assert_int_equal(t.runs, 6);
    assert_int_equal(t.duration_ns, 200);
    assert_int_equal(t.timed_calls, 2);
    assert_int_equal(t.truncated, 15);
    runs[0].pid = runs[1].pid = 0;
    t = add_up(runs, 2);
    assert_int_equal(t.duration_ns, 900);
    assert_int_equal(t.own_time_ns, 90);
    assert_int_equal(t.timed_calls, 9);
    assert_int_equal(t.dropped, 18);
    assert_int_equal(t.foreign_frees, 45);
}

/* The end of one run is the end of all; files that do not say are of ends, and
 * what no live blocks are of tells nothing. */
static void tells_now_from_the_end(void **state)
{
    struct mpdata_run runs[] = {dump(7, 100, 1), dump(8, 100, 1)};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        runs[i].dump = 1;
        runs[i].has_live = runs[i].is_middle = 1;
    }
    assert_true(add_up(runs, 2).is_now);
    runs[1].is_middle = 0;
    assert_false(add_up(runs, 2).is_now);
    runs[1].has_live = 0;
    assert_true(add_up(runs, 2).is_now);
    runs[1].dump = 0;
    assert_false(add_up(runs, 2).is_now);
    assert_false(add_up(runs, 0).is_now);
}

static void expect_equal(const struct mpdata_run_totals *a,
                         const struct mpdata_run_totals *b)
{
    assert_int_equal(a->runs, b->runs);
    assert_int_equal(a->measured_runs, b->measured_runs);
    assert_int_equal(a->duration_ns, b->duration_ns);
    assert_int_equal(a->resolution_ns, b->resolution_ns);
    assert_int_equal(a->truncated, b->truncated);
    assert_int_equal(a->dropped, b->dropped);
    assert_int_equal(a->foreign_frees, b->foreign_frees);
    assert_int_equal(a->handler_jumps, b->handler_jumps);
    assert_int_equal(a->other_malloc, b->other_malloc);
    assert_int_equal(a->stack_depth_max, b->stack_depth_max);
    assert_int_equal(a->own_time_ns, b->own_time_ns);
    assert_int_equal(a->timed_calls, b->timed_calls);
    assert_int_equal(a->own_memory_bytes, b->own_memory_bytes);
}

/* Very many runs are added up when they are merged: the sum is the same. */
static void is_the_same_of_very_many(void **state)
{
    struct mpdata_runs rows;
    struct mpdata_view view = {.run_count = 0};
    struct mpdata_run_totals before;
    struct mpdata_run_totals after;

    (void)state;
    mpdata_runs_init(&rows);
    for (uint32_t i = 0; i <= MPDATA_RUNS_MAX; i++) {
        struct mpdata_run run = dump(i % 7, 100 * (uint64_t)(i + 1), i % 5 + 1);

        run.truncated_stacks = i % 3;
        run.handler_jumps = i % 13;
        run.stack_depth_max = i;
        run.clock_resolution_ns = i % 11;
        run.timed_calls *= i % 2;
        assert_true(mpdata_runs_add(&rows, &run));
    }
    assert_int_equal(rows.rows.count, MPDATA_RUNS_MAX + 1);
    view.runs = rows.rows.data;
    view.run_count = rows.rows.count;
    assert_int_equal(mpdata_run_totals(&view, &before), MPROF_E_OK);
    mpdata_runs_canonical(&rows);
    assert_int_equal(rows.rows.count, 7);
    view.run_count = rows.rows.count;
    assert_int_equal(mpdata_run_totals(&view, &after), MPROF_E_OK);
    expect_equal(&before, &after);
    mpdata_runs_fini(&rows);
}

/* LLVM's files have no process. */
static void takes_the_unknown_apart(void **state)
{
    struct mpdata_run runs[] = {dump(0, 100, 1), dump(0, 100, 1),
                                dump(7, 100, 1), dump(7, 100, 1)};

    (void)state;
    runs[2].start_ns = runs[3].start_ns = 0;
    assert_int_equal(add_up(runs, 4).duration_ns, 400);
    assert_int_equal(add_up(runs, 0).runs, 0);
    runs[0].host = 1;
    runs[0].pid = runs[1].pid = 7;
    assert_int_equal(add_up(runs, 2).duration_ns, 200);
}

/* A row for several runs already has their sums. */
static void takes_sums_as_they_are(void **state)
{
    struct mpdata_run runs[] = {dump(7, 300, 3), dump(0, 1000, 5)};
    struct mpdata_run_totals t;

    (void)state;
    runs[0].run_id = runs[1].run_id = 0;
    t = add_up(runs, 2);
    assert_int_equal(t.runs, 8);
    assert_int_equal(t.duration_ns, 1300);
    assert_int_equal(t.timed_calls, 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_a_process_once),
        cmocka_unit_test(counts_by_weight),
        cmocka_unit_test(tells_now_from_the_end),
        cmocka_unit_test(is_the_same_of_very_many),
        cmocka_unit_test(takes_the_unknown_apart),
        cmocka_unit_test(takes_sums_as_they_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
