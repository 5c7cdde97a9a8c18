/* log_fields.c -- reads the fields of the block format.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/log_fields.h"

#include <string.h>

#define LAST_BYTE 128u

uint64_t mpdata_log_fields_integer(struct mprof_cursor *c)
{
    const uint8_t *const from = c->data + c->pos;
    const size_t left = mprof_cursor_left(c);
    uint64_t n = 0;

    for (size_t i = 0; i < left; i++) {
        const uint64_t bits = from[i] & (LAST_BYTE - 1);

        if (i > 9 || (i == 9 && bits > 1)) {
            mprof_cursor_fail(c, MPROF_E_VALUE);
            return 0;
        }
        n |= bits << 7 * i;
        if ((from[i] & LAST_BYTE) != 0) {
            c->pos += i + 1;
            return n;
        }
    }
    mprof_cursor_fail(c, MPROF_E_TRUNCATED);
    return 0;
}

uint32_t mpdata_log_fields_small(struct mprof_cursor *c)
{
    const uint64_t n = mpdata_log_fields_integer(c);

    if (n > UINT32_MAX)
        mprof_cursor_fail(c, MPROF_E_VALUE);
    return (uint32_t)n;
}

uint8_t mpdata_log_fields_byte(struct mprof_cursor *c)
{
    const uint8_t *const p = mprof_cursor_bytes(c, 1);

    return p != NULL ? *p : 0;
}

struct mpdata_str mpdata_log_fields_string(struct mprof_cursor *c)
{
    const size_t left = mprof_cursor_left(c);
    const uint8_t *const start = c->data + c->pos;
    const uint8_t *const end = left != 0 ? memchr(start, '\0', left) : NULL;

    if (end == NULL) {
        mprof_cursor_fail(c, MPROF_E_TRUNCATED);
        return (struct mpdata_str){.bytes = "", .size = 0};
    }
    c->pos += (size_t)(end - start) + 1;
    return (struct mpdata_str){.bytes = (const char *)start,
                               .size = (size_t)(end - start)};
}
