/* findings_test.c -- tests findings on a profile small enough to add up by
 * hand.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/findings.h"
#include "shared/index_format.h"
#include "test/unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

static struct mpdata_profile *profile;

static mpdata_ref frame(const char *function)
{
    const struct mpdata_function f = {
        .name = mpdata_profile_string(profile, function, strlen(function))};
    const struct mpdata_frame call = {
        .function = mpdata_profile_function(profile, &f), .line = 1};

    return mpdata_profile_frame(profile, &call);
}

/* names: outermost first, NULL at the end. */
static void add(const char *const *names, uint32_t flags, struct mprof_mib mib)
{
    mpdata_ref node = 0;

    for (; *names != NULL; names++)
        node = mpdata_profile_node(profile, node, frame(*names));
    mpdata_profile_context(profile, node, flags, &mib,
                           (struct mpdata_cells){.words = NULL});
}

#define STACK(...) ((const char *const[]){__VA_ARGS__, NULL})

static char *as_it_is(void *context, const char *name)
{
    (void)context;
    return strdup(name);
}

static size_t find(struct mpdata_finding *findings, bool has_all)
{
    static const struct mpdata_demangler none = {.demangle = as_it_is};
    struct mpdata_frame_names *const names =
        mpdata_frame_names_new(profile, &none);
    bool held[MPDATA_METRIC_COUNT] = {
        [MPDATA_METRIC_BYTES] = true, [MPDATA_METRIC_BLOCKS] = true};
    size_t count;

    for (size_t m = 0; has_all && m < MPDATA_METRIC_COUNT; m++)
        held[m] = true;
    assert_non_null(names);
    assert_int_equal(
        mpdata_findings_make(profile, names, held, findings, &count),
        MPROF_E_OK);
    mpdata_frame_names_free(names);
    return count;
}

static const char *name_of(const struct mpdata_finding *finding)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    const mpdata_ref function =
        view.frames[view.nodes[finding->node - 1].frame].function;

    return view.strings[view.functions[function - 1].name].bytes;
}

static const struct mpdata_finding *
of_kind(const struct mpdata_finding *findings, size_t count,
        enum mpdata_finding_kind kind)
{
    for (size_t i = 0; i < count; i++) {
        if (findings[i].kind == kind)
            return &findings[i];
    }
    return NULL;
}

static int setup(void **state)
{
    (void)state;
    profile = mpdata_profile_new();
    return profile == NULL;
}

static int teardown(void **state)
{
    (void)state;
    mpdata_profile_free(profile);
    return 0;
}

static void functions_for_allocating_are_not_named(void **state)
{
    struct mpdata_finding findings[MPDATA_FINDING_KINDS];

    (void)state;
    add(STACK("main", "parse", "xmalloc", "my_Alloc"), 0,
        (struct mprof_mib){.AllocCount = 1, .TotalSize = 60});
    add(STACK("main", "parse", "std::vector::push_back", "operator new"), 0,
        (struct mprof_mib){.AllocCount = 1, .TotalSize = 50});
    add(STACK("main", "load"), 0,
        (struct mprof_mib){.AllocCount = 1, .TotalSize = 90});
    add(STACK("calloc_all"), 0,
        (struct mprof_mib){.AllocCount = 1, .TotalSize = 10});
    mpdata_profile_context(
        profile, 0, 0, &(struct mprof_mib){.AllocCount = 1, .TotalSize = 500},
        (struct mpdata_cells){.words = NULL});
    assert_int_equal(find(findings, false), 1);
    assert_int_equal(findings[0].kind, MPDATA_FINDING_LARGEST);
    assert_string_equal(name_of(&findings[0]), "parse");
    assert_int_equal(findings[0].most, 110);
    assert_int_equal(findings[0].whole, 710);
}

/* Text in brackets is not part of the function's name, nor is its result. */
static void arguments_and_results_do_not_allocate(void **state)
{
    static const char *const names[] = {
        "load(std::vector<int, std::allocator<int> > const&)",
        "app::Table<int, std::allocator<int>>::grow(int)",
        "std::vector<a, std::allocator<a>> app::read<a>(int)"};
    static const char *const allocating[] = {
        "app::Pool<int>::Allocate(int)",
        "app::a* app::alloc_some<app::a>(int)",
        "std::vector<a>& std::vector<b>::emplace_back<b>(b&&)",
        "main.(*Tree).allocNode",
        "<alloc::raw_vec::RawVec<u8>>::grow_one",
        "operator new[](unsigned long)"};
    struct mpdata_finding findings[MPDATA_FINDING_KINDS];
    uint64_t size = 1;

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(names); i++) {
        for (size_t j = 0; j < MPROF_ARRAY_LEN(allocating); j++) {
            add(STACK("main", names[i], allocating[j]), 0,
                (struct mprof_mib){.AllocCount = 1, .TotalSize = size});
            size *= 2; /* more than all before */
            assert_int_equal(find(findings, false), 1);
            assert_string_equal(name_of(&findings[0]), names[i]);
        }
    }
}

static void what_was_not_measured_is_no_finding(void **state)
{
    struct mpdata_finding findings[MPDATA_FINDING_KINDS];

    (void)state;
    add(STACK("main"), 0,
        (struct mprof_mib){.AllocCount = 5,
                           .TotalSize = 60,
                           .PeakBytes = 60,
                           .LiveBytes = 60,
                           .TemporaryCount = 5});
    assert_int_equal(find(findings, false), 1);
}

static void each_kind_has_its_own_whole(void **state)
{
    struct mpdata_finding findings[MPDATA_FINDING_KINDS];
    const struct mpdata_finding *f;
    size_t count;

    (void)state;
    add(STACK("main", "a"), 0,
        (struct mprof_mib){.AllocCount = 30,
                           .TotalSize = 300,
                           .TotalAccessCount = 7,
                           .PeakBytes = 10,
                           .TemporaryCount = 20});
    add(STACK("main", "b"), 0,
        (struct mprof_mib){.AllocCount = 10,
                           .TotalSize = 100,
                           .PeakBytes = 90,
                           .LiveBytes = 50,
                           .LeakedBytes = 1,
                           .LeakedCount = 1});
    count = find(findings, true);
    assert_int_equal(count, MPDATA_FINDING_KINDS);
    /* The most severe finding comes first, however small its share. */
    for (size_t i = 0; i < count; i++)
        assert_int_equal(findings[i].kind, i);
    f = of_kind(findings, count, MPDATA_FINDING_LEAKED);
    assert_int_equal(f->value, 1);
    assert_int_equal(f->blocks, 1);
    assert_string_equal(name_of(f), "b");
    f = of_kind(findings, count, MPDATA_FINDING_LIVE);
    assert_int_equal(f->value, 50);
    assert_int_equal(f->whole, 100);
    assert_string_equal(name_of(f), "b");
    f = of_kind(findings, count, MPDATA_FINDING_TEMPORARY);
    assert_int_equal(f->value, 20);
    assert_int_equal(f->whole, 40);
    assert_string_equal(name_of(f), "a");
    f = of_kind(findings, count, MPDATA_FINDING_UNUSED);
    assert_int_equal(f->value, 100);
    assert_int_equal(f->blocks, 10);
    assert_string_equal(name_of(f), "b");
}

/* Without measured accesses nothing is known to be unused. */
static void unseen_accesses_are_not_missing_ones(void **state)
{
    struct mpdata_finding findings[MPDATA_FINDING_KINDS];

    (void)state;
    add(STACK("main"), MPROF_CONTEXT_FL_NOT_MEASURED,
        (struct mprof_mib){.AllocCount = 5, .TotalSize = 60});
    add(STACK("main", "f"), MPROF_CONTEXT_FL_NOT_ALL_SEEN,
        (struct mprof_mib){.AllocCount = 5, .TotalSize = 60});
    assert_null(of_kind(findings, find(findings, true), MPDATA_FINDING_UNUSED));
}

static void an_empty_profile_has_none(void **state)
{
    struct mpdata_finding findings[MPDATA_FINDING_KINDS];

    (void)state;
    assert_int_equal(find(findings, true), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(functions_for_allocating_are_not_named),
        TEST(arguments_and_results_do_not_allocate),
        TEST(what_was_not_measured_is_no_finding),
        TEST(each_kind_has_its_own_whole),
        TEST(unseen_accesses_are_not_missing_ones),
        TEST(an_empty_profile_has_none)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
