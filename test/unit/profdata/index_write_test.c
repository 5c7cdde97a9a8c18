/* index_write_test.c -- tests a complete indexed file: LLVM's part and ours.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

#include "profdata/index/index.h"
#include "profdata/base/section.h"

static void read_directory(const struct mprof_buf *file, struct mprof_dir *dir)
{
    struct mpdata_index_file opened;

    assert_int_equal(
        mpdata_index_file_open(&opened, file->data, file->size, true, NULL),
        MPROF_E_OK);
    assert_true(opened.is_ours);
    *dir = opened.dir;
}

static void llvms_part_stands_first_and_is_checksummed(void **state)
{
    const struct mpdata_index_options llvm_only = {.llvm_only = true};
    struct mpdata_profile *p = gen_profile(1, 50);
    const struct mprof_section *section;
    struct mprof_buf file;
    struct mprof_buf llvm;
    struct mpdata_index_file opened;
    struct mprof_dir dir;

    (void)state;
    assert_int_equal(gen_write(p, NULL, &file), MPROF_E_OK);
    assert_int_equal(gen_write(p, &llvm_only, &llvm), MPROF_E_OK);
    assert_int_equal(
        mpdata_index_file_open(&opened, llvm.data, llvm.size, true, NULL),
        MPROF_E_OK);
    assert_false(opened.is_ours);
    read_directory(&file, &dir);
    section = mprof_dir_find(&dir, MPROF_INDEX_LLVM);
    assert_int_equal(section->offset, 0);
    assert_int_equal(section->stored_bytes, llvm.size);
    assert_true(section->checksum == mprof_checksum(file.data, llvm.size));
    /* The same except for the word that LLVM skips. */
    assert_int_equal(mprof_le_load64(file.data + 16), llvm.size);
    mprof_buf_patch(&file, 16, 0, 8);
    assert_memory_equal(file.data, llvm.data, llvm.size);
    mpdata_heapbuf_fini(&llvm);
    mpdata_heapbuf_fini(&file);
    mpdata_profile_free(p);
}

static void sections_are_aligned_and_verified_one_by_one(void **state)
{
    static const uint32_t behind_runs[] = {
        MPROF_INDEX_TAGGED, MPROF_INDEX_DETAILS, MPROF_INDEX_SERIES,
        MPROF_INDEX_SAMPLES, MPROF_INDEX_MARKS};
    struct mpdata_profile *p = gen_profile(2, 300);
    struct mprof_buf file;
    struct mprof_dir dir;

    (void)state;
    assert_int_equal(gen_write(p, NULL, &file), MPROF_E_OK);
    read_directory(&file, &dir);
    assert_int_equal(dir.section_count,
                     MPROF_INDEX_RUNS + MPROF_ARRAY_LEN(behind_runs));
    for (uint32_t i = 0; i < dir.section_count; i++) {
        const struct mprof_section *s = &dir.sections[i];

        assert_int_equal(s->id, i < MPROF_INDEX_RUNS
                                    ? i + 1
                                    : behind_runs[i - MPROF_INDEX_RUNS]);
        assert_int_equal(s->offset % 8, 0);
        assert_true(s->checksum ==
                    mprof_checksum(file.data + s->offset, s->stored_bytes));
    }
    mpdata_heapbuf_fini(&file);
    mpdata_profile_free(p);
}

static void a_top_list_is_the_start_of_the_contexts(void **state)
{
    struct mpdata_profile *p = gen_profile(3, 300);
    struct mpdata_section section;
    struct mprof_buf file;
    struct mprof_dir dir;
    struct mprof_table table;
    struct mprof_column sizes;

    (void)state;
    assert_int_equal(gen_write(p, NULL, &file), MPROF_E_OK);
    read_directory(&file, &dir);
    assert_int_equal(
        mpdata_section_open(&section, file.data, file.size,
                            mprof_dir_find(&dir, MPROF_INDEX_CONTEXTS), "t",
                            true, NULL),
        MPROF_E_OK);
    assert_int_equal(mpdata_section_table(&section, &table, NULL), MPROF_E_OK);
    assert_true(table.rows > 200);
    sizes = mprof_table_column(&table, MPROF_MIB_TAG_TotalSize);
    for (uint64_t i = 1; i < table.rows; i++)
        assert_true(mprof_column_get(&sizes, i - 1) >=
                    mprof_column_get(&sizes, i));
    mpdata_section_close(&section);
    mpdata_heapbuf_fini(&file);
    mpdata_profile_free(p);
}

static void a_failed_profile_is_not_written(void **state)
{
    struct mpdata_profile *p = mpdata_profile_new();
    const struct mprof_mib mib = {.AllocCount = 1,
                                  .AccessHistogramSize = UINT64_MAX / 2};
    const struct mpdata_content content = {.profile = p};
    uint64_t word = 0;
    struct mprof_buf file;

    (void)state;
    mpdata_profile_context(
        p, 0, 0, &mib, (struct mpdata_cells){&word, SIZE_MAX / sizeof(word)});
    assert_int_equal(mpdata_profile_status(p), MPROF_E_NOMEM);
    assert_int_equal(gen_string(p, "more"), 0);
    assert_null(gen_in_order(p));
    mpdata_heapbuf_init(&file);
    assert_int_equal(mpdata_index_write(&content, NULL, &file), MPROF_E_NOMEM);
    assert_int_equal(file.size, 0);
    mpdata_heapbuf_fini(&file);
    mpdata_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(llvms_part_stands_first_and_is_checksummed),
        cmocka_unit_test(sections_are_aligned_and_verified_one_by_one),
        cmocka_unit_test(a_top_list_is_the_start_of_the_contexts),
        cmocka_unit_test(a_failed_profile_is_not_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
