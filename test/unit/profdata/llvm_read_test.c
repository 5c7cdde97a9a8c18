/* llvm_read_test.c -- tests reading of LLVM's indexed profiles: files of
 * llvm-profdata 22 under test/golden/llvm-indexed, and our own LLVM part.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/cmocka_all.h"
#include "test/unit/golden_file.h"
#include "test/unit/profile_gen.h"

static struct mpdata_profile *read_golden(const char *name)
{
    struct mpdata_profile *p = mpdata_profile_new();
    size_t size;
    uint8_t *data = golden_read("llvm-indexed", name, &size);

    assert_int_equal(gen_read(data, size, true, p, NULL), MPROF_E_OK);
    free(data);
    return p;
}

/* Everything except the run, whose id is a hash of the file. */
static void write_without_run(const struct mpdata_profile *p,
                              struct mprof_buf *out)
{
    const struct mpdata_index_options options = {.llvm_only = true,
                                                 .full_schema = true};

    assert_int_equal(gen_write(p, &options, out), MPROF_E_OK);
}

static void versions_2_3_and_4_hold_the_same(void **state)
{
    static const char *const names[] = {"v2.profdata", "v4.profdata"};
    struct mpdata_profile *v3 = read_golden("v3.profdata");
    const struct mpdata_view view = mpdata_profile_view(v3);
    struct mprof_buf expected;
    struct mpdata_run run;

    (void)state;
    assert_true(view.context_count > 5);
    assert_int_equal(view.run_count, 1);
    run = view.runs[0];
    assert_int_equal(run.kind, MPROF_RUN_INDEXED);
    assert_int_equal(view.functions[0].name, 0);
    write_without_run(v3, &expected);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(names); i++) {
        struct mpdata_profile *p = read_golden(names[i]);
        struct mprof_buf file;

        write_without_run(p, &file);
        assert_int_equal(file.size, expected.size);
        assert_memory_equal(file.data, expected.data, file.size);
        mpdata_heapbuf_fini(&file);
        mpdata_profile_free(p);
    }
    mpdata_heapbuf_fini(&expected);
    mpdata_profile_free(v3);
}

static void totals_are_those_of_the_file(void **state)
{
    struct mpdata_profile *p = read_golden("full.profdata");
    const struct mpdata_view view = mpdata_profile_view(p);
    const struct mprof_mib sum = mpdata_profile_totals(&view);

    (void)state;
    /* From the description next to it. */
    assert_int_equal(view.context_count, GOLDEN_LLVM_CONTEXTS);
    assert_int_equal(sum.AllocCount, GOLDEN_LLVM_ALLOC_COUNT);
    assert_int_equal(sum.TotalSize, GOLDEN_LLVM_TOTAL_SIZE);
    assert_int_equal(sum.TotalLifetimeNs, sum.TotalLifetime * 1000000);
    mpdata_profile_free(p);
}

/* LLVM's part reads back unchanged. */
static void our_llvm_part_reads_back(void **state)
{
    const struct mpdata_index_options options = {.llvm_only = true,
                                                 .full_schema = true};

    (void)state;
    for (uint64_t seed = 1; seed < 40; seed++) {
        struct mpdata_profile *p = gen_profile(seed, 40);
        struct mpdata_profile *q = mpdata_profile_new();
        struct mpdata_profile *r = mpdata_profile_new();
        struct mprof_buf first;
        struct mprof_buf second;
        struct mprof_buf third;

        assert_int_equal(gen_write(p, &options, &first), MPROF_E_OK);
        assert_int_equal(gen_read(first.data, first.size, true, q, NULL),
                         MPROF_E_OK);
        assert_int_equal(gen_write(q, &options, &second), MPROF_E_OK);
        assert_int_equal(gen_read(second.data, second.size, true, r, NULL),
                         MPROF_E_OK);
        assert_int_equal(gen_write(r, &options, &third), MPROF_E_OK);
        assert_int_equal(mpdata_profile_view(q).context_count,
                         mpdata_profile_view(r).context_count);
        assert_int_equal(second.size, third.size);
        assert_memory_equal(second.data, third.data, third.size);
        mpdata_heapbuf_fini(&third);
        mpdata_heapbuf_fini(&second);
        mpdata_heapbuf_fini(&first);
        mpdata_profile_free(r);
        mpdata_profile_free(q);
        mpdata_profile_free(p);
    }
}

static void merging_a_file_with_itself_doubles_it(void **state)
{
    struct mpdata_profile *p = read_golden("full.profdata");
    struct mpdata_profile *q = read_golden("full.profdata");
    struct mprof_mib sum;
    struct mpdata_view view;
    struct mpdata_run run;

    (void)state;
    assert_int_equal(mpdata_profile_merge(p, q), MPROF_E_OK);
    view = mpdata_profile_view(p);
    sum = mpdata_profile_totals(&view);
    assert_int_equal(view.context_count, GOLDEN_LLVM_CONTEXTS);
    assert_int_equal(sum.AllocCount, 2 * GOLDEN_LLVM_ALLOC_COUNT);
    run = view.runs[0];
    assert_int_equal(run.count, 2);
    mpdata_profile_free(q);
    mpdata_profile_free(p);
}

static void damage_is_survived(void **state)
{
    static const char *const names[] = {"v2.profdata", "v3.profdata",
                                        "v4.profdata"};
    struct gen g = {.state = 4};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(names); i++) {
        size_t size;
        uint8_t *data = golden_read("llvm-indexed", names[i], &size);
        uint64_t accepted = 0;

        for (int trial = 0; trial < 4000; trial++) {
            struct mpdata_profile *p = mpdata_profile_new();
            const size_t at = gen_below(&g, size);
            const uint8_t old = data[at];

            data[at] ^= (uint8_t)(1u << gen_below(&g, 8));
            accepted += gen_read(data, size, true, p, NULL) == MPROF_E_OK;
            data[at] = old;
            mpdata_profile_free(p);
        }
        assert_true(accepted > 0 && accepted < 4000);
        free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_2_3_and_4_hold_the_same),
        cmocka_unit_test(totals_are_those_of_the_file),
        cmocka_unit_test(our_llvm_part_reads_back),
        cmocka_unit_test(merging_a_file_with_itself_doubles_it),
        cmocka_unit_test(damage_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
