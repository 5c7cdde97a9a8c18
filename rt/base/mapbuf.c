/* mapbuf.c -- memory for a dump: growing buffers and arrays.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/mapbuf.h"
#include "rt/base/libc.h"
#include "rt/base/memory.h"
#include "rt/base/os.h"

#define FIRST_BYTES (64u << 10)

/* At least doubles, so that appending n bytes copies O(n) bytes. */
static bool grow_mapped(struct mprof_buf *buf, size_t capacity)
{
    size_t bytes = buf->capacity != 0 ? 2 * buf->capacity : FIRST_BYTES;

    if (bytes < capacity)
        bytes = mprof_round_up(capacity, FIRST_BYTES);
    void *data = mprt_memory_map(bytes);
    if (data == NULL)
        return false;
    if (buf->data != NULL) {
        mprt_libc_memcpy(data, buf->data, buf->size);
        mprt_memory_unmap(buf->data, buf->capacity);
    }
    buf->data = (uint8_t *)data;
    buf->capacity = bytes;
    return true;
}

void mprt_mapbuf_init(struct mprof_buf *buf)
{
    *buf = (struct mprof_buf){.grow = grow_mapped};
}

void mprt_mapbuf_free(struct mprof_buf *buf)
{
    if (buf->data != NULL)
        mprt_memory_unmap(buf->data, buf->capacity);
    mprt_mapbuf_init(buf);
}

void mprt_mapbuf_print(struct mprof_buf *buf)
{
    if (!buf->failed && buf->data != NULL)
        mprt_os_write_all(MPRT_OS_STDERR, buf->data, buf->size);
    mprt_mapbuf_free(buf);
}

void *mprt_mapbuf_new_array(size_t count, size_t bytes)
{
    size_t total;

    if (__builtin_mul_overflow(count, bytes, &total))
        return NULL;
    return mprt_memory_map(total != 0 ? total : 1);
}

void mprt_mapbuf_free_array(void *array, size_t count, size_t bytes)
{
    if (array != NULL)
        mprt_memory_unmap(array, count * bytes != 0 ? count * bytes : 1);
}
