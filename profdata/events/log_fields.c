/* log_fields.c -- reads the fields of the block format.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/log_fields.h"

#include <endian.h>
#include <string.h>

/* Joins the lower 7 bits of each byte, up to the first with the high bit set,
 * which there is: of pairs of bytes, of words, and of halves. */
static uint64_t join(uint64_t n, unsigned *bytes)
{
    const uint64_t last = n & UINT64_C(0x8080808080808080);

    *bytes = (unsigned)__builtin_ctzll(last) / 8 + 1;
    n &= (last ^ (last - 1)) & UINT64_C(0x7f7f7f7f7f7f7f7f);
    n = (n & UINT64_C(0x007f007f007f007f)) |
        (n & UINT64_C(0x7f007f007f007f00)) >> 1;
    n = (n & UINT64_C(0x00003fff00003fff)) |
        (n & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (n & UINT64_C(0x0fffffff)) | (n & UINT64_C(0x0fffffff00000000)) >> 4;
}

uint64_t mpdata_log_fields_long(struct mprof_cursor *c)
{
    const uint8_t *const from = c->data + c->pos;
    const size_t left = mprof_cursor_left(c);
    uint64_t n = 0;

    if (left >= sizeof(n)) {
        unsigned bytes;

        memcpy(&n, from, sizeof(n));
        n = le64toh(n);
        if ((n & UINT64_C(0x8080808080808080)) != 0) {
            n = join(n, &bytes);
            c->pos += bytes;
            return n;
        }
        n = 0;
    }
    for (size_t i = 0; i < left; i++) {
        const uint64_t bits = from[i] & (MPDATA_LOG_LAST_BYTE - 1);

        if (i > 9 || (i == 9 && bits > 1)) {
            mprof_cursor_fail(c, MPROF_E_VALUE);
            return 0;
        }
        n |= bits << 7 * i;
        if ((from[i] & MPDATA_LOG_LAST_BYTE) != 0) {
            c->pos += i + 1;
            return n;
        }
    }
    mprof_cursor_fail(c, MPROF_E_TRUNCATED);
    return 0;
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
