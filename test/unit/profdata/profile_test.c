/* profile_test.c -- tests the profile in memory: interning, merging, canonical
 * order.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

static void equal_things_have_equal_ids(void **state)
{
    struct mpdata_profile *p = mpdata_profile_new();
    struct gen g = {.state = 3};
    struct gen h = {.state = 3};

    (void)state;
    assert_int_equal(gen_string(p, ""), 0);
    assert_int_equal(gen_string(p, "x"), gen_string(p, "x"));
    assert_int_not_equal(mpdata_profile_string(p, "x\0y", 3),
                         mpdata_profile_string(p, "x\0z", 3));
    for (int i = 0; i < 200; i++)
        assert_int_equal(gen_frame(&g, p), gen_frame(&h, p));
    assert_int_equal(mpdata_profile_node(p, 0, 1),
                     mpdata_profile_node(p, 0, 1));
    assert_int_not_equal(mpdata_profile_node(p, 0, 1),
                         mpdata_profile_node(p, 1, 1));
    assert_int_equal(mpdata_profile_node(p, 0, 0), 0);
    assert_int_equal(mpdata_profile_status(p), MPROF_E_OK);
    mpdata_profile_free(p);
    mpdata_profile_free(NULL);
}

static void paths_are_split_and_joined(void **state)
{
    static const char *const cases[][2] = {{"/usr/lib/x.so", "/usr/lib/x.so"},
                                           {"a.c", "a.c"},
                                           {"src/a.c", "src/a.c"},
                                           {"//usr//lib/", "/usr/lib"},
                                           {"/", "/"},
                                           {"../a/./b", "../a/./b"},
                                           {"", ""}};
    struct mpdata_profile *p = mpdata_profile_new();

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(cases); i++) {
        const mpdata_ref ref =
            mpdata_profile_path(p, cases[i][0], strlen(cases[i][0]));
        char *s = mpdata_profile_path_string(p, ref, NULL);

        assert_string_equal(s, cases[i][1]);
        assert_int_equal(ref == 0, cases[i][0][0] == '\0');
        free(s);
    }
    assert_int_equal(mpdata_profile_path(p, "/usr", 4),
                     mpdata_profile_path(p, "//usr/", 6));
    assert_int_not_equal(mpdata_profile_path(p, "usr", 3),
                         mpdata_profile_path(p, "/usr", 4));
    mpdata_profile_free(p);
}

static void contexts_of_one_stack_are_merged(void **state)
{
    uint64_t words[2][8];
    const struct mpdata_cells cells =
        gen_cells(words[0], (const uint64_t[]){1, 2, UINT64_MAX}, 3, false);
    const struct mpdata_cells more =
        gen_cells(words[1], (const uint64_t[]){10, 20, 30, 40}, 4, false);
    struct mprof_mib mib = {
        .AllocCount = 1, .MinSize = 4, .AccessHistogramSize = 3};
    struct mpdata_profile *p = mpdata_profile_new();
    struct mpdata_view view;

    (void)state;
    mpdata_profile_context(p, 0, 0, &mib, cells);
    mib.AccessHistogramSize = 4;
    mib.MinSize = 2;
    mpdata_profile_context(p, 0, MPROF_CONTEXT_FL_TRUNCATED, &mib, more);
    view = mpdata_profile_view(p);
    assert_int_equal(view.context_count, 1);
    assert_int_equal(mpdata_view_mib(&view, 0).AllocCount, 2);
    assert_int_equal(mpdata_view_mib(&view, 0).MinSize, 2);
    assert_int_equal(view.contexts[0].flags, MPROF_CONTEXT_FL_TRUNCATED);
    assert_int_equal(view.contexts[0].cells.count, 2 + 4);
    assert_int_equal(view.contexts[0].cells.words[2], 11);
    assert_true(view.contexts[0].cells.words[4] == UINT64_MAX);
    assert_int_equal(view.contexts[0].cells.words[5], 40);

    /* Cells of only some of the blocks would mislead. */
    mpdata_profile_context(p, 0, 0, &mib, MPDATA_CELLS_NONE);
    mpdata_profile_context(p, 0, 0, &mib, more);
    view = mpdata_profile_view(p);
    assert_null(view.contexts[0].cells.words);
    assert_int_equal(mpdata_view_mib(&view, 0).AccessHistogramSize, 4);
    mpdata_profile_free(p);
}

/* Every k-th of n cells, accessed once. */
static struct mpdata_cells make_cells(struct mpdata_cells_builder *b,
                                      uint64_t n, uint64_t k)
{
    mpdata_cells_clear(b);
    for (uint64_t i = 0; i < n; i += k)
        mpdata_cells_add(b, i, 1);
    return mpdata_cells_of(b->words, 0, b->count);
}

/* Two call stacks: the number of words of their histograms. */
static void expect_words(const struct mpdata_profile *p, size_t first,
                         size_t second)
{
    const struct mpdata_view view = mpdata_profile_view(p);

    assert_int_equal(mpdata_profile_status(p), MPROF_E_OK);
    assert_int_equal(view.context_count, 2);
    assert_int_equal(view.contexts[0].cells.count, first);
    assert_int_equal(view.contexts[1].cells.count, second);
}

/* A small addition to a large histogram is visible to every reader. */
static void large_histograms_are_whole(void **state)
{
    const struct mprof_mib mib = {.AllocCount = 1,
                                  .AccessHistogramSize = 100000};
    struct mpdata_cells_builder b = {.words = NULL};
    struct mpdata_profile *p = mpdata_profile_new();
    struct mpdata_profile *into = mpdata_profile_new();
    uint64_t one[] = {90000, 1, 1};
    const struct mpdata_cells far = {one, MPROF_ARRAY_LEN(one)};
    const mpdata_ref nodes[] = {mpdata_profile_node(p, 0, 1),
                                mpdata_profile_node(p, 0, 2)};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(nodes); i++) {
        mpdata_profile_context(p, nodes[i], 0, &mib, make_cells(&b, 10000, 10));
        mpdata_profile_context(p, nodes[i], 0, &mib, far);
    }
    expect_words(p, 3000 + 3, 3000 + 3);
    for (one[0] = 91000; one[0] < 92000; one[0] += 100)
        mpdata_profile_context(p, nodes[0], 0, &mib, far);
    assert_int_equal(mpdata_profile_merge(into, p), MPROF_E_OK);
    expect_words(into, 3000 + 33, 3000 + 3);
    mpdata_profile_free(into);
    mpdata_profile_context(p, nodes[0], 0, &mib, far);
    mpdata_profile_context(p, nodes[0], 0, &mib, MPDATA_CELLS_NONE);
    mpdata_profile_context(p, nodes[1], 0, &mib, far);
    expect_words(p, 0, 3000 + 6);
    mpdata_profile_free(p);
    mpdata_cells_fini(&b);
}

static void equal_runs_are_counted(void **state)
{
    struct mpdata_profile *p = mpdata_profile_new();
    struct mpdata_run run = {.run_id = 5, .count = 2};

    (void)state;
    mpdata_profile_run(p, &run);
    run.count = UINT64_MAX;
    mpdata_profile_run(p, &run);
    run.pid = 1;
    mpdata_profile_run(p, &run);
    assert_int_equal(mpdata_profile_view(p).run_count, 2);
    run = mpdata_profile_view(p).runs[0];
    assert_int_equal(run.run_id, 5);
    assert_true(run.count == UINT64_MAX);
    mpdata_profile_free(p);
}

static void cells_that_do_not_fit_leave_the_profile_usable(void **state)
{
    struct mpdata_profile *p = mpdata_profile_new();
    const struct mprof_mib mib = {.AllocCount = 1, .AccessHistogramSize = 4};
    struct mpdata_cells_builder b = {.words = NULL};

    (void)state;
    mpdata_profile_context(p, 0, 0, &mib, mpdata_cells_of(b.words, 0, 0));
    assert_int_equal(mpdata_profile_take_cells(p, 4), MPROF_E_OK);
    assert_int_equal(mpdata_profile_take_cells(p, 2), MPROF_E_OK);
    assert_int_equal(mpdata_profile_take_cells(p, 4), MPROF_E_OK);
    mpdata_cells_add(&b, 0, 1);
    mpdata_profile_context(p, 0, 0, &mib, mpdata_cells_of(b.words, 0, b.count));
    assert_int_equal(mpdata_profile_take_cells(p, 2), MPROF_E_CELLS);
    assert_int_equal(mpdata_profile_status(p), MPROF_E_OK);
    assert_int_equal(mpdata_profile_view(p).unit_cells, 4);
    mpdata_profile_free(p);
    mpdata_cells_fini(&b);
}

static void a_line_saturates_at_24_bits(void **state)
{
    struct mpdata_profile *p = mpdata_profile_new();
    const struct mpdata_frame frame = {.line = 1u << 30};

    (void)state;
    mpdata_profile_frame(p, &frame);
    assert_int_equal(mpdata_profile_view(p).frames[0].line, (1u << 24) - 1);
    mpdata_profile_free(p);
}

static void assert_canonical_order(const struct mpdata_profile *p)
{
    const struct mpdata_view v = mpdata_profile_view(p);

    for (uint32_t i = 1; i < v.string_count; i++)
        assert_true(strcmp(v.strings[i - 1].bytes, v.strings[i].bytes) <= 0);
    for (uint32_t i = 0; i < v.path_count; i++)
        assert_true(v.paths[i].parent <= i);
    for (uint32_t i = 0; i < v.node_count; i++)
        assert_true(v.nodes[i].parent <= i);
    for (uint32_t i = 1; i < v.context_count; i++) {
        const struct mprof_mib a = mpdata_view_mib(&v, i - 1);
        const struct mprof_mib b = mpdata_view_mib(&v, i);

        assert_true(a.TotalSize >= b.TotalSize);
        if (a.TotalSize == b.TotalSize)
            assert_true(a.AllocCount >= b.AllocCount);
    }
    for (uint32_t i = 1; i < v.run_count; i++) {
        struct mpdata_run before;
        struct mpdata_run run;

        before = v.runs[i - 1];
        run = v.runs[i];
        assert_true(before.run_id <= run.run_id);
    }
}

static void the_canonical_form_drops_what_nothing_reaches(void **state)
{
    struct mpdata_profile *p = gen_profile(11, 60);
    struct mpdata_profile *c = gen_in_order(p);
    struct mpdata_profile *again = gen_in_order(c);
    const struct mpdata_view v = mpdata_profile_view(p);
    const struct mpdata_view cv = mpdata_profile_view(c);

    (void)state;
    assert_canonical_order(c);
    assert_true(cv.string_count < v.string_count);
    assert_int_equal(cv.context_count, v.context_count);
    for (uint32_t i = 0; i < cv.string_count; i++)
        assert_string_not_equal(cv.strings[i].bytes,
                                "a string that nothing reaches");
    assert_int_equal(mpdata_profile_view(again).node_count, cv.node_count);
    assert_memory_equal(mpdata_profile_view(again).nodes, cv.nodes,
                        cv.node_count * sizeof(*cv.nodes));
    mpdata_profile_free(again);
    mpdata_profile_free(c);
    mpdata_profile_free(p);
}

static void assert_same_rows(const struct mpdata_profile *left,
                             const struct mpdata_profile *right)
{
    const struct mpdata_view a = mpdata_profile_view(left);
    const struct mpdata_view b = mpdata_profile_view(right);

    assert_int_equal(a.string_count, b.string_count);
    for (uint32_t i = 0; i < a.string_count; i++)
        assert_int_equal(mpdata_str_compare(&a.strings[i], &b.strings[i]), 0);
    assert_int_equal(a.path_count, b.path_count);
    assert_memory_equal(a.paths, b.paths, a.path_count * sizeof(*a.paths));
    assert_int_equal(a.node_count, b.node_count);
    assert_memory_equal(a.nodes, b.nodes, a.node_count * sizeof(*a.nodes));
    assert_int_equal(a.frame_count, b.frame_count);
    assert_int_equal(a.function_count, b.function_count);
    assert_int_equal(a.context_count, b.context_count);
    for (uint32_t i = 0; i < a.context_count; i++) {
        const struct mprof_mib mibs[] = {mpdata_view_mib(&a, i),
                                         mpdata_view_mib(&b, i)};

        assert_int_equal(a.contexts[i].node, b.contexts[i].node);
        assert_memory_equal(&mibs[0], &mibs[1], sizeof(mibs[0]));
    }
}

/* Changes that break a profile's canonical order. */
static void disturb(struct mpdata_profile *p, int how)
{
    const struct mpdata_frame frame = {.address = 12345};
    const struct mpdata_function function = {.guid = 12345};

    switch (how) {
    case 0:
        mpdata_profile_node(p, 0, 1);
        mpdata_profile_node(p, mpdata_profile_view(p).node_count, 1);
        break;
    case 1:
        gen_string(p, "~ nobody uses this");
        break;
    case 2:
        mpdata_profile_path(p, "~/nobody/uses/this", 18);
        break;
    case 3:
        mpdata_profile_frame(p, &frame);
        break;
    default:
        mpdata_profile_function(p, &function);
    }
}

/* A profile that is already in order does not change; any other is sorted. */
static void what_is_in_order_stays(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 30; seed++) {
        struct mpdata_profile *p = gen_profile(seed, 40);
        struct mpdata_profile *c = gen_in_order(p);
        const struct mpdata_node *const nodes = mpdata_profile_view(c).nodes;

        assert_int_equal(mpdata_profile_canonical_in_place(p), MPROF_E_OK);
        assert_same_rows(p, c);
        assert_int_equal(mpdata_profile_canonical_in_place(c), MPROF_E_OK);
        assert_same_rows(p, c);
        assert_ptr_equal(mpdata_profile_view(c).nodes, nodes);
        for (int how = 0; how < 5; how++) {
            disturb(c, how);
            assert_int_equal(mpdata_profile_canonical_in_place(c), MPROF_E_OK);
            assert_same_rows(p, c);
        }
        mpdata_profile_free(c);
        mpdata_profile_free(p);
    }
}

static void an_empty_profile_has_a_canonical_form(void **state)
{
    struct mpdata_profile *p = mpdata_profile_new();
    struct mpdata_profile *c = gen_in_order(p);

    (void)state;
    assert_int_equal(mpdata_profile_view(c).string_count, 1);
    assert_int_equal(mpdata_profile_view(c).context_count, 0);
    mpdata_profile_free(c);
    mpdata_profile_free(p);
}

/* -- merging in any order and grouping ------------------------------------- */

#define INPUTS_MAX 9

static uint64_t count_inputs(uint64_t seed)
{
    return 2 + seed % (INPUTS_MAX - 1);
}

/* Merges A with B; sometimes through a file, or in canonical order. Frees
 * both. */
static struct mpdata_profile *join(struct gen *g, struct mpdata_profile *a,
                                   struct mpdata_profile *b)
{
    const struct mpdata_index_options options = {.uncompressed =
                                                     gen_below(g, 2) != 0};
    struct mprof_buf file;

    assert_int_equal(mpdata_profile_merge(a, b), MPROF_E_OK);
    mpdata_profile_free(b);
    switch (gen_below(g, 4)) {
    case 0:
        return a;
    case 1:
        assert_int_equal(mpdata_profile_canonical_in_place(a), MPROF_E_OK);
        return a;
    default:
        break;
    }
    assert_int_equal(gen_write(a, &options, &file), MPROF_E_OK);
    mpdata_profile_free(a);
    a = mpdata_profile_new();
    assert_int_equal(gen_read(file.data, file.size, true, a, NULL), MPROF_E_OK);
    mpdata_heapbuf_fini(&file);
    return a;
}

static struct mpdata_profile *make_input(uint64_t seed)
{
    return gen_profile_of((struct gen){.state = seed, .is_series_apart = true},
                          30);
}

/* Merges the inputs of a seed pairwise at random until one is left. */
static struct mpdata_profile *merge_at_random(struct gen *g, uint64_t seed)
{
    struct mpdata_profile *parts[INPUTS_MAX];
    uint64_t left = count_inputs(seed);

    for (uint64_t i = 0; i < left; i++)
        parts[i] = make_input(seed + i);
    while (left > 1) {
        const uint64_t i = gen_below(g, left);
        struct mpdata_profile *a = parts[i];
        uint64_t j;

        parts[i] = parts[--left];
        j = gen_below(g, left);
        parts[j] =
            gen_below(g, 2) == 0 ? join(g, a, parts[j]) : join(g, parts[j], a);
    }
    return parts[0];
}

static void any_order_and_grouping_gives_the_same_bytes(void **state)
{
    (void)state;
    for (uint64_t seed = 100; seed < 140; seed++) {
        struct mpdata_profile *all = mpdata_profile_new();
        struct mprof_buf expected;

        for (uint64_t i = 0; i < count_inputs(seed); i++) {
            struct mpdata_profile *p = make_input(seed + i);

            assert_int_equal(mpdata_profile_merge(all, p), MPROF_E_OK);
            mpdata_profile_free(p);
        }
        assert_int_equal(gen_write(all, NULL, &expected), MPROF_E_OK);
        mpdata_profile_free(all);
        for (uint64_t trial = 0; trial < 6; trial++) {
            struct gen g = {.state = 1000 * seed + trial};
            struct mpdata_profile *p = merge_at_random(&g, seed);
            struct mprof_buf file;

            assert_int_equal(gen_write(p, NULL, &file), MPROF_E_OK);
            assert_int_equal(file.size, expected.size);
            assert_memory_equal(file.data, expected.data, file.size);
            mpdata_heapbuf_fini(&file);
            mpdata_profile_free(p);
        }
        mpdata_heapbuf_fini(&expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_things_have_equal_ids),
        cmocka_unit_test(paths_are_split_and_joined),
        cmocka_unit_test(contexts_of_one_stack_are_merged),
        cmocka_unit_test(large_histograms_are_whole),
        cmocka_unit_test(equal_runs_are_counted),
        cmocka_unit_test(cells_that_do_not_fit_leave_the_profile_usable),
        cmocka_unit_test(a_line_saturates_at_24_bits),
        cmocka_unit_test(the_canonical_form_drops_what_nothing_reaches),
        cmocka_unit_test(what_is_in_order_stays),
        cmocka_unit_test(an_empty_profile_has_a_canonical_form),
        cmocka_unit_test(any_order_and_grouping_gives_the_same_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
