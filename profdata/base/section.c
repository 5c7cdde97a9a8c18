/* section.c -- sections of a container as plain bytes.
 *
 * Sizes in the directory are claims of a foreign file: they are compared with
 * the size in zstd's frame before memory is allocated.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/section.h"
#include "shared/cursor.h"
#include "profdata/base/sink.h"

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

    mprof_cursor_seek(&c, place->offset);
    const uint8_t *stored = mprof_cursor_bytes(&c, place->stored_bytes);
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

    *section = (struct mpdata_section){
        .size = place->decoded_bytes, .file_off = place->offset, .name = name};
    if (err != MPROF_E_OK)
        return err;
    struct mprof_cursor c = mprof_cursor_over(
        file + place->offset, place->stored_bytes, place->offset, name);
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

/* -- writing: one thread and one level, so that one version of libzstd gives
 * equal bytes */

/* Tables are columns of numbers; higher levels gain little. */
#define ZSTD_LEVEL 3
#define COMPRESS_BYTES_MIN 256u

/* Appends one frame; stores its size in *stored. */
static enum mprof_err write_frame(ZSTD_CCtx *zstd, const uint8_t *data,
                                  size_t size, struct mprof_buf *out,
                                  size_t *stored)
{
    const size_t start = out->size;
    const size_t bound = ZSTD_compressBound(size);
    uint8_t *to = mprof_buf_extend(out, bound);

    if (to == NULL)
        return MPROF_E_NOMEM;
    *stored = ZSTD_compressCCtx(zstd, to, bound, data, size, ZSTD_LEVEL);
    if (ZSTD_isError(*stored))
        return MPROF_E_NOMEM; /* the only possible cause */
    out->size = start + *stored;
    return MPROF_E_OK;
}

/* Appends the sizes of the blocks, then the blocks. */
static enum mprof_err write_blocks(ZSTD_CCtx *zstd, const uint8_t *data,
                                   size_t size, uint32_t block_bytes,
                                   struct mprof_buf *out)
{
    const size_t count = (size - 1) / block_bytes + 1;
    const size_t sizes_off = out->size + 8;
    enum mprof_err err = MPROF_E_OK;

    if (count > UINT32_MAX)
        return MPROF_E_LIMIT;
    mprof_buf_u32(out, block_bytes);
    mprof_buf_u32(out, (uint32_t)count);
    if (mprof_buf_extend(out, count * 4) == NULL)
        return MPROF_E_NOMEM;
    for (size_t i = 0; i < count && err == MPROF_E_OK; i++) {
        const size_t at = i * block_bytes;
        size_t stored = 0;

        err = write_frame(zstd, data + at,
                          (size_t)mprof_min_u64(block_bytes, size - at), out,
                          &stored);
        if (err == MPROF_E_OK)
            mprof_buf_patch(out, sizes_off + 4 * i, stored, 4);
    }
    return err;
}

static enum mprof_err write_compressed(const uint8_t *data, size_t size,
                                       uint32_t block_bytes,
                                       struct mprof_buf *out,
                                       struct mprof_section *section)
{
    ZSTD_CCtx *const zstd = ZSTD_createCCtx();
    enum mprof_err err = MPROF_E_NOMEM;
    size_t stored;

    if (zstd == NULL)
        return err;
    section->codec =
        size <= block_bytes ? MPROF_CODEC_ZSTD : MPROF_CODEC_ZSTD_BLOCKS;
    err = size <= block_bytes
              ? write_frame(zstd, data, size, out, &stored)
              : write_blocks(zstd, data, size, block_bytes, out);
    ZSTD_freeCCtx(zstd);
    return err;
}

/* Drops the compressed bytes if compression saved less than an eighth. */
static void take_back(struct mprof_buf *out, struct mprof_section *section)
{
    const uint64_t size = section->decoded_bytes;

    if (out->size - section->offset <= size - size / 8)
        return;
    out->size = (size_t)section->offset;
    section->codec = MPROF_CODEC_NONE;
}

static enum mprof_err write_section(uint32_t id, const void *data, size_t size,
                                    uint32_t block_bytes, bool may_compress,
                                    struct mprof_buf *out,
                                    struct mprof_section *section)
{
    mprof_buf_align(out, MPROF_SECTION_ALIGN);
    *section = (struct mprof_section){.id = id,
                                      .codec = MPROF_CODEC_NONE,
                                      .offset = out->size,
                                      .decoded_bytes = size};
    if (may_compress && size >= COMPRESS_BYTES_MIN) {
        const enum mprof_err err =
            write_compressed(data, size, block_bytes, out, section);

        if (err != MPROF_E_OK)
            return err;
        take_back(out, section);
    }
    if (section->codec == MPROF_CODEC_NONE)
        mprof_buf_bytes(out, data, size);
    if (out->failed)
        return MPROF_E_NOMEM;
    section->stored_bytes = out->size - section->offset;
    section->checksum = mprof_checksum(out->data + section->offset,
                                       (size_t)section->stored_bytes);
    return MPROF_E_OK;
}

enum mprof_err mpdata_section_write(uint32_t id, const void *data, size_t size,
                                    bool may_compress, struct mprof_buf *out,
                                    struct mprof_section *section)
{
    return write_section(id, data, size, MPROF_ZSTD_BLOCK_BYTES, may_compress,
                         out, section);
}

static void append_piece(void *to, const void *data, size_t n)
{
    mprof_buf_bytes((struct mprof_buf *)to, data, n);
}

enum mprof_err
mpdata_section_write_table(uint32_t id, const struct mprof_table_source *table,
                           uint32_t block_bytes, bool may_compress,
                           struct mprof_buf *out, struct mprof_section *section)
{
    struct mprof_buf bytes;
    enum mprof_err err = MPROF_E_NOMEM;

    mpdata_heapbuf_init(&bytes);
    const size_t size = mprof_table_head(&bytes, table);
    const size_t head = bytes.size;

    if (size <= MPROF_ZSTD_BLOCK_BYTES)
        block_bytes = MPDATA_SECTION_SMALL_BLOCK_BYTES;
    /* Reserves all bytes at once: growing later would copy the head. */
    if (!bytes.failed && mprof_buf_extend(&bytes, size - head) != NULL) {
        bytes.size = head;
        mprof_table_data(bytes.data, table, append_piece, &bytes);
        if (!bytes.failed)
            err = write_section(id, bytes.data, bytes.size, block_bytes,
                                may_compress, out, section);
    }
    mpdata_heapbuf_fini(&bytes);
    return err;
}
