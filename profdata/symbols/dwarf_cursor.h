/* dwarf_cursor.h -- the reads of struct mprof_cursor that DWARF needs most, or
 * alone: inline, because a line table has millions of them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DWARF_CURSOR_H
#define MPDATA_DWARF_CURSOR_H

#include "shared/cursor.h"
#include "shared/le.h"

static inline uint64_t mpdata_dwarf_uint(struct mprof_cursor *c, unsigned width)
{
    const uint8_t *const at = c->data + c->pos;

    if (MPROF_UNLIKELY(c->err != MPROF_E_OK || width > c->size - c->pos)) {
        mprof_cursor_fail(c, MPROF_E_TRUNCATED);
        return 0;
    }
    c->pos += width;
    return width == 1 ? at[0] : mprof_le_load(at, width);
}

/* Numbers of one byte are most of them, and of two most others. */
static inline uint64_t mpdata_dwarf_uleb(struct mprof_cursor *c)
{
    const uint8_t *const at = c->data + c->pos;

    if (MPROF_LIKELY(c->err == MPROF_E_OK && c->size - c->pos >= 2)) {
        if (MPROF_LIKELY(at[0] < 0x80)) {
            c->pos++;
            return at[0];
        }
        if (at[1] < 0x80) {
            c->pos += 2;
            return (at[0] & 0x7fu) | (uint64_t)at[1] << 7;
        }
    }
    return mprof_cursor_uleb(c);
}

/* Signed LEB128, at most 10 bytes. */
static inline int64_t mpdata_dwarf_sleb(struct mprof_cursor *c)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 70; shift += 7) {
        const uint64_t byte = mpdata_dwarf_uint(c, 1);

        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        if ((byte & 0x80) != 0)
            continue;
        if ((byte & 0x40) != 0 && shift + 7 < 64)
            value |= ~UINT64_C(0) << (shift + 7);
        return (int64_t)value;
    }
    mprof_cursor_fail(c, MPROF_E_VALUE);
    return 0;
}

static inline void mpdata_dwarf_skip(struct mprof_cursor *c, uint64_t n)
{
    if (MPROF_UNLIKELY(c->err != MPROF_E_OK || n > c->size - c->pos))
        mprof_cursor_fail(c, MPROF_E_TRUNCATED);
    else
        c->pos += (size_t)n;
}

#endif
