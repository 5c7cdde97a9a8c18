/* log_fields.h -- reads the fields of the block format: BYTE, INTEGER, STRING
 * (shared/log_format.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/str.h"
#include "shared/cursor.h"

#define MPDATA_LOG_LAST_BYTE 128u

uint8_t mpdata_log_fields_byte(struct mprof_cursor *c);
/* INTEGER, of any length. */
uint64_t mpdata_log_fields_long(struct mprof_cursor *c);

/* Fails (TRUNCATED, VALUE) if the number does not end, or does not fit 64 bits.
 */
static inline uint64_t mpdata_log_fields_integer(struct mprof_cursor *c)
{
    if (mprof_cursor_left(c) == 0 ||
        (c->data[c->pos] & MPDATA_LOG_LAST_BYTE) == 0)
        return mpdata_log_fields_long(c);
    return c->data[c->pos++] & (MPDATA_LOG_LAST_BYTE - 1);
}

/* The same for a number of at most 32 bits. */
static inline uint32_t mpdata_log_fields_small(struct mprof_cursor *c)
{
    const uint64_t n = mpdata_log_fields_integer(c);

    if (n > UINT32_MAX)
        mprof_cursor_fail(c, MPROF_E_VALUE);
    return (uint32_t)n;
}

/* Up to a NUL; fails (TRUNCATED) without one. */
struct mpdata_str mpdata_log_fields_string(struct mprof_cursor *c);
