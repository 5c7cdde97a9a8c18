/* unpack_test.c -- tests compressed files: they give their content or an error.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/parse.h"
#include "test/unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define BYTES 600

/* Data that compression neither removes nor leaves as it is. */
static void fill(uint8_t *bytes)
{
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)(i * i >> 5);
}

static size_t make_gzip(const void *data, size_t size, uint8_t *out,
                        size_t room)
{
    z_stream s = {.next_in = NULL};

    assert_int_equal(deflateInit2(&s, 9, Z_DEFLATED, 31, 8, 0), Z_OK);
    s.next_in = (z_const Bytef *)(uintptr_t)data;
    s.avail_in = (uInt)size;
    s.next_out = out;
    s.avail_out = (uInt)room;
    assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
    assert_int_equal(deflateEnd(&s), Z_OK);
    return s.total_out;
}

static size_t make(bool is_gzip, uint8_t *out, size_t room)
{
    uint8_t bytes[BYTES];

    fill(bytes);
    return is_gzip ? make_gzip(bytes, BYTES, out, room)
                   : ZSTD_compress(out, room, bytes, BYTES, 3);
}

static enum mprof_err unpack(const uint8_t *data, size_t size,
                             struct mpdata_file *file)
{
    *file = (struct mpdata_file){.size = size, .owned = malloc(size + 1)};
    memcpy(file->owned, data, size);
    file->data = file->owned;
    return mpdata_unpack(file, NULL);
}

static void unpacks_what_was_packed(void **state)
{
    uint8_t packed[2 * BYTES];
    uint8_t bytes[BYTES];

    (void)state;
    fill(bytes);
    for (int is_gzip = 0; is_gzip < 2; is_gzip++) {
        const size_t size = make(is_gzip != 0, packed, sizeof(packed));
        struct mpdata_file file;

        assert_int_equal(unpack(packed, size, &file), MPROF_E_OK);
        assert_int_equal(file.size, BYTES);
        assert_memory_equal(file.data, bytes, BYTES);
        mpdata_file_close(&file);
    }
}

static void leaves_other_files_alone(void **state)
{
    struct mpdata_file file;

    (void)state;
    assert_int_equal(unpack((const uint8_t *)"plain", 5, &file), MPROF_E_OK);
    assert_int_equal(file.size, 5);
    assert_memory_equal(file.data, "plain", 5);
    mpdata_file_close(&file);
    assert_int_equal(unpack((const uint8_t *)"", 0, &file), MPROF_E_OK);
    mpdata_file_close(&file);
}

static void cut_files_are_refused(void **state)
{
    uint8_t packed[2 * BYTES];

    (void)state;
    for (int is_gzip = 0; is_gzip < 2; is_gzip++) {
        const size_t size = make(is_gzip != 0, packed, sizeof(packed));

        for (size_t n = 4; n < size; n++) {
            struct mpdata_file file;

            assert_int_equal(unpack(packed, n, &file), MPROF_E_TRUNCATED);
            assert_int_equal(file.size, n);
            mpdata_file_close(&file);
        }
    }
}

static void damage_is_survived(void **state)
{
    uint8_t packed[2 * BYTES];

    (void)state;
    for (int is_gzip = 0; is_gzip < 2; is_gzip++) {
        const size_t size = make(is_gzip != 0, packed, sizeof(packed));

        for (size_t bit = 0; bit < size * 8; bit++) {
            struct mpdata_file file;
            enum mprof_err err;

            packed[bit / 8] ^= (uint8_t)(1u << bit % 8);
            err = unpack(packed, size, &file);
            assert_true(err != MPROF_E_NOMEM);
            mpdata_file_close(&file);
            packed[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unpacks_what_was_packed),
        cmocka_unit_test(leaves_other_files_alone),
        cmocka_unit_test(cut_files_are_refused),
        cmocka_unit_test(damage_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
