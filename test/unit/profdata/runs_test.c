/* runs_test.c -- packed runs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/runs.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define MANY 20000

/* All members, each with what few runs have. */
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
                               .executable = UINT32_MAX - (uint32_t)n,
                               .host = (uint32_t)n,
                               .options = (uint32_t)n + 1,
                               .tool = (uint32_t)n + 2};
}

/* Of one service: only what must differ does. */
static struct mpdata_run usual_run(struct gen *g, uint32_t n)
{
    return (struct mpdata_run){.run_id = gen_next(g),
                               .count = 1,
                               .pid = 1000 + n % 60000,
                               .start_ns = UINT64_C(1795281658000000000) +
                                           (uint64_t)n * 20000000,
                               .duration_ns = 1000000 + gen_below(g, 100000),
                               .clock_resolution_ns = 1000,
                               .own_memory_bytes = 400000 + gen_below(g, 9999),
                               .stack_depth_max = 80,
                               .own_time_ns = 50000 + gen_below(g, 500000),
                               .timed_calls = 1 + gen_below(g, 3),
                               .contexts = 480 + gen_below(g, 20),
                               .executable = 3,
                               .host = 1,
                               .options = 2,
                               .tool = 4};
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
    MEMBER(cell_bytes)
    MEMBER(stack_depth_max)
    MEMBER(own_time_ns)
    MEMBER(timed_calls)
    MEMBER(contexts)
    MEMBER(executable)
    MEMBER(host)
    MEMBER(options)
    MEMBER(tool)
#undef MEMBER
}

static void every_member_comes_back(void **state)
{
    struct mpdata_runs runs;
    struct mpdata_runs_walk walk = {.chunk = 0};
    struct mpdata_run run;

    (void)state;
    mpdata_runs_init(&runs);
    for (uint64_t n = 0; n < MANY; n++) {
        run = odd_run(n);
        assert_true(mpdata_runs_add(&runs, &run));
    }
    assert_int_equal(runs.count, MANY);
    for (uint64_t n = 0; n < MANY; n++) {
        const struct mpdata_run expected = odd_run(n);

        assert_true(mpdata_runs_next(&runs, &walk, &run));
        assert_runs(&run, &expected);
    }
    assert_false(mpdata_runs_next(&runs, &walk, &run));
    mpdata_runs_fini(&runs);
}

/* Counts of every length, in any order, and with the index made anew. */
static void equal_runs_are_counted(void **state)
{
    static const uint64_t more[] = {1, 1, 126, 1, 100, UINT64_C(1) << 40, 5};
    struct mpdata_runs runs;
    uint64_t sum = 0;

    (void)state;
    mpdata_runs_init(&runs);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(more); i++) {
        sum += more[i];
        for (uint64_t n = 0; n < 100; n++) {
            struct mpdata_run run = odd_run(n);

            run.count = more[i];
            assert_true(mpdata_runs_add(&runs, &run));
        }
        if (i % 2 == 0)
            mpdata_runs_seal(&runs);
        assert_true(mpdata_runs_sort(&runs));
        assert_int_equal(runs.count, 100);
        for (uint32_t n = 0; n < 100; n++) {
            struct mpdata_run expected = odd_run(n);
            struct mpdata_run run;

            expected.count = sum;
            mpdata_runs_get(&runs, n, &run);
            assert_runs(&run, &expected);
        }
    }
    mpdata_runs_fini(&runs);
}

static void a_count_saturates_and_may_be_0(void **state)
{
    struct mpdata_runs runs;
    struct mpdata_run run = odd_run(1);
    struct mpdata_run got;

    (void)state;
    mpdata_runs_init(&runs);
    run.count = 0;
    assert_true(mpdata_runs_add(&runs, &run));
    mpdata_runs_get(&runs, 0, &got);
    assert_true(got.count == 0);
    run.count = UINT64_MAX;
    assert_true(mpdata_runs_add(&runs, &run));
    assert_true(mpdata_runs_add(&runs, &run));
    mpdata_runs_get(&runs, 0, &got);
    assert_true(got.count == UINT64_MAX);
    assert_int_equal(runs.count, 1);
    mpdata_runs_fini(&runs);
}

static struct mpdata_run rename_host(const void *context,
                                     const struct mpdata_run *run)
{
    struct mpdata_run other = *run;

    other.host += *(const uint32_t *)context;
    return other;
}

static void copies_turn_and_empty(void **state)
{
    const uint32_t more = 5;
    struct mpdata_runs from;
    struct mpdata_runs into;

    (void)state;
    for (int empty = 0; empty < 2; empty++) {
        mpdata_runs_init(&from);
        mpdata_runs_init(&into);
        for (uint64_t n = 0; n < MANY; n++) {
            struct mpdata_run run = odd_run(n);

            assert_true(mpdata_runs_add(&from, &run));
        }
        assert_true(mpdata_runs_copy(&into, &from, empty != 0 ? &from : NULL,
                                     rename_host, &more));
        assert_int_equal(from.count, empty != 0 ? 0 : MANY);
        assert_int_equal(into.count, MANY);
        assert_true(mpdata_runs_sort(&into));
        for (uint32_t n = 0; n < MANY; n += 97) {
            struct mpdata_run expected = odd_run(n);
            struct mpdata_run run;

            expected.host += more;
            mpdata_runs_get(&into, n, &run);
            assert_runs(&run, &expected);
        }
        mpdata_runs_fini(&from);
        mpdata_runs_fini(&into);
    }
}

static void add_many(struct mpdata_runs *runs)
{
    struct gen g = {.state = 1};

    mpdata_runs_init(runs);
    for (uint32_t n = 0; n < MANY; n++) {
        const struct mpdata_run run = usual_run(&g, n);

        assert_true(mpdata_runs_add(runs, &run));
    }
    assert_int_equal(runs->count, MANY);
}

static void assert_many(const struct mpdata_runs *runs)
{
    struct gen g = {.state = 1};
    struct mpdata_runs_walk walk = {.chunk = 0};

    for (uint32_t n = 0; n < MANY; n++) {
        const struct mpdata_run expected = usual_run(&g, n);
        struct mpdata_run run;

        assert_true(mpdata_runs_next(runs, &walk, &run));
        assert_runs(&run, &expected);
    }
}

/* The reason for all this. */
static void a_run_takes_few_bytes(void **state)
{
    struct mpdata_runs runs;

    (void)state;
    add_many(&runs);
    assert_true(mpdata_runs_bytes(&runs) < 30 * MANY);
    mpdata_runs_fini(&runs);
}

/* Many lie in a file where there can be one, else in memory. */
static void many_lie_in_a_file(void **state)
{
    const int fd = open(".", O_TMPFILE | O_RDWR, 0600);
    const bool can = fd >= 0 && fallocate(fd, 0, 0, 4096) == 0;
    struct mpdata_runs runs;

    (void)state;
    if (fd >= 0)
        close(fd);
    setenv("TMPDIR", ".", 1);
    add_many(&runs);
    assert_int_equal(runs.spill_fd >= 0 && !runs.has_no_spill, can);
    assert_many(&runs);
    mpdata_runs_fini(&runs);

    setenv("TMPDIR", "no/such/folder", 1);
    add_many(&runs);
    assert_true(runs.spill_fd < 0);
    assert_many(&runs);
    mpdata_runs_fini(&runs);
    unsetenv("TMPDIR");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_comes_back),
        cmocka_unit_test(equal_runs_are_counted),
        cmocka_unit_test(a_count_saturates_and_may_be_0),
        cmocka_unit_test(copies_turn_and_empty),
        cmocka_unit_test(a_run_takes_few_bytes),
        cmocka_unit_test(many_lie_in_a_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
