/* buf.c -- a growing output buffer for little-endian data.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/buf.h"
#include "shared/le.h"

uint8_t *mprof_buf_extend(struct mprof_buf *buf, size_t n)
{
    uint8_t *end;

    if (buf->failed)
        return NULL;
    if (n > buf->capacity - buf->size) {
        if (n > SIZE_MAX - buf->size || !buf->grow(buf, buf->size + n)) {
            buf->failed = true;
            return NULL;
        }
    }
    end = buf->data + buf->size;
    buf->size += n;
    return end;
}

void mprof_buf_bytes(struct mprof_buf *buf, const void *data, size_t n)
{
    uint8_t *out = mprof_buf_extend(buf, n);

    if (out != NULL && n != 0)
        __builtin_memcpy(out, data, n);
}

void mprof_buf_uint(struct mprof_buf *buf, uint64_t value, unsigned width)
{
    uint8_t *out = mprof_buf_extend(buf, width);

    if (out != NULL)
        mprof_le_store(out, value, width);
}

void mprof_buf_u32(struct mprof_buf *buf, uint32_t value)
{
    mprof_buf_uint(buf, value, 4);
}

void mprof_buf_u64(struct mprof_buf *buf, uint64_t value)
{
    mprof_buf_uint(buf, value, 8);
}

void mprof_buf_align(struct mprof_buf *buf, size_t align)
{
    const size_t pad = (size_t)mprof_round_up(buf->size, align) - buf->size;
    uint8_t *out = mprof_buf_extend(buf, pad);

    if (out != NULL && pad != 0)
        __builtin_memset(out, 0, pad);
}

void mprof_buf_patch(struct mprof_buf *buf, size_t off, uint64_t value,
                     unsigned width)
{
    if (!buf->failed)
        mprof_le_store(buf->data + off, value, width);
}
