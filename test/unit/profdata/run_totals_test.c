/* run_totals_test.c -- several dumps of a process, and several processes.
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
                               .handler_jumps = ns / 25};
}

/* What a process counts from its start stands in each of its dumps. */
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
}

static void counts_by_weight(void **state)
{
    const struct mpdata_run runs[] = {dump(7, 100, 3), dump(7, 200, 3)};
    const struct mpdata_run_totals t = add_up(runs, 2);

    (void)state;
    assert_int_equal(t.runs, 6);
    assert_int_equal(t.duration_ns, 600);
    assert_int_equal(t.timed_calls, 6);
}

/* LLVM's files tell of no process. */
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

/* A row for several runs has their sums already. */
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
        cmocka_unit_test(takes_the_unknown_apart),
        cmocka_unit_test(takes_sums_as_they_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
