/* container.c -- reads and writes directories of sections.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/container.h"
#include "shared/le.h"

/* Inlined, so that the runtime exports no symbol of xxHash; without the
 * streaming functions, which allocate. */
#define XXH_INLINE_ALL
#define XXH_NO_STREAM
#include <xxhash.h>

uint64_t mprof_checksum(const void *data, size_t size)
{
    return XXH3_64bits(data, size);
}

static enum mprof_err check_section(const struct mprof_section *s,
                                    uint64_t size, uint64_t dir_off,
                                    uint64_t dir_end)
{
    if (s->codec > MPROF_CODEC_ZSTD_BLOCKS)
        return MPROF_E_CODEC;
    if (s->offset > size || s->stored_bytes > size - s->offset)
        return MPROF_E_OFFSET;
    if (s->offset < dir_end && s->offset + s->stored_bytes > dir_off)
        return MPROF_E_OFFSET;
    if (s->codec == MPROF_CODEC_NONE && s->decoded_bytes != s->stored_bytes)
        return MPROF_E_VALUE;
    if (s->decoded_bytes / MPROF_DECODED_RATIO_MAX > s->stored_bytes)
        return MPROF_E_VALUE;
    return MPROF_E_OK;
}

/* Checksum of a directory whose checksum field counts as 0. Works on a copy,
 * because the input is read-only. */
static uint64_t dir_checksum(const uint8_t *bytes, uint32_t sections)
{
    uint8_t copy[MPROF_DIR_HEADER_BYTES +
                 MPROF_DIR_SECTIONS_MAX * MPROF_DIR_ENTRY_BYTES];
    const size_t size = mprof_dir_bytes(sections);

    __builtin_memcpy(copy, bytes, size);
    mprof_le_store(copy + MPROF_DIR_CHECKSUM_OFF, 0, 8);
    return mprof_checksum(copy, size);
}

static void read_header(struct mprof_dir *dir, struct mprof_cursor *c,
                        uint64_t magic, uint32_t version_min,
                        uint32_t version_max)
{
    dir->magic = mprof_cursor_u64(c);
    if (dir->magic != magic) {
        c->pos -= c->err == MPROF_E_OK ? 8 : 0;
        mprof_cursor_fail(c, MPROF_E_MAGIC);
    }
    dir->version = mprof_cursor_u32(c);
    if (dir->version < version_min || dir->version > version_max)
        mprof_cursor_fail(c, MPROF_E_VERSION);
    dir->section_count = mprof_cursor_u32(c);
    if (dir->section_count > MPROF_DIR_SECTIONS_MAX)
        mprof_cursor_fail(c, MPROF_E_VALUE);
    dir->file_bytes = mprof_cursor_u64(c);
}

enum mprof_err mprof_dir_read(struct mprof_dir *dir, const void *data,
                              size_t size, uint64_t dir_off, uint64_t magic,
                              uint32_t version_min, uint32_t version_max,
                              bool verify_checksum, const char *name,
                              struct mprof_diag *diag)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, 0, name);
    uint64_t checksum;
    uint64_t dir_end;

    mprof_cursor_seek(&c, dir_off);
    read_header(dir, &c, magic, version_min, version_max);
    if (dir->file_bytes > size)
        mprof_cursor_fail(&c, MPROF_E_TRUNCATED);
    else if (dir->file_bytes < size)
        mprof_cursor_fail(&c, MPROF_E_VALUE);
    checksum = mprof_cursor_u64(&c);
    if (!mprof_cursor_can_hold(&c, dir->section_count, MPROF_DIR_ENTRY_BYTES))
        return mprof_cursor_status(&c, diag);
    if (verify_checksum &&
        checksum != dir_checksum(c.data + dir_off, dir->section_count))
        return mprof_err_fail(diag, MPROF_E_CHECKSUM, name, dir_off);

    dir_end = dir_off + mprof_dir_bytes(dir->section_count);
    for (uint32_t i = 0; i < dir->section_count; i++) {
        struct mprof_section *s = &dir->sections[i];
        const uint64_t entry_off = c.pos;
        enum mprof_err err;

        s->id = mprof_cursor_u32(&c);
        s->codec = mprof_cursor_u32(&c);
        s->offset = mprof_cursor_u64(&c);
        s->stored_bytes = mprof_cursor_u64(&c);
        s->decoded_bytes = mprof_cursor_u64(&c);
        s->checksum = mprof_cursor_u64(&c);
        err = check_section(s, size, dir_off, dir_end);
        if (i > 0 && s->id <= dir->sections[i - 1].id)
            err = MPROF_E_DUPLICATE;
        if (err != MPROF_E_OK)
            return mprof_err_fail(diag, err, name, entry_off);
    }
    return MPROF_E_OK;
}

const struct mprof_section *mprof_dir_find(const struct mprof_dir *dir,
                                           uint32_t id)
{
    for (uint32_t i = 0; i < dir->section_count; i++) {
        if (dir->sections[i].id == id)
            return &dir->sections[i];
    }
    return NULL;
}

void mprof_dir_write(const struct mprof_dir *dir, uint8_t *out)
{
    uint8_t *p = out + MPROF_DIR_HEADER_BYTES;

    mprof_le_store(out, dir->magic, 8);
    mprof_le_store(out + 8, dir->version, 4);
    mprof_le_store(out + 12, dir->section_count, 4);
    mprof_le_store(out + MPROF_DIR_FILE_SIZE_OFF, dir->file_bytes, 8);
    mprof_le_store(out + MPROF_DIR_CHECKSUM_OFF, 0, 8);
    for (uint32_t i = 0; i < dir->section_count; i++) {
        const struct mprof_section *s = &dir->sections[i];

        mprof_le_store(p, s->id, 4);
        mprof_le_store(p + 4, s->codec, 4);
        mprof_le_store(p + 8, s->offset, 8);
        mprof_le_store(p + 16, s->stored_bytes, 8);
        mprof_le_store(p + 24, s->decoded_bytes, 8);
        mprof_le_store(p + 32, s->checksum, 8);
        p += MPROF_DIR_ENTRY_BYTES;
    }
    mprof_le_store(out + MPROF_DIR_CHECKSUM_OFF,
                   mprof_checksum(out, mprof_dir_bytes(dir->section_count)), 8);
}
