/* diff_test.c -- tests the differences of two profiles: their sums, and that
 * equal profiles have none.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/compare/diff.h"
#include "profdata/base/units.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

static struct mpdata_profile *make(uint64_t seed)
{
    struct mpdata_profile *p = gen_profile(seed, 40);

    assert_int_equal(mpdata_profile_canonical_in_place(p), MPROF_E_OK);
    return p;
}

static void compare(struct mpdata_diff *diff, const struct mpdata_profile *a,
                    const struct mpdata_profile *b, enum mpdata_by by,
                    bool is_absolute)
{
    const struct mpdata_profile *const profiles[] = {a, b};
    const struct mpdata_diff_options options = {
        .by = by, .metric = MPDATA_METRIC_BYTES, .is_absolute = is_absolute};

    assert_int_equal(mpdata_diff_make(diff, profiles, &options), MPROF_E_OK);
}

/* Except for pools, which the profiles lack. */
#define FOR_EACH_BY(by)                                            \
    for (enum mpdata_by by = MPDATA_BY_STACK; by < MPDATA_BY_POOL; \
         by = (enum mpdata_by)(by + 1))

static void a_profile_is_as_itself(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct mpdata_profile *const p = make(seed);

        FOR_EACH_BY(by)
        {
            struct mpdata_diff diff;

            compare(&diff, p, p, by, false);
            assert_int_equal(diff.count, 0);
            assert_true(diff.kinds[MPDATA_DIFF_SAME_KIND] != 0);
            mpdata_diff_fini(&diff);
        }
        mpdata_profile_free(p);
    }
}

static int64_t sum_changes(const struct mpdata_diff *diff)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < diff->count; i++)
        sum += (int64_t)(diff->rows[i].self[MPDATA_DIFF_NEW] -
                         diff->rows[i].self[MPDATA_DIFF_OLD]);
    return sum;
}

static int64_t total_change(const struct mpdata_diff *diff)
{
    return (int64_t)(diff->sides[MPDATA_DIFF_NEW].totals.TotalSize -
                     diff->sides[MPDATA_DIFF_OLD].totals.TotalSize);
}

static void rows_add_up_to_the_whole(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 40; seed++) {
        struct mpdata_profile *const a = make(seed);
        struct mpdata_profile *const b = make(seed + 1);
        struct mpdata_diff there;
        struct mpdata_diff back;

        compare(&there, a, b, MPDATA_BY_STACK, true);
        compare(&back, b, a, MPDATA_BY_STACK, true);
        assert_true(sum_changes(&there) == total_change(&there));
        assert_true(sum_changes(&back) == -total_change(&there));
        mpdata_diff_fini(&there);
        mpdata_diff_fini(&back);
        mpdata_profile_free(a);
        mpdata_profile_free(b);
    }
}

static void all_of_a_profile_is_new_to_an_empty_one(void **state)
{
    struct mpdata_profile *const none = mpdata_profile_new();
    struct mpdata_profile *const p = make(7);

    (void)state;
    FOR_EACH_BY(by)
    {
        struct mpdata_diff diff;

        compare(&diff, none, p, by, false);
        assert_int_equal(diff.count, diff.kinds[MPDATA_DIFF_NEW_KIND]);
        assert_true(diff.count != 0);
        mpdata_diff_fini(&diff);
        compare(&diff, p, none, by, false);
        assert_int_equal(diff.count, diff.kinds[MPDATA_DIFF_GONE_KIND]);
        mpdata_diff_fini(&diff);
    }
    mpdata_profile_free(none);
    mpdata_profile_free(p);
}

/* -- calls in one function --------------------------------------------------- */

struct call {
    uint32_t line;
    uint64_t bytes;
};

/* A profile of main(), whose first line is given, and which allocates. */
static struct mpdata_profile *make_calls(uint32_t first,
                                         const struct call *calls, size_t count)
{
    struct mpdata_profile *const p = mpdata_profile_new();
    const struct mpdata_function main_function = {.name = gen_string(p, "main"),
                                                  .guid =
                                                      mpdata_guid("main", 4),
                                                  .line = first};
    const mpdata_ref function = mpdata_profile_function(p, &main_function);

    for (size_t i = 0; i < count; i++) {
        const struct mpdata_frame frame = {.function = function,
                                           .line = first + calls[i].line};
        const struct mprof_mib mib = {.AllocCount = 1,
                                      .TotalSize = calls[i].bytes};

        mpdata_profile_context(
            p, mpdata_profile_node(p, 0, mpdata_profile_frame(p, &frame)), 0,
            &mib, MPDATA_CELLS_NONE);
    }
    assert_int_equal(mpdata_profile_canonical_in_place(p), MPROF_E_OK);
    return p;
}

#define CALLS_MAX 6

struct edit {
    struct call before[CALLS_MAX];
    struct call after[CALLS_MAX];
    uint32_t kinds[MPDATA_DIFF_KIND_COUNT]; /* expected */
};

static size_t count_calls(const struct call *calls)
{
    size_t count = 0;

    while (count < CALLS_MAX && calls[count].bytes != 0)
        count++;
    return count;
}

#define KINDS(same, new, gone, grown, shrunk)                                 \
    {                                                                         \
        [MPDATA_DIFF_SAME_KIND] = (same), [MPDATA_DIFF_NEW_KIND] = (new),     \
        [MPDATA_DIFF_GONE_KIND] = (gone), [MPDATA_DIFF_GROWN_KIND] = (grown), \
        [MPDATA_DIFF_SHRUNK_KIND] = (shrunk)                                  \
    }

static const struct edit edits[] = {
    /* a call in between, before, after */
    {{{2, 10}, {4, 20}, {6, 30}},
     {{2, 10}, {4, 5}, {5, 20}, {7, 30}},
     KINDS(3, 1, 0, 0, 0)},
    {{{2, 10}, {4, 20}}, {{2, 5}, {3, 10}, {5, 20}}, KINDS(2, 1, 0, 0, 0)},
    {{{2, 10}, {4, 20}}, {{2, 10}, {4, 20}, {5, 7}}, KINDS(2, 1, 0, 0, 0)},
    /* one call removed, and the next one at its line */
    {{{2, 10}, {4, 20}}, {{2, 20}}, KINDS(1, 0, 1, 0, 0)},
    {{{2, 10}, {4, 20}, {6, 30}}, {{2, 10}, {4, 30}}, KINDS(2, 0, 1, 0, 0)},
    /* all moved by a line, one larger */
    {{{2, 10}, {4, 20}}, {{3, 10}, {5, 25}}, KINDS(1, 0, 0, 1, 0)},
    /* unchanged lines: the same calls, whatever they allocate */
    {{{2, 10}, {4, 20}}, {{2, 20}, {4, 10}}, KINDS(0, 0, 0, 1, 1)},
    /* no amount is unchanged: as many pairs as possible, in order */
    {{{2, 10}, {4, 20}}, {{3, 11}, {5, 21}, {7, 31}}, KINDS(0, 1, 0, 2, 0)},
};

static void edits_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(edits); i++) {
        const struct edit *const e = &edits[i];
        struct mpdata_profile *const a =
            make_calls(100, e->before, count_calls(e->before));
        struct mpdata_profile *const b =
            make_calls(170, e->after, count_calls(e->after));
        struct mpdata_diff diff;

        compare(&diff, a, b, MPDATA_BY_STACK, false);
        for (size_t kind = 0; kind < MPDATA_DIFF_KIND_COUNT; kind++) {
            if (diff.kinds[kind] != e->kinds[kind])
                fail_msg("edit %zu: %u %s", i, diff.kinds[kind],
                         mpdata_diff_kind_name((enum mpdata_diff_kind)kind));
        }
        assert_true(sum_changes(&diff) == total_change(&diff));
        mpdata_diff_fini(&diff);
        mpdata_profile_free(a);
        mpdata_profile_free(b);
    }
}

/* Over all rows, changed or not, each metric adds up to the profile's. */
static void all_rows_add_up_by_any_metric(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct mpdata_profile *const a = make(seed);
        struct mpdata_profile *const b = make(seed + 1);
        const struct mpdata_profile *const profiles[] = {a, b};
        const struct mpdata_diff_options options = {.keeps_same = true};
        struct mpdata_diff diff;
        uint32_t kinds = 0;

        assert_int_equal(mpdata_diff_make(&diff, profiles, &options),
                         MPROF_E_OK);
        for (int i = 0; i < MPDATA_DIFF_KIND_COUNT; i++)
            kinds += diff.kinds[i];
        assert_int_equal(diff.count, kinds);
        for (int m = 0; m < MPDATA_METRIC_COUNT; m++) {
            for (int side = 0; side < MPDATA_DIFF_SIDES; side++) {
                uint64_t sum = 0;

                for (uint32_t i = 0; i < diff.count; i++)
                    sum = mprof_add_sat_u64(
                        sum, mpdata_diff_metric(&diff, &diff.rows[i], side,
                                                (enum mpdata_metric)m));
                assert_int_equal(sum,
                                 mpdata_metrics_get(&diff.sides[side].totals,
                                                    (enum mpdata_metric)m));
            }
        }
        mpdata_diff_fini(&diff);
        mpdata_profile_free(a);
        mpdata_profile_free(b);
    }
}

/* Also if a few bytes of very many runs became the maximum of one run. */
static void growth_is_told_in_words(void **state)
{
    const uint64_t most = UINT64_MAX;
    struct mpdata_diff diff = {.sides = {{.per = {1}}, {.per = {1}}}};

    (void)state;
    assert_string_equal(mpdata_diff_growth(&diff, 0, 0, 5).text, "new");
    assert_string_equal(mpdata_diff_growth(&diff, 0, 2, 4500).text, "x2,250");
    assert_string_equal(mpdata_diff_growth(&diff, 0, 100, 150).text, "+50.0 %");
    diff.sides[0].per[0] = most;
    assert_string_equal(mpdata_diff_growth(&diff, 0, 1, most).text,
                        "x1,000,000,000,000,000,000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growth_is_told_in_words),
        cmocka_unit_test(a_profile_is_as_itself),
        cmocka_unit_test(rows_add_up_to_the_whole),
        cmocka_unit_test(all_of_a_profile_is_new_to_an_empty_one),
        cmocka_unit_test(edits_are_found),
        cmocka_unit_test(all_rows_add_up_by_any_metric),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
