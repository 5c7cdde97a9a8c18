/* index_llvm_test.c -- the headers of LLVM's indexed profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/index_llvm.h"
#include "shared/le.h"
#include "test/unit/cmocka_all.h"

#define BYTES 256

/* A file in which word i after the first two is 8 * i. */
static struct mprof_cursor file_of(uint8_t *bytes, uint64_t version)
{
    for (size_t i = 0; i < BYTES / 8; i++)
        mprof_le_store(bytes + 8 * i, 8 * i, 8);
    mprof_le_store(bytes, MPROF_INDEX_MAGIC, 8);
    mprof_le_store(bytes + 8, version, 8);
    return mprof_cursor_over(bytes, BYTES, 0, "t");
}

static void each_version_has_its_words(void **state)
{
    /* By version: the end of the header. */
    static const size_t ends[] = {0,  40, 40, 40, 40, 40, 40,
                                  40, 48, 56, 64, 64, 72, 72};
    uint8_t bytes[BYTES];
    struct mprof_index_llvm h;

    (void)state;
    for (uint64_t v = 1; v <= MPROF_INDEX_VERSION_MAX; v++) {
        struct mprof_cursor c = file_of(bytes, v | MPROF_INDEX_VARIANT_MEMPROF);

        mprof_index_llvm_read(&h, &c);
        assert_int_equal(c.err, MPROF_E_OK);
        assert_int_equal(c.pos, ends[v]);
        assert_int_equal(h.version, v);
        assert_true(h.variant == MPROF_INDEX_VARIANT_MEMPROF);
        assert_int_equal(h.llvm_bytes, 16);
        assert_int_equal(h.table_off, 32);
        assert_int_equal(h.memprof_off, v < 8 ? 0 : 40);
        assert_int_equal(h.binary_ids_off, v < 9 ? 0 : 48);
        assert_int_equal(h.temporal_off, v < 10 ? 0 : 56);
        assert_int_equal(h.vtables_off, v < 12 ? 0 : 64);
        assert_int_equal(mprof_index_llvm_has_memprof(&h), v >= 8);
    }
}

static void other_files_are_refused(void **state)
{
    static const uint64_t versions[] = {0, MPROF_INDEX_VERSION_MAX + 1};
    uint8_t bytes[BYTES];
    struct mprof_index_llvm h;
    struct mprof_cursor c;

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(versions); i++) {
        c = file_of(bytes, versions[i]);
        mprof_index_llvm_read(&h, &c);
        assert_int_equal(c.err, MPROF_E_VERSION);
        assert_int_equal(h.version, versions[i]);
    }
    c = file_of(bytes, 12);
    bytes[0] ^= 1;
    mprof_index_llvm_read(&h, &c);
    assert_int_equal(c.err, MPROF_E_MAGIC);
    for (size_t size = 0; size < 72; size++) {
        file_of(bytes, 12);
        c = mprof_cursor_over(bytes, size, 0, "t");
        mprof_index_llvm_read(&h, &c);
        assert_int_equal(c.err, MPROF_E_TRUNCATED);
    }
}

static void each_memprof_section_has_its_offsets(void **state)
{
    static const size_t ends[] = {0, 0, 48, 32, 44};
    uint8_t bytes[BYTES];
    struct mprof_index_llvm_memprof m;

    (void)state;
    for (uint64_t v = 0; v <= MPROF_MEMPROF_VERSION_MAX + 1; v++) {
        struct mprof_cursor c = file_of(bytes, 12);

        mprof_le_store(bytes + 16, v, 8);
        if (v == 4)
            mprof_le_store(bytes + 56, 0, 4); /* no summary */
        mprof_index_llvm_read_memprof(&m, &c, 16);
        assert_int_equal(m.version, v);
        if (v < MPROF_MEMPROF_VERSION_MIN || v > MPROF_MEMPROF_VERSION_MAX) {
            assert_int_equal(c.err, MPROF_E_VERSION);
            continue;
        }
        assert_int_equal(c.pos, 16 + ends[v]);
        assert_int_equal(m.record_table_off, v == 2 ? 24 : 40);
        assert_int_equal(m.frame_table_off, v == 2 ? 40 : 0);
        assert_int_equal(m.stack_table_off, v == 2 ? 56 : 0);
        assert_int_equal(m.stacks_off, v == 2 ? 0 : 24);
        assert_int_equal(m.stacks_end_off, v == 2 ? 0 : 32);
        assert_int_equal(m.data_access_off, v == 4 ? 48 : 0);
    }
}

static void offsets_lie_in_the_file(void **state)
{
    uint8_t bytes[BYTES];
    struct mprof_index_llvm_memprof m;
    struct mprof_cursor c = file_of(bytes, 12);

    (void)state;
    mprof_le_store(bytes + 16, 3, 8);
    mprof_le_store(bytes + 40, BYTES, 8);
    mprof_index_llvm_read_memprof(&m, &c, 16);
    assert_int_equal(c.err, MPROF_E_OFFSET);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_version_has_its_words),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(each_memprof_section_has_its_offsets),
        cmocka_unit_test(offsets_lie_in_the_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
