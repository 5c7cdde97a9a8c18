/* left_out_test.c -- tests the messages about call stacks that a profile lacks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/prune.h"
#include "profdata/query/left_out.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

static bool has_found; /* the last find() found something */

static const char *text_of(const struct mpdata_left_out *row)
{
    static char text[MPDATA_LEFT_OUT_TEXT_BYTES];

    return mpdata_left_out_text(row, text, sizeof(text));
}

static void options_are_named_as_long_as_they_are_few(void **state)
{
    struct mpdata_left_out row = {
        .gone_contexts = 1, .contexts = 2000, .gone_bytes = 3, .bytes = 40000};

    (void)state;
    mpdata_left_out_name(&row, "--a");
    mpdata_left_out_name(&row, "--a");
    assert_string_equal(text_of(&row),
                        "--a filtered out 1 of 2,000 call stacks, "
                        "with 3 of 40,000 bytes");
    mpdata_left_out_name(&row, "--b --a");
    assert_string_equal(row.by, "--a --b");
    assert_string_equal(text_of(&row),
                        "--a and --b filtered out 1 of 2,000 call stacks, "
                        "with 3 of 40,000 bytes");
    mpdata_left_out_name(&row, "--c");
    row.is_by_merge = row.is_at_most = true;
    assert_string_equal(text_of(&row),
                        "the filters of merge filtered out up to 1 "
                        "call stack, with 3 of 40,000 bytes");
    row.uncounted = "pools";
    assert_string_equal(text_of(&row),
                        "the filters of merge filtered out an "
                        "unknown number of call stacks of pools");
}

static void long_names_are_cut_and_odd_ones_are_harmless(void **state)
{
    char name[2 * MPDATA_LEFT_OUT_BY_BYTES];
    struct mpdata_left_out row = {.is_by_merge = true,
                                  .gone_contexts = UINT64_MAX,
                                  .contexts = UINT64_MAX,
                                  .gone_bytes = UINT64_MAX,
                                  .bytes = UINT64_MAX};

    (void)state;
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    mpdata_left_out_name(&row, name);
    assert_string_equal(row.by, "");
    name[MPDATA_LEFT_OUT_BY_BYTES - 2] = '\0';
    mpdata_left_out_name(&row, name);
    assert_int_equal(strlen(row.by), MPDATA_LEFT_OUT_BY_BYTES - 2);
    assert_non_null(strstr(text_of(&row), "615 bytes"));
    row.by[0] = '\x1b';
    row.by[1] = '\n';
    row.by[2] = '\x7f';
    assert_true(strncmp(text_of(&row), "merge ???x", 10) == 0);
}

/* Keeps `count` of the contexts, and remembers the filtered ones. */
static void prune(struct mpdata_profile **profile, uint64_t count,
                  const char *by, struct mpdata_pruned *pruned)
{
    const struct mpdata_prune how = {.contexts_max = count, .by = by};

    assert_int_equal(mpdata_prune_profile(profile, &how, pruned), MPROF_E_OK);
}

static struct mpdata_left_out find(const struct mpdata_profile *profile)
{
    const struct mpdata_view view = mpdata_profile_view(profile);

    struct mpdata_left_out row;

    has_found = mpdata_left_out_by_merge(&view, &row);
    return row;
}

static struct mpdata_profile *make(uint64_t seed)
{
    struct mpdata_profile *p = gen_profile(seed, 40);

    assert_int_equal(mpdata_profile_canonical_in_place(p), MPROF_E_OK);
    return p;
}

static void a_profile_keeps_what_was_left_out(void **state)
{
    struct mpdata_profile *p = make(7);
    const uint64_t contexts = mpdata_profile_view(p).context_count;
    struct mpdata_pruned pruned;
    struct mpdata_left_out row;

    (void)state;
    find(p);
    assert_false(has_found);
    prune(&p, contexts, "--nothing", &pruned);
    find(p);
    assert_false(has_found);
    prune(&p, 10, "--first", &pruned);
    row = find(p);
    assert_true(has_found);
    assert_string_equal(row.by, "--first");
    assert_true(row.is_by_merge);
    assert_true(row.is_at_most); /* it has several runs */
    assert_int_equal(row.gone_contexts, contexts - 10);
    assert_int_equal(row.contexts, contexts);
    assert_true(row.gone_bytes == pruned.gone_bytes);
    assert_true(row.bytes == pruned.bytes);
    /* Whatever is filtered next; nothing of it is kept. */
    prune(&p, 1, NULL, &pruned);
    row = find(p);
    assert_int_equal(row.gone_contexts, contexts - 10);
    prune(&p, 1, "--more", &pruned);
    assert_int_equal(find(p).gone_contexts, contexts - 10);
    mpdata_profile_free(p);
}

static void sums_say_the_most_that_it_can_be(void **state)
{
    struct mpdata_profile *p = make(8);
    struct mpdata_profile *q = make(8);
    const uint64_t contexts = mpdata_profile_view(p).context_count;
    struct mpdata_pruned pruned;
    struct mpdata_left_out row;

    (void)state;
    prune(&p, 5, "--b", &pruned);
    prune(&q, 6, "--a", &pruned);
    assert_int_equal(mpdata_profile_merge(p, q), MPROF_E_OK);
    assert_int_equal(mpdata_profile_canonical_in_place(p), MPROF_E_OK);
    row = find(p);
    assert_string_equal(row.by, "--a --b");
    assert_true(row.is_at_most);
    assert_int_equal(row.gone_contexts, 2 * contexts - 11);
    mpdata_profile_free(q);
    mpdata_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_named_as_long_as_they_are_few),
        cmocka_unit_test(long_names_are_cut_and_odd_ones_are_harmless),
        cmocka_unit_test(a_profile_keeps_what_was_left_out),
        cmocka_unit_test(sums_say_the_most_that_it_can_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
