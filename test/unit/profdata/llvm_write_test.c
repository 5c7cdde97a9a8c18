/* llvm_write_test.c -- tests the bytes of LLVM's part of an indexed file: the
 * numbers on which LLVM's tools rely. Other tests read the file with these
 * tools.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

#include "profdata/base/guid.h"
#include "profdata/llvm/chash.h"
#include "shared/le.h"

/* One context: main (line 10) at line 12, column 3, which calls f, which
 * allocates at its line 5 and column 7. */
static struct mpdata_profile *small_profile(void)
{
    struct mpdata_profile *p = mpdata_profile_new();
    const struct mpdata_function functions[] = {
        {.guid = mpdata_guid("main", 4), .line = 10},
        {.guid = mpdata_guid("f", 1), .line = 1}};
    const struct mpdata_frame frames[] = {
        {.function = mpdata_profile_function(p, &functions[0]),
         .line = 12,
         .column = 3},
        {.function = mpdata_profile_function(p, &functions[1]),
         .line = 6,
         .column = 7}};
    const struct mpdata_binary binary = {
        .build_id = mpdata_profile_string(p, "\1\2\3", 3)};
    const struct mprof_mib mib = {.AllocCount = UINT64_C(1) << 33,
                                  .TotalSize = 100,
                                  .TotalLifetime = 50,
                                  .TotalLifetimeAccessDensity = 25,
                                  .MinSize = 4};
    mpdata_ref node = 0;

    for (size_t i = 0; i < 2; i++)
        node =
            mpdata_profile_node(p, node, mpdata_profile_frame(p, &frames[i]));
    mpdata_profile_context(p, node, 0, &mib, MPDATA_CELLS_NONE);
    mpdata_profile_binary(p, &binary);
    return p;
}

static uint64_t word(const struct mprof_buf *file, uint64_t off)
{
    assert_true(off + 8 <= file->size);
    return mprof_le_load64(file->data + off);
}

static void write_small(struct mprof_buf *file, bool full_schema)
{
    const struct mpdata_index_options options = {.llvm_only = true,
                                                 .full_schema = full_schema};
    struct mpdata_profile *p = small_profile();

    assert_int_equal(gen_write(p, &options, file), MPROF_E_OK);
    mpdata_profile_free(p);
}

static void the_header_is_of_version_12(void **state)
{
    struct mprof_buf file;

    (void)state;
    write_small(&file, false);
    assert_memory_equal(file.data, "\xfflprofi\x81", 8);
    assert_true(word(&file, 8) == (UINT64_C(12) | UINT64_C(1) << 62));
    assert_int_equal(word(&file, 16), 0);
    assert_int_equal(word(&file, 24), 0);
    assert_int_equal(word(&file, 56), 0);
    /* Summary: 6 fields, 16 cut-offs. */
    assert_int_equal(word(&file, 72), 6);
    assert_int_equal(word(&file, 80), 16);
    assert_int_equal(word(&file, 136), 10000);
    assert_int_equal(word(&file, 496), 999999);
    /* The hash table of counters: one bucket, no entries. */
    assert_int_equal(word(&file, 32), 520);
    assert_int_equal(word(&file, 520), 1);
    assert_int_equal(word(&file, 528), 0);
    assert_int_equal(word(&file, 40), 544);
    /* Binary ids: 16 bytes of them; vtable names: none, at the end. */
    assert_int_equal(word(&file, word(&file, 48)), 16);
    assert_int_equal(word(&file, word(&file, 48) + 8), 3);
    assert_memory_equal(file.data + word(&file, 48) + 16, "\1\2\3\0\0\0\0\0",
                        8);
    assert_int_equal(word(&file, 64) + 8, file.size);
    assert_int_equal(word(&file, file.size - 8), 0);
    mpdata_heapbuf_fini(&file);
}

static void the_section_has_hot_cold_fields_and_masked_lines(void **state)
{
    static const uint64_t schema[] = {4, 1, 5, 10, 23};
    struct mprof_buf file;
    const uint8_t *frames;

    (void)state;
    write_small(&file, false);
    assert_int_equal(word(&file, 544), 3);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(word(&file, 576 + 8 * i), schema[i]);
    frames = file.data + 576 + 40;
    assert_int_equal(word(&file, 552) - (576 + 40), 2 * 17);
    for (int i = 0; i < 2; i++) {
        const uint8_t *f = frames + 17 * i;
        const bool is_main = mprof_le_load64(f) == mpdata_guid("main", 4);

        assert_true(is_main || mprof_le_load64(f) == mpdata_guid("f", 1));
        assert_int_equal(mprof_le_load32(f + 8), is_main ? 2 : 5);
        assert_int_equal(mprof_le_load32(f + 12), is_main ? 3 : 7);
        assert_int_equal(f[16], 0);
    }
    mpdata_heapbuf_fini(&file);
}

static void records_are_found_by_guid(void **state)
{
    struct mprof_buf file;
    struct mpdata_chash table;
    struct mpdata_chash_item item;
    uint8_t key[8];
    bool found;

    (void)state;
    write_small(&file, false);
    assert_int_equal(mpdata_chash_open(&table, file.data, file.size,
                                       word(&file, 568), 0, 0, "t", NULL),
                     MPROF_E_OK);
    assert_int_equal(table.entries, 2);
    mprof_le_store(key, mpdata_guid("f", 1), 8);
    assert_int_equal(mpdata_chash_find(&table, mpdata_guid("f", 1), key, 8,
                                       &found, &item, NULL),
                     MPROF_E_OK);
    assert_true(found);
    /* One allocation, no call site. */
    assert_int_equal(item.data_size, 8 + 4 + 28 + 8);
    assert_int_equal(mprof_le_load64(item.data), 1);
    assert_true(mprof_le_load32(item.data + 12) == UINT32_MAX); /* saturated */
    assert_int_equal(mprof_le_load64(item.data + 16), 100);
    assert_int_equal(mprof_le_load64(item.data + 24), 50);
    assert_int_equal(mprof_le_load64(item.data + 32), 25);
    assert_int_equal(mprof_le_load64(item.data + 40), 0);
    mprof_le_store(key, mpdata_guid("main", 4), 8);
    assert_int_equal(mpdata_chash_find(&table, mpdata_guid("main", 4), key, 8,
                                       &found, &item, NULL),
                     MPROF_E_OK);
    assert_true(found);
    assert_int_equal(item.data_size, 8 + 8 + 4);
    assert_int_equal(mprof_le_load64(item.data + 8), 1);
    mpdata_heapbuf_fini(&file);
}

static void the_full_schema_has_all_of_llvms_fields(void **state)
{
    struct mprof_buf file;

    (void)state;
    write_small(&file, true);
    assert_int_equal(word(&file, 576), 27);
    for (uint64_t i = 1; i <= 27; i++)
        assert_int_equal(word(&file, 576 + 8 * i), i);
    mpdata_heapbuf_fini(&file);
}

static void version_4_reads_back_as_version_3(void **state)
{
    const struct mpdata_index_options v3 = {.llvm_only = true};
    const struct mpdata_index_options v4 = {.llvm_only = true,
                                            .memprof_version = 4};

    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct mpdata_profile *p = gen_profile(seed, 30);
        struct mpdata_profile *q[2];
        struct mprof_buf again[2];

        for (int i = 0; i < 2; i++) {
            struct mprof_buf file;

            q[i] = mpdata_profile_new();
            assert_int_equal(gen_write(p, i == 0 ? &v3 : &v4, &file),
                             MPROF_E_OK);
            assert_int_equal(word(&file, 544), 3 + i);
            assert_int_equal(gen_read(file.data, file.size, true, q[i], NULL),
                             MPROF_E_OK);
            mpdata_heapbuf_fini(&file);
            assert_int_equal(gen_write(q[i], &v3, &again[i]), MPROF_E_OK);
        }
        assert_int_equal(again[0].size, again[1].size);
        assert_memory_equal(again[0].data, again[1].data, again[0].size);
        for (int i = 0; i < 2; i++) {
            mpdata_heapbuf_fini(&again[i]);
            mpdata_profile_free(q[i]);
        }
        mpdata_profile_free(p);
    }
}

static void other_versions_are_refused(void **state)
{
    const struct mpdata_index_options options = {.memprof_version = 1};
    struct mpdata_profile *p = small_profile();
    struct mprof_buf file;

    (void)state;
    assert_int_equal(gen_write(p, &options, &file), MPROF_E_UNSUPPORTED);
    mpdata_heapbuf_fini(&file);
    mpdata_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_is_of_version_12),
        cmocka_unit_test(the_section_has_hot_cold_fields_and_masked_lines),
        cmocka_unit_test(records_are_found_by_guid),
        cmocka_unit_test(the_full_schema_has_all_of_llvms_fields),
        cmocka_unit_test(version_4_reads_back_as_version_3),
        cmocka_unit_test(other_versions_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
