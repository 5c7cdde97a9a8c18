/* lazy.c -- sections decoded block by block, where they lie in memory as a
 * whole: what is not decoded is not touched, so it takes no memory either.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/lazy.h"
#include "shared/cursor.h"
#include "profdata/base/vec.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <zstd.h>

static enum mprof_err fail_codec(const struct mpdata_lazy *lazy,
                                 enum mprof_err err, struct mprof_diag *diag)
{
    return mprof_err_fail(diag, err, lazy->section.name,
                          lazy->section.file_off);
}

/* The places of the blocks' frames; no block is decoded. */
static enum mprof_err read_blocks(struct mpdata_lazy *lazy,
                                  struct mprof_cursor *c)
{
    struct mprof_cursor sizes;

    lazy->block_bytes = mprof_cursor_u32(c);
    lazy->blocks = mprof_cursor_u32(c);
    sizes = *c;
    if (c->err != MPROF_E_OK)
        return c->err;
    if (lazy->section.size == 0 ||
        !mpdata_section_is_block_count(lazy->section.size, lazy->block_bytes,
                                       lazy->blocks))
        return MPROF_E_CODEC;
    if (mprof_cursor_bytes(c, (uint64_t)lazy->blocks * 4) == NULL)
        return c->err;
    lazy->frames = mpdata_vec_array(lazy->blocks, sizeof(*lazy->frames));
    lazy->frame_bytes =
        mpdata_vec_array(lazy->blocks, sizeof(*lazy->frame_bytes));
    lazy->is_decoded =
        mpdata_vec_array(lazy->blocks, sizeof(*lazy->is_decoded));
    if (lazy->frames == NULL || lazy->frame_bytes == NULL ||
        lazy->is_decoded == NULL)
        return MPROF_E_NOMEM;
    for (uint32_t i = 0; i < lazy->blocks; i++) {
        lazy->frame_bytes[i] = mprof_cursor_u32(&sizes);
        lazy->frames[i] = mprof_cursor_bytes(c, lazy->frame_bytes[i]);
        if (lazy->frames[i] == NULL)
            return c->err;
    }
    return mprof_cursor_left(c) == 0 ? MPROF_E_OK : MPROF_E_CODEC;
}

static enum mprof_err decode_block(struct mpdata_lazy *lazy, uint32_t block)
{
    const size_t start = (size_t)block * lazy->block_bytes;
    const size_t size =
        (size_t)mprof_min_u64(lazy->block_bytes, lazy->section.size - start);
    size_t n;

    if (lazy->is_decoded[block])
        return MPROF_E_OK;
    n = ZSTD_decompress(lazy->section.owned + start, size, lazy->frames[block],
                        lazy->frame_bytes[block]);
    if (ZSTD_isError(n) || n != size)
        return MPROF_E_CODEC;
    lazy->is_decoded[block] = true;
    return MPROF_E_OK;
}

/* The first blocks hold the table's own directory. */
static enum mprof_err open_blocks(struct mpdata_lazy *lazy, const uint8_t *file,
                                  const struct mprof_section *place,
                                  struct mprof_diag *diag)
{
    struct mprof_cursor c =
        mprof_cursor_over(file + place->offset, (size_t)place->stored_bytes,
                          place->offset, lazy->section.name);
    enum mprof_err err = read_blocks(lazy, &c);
    void *memory;

    if (err != MPROF_E_OK)
        return fail_codec(lazy, err, diag);
    memory = mmap(NULL, lazy->section.size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return fail_codec(lazy, MPROF_E_NOMEM, diag);
    lazy->section.owned = memory;
    lazy->section.data = memory;
    return mpdata_lazy_need(
        lazy, lazy->section.data,
        mprof_min_u64(lazy->section.size,
                      MPROF_TABLE_HEADER_BYTES +
                          MPROF_TABLE_COLUMNS_MAX * MPROF_TABLE_COLUMN_BYTES),
        diag);
}

enum mprof_err mpdata_lazy_open(struct mpdata_lazy *lazy, const uint8_t *file,
                                size_t file_size,
                                const struct mprof_section *place,
                                const char *name, bool verify_checksum,
                                struct mprof_diag *diag)
{
    enum mprof_err err;

    *lazy = (struct mpdata_lazy){.section = {.size = place->decoded_bytes,
                                             .file_off = place->offset,
                                             .name = name}};
    if (place->codec != MPROF_CODEC_ZSTD_BLOCKS) {
        err = mpdata_section_open(&lazy->section, file, file_size, place, name,
                                  verify_checksum, diag);
    } else {
        err = mpdata_section_verify(file, file_size, place, name,
                                    verify_checksum, diag);
        if (err == MPROF_E_OK)
            err = open_blocks(lazy, file, place, diag);
    }
    if (err == MPROF_E_OK)
        err = mpdata_section_table(&lazy->section, &lazy->table, diag);
    return err;
}

void mpdata_lazy_close(struct mpdata_lazy *lazy)
{
    if (lazy->frames != NULL) {
        if (lazy->section.owned != NULL)
            munmap(lazy->section.owned, lazy->section.size);
    } else {
        mpdata_section_close(&lazy->section);
    }
    free(lazy->frames);
    free(lazy->frame_bytes);
    free(lazy->is_decoded);
    *lazy = (struct mpdata_lazy){.blocks = 0};
}

enum mprof_err mpdata_lazy_need(struct mpdata_lazy *lazy, const uint8_t *bytes,
                                uint64_t size, struct mprof_diag *diag)
{
    uint64_t start;

    if (lazy->blocks == 0 || size == 0)
        return MPROF_E_OK;
    start = (uint64_t)(bytes - lazy->section.data);
    for (uint64_t block = start / lazy->block_bytes;
         block <= (start + size - 1) / lazy->block_bytes; block++) {
        const enum mprof_err err = decode_block(lazy, (uint32_t)block);

        if (err != MPROF_E_OK)
            return fail_codec(lazy, err, diag);
    }
    return MPROF_E_OK;
}

enum mprof_err mpdata_lazy_column(struct mpdata_lazy *lazy, uint32_t tag,
                                  struct mprof_column *column,
                                  struct mprof_diag *diag)
{
    *column = mprof_table_column(&lazy->table, tag);
    if (column->width == 0)
        return MPROF_E_OK;
    return mpdata_lazy_need(lazy, column->data, column->rows * column->width,
                            diag);
}
