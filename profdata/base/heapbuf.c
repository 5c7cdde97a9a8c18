/* heapbuf.c -- output buffers that grow by realloc.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/sink.h"

#include <stdlib.h>

#define CAPACITY_MIN 4096u

static bool grow(struct mprof_buf *buf, size_t capacity)
{
    const size_t twice = buf->capacity <= SIZE_MAX / 2 ? 2 * buf->capacity : 0;
    uint8_t *data;

    if (capacity < twice)
        capacity = twice;
    if (capacity < CAPACITY_MIN)
        capacity = CAPACITY_MIN;
    data = realloc(buf->data, capacity);
    if (data == NULL)
        return false;
    buf->data = data;
    buf->capacity = capacity;
    return true;
}

void mpdata_heapbuf_init(struct mprof_buf *buf)
{
    *buf = (struct mprof_buf){.grow = grow};
}

void mpdata_heapbuf_fini(struct mprof_buf *buf)
{
    free(buf->data);
    mpdata_heapbuf_init(buf);
}
