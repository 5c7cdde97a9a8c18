/* raw_read_llvm_test.c -- tests reading of LLVM's raw format, versions 3 to 5,
 * valid and damaged.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/raw/raw.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/raw_build.h"

/* Two segments of one binary, one of another; stack 7 is main <- f, stack 9 has
 * code of the library and of no binary. */
static const struct raw_llvm good = {
    .version = 5,
    .segments = {0x11000, 0x12000, 0x10000, 0x7000, 0x8000, 0x6000},
    .segment_count = 2,
    .mibs = {7, 100, 9, 200},
    .mib_count = 2,
    .buckets = 3,
    .stacks = {7, 2, 0x11010, 0x11020, 9, 3, 0x7008, 0x11020, 0x99},
    .stack_words = 9,
    .stack_count = 2,
};

/* A file that was read points to its bytes: they stay until the next one. */
static enum mprof_err read_raw(const struct raw_llvm *raw,
                               struct mpdata_raw_file *file,
                               struct mprof_diag *diag)
{
    static struct mprof_buf out;

    mpdata_heapbuf_fini(&out);
    raw_llvm_build(&out, raw);
    return mpdata_raw_file_read(out.data, out.size, true, file, diag);
}

static void check_frame(const struct mpdata_raw *raw, mpdata_ref node,
                        mpdata_ref module, uint64_t address)
{
    const struct mpdata_raw_frame *frame =
        &raw->frames[raw->nodes[node - 1].frame];

    assert_int_equal(frame->module, module);
    assert_int_equal(frame->address, address);
}

static void reads_all_versions(void **state)
{
    (void)state;
    for (uint64_t version = 3; version <= 5; version++) {
        struct raw_llvm raw = good;
        struct mpdata_raw_file file;
        struct mprof_diag diag;
        const struct mpdata_raw *dump;
        mpdata_ref leaf;

        raw.version = version;
        raw.buckets = version == 3 ? 0 : 3;
        assert_int_equal(read_raw(&raw, &file, &diag), 0);
        assert_int_equal(file.count, 1);
        dump = &file.dumps[0];
        assert_int_equal(dump->kind, MPROF_RUN_LLVM);
        assert_int_equal(dump->module_count, 2);
        assert_int_equal(dump->modules[0].build_id.size, 20);
        assert_int_equal(dump->frame_count, 4);
        assert_int_equal(dump->context_count, 2);
        assert_int_equal(dump->contexts[0].id, 7);
        assert_int_equal(mpdata_raw_mib(dump, 0).AllocCount, 100);
        assert_int_equal(mpdata_raw_mib(dump, 0).TotalLifetimeNs, 100000000);
        assert_int_equal(mpdata_raw_mib(dump, 1).MaxLifetimeNs, 200000000);
        if (version > 3)
            assert_int_equal(mpdata_raw_cells(dump, 1).words[4], 3);
        leaf = dump->contexts[1].node;
        check_frame(dump, leaf, 2, 0x1008);
        check_frame(dump, dump->nodes[leaf - 1].parent, 1, 0x1020);
        check_frame(dump, dump->nodes[dump->nodes[leaf - 1].parent - 1].parent,
                    0, 0x99);
        mpdata_raw_file_free(&file);
    }
}

static void reads_dumps_one_after_the_other(void **state)
{
    struct raw_llvm second = good;
    struct mpdata_raw_file file;
    struct mprof_diag diag;
    struct mprof_buf out;

    (void)state;
    second.version = 4;
    mpdata_heapbuf_init(&out);
    raw_llvm_build(&out, &good);
    raw_llvm_build(&out, &second);
    assert_int_equal(
        mpdata_raw_file_read(out.data, out.size, true, &file, &diag), 0);
    assert_int_equal(file.count, 2);
    assert_int_equal(file.dumps[1].version, 4);
    assert_true(file.dumps[0].numbers[MPROF_RAW_META_IS_RUN_ID] !=
                file.dumps[1].numbers[MPROF_RAW_META_IS_RUN_ID]);
    mpdata_raw_file_free(&file);
    mpdata_heapbuf_fini(&out);
}

static void gives_equal_dumps_equal_ids(void **state)
{
    struct mpdata_raw_file a;
    struct mpdata_raw_file b;
    struct mprof_diag diag;

    (void)state;
    assert_int_equal(read_raw(&good, &a, &diag), 0);
    assert_int_equal(read_raw(&good, &b, &diag), 0);
    assert_true(a.dumps[0].numbers[MPROF_RAW_META_IS_RUN_ID] ==
                b.dumps[0].numbers[MPROF_RAW_META_IS_RUN_ID]);
    mpdata_raw_file_free(&a);
    mpdata_raw_file_free(&b);
}

static void refuses_a_stack_that_is_not_there(void **state)
{
    struct raw_llvm raw = good;
    struct mpdata_raw_file file;
    struct mprof_diag diag;

    (void)state;
    raw.mibs[0] = 8;
    assert_int_equal(read_raw(&raw, &file, &diag), MPROF_E_REFERENCE);
    assert_string_equal(diag.section, "LLVM raw MIBs");
}

static void refuses_a_stack_that_stands_twice(void **state)
{
    struct raw_llvm raw = good;
    struct mpdata_raw_file file;
    struct mprof_diag diag;

    (void)state;
    raw.stacks[4] = 7;
    assert_int_equal(read_raw(&raw, &file, &diag), MPROF_E_DUPLICATE);
}

/* Each word in turn gets values that could mislead a reader. The address
 * sanitizer's build of this test finds every read outside. */
static void survives_any_word(void **state)
{
    static const uint64_t values[] = {
        0, 1, 7, 8, UINT32_MAX, UINT64_C(1) << 61, UINT64_MAX, UINT64_MAX / 8};
    struct mprof_buf out;

    (void)state;
    mpdata_heapbuf_init(&out);
    raw_llvm_build(&out, &good);
    for (size_t off = 0; off + 8 <= out.size; off += 4) {
        const uint64_t old = mprof_le_load64(out.data + off);

        for (size_t i = 0; i < MPROF_ARRAY_LEN(values); i++) {
            struct mpdata_raw_file file;
            struct mprof_diag diag;

            mprof_le_store(out.data + off, values[i], 8);
            if (mpdata_raw_file_read(out.data, out.size, true, &file, &diag) ==
                0)
                mpdata_raw_file_free(&file);
        }
        mprof_le_store(out.data + off, old, 8);
    }
    mpdata_heapbuf_fini(&out);
}

static void refuses_every_cut(void **state)
{
    struct mprof_buf out;

    (void)state;
    mpdata_heapbuf_init(&out);
    raw_llvm_build(&out, &good);
    for (size_t size = 0; size < out.size; size++) {
        struct mpdata_raw_file file;
        struct mprof_diag diag;

        assert_int_not_equal(
            mpdata_raw_file_read(out.data, size, true, &file, &diag), 0);
    }
    mpdata_heapbuf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all_versions),
        cmocka_unit_test(reads_dumps_one_after_the_other),
        cmocka_unit_test(gives_equal_dumps_equal_ids),
        cmocka_unit_test(refuses_a_stack_that_is_not_there),
        cmocka_unit_test(refuses_a_stack_that_stands_twice),
        cmocka_unit_test(survives_any_word),
        cmocka_unit_test(refuses_every_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
