/* section_write.c -- sections of a container, compressed if it pays.
 *
 * One thread and one level: one version of libzstd gives equal bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/section_write.h"
#include "profdata/base/heapbuf.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

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

/* State of writing a section in blocks. */
struct blocks {
    ZSTD_CCtx *zstd;
    struct mprof_buf *out;
    uint32_t block_bytes;
    size_t sizes_off; /* in *out: offset of the blocks' stored sizes */
    size_t count;     /* of blocks written */
    uint8_t *block;   /* the block being filled; NULL until needed */
    size_t used;
    enum mprof_err err;
};

/* Appends all of a section but its blocks; false on error. */
static bool begin_blocks(struct blocks *b, size_t size)
{
    const size_t count = (size - 1) / b->block_bytes + 1;

    if (count > UINT32_MAX) {
        b->err = MPROF_E_LIMIT;
        return false;
    }
    mprof_buf_u32(b->out, b->block_bytes);
    mprof_buf_u32(b->out, (uint32_t)count);
    b->sizes_off = b->out->size;
    if (mprof_buf_extend(b->out, count * 4) == NULL)
        b->err = MPROF_E_NOMEM;
    return b->err == MPROF_E_OK;
}

static void write_block(struct blocks *b, const uint8_t *data, size_t size)
{
    size_t stored = 0;

    if (b->err == MPROF_E_OK)
        b->err = write_frame(b->zstd, data, size, b->out, &stored);
    if (b->err == MPROF_E_OK)
        mprof_buf_patch(b->out, b->sizes_off + 4 * b->count++, stored, 4);
}

/* A mprof_table_sink_fn. Compresses whole blocks without a copy. */
static void add_piece(void *to, const void *data, size_t n)
{
    struct blocks *const b = (struct blocks *)to;
    const uint8_t *bytes = data;

    while (n != 0 && b->err == MPROF_E_OK) {
        size_t part = b->block_bytes - b->used;

        if (b->used == 0 && n >= part) {
            write_block(b, bytes, part);
        } else {
            if (b->block == NULL)
                b->block = malloc(b->block_bytes);
            if (b->block == NULL) {
                b->err = MPROF_E_NOMEM;
                return;
            }
            if (n < part)
                part = n;
            memcpy(b->block + b->used, bytes, part);
            b->used += part;
            if (b->used == b->block_bytes) {
                write_block(b, b->block, b->used);
                b->used = 0;
            }
        }
        bytes += part;
        n -= part;
    }
}

static void end_blocks(struct blocks *b)
{
    if (b->used != 0)
        write_block(b, b->block, b->used);
    free(b->block);
}

static enum mprof_err write_compressed(const uint8_t *data, size_t size,
                                       struct mprof_buf *out,
                                       struct mprof_section *section)
{
    struct blocks b = {.zstd = ZSTD_createCCtx(),
                       .out = out,
                       .block_bytes = MPROF_ZSTD_BLOCK_BYTES};
    size_t stored;

    if (b.zstd == NULL)
        return MPROF_E_NOMEM;
    if (size <= MPROF_ZSTD_BLOCK_BYTES) {
        section->codec = MPROF_CODEC_ZSTD;
        b.err = write_frame(b.zstd, data, size, out, &stored);
    } else {
        section->codec = MPROF_CODEC_ZSTD_BLOCKS;
        if (begin_blocks(&b, size))
            add_piece(&b, data, size);
        end_blocks(&b);
    }
    ZSTD_freeCCtx(b.zstd);
    return b.err;
}

static void begin_section(uint32_t id, size_t size, struct mprof_buf *out,
                          struct mprof_section *section)
{
    mprof_buf_align(out, MPROF_SECTION_ALIGN);
    *section = (struct mprof_section){.id = id,
                                      .codec = MPROF_CODEC_NONE,
                                      .offset = out->size,
                                      .decoded_bytes = size};
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

static enum mprof_err end_section(const struct mprof_buf *out,
                                  struct mprof_section *section)
{
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
    enum mprof_err err;

    begin_section(id, size, out, section);
    if (may_compress && size >= COMPRESS_BYTES_MIN) {
        err = write_compressed(data, size, out, section);
        if (err != MPROF_E_OK)
            return err;
        take_back(out, section);
    }
    if (section->codec == MPROF_CODEC_NONE)
        mprof_buf_bytes(out, data, size);
    return end_section(out, section);
}

/* -- tables that are never in memory as a whole
 * --------------------------------- */

static void append_piece(void *to, const void *data, size_t n)
{
    mprof_buf_bytes((struct mprof_buf *)to, data, n);
}

static enum mprof_err write_table_blocks(const struct mprof_buf *head,
                                         const struct mprof_table_source *table,
                                         uint32_t block_bytes,
                                         struct mprof_buf *out,
                                         struct mprof_section *section)
{
    struct blocks b = {
        .zstd = ZSTD_createCCtx(), .out = out, .block_bytes = block_bytes};

    if (b.zstd == NULL)
        return MPROF_E_NOMEM;
    section->codec = MPROF_CODEC_ZSTD_BLOCKS;
    if (begin_blocks(&b, (size_t)section->decoded_bytes)) {
        add_piece(&b, head->data, head->size);
        mprof_table_data(head->data, table, add_piece, &b);
    }
    end_blocks(&b);
    ZSTD_freeCCtx(b.zstd);
    return b.err;
}

static enum mprof_err write_large_table(const struct mprof_buf *head,
                                        const struct mprof_table_source *table,
                                        uint32_t block_bytes,
                                        struct mprof_buf *out,
                                        struct mprof_section *section)
{
    const enum mprof_err err =
        write_table_blocks(head, table, block_bytes, out, section);

    if (err != MPROF_E_OK)
        return err;
    take_back(out, section);
    if (section->codec == MPROF_CODEC_NONE) {
        mprof_buf_bytes(out, head->data, head->size);
        mprof_table_data(head->data, table, append_piece, out);
    }
    return end_section(out, section);
}

enum mprof_err
mpdata_section_write_table(uint32_t id, const struct mprof_table_source *table,
                           uint32_t block_bytes, bool may_compress,
                           struct mprof_buf *out, struct mprof_section *section)
{
    struct mprof_buf bytes;
    size_t size;
    size_t head;
    enum mprof_err err = MPROF_E_NOMEM;

    mpdata_heapbuf_init(&bytes);
    size = mprof_table_head(&bytes, table);
    if (bytes.failed)
        goto out;
    if (size <= MPROF_ZSTD_BLOCK_BYTES)
        block_bytes = MPDATA_SECTION_SMALL_BLOCK_BYTES;
    if (may_compress && size > block_bytes) {
        begin_section(id, size, out, section);
        err = write_large_table(&bytes, table, block_bytes, out, section);
        goto out;
    }
    head = bytes.size;
    /* Reserves all bytes at once: growing later would copy the head. */
    if (mprof_buf_extend(&bytes, size - head) == NULL)
        goto out;
    bytes.size = head;
    mprof_table_data(bytes.data, table, append_piece, &bytes);
    if (!bytes.failed)
        err = mpdata_section_write(id, bytes.data, bytes.size, may_compress,
                                   out, section);
out:
    mpdata_heapbuf_fini(&bytes);
    return err;
}
