/* section.c -- sections of a container as plain bytes.
 *
 * Sizes in the directory are claims of a foreign file: they are compared with
 * the size in zstd's frame before memory is allocated.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/section.h"
#include "shared/cursor.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* Decodes one zstd frame of exactly out_size decoded bytes. */
static enum mprof_err decode_frame(uint8_t *out, size_t out_size,
                                   const uint8_t *in, size_t in_size)
{
    const size_t n = ZSTD_decompress(out, out_size, in, in_size);

    if (ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation)
        return MPROF_E_NOMEM;
    return ZSTD_isError(n) || n != out_size ? MPROF_E_CODEC : MPROF_E_OK;
}

static enum mprof_err decode_whole(struct mpdata_section *section,
                                   struct mprof_cursor *c)
{
    const size_t in_size = mprof_cursor_left(c);
    const uint8_t *in = mprof_cursor_bytes(c, in_size);

    if (ZSTD_getFrameContentSize(in, in_size) != section->size)
        return MPROF_E_CODEC;
    section->owned = malloc(section->size + 1);
    if (section->owned == NULL)
        return MPROF_E_NOMEM;
    return decode_frame(section->owned, section->size, in, in_size);
}

/* Does the block count of ZSTD_BLOCKS fit the section's decoded size? */
static bool is_block_count(uint64_t decoded, uint32_t block, uint32_t blocks)
{
    if (decoded == 0)
        return blocks == 0;
    return block != 0 && blocks == (decoded - 1) / block + 1;
}

static enum mprof_err decode_blocks(struct mpdata_section *section,
                                    struct mprof_cursor *c)
{
    const uint32_t block = mprof_cursor_u32(c);
    const uint32_t blocks = mprof_cursor_u32(c);
    struct mprof_cursor sizes = *c;
    size_t done = 0;
    enum mprof_err err;

    if (c->err != MPROF_E_OK)
        return c->err;
    if (!is_block_count(section->size, block, blocks))
        return MPROF_E_CODEC;
    if (mprof_cursor_bytes(c, (uint64_t)blocks * 4) == NULL)
        return c->err;
    section->owned = malloc(section->size + 1);
    if (section->owned == NULL)
        return MPROF_E_NOMEM;
    for (uint32_t i = 0; i < blocks; i++) {
        const size_t in_size = mprof_cursor_u32(&sizes);
        const size_t out_size =
            (size_t)mprof_min_u64(block, section->size - done);
        const uint8_t *in = mprof_cursor_bytes(c, in_size);

        if (in == NULL)
            return c->err;
        err = decode_frame(section->owned + done, out_size, in, in_size);
        if (err != MPROF_E_OK)
            return err;
        done += out_size;
    }
    return mprof_cursor_left(c) == 0 ? MPROF_E_OK : MPROF_E_CODEC;
}

/* Checks the section's position and its checksum. */
static enum mprof_err verify(const uint8_t *file, size_t file_size,
                             const struct mprof_section *place,
                             const char *name, bool verify_checksum,
                             struct mprof_diag *diag)
{
    struct mprof_cursor c = mprof_cursor_over(file, file_size, 0, name);
    const uint8_t *stored;

    mprof_cursor_seek(&c, place->offset);
    stored = mprof_cursor_bytes(&c, place->stored_bytes);
    if (stored == NULL)
        return mprof_err_fail(diag, MPROF_E_OFFSET, name, place->offset);
    if (verify_checksum &&
        mprof_checksum(stored, place->stored_bytes) != place->checksum)
        return mprof_err_fail(diag, MPROF_E_CHECKSUM, name, place->offset);
    return MPROF_E_OK;
}

enum mprof_err mpdata_section_open(struct mpdata_section *section,
                                   const uint8_t *file, size_t file_size,
                                   const struct mprof_section *place,
                                   const char *name, bool verify_checksum,
                                   struct mprof_diag *diag)
{
    enum mprof_err err =
        verify(file, file_size, place, name, verify_checksum, diag);
    struct mprof_cursor c;

    *section = (struct mpdata_section){
        .size = place->decoded_bytes, .file_off = place->offset, .name = name};
    if (err != MPROF_E_OK)
        return err;
    c = mprof_cursor_over(file + place->offset, place->stored_bytes,
                          place->offset, name);
    switch (place->codec) {
    case MPROF_CODEC_NONE:
        section->data = c.data;
        break;
    case MPROF_CODEC_ZSTD:
        err = decode_whole(section, &c);
        break;
    case MPROF_CODEC_ZSTD_BLOCKS:
        err = decode_blocks(section, &c);
        break;
    default:
        err = MPROF_E_CODEC;
    }
    if (section->owned != NULL)
        section->data = section->owned;
    if (err != MPROF_E_OK) {
        mpdata_section_close(section);
        return mprof_err_fail(diag, err, name, place->offset);
    }
    return MPROF_E_OK;
}

void mpdata_section_close(struct mpdata_section *section)
{
    free(section->owned);
    *section = (struct mpdata_section){.data = NULL};
}

enum mprof_err mpdata_section_table(const struct mpdata_section *section,
                                    struct mprof_table *table,
                                    struct mprof_diag *diag)
{
    return mprof_table_open(table, section->data, section->size,
                            section->file_off, section->name, diag);
}
