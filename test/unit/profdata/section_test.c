/* section_test.c -- tests sections of a container with each codec.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/sink.h"
#include "profdata/base/section.h"
#include "test/unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define DECODED 1000u
#define BLOCK 300u

static uint8_t plain[DECODED];

static void fill_plain(void)
{
    for (size_t i = 0; i < DECODED; i++)
        plain[i] = (uint8_t)(i / 7);
}

static void append_frame(struct mprof_buf *out, size_t from, size_t size)
{
    uint8_t frame[2 * DECODED];
    const size_t n = ZSTD_compress(frame, sizeof(frame), plain + from, size, 3);

    mprof_buf_bytes(out, frame, n);
}

/* Blocks in the format: their sizes first. */
static void append_blocks(struct mprof_buf *out)
{
    const uint32_t blocks = (DECODED + BLOCK - 1) / BLOCK;
    size_t sizes;

    mprof_buf_u32(out, BLOCK);
    mprof_buf_u32(out, blocks);
    sizes = out->size;
    for (uint32_t i = 0; i < blocks; i++)
        mprof_buf_u32(out, 0);
    for (uint32_t i = 0; i < blocks; i++) {
        const size_t from = i * BLOCK;
        const size_t start = out->size;

        append_frame(out, from,
                     DECODED - from < BLOCK ? DECODED - from : BLOCK);
        mprof_buf_patch(out, sizes + 4 * i, out->size - start, 4);
    }
}

static struct mprof_section place_of(const struct mprof_buf *file,
                                     uint32_t codec)
{
    return (struct mprof_section){
        .id = 1,
        .codec = codec,
        .offset = 8,
        .stored_bytes = file->size - 8,
        .decoded_bytes = DECODED,
        .checksum = mprof_checksum(file->data + 8, file->size - 8)};
}

static void build(struct mprof_buf *file, uint32_t codec)
{
    fill_plain();
    mpdata_heapbuf_init(file);
    mprof_buf_u64(file, 0);
    if (codec == MPROF_CODEC_NONE)
        mprof_buf_bytes(file, plain, DECODED);
    else if (codec == MPROF_CODEC_ZSTD)
        append_frame(file, 0, DECODED);
    else
        append_blocks(file);
}

static void decodes_all_codecs(void **state)
{
    (void)state;
    for (uint32_t codec = 0; codec <= MPROF_CODEC_ZSTD_BLOCKS; codec++) {
        struct mpdata_section section;
        struct mprof_diag diag;
        struct mprof_section place;
        struct mprof_buf file;

        build(&file, codec);
        place = place_of(&file, codec);
        assert_int_equal(mpdata_section_open(&section, file.data, file.size,
                                             &place, "s", true, &diag),
                         0);
        assert_int_equal(section.size, DECODED);
        assert_memory_equal(section.data, plain, DECODED);
        mpdata_section_close(&section);
        mpdata_heapbuf_fini(&file);
    }
}

static void sees_every_damage(void **state)
{
    (void)state;
    for (uint32_t codec = 0; codec <= MPROF_CODEC_ZSTD_BLOCKS; codec++) {
        struct mprof_section place;
        struct mprof_buf file;

        build(&file, codec);
        place = place_of(&file, codec);
        for (size_t i = 8; i < file.size; i++) {
            struct mpdata_section section = {.data = NULL};
            struct mprof_diag diag;

            file.data[i] ^= 0xff;
            assert_int_equal(mpdata_section_open(&section, file.data, file.size,
                                                 &place, "s", true, &diag),
                             MPROF_E_CHECKSUM);
            if (mpdata_section_open(&section, file.data, file.size, &place, "s",
                                    false, &diag) == 0)
                mpdata_section_close(&section);
            file.data[i] ^= 0xff;
        }
        mpdata_heapbuf_fini(&file);
    }
}

static void believes_no_claimed_size(void **state)
{
    (void)state;
    for (uint32_t codec = 1; codec <= MPROF_CODEC_ZSTD_BLOCKS; codec++) {
        struct mpdata_section section;
        struct mprof_diag diag;
        struct mprof_section place;
        struct mprof_buf file;

        build(&file, codec);
        place = place_of(&file, codec);
        for (int step = -1; step <= 1; step += 2) {
            place.decoded_bytes = DECODED + (uint64_t)step;
            assert_int_equal(mpdata_section_open(&section, file.data, file.size,
                                                 &place, "s", true, &diag),
                             MPROF_E_CODEC);
            assert_string_equal(diag.section, "s");
        }
        mpdata_heapbuf_fini(&file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_all_codecs),
        cmocka_unit_test(sees_every_damage),
        cmocka_unit_test(believes_no_claimed_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
