/* section_write.c -- sections of a container, compressed where it pays.
 *
 * One thread and one level: equal data gives equal bytes with one version of
 * libzstd.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/section_write.h"

#include <zstd.h>

/* Tables are columns of numbers; higher levels take several times as long for a
 * few percent. */
#define ZSTD_LEVEL 3
#define COMPRESS_BYTES_MIN 256u

/* Appends one frame; its size in *stored. */
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
        return MPROF_E_NOMEM; /* the only cause that is left */
    out->size = start + *stored;
    return MPROF_E_OK;
}

static enum mprof_err write_blocks(ZSTD_CCtx *zstd, const uint8_t *data,
                                   size_t size, struct mprof_buf *out)
{
    const size_t blocks = (size - 1) / MPROF_ZSTD_BLOCK_BYTES + 1;
    size_t sizes;

    if (blocks > UINT32_MAX)
        return MPROF_E_LIMIT;
    mprof_buf_u32(out, MPROF_ZSTD_BLOCK_BYTES);
    mprof_buf_u32(out, (uint32_t)blocks);
    sizes = out->size;
    if (mprof_buf_extend(out, blocks * 4) == NULL)
        return MPROF_E_NOMEM;
    for (size_t i = 0; i < blocks; i++) {
        const size_t done = i * MPROF_ZSTD_BLOCK_BYTES;
        const size_t left = size - done;
        size_t stored;
        enum mprof_err err;

        err = write_frame(
            zstd, data + done,
            left < MPROF_ZSTD_BLOCK_BYTES ? left : MPROF_ZSTD_BLOCK_BYTES, out,
            &stored);
        if (err != MPROF_E_OK)
            return err;
        mprof_buf_patch(out, sizes + 4 * i, stored, 4);
    }
    return MPROF_E_OK;
}

static enum mprof_err write_compressed(const uint8_t *data, size_t size,
                                       struct mprof_buf *out,
                                       struct mprof_section *section)
{
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    size_t stored;
    enum mprof_err err;

    if (zstd == NULL)
        return MPROF_E_NOMEM;
    if (size <= MPROF_ZSTD_BLOCK_BYTES) {
        section->codec = MPROF_CODEC_ZSTD;
        err = write_frame(zstd, data, size, out, &stored);
    } else {
        section->codec = MPROF_CODEC_ZSTD_BLOCKS;
        err = write_blocks(zstd, data, size, out);
    }
    ZSTD_freeCCtx(zstd);
    return err;
}

enum mprof_err mpdata_section_write(uint32_t id, const void *data, size_t size,
                                    bool may_compress, struct mprof_buf *out,
                                    struct mprof_section *section)
{
    enum mprof_err err;

    mprof_buf_align(out, MPROF_SECTION_ALIGN);
    *section = (struct mprof_section){.id = id,
                                      .codec = MPROF_CODEC_NONE,
                                      .offset = out->size,
                                      .decoded_bytes = size};
    if (may_compress && size >= COMPRESS_BYTES_MIN) {
        err = write_compressed(data, size, out, section);
        if (err != MPROF_E_OK)
            return err;
        if (out->size - section->offset > size - size / 8) {
            out->size = section->offset;
            section->codec = MPROF_CODEC_NONE;
        }
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
