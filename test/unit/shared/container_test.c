/* container_test.c -- tests directories of sections.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/container.h"
#include "shared/le.h"
#include "test/unit/cmocka_all.h"

#include <string.h>

#define MAGIC UINT64_C(0x1122334455667788)
#define FILE_BYTES 256u

/* A file with its directory at 0, then two sections. */
static void make_file(uint8_t *file, struct mprof_dir *dir)
{
    memset(file, 0, FILE_BYTES);
    *dir = (struct mprof_dir){
        .magic = MAGIC,
        .version = 3,
        .section_count = 2,
        .file_bytes = FILE_BYTES,
        .sections = {
            {.id = 1, .offset = 120, .stored_bytes = 8, .decoded_bytes = 8},
            {.id = 5,
             .codec = MPROF_CODEC_ZSTD,
             .offset = 128,
             .stored_bytes = 100,
             .decoded_bytes = 1000,
             .checksum = 77}}};
    mprof_dir_write(dir, file);
}

static enum mprof_err read_file(const uint8_t *file, size_t size,
                                bool verify_checksum, struct mprof_dir *dir)
{
    return mprof_dir_read(dir, file, size, 0, MAGIC, 2, 3, verify_checksum,
                          "directory", NULL);
}

static void a_directory_reads_back_as_written(void **state)
{
    uint8_t file[FILE_BYTES];
    struct mprof_dir written;
    struct mprof_dir dir;

    (void)state;
    make_file(file, &written);
    assert_int_equal(read_file(file, FILE_BYTES, true, &dir), MPROF_E_OK);
    assert_int_equal(dir.section_count, 2);
    assert_memory_equal(dir.sections, written.sections,
                        2 * sizeof(dir.sections[0]));
    assert_int_equal(mprof_dir_find(&dir, 5)->checksum, 77);
    assert_null(mprof_dir_find(&dir, 4));
}

static void every_flipped_bit_is_noticed(void **state)
{
    uint8_t file[FILE_BYTES];
    struct mprof_dir dir;

    (void)state;
    make_file(file, &dir);
    for (size_t bit = 0; bit < 8 * mprof_dir_bytes(2); bit++) {
        file[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_not_equal(read_file(file, FILE_BYTES, true, &dir),
                             MPROF_E_OK);
        if (read_file(file, FILE_BYTES, false, &dir) == MPROF_E_OK) {
            for (uint32_t i = 0; i < dir.section_count; i++)
                assert_true(dir.sections[i].offset +
                                dir.sections[i].stored_bytes <=
                            FILE_BYTES);
        }
        file[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static void a_file_of_another_size_is_refused(void **state)
{
    uint8_t file[FILE_BYTES];
    struct mprof_dir dir;

    (void)state;
    make_file(file, &dir);
    assert_int_equal(read_file(file, FILE_BYTES - 1, true, &dir),
                     MPROF_E_TRUNCATED);
    assert_int_equal(read_file(file, 10, true, &dir), MPROF_E_TRUNCATED);
    assert_int_equal(read_file(file, 0, true, &dir), MPROF_E_TRUNCATED);
}

/* Changes one field of the second section and returns the result. */
static enum mprof_err with_field(size_t field_off, uint64_t value,
                                 unsigned width)
{
    uint8_t file[FILE_BYTES];
    struct mprof_dir dir;

    make_file(file, &dir);
    mprof_le_store(file + MPROF_DIR_HEADER_BYTES + MPROF_DIR_ENTRY_BYTES +
                       field_off,
                   value, width);
    return read_file(file, FILE_BYTES, false, &dir);
}

static void bad_sections_are_told_apart(void **state)
{
    (void)state;
    assert_int_equal(with_field(0, 1, 4), MPROF_E_DUPLICATE);
    assert_int_equal(with_field(4, 3, 4), MPROF_E_CODEC);
    assert_int_equal(with_field(8, 300, 8), MPROF_E_OFFSET);
    assert_int_equal(with_field(8, 104, 8), MPROF_E_OFFSET); /* directory */
    assert_int_equal(with_field(16, 129, 8), MPROF_E_OFFSET);
    assert_int_equal(with_field(16, UINT64_MAX, 8), MPROF_E_OFFSET);
    assert_int_equal(with_field(24, UINT64_MAX, 8), MPROF_E_VALUE);
    assert_int_equal(with_field(4, 0, 4), MPROF_E_VALUE); /* sizes differ */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_directory_reads_back_as_written),
        cmocka_unit_test(every_flipped_bit_is_noticed),
        cmocka_unit_test(a_file_of_another_size_is_refused),
        cmocka_unit_test(bad_sections_are_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
