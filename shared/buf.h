/* buf.h -- a growing output buffer for our formats. Like struct mprof_cursor it
 * remembers a failure: after the first failed growth all writes do nothing, so
 * a writer checks `failed` once at the end.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

struct mprof_buf {
    uint8_t *data;
    size_t size;
    size_t capacity;
    bool failed;
    /* Grows data to at least `capacity` bytes and keeps the contents; false on
     * failure. Whoever sets this function owns the memory. */
    bool (*grow)(struct mprof_buf *buf, size_t capacity);
};

/* Appends n bytes with undefined contents and returns them; NULL on failure. */
uint8_t *mprof_buf_extend(struct mprof_buf *buf, size_t n);
/* Appends bytes, or a little-endian number of `width` bytes (0..8). */
void mprof_buf_bytes(struct mprof_buf *buf, const void *data, size_t n);
void mprof_buf_uint(struct mprof_buf *buf, uint64_t value, unsigned width);
void mprof_buf_u32(struct mprof_buf *buf, uint32_t value);
void mprof_buf_u64(struct mprof_buf *buf, uint64_t value);
/* Appends zeros until the size is a multiple of align, a power of two. */
void mprof_buf_align(struct mprof_buf *buf, size_t align);
/* Overwrites `width` bytes at off; off + width <= size. */
void mprof_buf_patch(struct mprof_buf *buf, size_t off, uint64_t value,
                     unsigned width);
