/* run_totals.c -- sums up the runs of a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/run_totals.h"
#include "profdata/model/runs.h"
#include "profdata/base/vec.h"
#include "shared/index_format.h"

#include <stdlib.h>

#define NS_PER_MS 1000000u

/* Returns 0 for dumps of the same process. */
static int compare_processes(const struct mpdata_run *a,
                             const struct mpdata_run *b)
{
    int order = mprof_compare_u64(a->pid, b->pid);

    if (order == 0)
        order = mprof_compare_u64(a->start_ns, b->start_ns);
    if (order == 0)
        order = mprof_compare_u64(a->host, b->host);
    return order != 0 ? order : mprof_compare_u64(a->executable, b->executable);
}

static int compare_rows(const void *left, const void *right)
{
    return compare_processes((const struct mpdata_run *)left,
                             (const struct mpdata_run *)right);
}

/* Runs without pid or start time are separate processes. */
static bool is_same_process(const struct mpdata_run *a,
                            const struct mpdata_run *b)
{
    return a->pid != 0 && a->start_ns != 0 && compare_processes(a, b) == 0;
}

static void take_larger(uint64_t *largest, uint64_t value, uint64_t count)
{
    *largest = mprof_max_u64(*largest, mprof_mul_sat_u64(value, count));
}

static void add_to(uint64_t *sum, uint64_t value)
{
    *sum = mprof_add_sat_u64(*sum, value);
}

/* Returns the weight of a run's values: 1 if they already are sums of all of
 * its runs. */
static uint64_t times(const struct mpdata_run *run)
{
    return mpdata_runs_is_sum(run) ? 1 : run->count;
}

/* Returns the weight of values that a process counts from its start on. A dump
 * without a number may be the same dump twice, which adds nothing; model/runs.c
 * uses the same rule, so it does not matter whether it added up the runs
 * before. */
static uint64_t times_of_process(const struct mpdata_run *run)
{
    return run->dump == 0 && is_same_process(run, run) ? 1 : times(run);
}

/* May a live block be in several dumps? Only in dumps of raw version 1, which
 * have no number, if the process has `count` > 1 of them. */
static bool may_repeat(const struct mpdata_run *run, uint32_t count)
{
    return run->kind == MPROF_RUN_MEMPROF && run->pid != 0 &&
           run->start_ns != 0 && (count > 1 || mpdata_runs_is_sum(run));
}

static void add_process(struct mpdata_run_totals *t,
                        const struct mpdata_run *dumps, uint32_t count)
{
    struct mpdata_run_totals process = {.runs = 0};

    for (uint32_t i = 0; i < count; i++) {
        const struct mpdata_run *run = &dumps[i];
        const uint64_t weight = times_of_process(run);

        if (run->dump != 0)
            take_larger(&process.runs, run->count, 1);
        else if (may_repeat(run, count))
            add_to(&process.repeating, run->count);
        if (run->dump != 0 && run->has_other_malloc)
            take_larger(&process.other_malloc, run->count, 1);
        take_larger(&process.duration_ns, run->duration_ns, weight);
        take_larger(&process.dropped, run->dropped_blocks, weight);
        take_larger(&process.foreign_frees, run->foreign_frees, weight);
        take_larger(&process.handler_jumps, run->handler_jumps, weight);
        take_larger(&process.bursts, run->bursts, weight);
        take_larger(&process.context_checks, run->context_checks, weight);
        take_larger(&process.context_differences, run->context_differences,
                    weight);
        if (run->timed_calls != 0) {
            take_larger(&process.own_time_ns, run->own_time_ns, weight);
            take_larger(&process.timed_calls, run->timed_calls, weight);
        }
    }
    add_to(&t->runs, process.runs);
    add_to(&t->measured_runs, process.runs);
    add_to(&t->repeating, process.repeating);
    add_to(&t->duration_ns, process.duration_ns);
    add_to(&t->dropped, process.dropped);
    add_to(&t->foreign_frees, process.foreign_frees);
    add_to(&t->handler_jumps, process.handler_jumps);
    add_to(&t->bursts, process.bursts);
    add_to(&t->other_malloc, process.other_malloc);
    add_to(&t->context_checks, process.context_checks);
    add_to(&t->context_differences, process.context_differences);
    add_to(&t->own_time_ns, process.own_time_ns);
    add_to(&t->timed_calls, process.timed_calls);
}

/* What a profile of another tool lacks, by kind of run. */
static const struct {
    bool is_foreign;
    bool is_live_only;
    bool is_uncounted;
    bool is_live_uncounted;
    bool is_unsized;
} kinds[] = {
    [MPROF_RUN_FOREIGN] = {.is_foreign = true},
    [MPROF_RUN_FOREIGN_LIVE] = {.is_foreign = true, .is_live_only = true},
    [MPROF_RUN_FOREIGN_BYTES] = {.is_foreign = true,
                                 .is_uncounted = true,
                                 .is_live_uncounted = true},
    [MPROF_RUN_FOREIGN_LIVE_BYTES] = {.is_foreign = true,
                                      .is_live_only = true,
                                      .is_uncounted = true,
                                      .is_live_uncounted = true},
    [MPROF_RUN_FOREIGN_BLOCKS] = {.is_foreign = true, .is_unsized = true},
    [MPROF_RUN_FOREIGN_LIVE_BLOCKS] = {.is_foreign = true,
                                       .is_live_only = true,
                                       .is_unsized = true},
    [MPROF_RUN_FOREIGN_LIVE_UNCOUNTED] = {.is_foreign = true,
                                          .is_live_uncounted = true},
    [MPROF_RUN_FOREIGN_SPLIT] = {.is_foreign = true,
                                 .is_live_uncounted = true,
                                 .is_unsized = true},
};

static size_t kind_of(const struct mpdata_run *run)
{
    return run->kind < MPROF_ARRAY_LEN(kinds) ? run->kind : 0;
}

static bool is_foreign(const struct mpdata_run *run)
{
    return kinds[kind_of(run)].is_foreign;
}

static void add_foreign(struct mpdata_run_totals *t,
                        const struct mpdata_run *run)
{
    const size_t kind = kind_of(run);

    if (is_foreign(run)) {
        add_to(&t->foreign_runs, run->count);
        add_to(&t->foreign_live, run->has_live ? run->count : 0);
    }
    if (is_foreign(run) && run->clock_resolution_ns == 0) {
        add_to(&t->unlived_runs, run->count);
        add_to(&t->unlived_ns,
               mprof_mul_sat_u64(run->duration_ns, times_of_process(run)));
    } else if (run->duration_ns == 0 && run->dump == 0) {
        add_to(&t->untimed_runs, run->count);
    }
    if (kinds[kind].is_live_only)
        add_to(&t->foreign_only, run->count);
    if (kinds[kind].is_uncounted)
        add_to(&t->uncounted, run->count);
    if (kinds[kind].is_live_uncounted)
        add_to(&t->uncounted_live, run->count);
    if (kinds[kind].is_unsized)
        add_to(&t->unsized, run->count);
    if (run->sample_period_bytes != 0)
        add_to(&t->sampled_runs, run->count);
    t->sample_period_bytes =
        mprof_max_u64(t->sample_period_bytes, run->sample_period_bytes);
    if (run->access_period != 0)
        add_to(&t->burst_runs, run->count);
    t->access_period = mprof_max_u64(t->access_period, run->access_period);
}

/* Adds the peaks of other tools' runs, which only their call stacks state. */
static void add_foreign_peaks(struct mpdata_run_totals *t,
                              const struct mpdata_view *view)
{
    uint64_t runs = 0;
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < view->run_count; i++) {
        const struct mpdata_run *const run = &view->runs[i];

        if (run->peak_bytes == 0 && run->alive_ns == 0 && is_foreign(run))
            add_to(&runs, run->count);
    }
    for (uint32_t i = 0; runs != 0 && i < view->context_count; i++)
        add_to(&bytes,
               mpdata_view_mib_field(view, i, MPROF_MIB_INDEX_PeakBytes));
    if (bytes <= t->peak_bytes)
        return;
    t->peak_bytes = bytes;
    add_to(&t->peak_runs, runs);
}

static void add_dump(struct mpdata_run_totals *t, const struct mpdata_run *run)
{
    if (run->dump == 0)
        add_to(&t->runs, run->count);
    if (run->has_other_malloc && run->dump == 0)
        add_to(&t->other_malloc, run->count);
    if (run->kind == MPROF_RUN_MEMPROF && run->dump == 0)
        add_to(&t->measured_runs, run->count);
    if (run->alive_ns != 0) {
        add_to(&t->moment_runs, run->count);
        t->alive_ns = run->alive_ns;
        t->after_ns = run->after_ns;
        t->are_moments_counts =
            run->kind == MPROF_RUN_FOREIGN && run->duration_ns == 0;
    }
    if (run->start_ns != 0) {
        t->first_start_ns = mprof_min_u64(t->first_start_ns, run->start_ns);
        t->last_start_ns = mprof_max_u64(t->last_start_ns, run->start_ns);
    }
    t->resolution_ns = mprof_max_u64(
        t->resolution_ns,
        run->kind == MPROF_RUN_INDEXED ? NS_PER_MS : run->clock_resolution_ns);
    add_to(&t->truncated, mprof_mul_sat_u64(run->truncated_stacks, times(run)));
    if (run->peak_bytes != 0) {
        add_to(&t->peak_bytes, mprof_mul_sat_u64(run->peak_bytes, times(run)));
        add_to(&t->peak_runs, run->count);
        t->peak_ns = mprof_max_u64(t->peak_ns, run->peak_ns);
    }
    t->stack_depth_max =
        mprof_max_u64(t->stack_depth_max, run->stack_depth_max);
    t->own_memory_bytes =
        mprof_max_u64(t->own_memory_bytes, run->own_memory_bytes);
}

bool mpdata_run_totals_are_now(const struct mpdata_view *view)
{
    bool are_now = false;

    for (uint32_t i = 0; i < view->run_count; i++) {
        const struct mpdata_run *const run = &view->runs[i];

        if (run->is_middle && run->has_live)
            are_now = true;
        else if (run->has_live ||
                 (run->kind == MPROF_RUN_MEMPROF && run->dump == 0))
            return false;
    }
    return are_now;
}

bool mpdata_run_totals_are_moments(const struct mpdata_view *view)
{
    uint32_t count = 0;

    while (count < view->run_count && view->runs[count].alive_ns != 0)
        count++;
    return count != 0 && count == view->run_count;
}

static void find_measured(const struct mpdata_view *view,
                          struct mpdata_run_totals *t)
{
    for (uint32_t i = 0; i < view->context_count; i++) {
        if ((view->contexts[i].flags & MPROF_CONTEXT_FL_NOT_MEASURED) == 0)
            t->has_measured = true;
        else
            t->has_unmeasured = true;
    }
}

enum mprof_err mpdata_run_totals(const struct mpdata_view *view,
                                 struct mpdata_run_totals *totals)
{
    const uint32_t count = view->run_count;
    uint64_t llvm_dumps = 0; /* LLVM's dumps do not identify their process */
    struct mpdata_run *rows = mpdata_vec_array(count, sizeof(*rows));

    if (rows == NULL)
        return MPROF_E_NOMEM;
    *totals =
        (struct mpdata_run_totals){.first_start_ns = UINT64_MAX,
                                   .is_now = mpdata_run_totals_are_now(view)};
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = view->runs[i];
        add_dump(totals, &rows[i]);
        add_foreign(totals, &rows[i]);
        if (rows[i].kind == MPROF_RUN_LLVM)
            add_to(&llvm_dumps, rows[i].count);
    }
    find_measured(view, totals);
    add_foreign_peaks(totals, view);
    if (llvm_dumps > 1)
        totals->repeating = llvm_dumps;
    qsort(rows, count, sizeof(*rows), compare_rows);
    for (uint32_t i = 0; i < count;) {
        uint32_t end = i + 1;

        while (end < count && is_same_process(&rows[i], &rows[end]))
            end++;
        add_process(totals, rows + i, end - i);
        i = end;
    }
    free(rows);
    return MPROF_E_OK;
}

uint64_t mpdata_run_totals_lived(const struct mpdata_run_totals *totals,
                                 double *average_ns)
{
    const uint64_t lived =
        mprof_sub_sat_u64(totals->runs, totals->unlived_runs);
    const uint64_t timed = mprof_sub_sat_u64(lived, totals->untimed_runs);
    const uint64_t duration_ns =
        mprof_sub_sat_u64(totals->duration_ns, totals->unlived_ns);

    *average_ns = (double)duration_ns / (double)mprof_max_u64(timed, 1);
    return lived;
}
