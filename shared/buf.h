/* buf.h -- the way to produce bytes of our own: a growing output buffer with
 * the manners of struct mprof_cursor. The first failed growth makes it fail,
 * later writes do nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_BUF_H
#define MPROF_BUF_H

#include "shared/base.h"

struct mprof_buf {
    uint8_t *data;
    size_t size;
    size_t capacity;
    bool failed;
    /* Makes room for at least `capacity` bytes in all, keeping the contents;
     * false on failure. Owner of the memory: who set it. */
    bool (*grow)(struct mprof_buf *buf, size_t capacity);
};

/* n more bytes at the end, contents undefined; NULL after a failure. */
uint8_t *mprof_buf_extend(struct mprof_buf *buf, size_t n);
void mprof_buf_bytes(struct mprof_buf *buf, const void *data, size_t n);
void mprof_buf_uint(struct mprof_buf *buf, uint64_t value, unsigned width);
void mprof_buf_u32(struct mprof_buf *buf, uint32_t value);
void mprof_buf_u64(struct mprof_buf *buf, uint64_t value);
/* Zero bytes up to a multiple of align (a power of two) from data[0]. */
void mprof_buf_align(struct mprof_buf *buf, size_t align);
/* Overwrites width bytes at off; off + width <= size. */
void mprof_buf_patch(struct mprof_buf *buf, size_t off, uint64_t value,
                     unsigned width);

#endif
