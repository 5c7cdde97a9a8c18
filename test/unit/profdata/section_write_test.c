/* section_write_test.c -- tests that an encoded section decodes to the same
 * bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/sink.h"
#include "profdata/base/section.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/table_write.h"

#include <stdlib.h>
#include <string.h>

/* Writes `size` bytes, every `period`-th of which differs; checks the codec and
 * that they read back. */
static void write_and_read(size_t size, bool is_noise, bool may_compress,
                           uint32_t codec)
{
    uint8_t *data = malloc(size + 1);
    struct mprof_section place;
    struct mpdata_section read;
    struct mprof_buf buf;
    uint32_t seed = 1;

    for (size_t i = 0; i < size; i++) {
        seed = seed * 1103515245 + 12345;
        data[i] = is_noise ? (uint8_t)(seed >> 16) : (uint8_t)(i / 100);
    }
    mpdata_heapbuf_init(&buf);
    mprof_buf_bytes(&buf, "odd", 3);
    assert_int_equal(
        mpdata_section_write(9, data, size, may_compress, &buf, &place),
        MPROF_E_OK);
    assert_int_equal(place.id, 9);
    assert_int_equal(place.offset, 8);
    assert_int_equal(place.codec, codec);
    assert_int_equal(place.decoded_bytes, size);
    assert_int_equal(place.offset + place.stored_bytes, buf.size);
    assert_int_equal(
        mpdata_section_open(&read, buf.data, buf.size, &place, "t", true, NULL),
        MPROF_E_OK);
    assert_int_equal(read.size, size);
    if (size != 0)
        assert_memory_equal(read.data, data, size);
    mpdata_section_close(&read);
    mpdata_heapbuf_fini(&buf);
    free(data);
}

static void the_codec_is_what_pays(void **state)
{
    (void)state;
    write_and_read(0, false, true, MPROF_CODEC_NONE);
    write_and_read(255, false, true, MPROF_CODEC_NONE);
    write_and_read(256, false, true, MPROF_CODEC_ZSTD);
    write_and_read(131072, false, true, MPROF_CODEC_ZSTD);
    write_and_read(131073, false, true, MPROF_CODEC_ZSTD_BLOCKS);
    write_and_read(1000000, false, true, MPROF_CODEC_ZSTD_BLOCKS);
    write_and_read(1000000, false, false, MPROF_CODEC_NONE);
    write_and_read(5000, true, true, MPROF_CODEC_NONE);
    write_and_read(500000, true, true, MPROF_CODEC_NONE);
}

struct rows {
    uint64_t count;
    bool is_noise;
};

static uint64_t get_bucket(const void *context, uint32_t tag, uint64_t row)
{
    const struct rows *const rows = (const struct rows *)context;

    return rows->is_noise ? (row + 1) * UINT64_C(0x9e3779b97f4a7c15) * tag >> 8
                          : row / 100 + tag;
}

/* The table reads back equal to the one that is written in one piece. */
static void write_table_and_read(uint64_t count, bool is_noise,
                                 bool may_compress, uint32_t codec)
{
    static const uint32_t tags[] = {1, 2, 7};
    const struct rows rows = {.count = count, .is_noise = is_noise};
    const struct mprof_table_source source = {.rows = count,
                                              .tags = tags,
                                              .tag_count =
                                                  MPROF_ARRAY_LEN(tags),
                                              .get = get_bucket,
                                              .context = &rows};
    struct mprof_section place;
    struct mpdata_section read;
    struct mprof_buf whole;
    struct mprof_buf buf;

    mpdata_heapbuf_init(&whole);
    write_table(&whole, &source);
    mpdata_heapbuf_init(&buf);
    mprof_buf_bytes(&buf, "odd", 3);
    assert_int_equal(
        mpdata_section_write_table(9, &source, MPDATA_SECTION_SMALL_BLOCK_BYTES,
                                   may_compress, &buf, &place),
        MPROF_E_OK);
    assert_int_equal(place.codec, codec);
    assert_int_equal(place.offset + place.stored_bytes, buf.size);
    assert_int_equal(
        mpdata_section_open(&read, buf.data, buf.size, &place, "t", true, NULL),
        MPROF_E_OK);
    assert_int_equal(read.size, whole.size);
    assert_memory_equal(read.data, whole.data, whole.size);
    mpdata_section_close(&read);
    mpdata_heapbuf_fini(&buf);
    mpdata_heapbuf_fini(&whole);
}

static void tables_come_back_whole(void **state)
{
    (void)state;
    write_table_and_read(0, false, true, MPROF_CODEC_NONE);
    write_table_and_read(1000, false, true, MPROF_CODEC_ZSTD);
    write_table_and_read(6000, false, true, MPROF_CODEC_ZSTD_BLOCKS);
    write_table_and_read(500000, false, true, MPROF_CODEC_ZSTD_BLOCKS);
    write_table_and_read(500000, false, false, MPROF_CODEC_NONE);
    write_table_and_read(50000, true, true, MPROF_CODEC_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_codec_is_what_pays),
        cmocka_unit_test(tables_come_back_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
