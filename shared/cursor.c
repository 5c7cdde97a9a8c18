/* cursor.c -- reads little-endian data within bounds.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/cursor.h"
#include "shared/le.h"

#define ULEB_BYTES_MAX 10

void mprof_cursor_fail(struct mprof_cursor *c, enum mprof_err err)
{
    if (c->err != MPROF_E_OK)
        return;
    c->err = err;
    c->err_pos = c->pos;
}

enum mprof_err mprof_cursor_status(const struct mprof_cursor *c,
                                   struct mprof_diag *diag)
{
    if (c->err == MPROF_E_OK)
        return MPROF_E_OK;
    return mprof_err_fail(diag, c->err, c->section, c->file_off + c->err_pos);
}

void mprof_cursor_seek(struct mprof_cursor *c, uint64_t pos)
{
    if (pos > c->size)
        mprof_cursor_fail(c, MPROF_E_OFFSET);
    else if (c->err == MPROF_E_OK)
        c->pos = (size_t)pos;
}

const uint8_t *mprof_cursor_bytes(struct mprof_cursor *c, uint64_t n)
{
    const uint8_t *bytes;

    if (c->err != MPROF_E_OK)
        return NULL;
    if (n > c->size - c->pos) {
        mprof_cursor_fail(c, MPROF_E_TRUNCATED);
        return NULL;
    }
    bytes = c->data + c->pos;
    c->pos += (size_t)n;
    return bytes;
}

static uint64_t read_uint(struct mprof_cursor *c, unsigned width)
{
    const uint8_t *bytes = mprof_cursor_bytes(c, width);

    return bytes != NULL ? mprof_le_load(bytes, width) : 0;
}

uint16_t mprof_cursor_u16(struct mprof_cursor *c)
{
    return (uint16_t)read_uint(c, 2);
}

uint32_t mprof_cursor_u32(struct mprof_cursor *c)
{
    return (uint32_t)read_uint(c, 4);
}

uint64_t mprof_cursor_u64(struct mprof_cursor *c)
{
    return read_uint(c, 8);
}

uint64_t mprof_cursor_uleb(struct mprof_cursor *c)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < ULEB_BYTES_MAX; i++) {
        const uint8_t byte = (uint8_t)read_uint(c, 1);

        if (i == ULEB_BYTES_MAX - 1 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << (7 * i);
        if ((byte & 0x80) == 0)
            return value;
    }
    mprof_cursor_fail(c, MPROF_E_VALUE);
    return 0;
}

bool mprof_cursor_can_hold(struct mprof_cursor *c, uint64_t count,
                           uint64_t min_bytes)
{
    if (count > mprof_cursor_left(c) / min_bytes) {
        mprof_cursor_fail(c, MPROF_E_TRUNCATED);
        return false;
    }
    return c->err == MPROF_E_OK;
}
