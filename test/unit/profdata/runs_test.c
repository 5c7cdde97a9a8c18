/* runs_test.c -- tests runs, and the limit of their number.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/run_totals.h"
#include "profdata/model/runs.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

#define MANY (3 * MPDATA_RUNS_MAX)

/* All members, each with a value that few runs have. */
static struct mpdata_run odd_run(uint64_t n)
{
    return (struct mpdata_run){.run_id = n * 7,
                               .count = 1,
                               .kind = (uint32_t)n % 3,
                               .pid = UINT64_MAX - n,
                               .start_ns = n << 40,
                               .duration_ns = n % 2 != 0 ? UINT64_MAX : 0,
                               .clock_resolution_ns = n,
                               .truncated_stacks = n * n,
                               .dropped_blocks = UINT64_C(1) << n % 64,
                               .own_memory_bytes = n ^ UINT64_MAX,
                               .foreign_frees = n + 1,
                               .cell_bytes = n + 2,
                               .stack_depth_max = n + 3,
                               .own_time_ns = n + 4,
                               .timed_calls = n + 5,
                               .contexts = n + 6,
                               .handler_jumps = n + 7,
                               .context_checks = n + 8,
                               .context_differences = n + 9,
                               .executable = UINT32_MAX - (uint32_t)n,
                               .host = (uint32_t)n,
                               .options = (uint32_t)n + 1,
                               .tool = (uint32_t)n + 2,
                               .has_other_malloc = n % 2,
                               .is_middle = n / 2 % 2,
                               .alive_ns = n + 10,
                               .after_ns = n + 11};
}

/* Dumps of `processes` processes of 4 programs, or of unknown ones. */
static struct mpdata_run some_dump(struct gen *g, uint64_t processes)
{
    const uint64_t process = gen_below(g, processes + 1);

    return (struct mpdata_run){.run_id = 1 + gen_below(g, 4 * MANY),
                               .count = 1 + gen_below(g, 3),
                               .pid = process,
                               .start_ns = process * 1000,
                               .duration_ns = gen_below(g, 1000000),
                               .clock_resolution_ns = gen_below(g, 3),
                               .truncated_stacks = gen_below(g, 2),
                               .own_memory_bytes = gen_below(g, 9999),
                               .stack_depth_max = 80 + gen_below(g, 2),
                               .own_time_ns = gen_below(g, 500000),
                               .timed_calls = gen_below(g, 3),
                               .contexts = gen_below(g, 20),
                               .handler_jumps = gen_below(g, 9),
                               .rss_peak_held = gen_below(g, 9),
                               .rss_end_code = gen_below(g, 9),
                               .rss_highest = gen_below(g, 9),
                               .executable = (uint32_t)(process % 4),
                               .host = 1,
                               .options = 2,
                               .tool = 4,
                               .has_other_malloc = (uint32_t)(process % 3 == 2),
                               .is_middle = (uint32_t)(process % 4 == 2)};
}

static void assert_runs(const struct mpdata_run *a, const struct mpdata_run *b)
{
#define MEMBER(name) assert_true(a->name == b->name);
    MEMBER(run_id)
    MEMBER(count)
    MEMBER(kind)
    MEMBER(pid)
    MEMBER(start_ns)
    MEMBER(duration_ns)
    MEMBER(clock_resolution_ns)
    MEMBER(truncated_stacks)
    MEMBER(dropped_blocks)
    MEMBER(own_memory_bytes)
    MEMBER(foreign_frees)
    MEMBER(handler_jumps)
    MEMBER(context_checks)
    MEMBER(context_differences)
    MEMBER(cell_bytes)
    MEMBER(stack_depth_max)
    MEMBER(own_time_ns)
    MEMBER(timed_calls)
    MEMBER(contexts)
    MEMBER(executable)
    MEMBER(host)
    MEMBER(options)
    MEMBER(tool)
    MEMBER(has_other_malloc)
    MEMBER(is_middle)
    MEMBER(alive_ns)
    MEMBER(after_ns)
    MEMBER(rss_peak_held)
    MEMBER(rss_end_code)
    MEMBER(rss_highest)
#undef MEMBER
}

static const struct mpdata_run *row_at(const struct mpdata_runs *runs,
                                       uint32_t row)
{
    return (const struct mpdata_run *)runs->rows.data + row;
}

static void add(struct mpdata_runs *runs, const struct mpdata_run *run)
{
    assert_true(mpdata_runs_add(runs, run));
}

static void every_member_tells_runs_apart(void **state)
{
    struct mpdata_runs runs;

    (void)state;
    mpdata_runs_init(&runs);
    for (uint64_t n = 1; n < 1000; n++) {
        const struct mpdata_run run = odd_run(n);

        add(&runs, &run);
        add(&runs, &run);
    }
    assert_int_equal(runs.rows.count, 999);
    mpdata_runs_canonical(&runs);
    for (uint32_t n = 0; n < 999; n++) {
        struct mpdata_run expected = odd_run(n + 1);

        expected.count = 2;
        assert_runs(row_at(&runs, n), &expected);
    }
    mpdata_runs_fini(&runs);
}

static void a_run_may_be_added_after_ordering(void **state)
{
    const struct mpdata_run late = odd_run(1);
    const struct mpdata_run early = odd_run(2);
    struct mpdata_runs runs;

    (void)state;
    mpdata_runs_init(&runs);
    add(&runs, &early);
    add(&runs, &late);
    mpdata_runs_canonical(&runs);
    add(&runs, &late);
    assert_int_equal(runs.rows.count, 2);
    assert_int_equal(row_at(&runs, 0)->count, 2);
    mpdata_runs_fini(&runs);
}

static void a_count_saturates_and_may_be_0(void **state)
{
    struct mpdata_runs runs;
    struct mpdata_run run = odd_run(1);

    (void)state;
    mpdata_runs_init(&runs);
    run.count = 0;
    add(&runs, &run);
    assert_true(row_at(&runs, 0)->count == 0);
    run.count = UINT64_MAX;
    add(&runs, &run);
    add(&runs, &run);
    assert_true(row_at(&runs, 0)->count == UINT64_MAX);
    assert_int_equal(runs.rows.count, 1);
    mpdata_runs_fini(&runs);
}

/* One more than the limit of separate runs. */
static void too_many_are_added_up(void **state)
{
    struct mpdata_runs runs;

    (void)state;
    for (uint32_t more = 0; more < 2; more++) {
        mpdata_runs_init(&runs);
        for (uint32_t n = 0; n < MPDATA_RUNS_MAX + more; n++) {
            const struct mpdata_run run = {.run_id = n + 1,
                                           .count = 2,
                                           .duration_ns = 10,
                                           .own_memory_bytes = n};

            add(&runs, &run);
        }
        mpdata_runs_canonical(&runs);
        assert_int_equal(runs.rows.count, more != 0 ? 1 : MPDATA_RUNS_MAX);
        mpdata_runs_canonical(&runs);
        if (more == 0)
            mpdata_runs_fini(&runs);
    }
    assert_true(mpdata_runs_is_sum(row_at(&runs, 0)));
    assert_int_equal(row_at(&runs, 0)->count, 2 * (MPDATA_RUNS_MAX + 1));
    assert_int_equal(row_at(&runs, 0)->duration_ns, 20 * (MPDATA_RUNS_MAX + 1));
    assert_int_equal(row_at(&runs, 0)->own_memory_bytes, MPDATA_RUNS_MAX);
    mpdata_runs_fini(&runs);
}

static struct mpdata_run_totals totals_of(const struct mpdata_runs *runs)
{
    const struct mpdata_view view = {.runs = runs->rows.data,
                                     .run_count = runs->rows.count};
    struct mpdata_run_totals totals;

    assert_int_equal(mpdata_run_totals(&view, &totals), MPROF_E_OK);
    return totals;
}

/* A process with many dumps counts once, as before. */
static void sums_keep_processes_apart(void **state)
{
    struct gen g = {.state = 1};
    struct mpdata_run_totals before;
    struct mpdata_run_totals after;
    struct mpdata_runs runs;

    (void)state;
    mpdata_runs_init(&runs);
    for (uint32_t n = 0; n < MPDATA_RUNS_MAX + 100; n++) {
        struct mpdata_run run = some_dump(&g, 100);

        run.run_id = n + 1;
        run.count = 1;
        add(&runs, &run);
    }
    before = totals_of(&runs);
    mpdata_runs_canonical(&runs);
    assert_in_range(runs.rows.count, 1, 101);
    after = totals_of(&runs);
    assert_memory_equal(&before, &after, sizeof(before));
    mpdata_runs_fini(&runs);
}

static void add_all(struct mpdata_runs *into, const struct mpdata_runs *from)
{
    for (uint32_t i = 0; i < from->rows.count; i++)
        add(into, row_at(from, i));
}

/* The same runs in `parts`, each of which may be written to a file, in the
 * order that the seed gives. */
static void add_in_parts(struct mpdata_runs *runs, const struct mpdata_run *all,
                         uint32_t count, uint32_t parts, uint64_t seed)
{
    struct gen g = {.state = seed};
    struct mpdata_runs part[8];

    for (uint32_t p = 0; p < parts; p++)
        mpdata_runs_init(&part[p]);
    for (uint32_t i = 0; i < count; i++)
        add(&part[gen_below(&g, parts)], &all[seed % 2 ? i : count - 1 - i]);
    mpdata_runs_init(runs);
    for (uint32_t p = 0; p < parts; p++) {
        if (gen_below(&g, 2) != 0)
            mpdata_runs_canonical(&part[p]);
        add_all(runs, &part[p]);
        mpdata_runs_fini(&part[p]);
    }
    mpdata_runs_canonical(runs);
}

static void any_grouping_gives_the_same(void **state)
{
    static const uint64_t processes[] = {0, 5, 3000, 100 * MANY};
    struct mpdata_run *all = (struct mpdata_run *)calloc(MANY, sizeof(*all));

    (void)state;
    for (uint64_t seed = 0; seed < 24; seed++) {
        struct gen g = {.state = seed};
        /* Around the limit, and far above it. */
        const uint32_t count =
            seed % 3 == 0 ? MPDATA_RUNS_MAX + (uint32_t)seed : MANY;
        struct mpdata_runs runs;
        struct mpdata_runs first;

        for (uint32_t i = 0; i < count; i++)
            all[i] = some_dump(&g, processes[seed / 3 % 4]);
        add_in_parts(&first, all, count, 1, seed);
        for (uint32_t parts = 2; parts <= 8; parts *= 2) {
            add_in_parts(&runs, all, count, parts, seed + parts + 1);
            assert_int_equal(runs.rows.count, first.rows.count);
            for (uint32_t i = 0; i < runs.rows.count; i++)
                assert_runs(row_at(&runs, i), row_at(&first, i));
            mpdata_runs_fini(&runs);
        }
        mpdata_runs_fini(&first);
    }
    free(all);
}

/* As a weight gives for a file with too many runs. */
static void equal_sums_both_count(void **state)
{
    struct gen g = {.state = 7};
    struct mpdata_runs direct;
    struct mpdata_runs once;
    struct mpdata_runs twice;

    (void)state;
    mpdata_runs_init(&direct);
    mpdata_runs_init(&once);
    mpdata_runs_init(&twice);
    for (uint32_t i = 0; i < MANY; i++) {
        struct mpdata_run run = some_dump(&g, 0);
        add(&once, &run);
        run.count *= 2;
        add(&direct, &run);
    }
    mpdata_runs_canonical(&direct);
    mpdata_runs_canonical(&once);
    add_all(&twice, &once);
    add_all(&twice, &once);
    mpdata_runs_canonical(&twice);
    assert_int_equal(twice.rows.count, direct.rows.count);
    for (uint32_t i = 0; i < twice.rows.count; i++)
        assert_runs(row_at(&twice, i), row_at(&direct, i));
    mpdata_runs_fini(&direct);
    mpdata_runs_fini(&once);
    mpdata_runs_fini(&twice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_tells_runs_apart),
        cmocka_unit_test(a_run_may_be_added_after_ordering),
        cmocka_unit_test(a_count_saturates_and_may_be_0),
        cmocka_unit_test(too_many_are_added_up),
        cmocka_unit_test(sums_keep_processes_apart),
        cmocka_unit_test(any_grouping_gives_the_same),
        cmocka_unit_test(equal_sums_both_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
