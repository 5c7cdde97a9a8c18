/* runs.c -- the runs of a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/runs.h"
#include "profdata/base/hash.h"
#include "profdata/model/run_columns.h"

#include <stdlib.h>
#include <string.h>

enum column {
#define X(column, member, kind) COLUMN_##member,
    MPDATA_INDEX_RUN_COLUMNS(X)
#undef X
        COLUMNS
};

/* A new member must be added to the columns, or it would be lost: 42 numbers of
 * 64 bits, 11 of 32 bits and a gap. */
_Static_assert(COLUMNS == 53 &&
                   sizeof(struct mpdata_run) ==
                       42 * sizeof(uint64_t) + 12 * sizeof(uint32_t),
               "list what a run has more, or less");

/* All columns but the count, which is 0, in the order of the file. */
struct key {
    uint64_t columns[COLUMNS];
};

static struct key key_of(const struct mpdata_run *run)
{
    struct key key = {{
#define X(column, member, kind) run->member,
        MPDATA_INDEX_RUN_COLUMNS(X)
#undef X
    }};

    key.columns[COLUMN_count] = 0;
    return key;
}

/* Ids are random, so they nearly always decide. */
static int compare_runs(const void *left, const void *right)
{
    const struct mpdata_run *const first = left;
    const struct mpdata_run *const second = right;
    int order = mprof_compare_u64(first->run_id, second->run_id);

    if (order != 0)
        return order;
    struct key a = key_of(first);
    struct key b = key_of(second);
    for (size_t i = 0; i < COLUMNS && order == 0; i++)
        order = mprof_compare_u64(a.columns[i], b.columns[i]);
    return order;
}

static bool equal_runs(const void *rows, uint32_t row, const void *run)
{
    return compare_runs((const struct mpdata_run *)rows + row, run) == 0;
}

static uint64_t hash_run(const struct mpdata_run *run)
{
    const struct key key = key_of(run);

    return mpdata_hash_bytes(&key, sizeof(key));
}

void mpdata_runs_init(struct mpdata_runs *runs)
{
    *runs =
        (struct mpdata_runs){.rows = {.elem_bytes = sizeof(struct mpdata_run)},
                             .add_up_at = 2 * MPDATA_RUNS_MAX};
}

void mpdata_runs_seal(struct mpdata_runs *runs)
{
    mpdata_map_fini(&runs->map);
}

void mpdata_runs_fini(struct mpdata_runs *runs)
{
    mpdata_vec_fini(&runs->rows);
    mpdata_runs_seal(runs);
}

/* -- summing --------------------------------------------------------------- */

/* Compares the members that a summed run keeps. */
static int compare_groups(const void *left, const void *right)
{
    const struct mpdata_run *const a = left;
    const struct mpdata_run *const b = right;

#define COMPARE(member)         \
    if (a->member != b->member) \
        return mprof_compare_u64(a->member, b->member);
    COMPARE(executable)
    COMPARE(host)
    COMPARE(options)
    COMPARE(tool)
    COMPARE(known_leaks)
    COMPARE(has_other_malloc)
    COMPARE(is_middle)
    COMPARE(alive_ns)
    COMPARE(after_ns)
    COMPARE(kind)
    COMPARE(cell_bytes)
    COMPARE(pid)
    COMPARE(start_ns)
    COMPARE(dump)
    COMPARE(sample_period_bytes)
    COMPARE(access_period)
    COMPARE(has_live)
#undef COMPARE
    /* Dump numbers must not be lost: such runs stay single. */
    return a->dump != 0 ? compare_runs(a, b) : 0;
}

#define SINCE_START 9

/* Members that each dump counts from the process's start: the last dump has the
 * process's totals. */
static void list_since_start(struct mpdata_run *run, uint64_t *to[SINCE_START])
{
    to[0] = &run->duration_ns;
    to[1] = &run->own_time_ns;
    to[2] = &run->timed_calls;
    to[3] = &run->dropped_blocks;
    to[4] = &run->foreign_frees;
    to[5] = &run->handler_jumps;
    to[6] = &run->context_checks;
    to[7] = &run->context_differences;
    to[8] = &run->bursts;
}

/* Turns a single run into a sum. */
static void begin_sum(struct mpdata_run *run)
{
    const bool is_process = run->pid != 0 && run->start_ns != 0;
    uint64_t *members[SINCE_START];

    if (mpdata_runs_is_sum(run))
        return;
    run->run_id = 0;
    if (run->timed_calls == 0)
        run->own_time_ns = 0;
    list_since_start(run, members);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(members) && !is_process; i++)
        *members[i] = mprof_mul_sat_u64(*members[i], run->count);
    run->truncated_stacks =
        mprof_mul_sat_u64(run->truncated_stacks, run->count);
    run->contexts = mprof_mul_sat_u64(run->contexts, run->count);
    run->peak_bytes = mprof_mul_sat_u64(run->peak_bytes, run->count);
}

int mpdata_runs_compare_resident(const struct mpdata_run *a,
                                 const struct mpdata_run *b)
{
    int order = mprof_compare_u64(a->rss_highest, b->rss_highest);

#define Y(X, number, name, member, text) \
    order = order != 0 ? order : mprof_compare_u64(a->member, b->member);
    MPROF_RESIDENT(Y, )
#undef Y
    return order;
}

/* Adds a sum to another of the same group. */
static void add_sum(struct mpdata_run *sum, struct mpdata_run *more)
{
    const bool is_process = sum->pid != 0 && sum->start_ns != 0;
    uint64_t *members[SINCE_START];
    uint64_t *others[SINCE_START];

    list_since_start(sum, members);
    list_since_start(more, others);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(members); i++)
        *members[i] = is_process ? mprof_max_u64(*members[i], *others[i])
                                 : mprof_add_sat_u64(*members[i], *others[i]);
#define ADD(member) sum->member = mprof_add_sat_u64(sum->member, more->member);
    ADD(count)
    ADD(truncated_stacks)
    ADD(contexts)
    ADD(peak_bytes)
#undef ADD
#define MAX(member) sum->member = mprof_max_u64(sum->member, more->member);
    MAX(clock_resolution_ns)
    MAX(own_memory_bytes)
    MAX(stack_depth_max)
    MAX(peak_ns)
#undef MAX
    if (mpdata_runs_compare_resident(sum, more) >= 0)
        return;
#define Y(X, number, name, member, text) sum->member = more->member;
    MPROF_RESIDENT(Y, )
#undef Y
}

/* Makes one row of each group with several runs; single runs stay unchanged. */
static void add_up(struct mpdata_runs *runs)
{
    struct mpdata_run *const rows = runs->rows.data;
    uint32_t n = 0;

    mpdata_runs_seal(runs);
    qsort(rows, runs->rows.count, sizeof(*rows), compare_groups);
    for (uint32_t i = 0; i < runs->rows.count; i++) {
        struct mpdata_run run = rows[i];

        if (n != 0 && compare_groups(&rows[n - 1], &run) == 0) {
            begin_sum(&rows[n - 1]);
            begin_sum(&run);
            add_sum(&rows[n - 1], &run);
        } else {
            rows[n++] = run;
        }
    }
    runs->rows.count = n;
}

static bool has_sum(const struct mpdata_runs *runs)
{
    const struct mpdata_run *const rows = runs->rows.data;

    for (uint32_t i = 0; i < runs->rows.count; i++) {
        if (mpdata_runs_is_sum(&rows[i]))
            return true;
    }
    return false;
}

void mpdata_runs_canonical(struct mpdata_runs *runs)
{
    if (runs->rows.count > MPDATA_RUNS_MAX || has_sum(runs))
        add_up(runs);
    mpdata_runs_seal(runs);
    if (runs->rows.count != 0)
        qsort(runs->rows.data, runs->rows.count, sizeof(struct mpdata_run),
              compare_runs);
}

/* -- adding ---------------------------------------------------------------- */

static bool index_rows(struct mpdata_runs *runs)
{
    const struct mpdata_run *const rows = runs->rows.data;

    for (uint32_t i = 0; i < runs->rows.count; i++) {
        if (!mpdata_map_add(&runs->map, hash_run(&rows[i]), i + 1)) {
            mpdata_runs_seal(runs);
            return false;
        }
    }
    return true;
}

bool mpdata_runs_add(struct mpdata_runs *runs, const struct mpdata_run *run)
{
    const uint64_t hash = hash_run(run);

    if (runs->rows.count >= runs->add_up_at) {
        add_up(runs);
        runs->add_up_at = mprof_max_u64(
            2 * MPDATA_RUNS_MAX,
            mprof_min_u64(2 * (uint64_t)runs->rows.count, MPDATA_VEC_ROWS_MAX));
    }
    if (runs->map.count != runs->rows.count && !index_rows(runs))
        return false;
    /* Equal sums are both kept: mpdata_runs_canonical() adds them up. */
    uint32_t ref = mpdata_runs_is_sum(run)
                       ? 0
                       : mpdata_map_find(&runs->map, hash, equal_runs,
                                         runs->rows.data, run);
    if (ref != 0) {
        struct mpdata_run *const row =
            (struct mpdata_run *)runs->rows.data + ref - 1;

        row->count = mprof_add_sat_u64(row->count, run->count);
        return true;
    }
    if (!mpdata_vec_add(&runs->rows, run))
        return false;
    if (mpdata_map_add(&runs->map, hash, runs->rows.count))
        return true;
    runs->rows.count--;
    return false;
}
