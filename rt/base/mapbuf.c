/* mapbuf.c -- memory for a dump: growing buffers and arrays straight from the
 * system, and a sort that needs nothing else.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/dump.h"

#define FIRST_BYTES (64u << 10)

/* At least doubles, so that n appended bytes are copied O(n) times in all. */
static bool grow_mapped(struct mprof_buf *buf, size_t capacity)
{
    size_t bytes = buf->capacity != 0 ? 2 * buf->capacity : FIRST_BYTES;
    void *data;

    if (bytes < capacity)
        bytes = mprof_round_up(capacity, FIRST_BYTES);
    data = mprt_sys_map(bytes);
    if (data == NULL)
        return false;
    if (buf->data != NULL) {
        mprt_memcpy(data, buf->data, buf->size);
        mprt_sys_unmap(buf->data, buf->capacity);
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
        mprt_sys_unmap(buf->data, buf->capacity);
    mprt_mapbuf_init(buf);
}

void *mprt_array_new(size_t count, size_t bytes)
{
    size_t total;

    if (__builtin_mul_overflow(count, bytes, &total))
        return NULL;
    return mprt_sys_map(total != 0 ? total : 1);
}

void mprt_array_free(void *array, size_t count, size_t bytes)
{
    if (array != NULL)
        mprt_sys_unmap(array, count * bytes != 0 ? count * bytes : 1);
}

void mprt_sort_u32(uint32_t *items, uint32_t *scratch, size_t count,
                   bool (*less)(const void *context, uint32_t a, uint32_t b),
                   const void *context)
{
    uint32_t *from = items;
    uint32_t *to = scratch;

    /* Bottom-up merge sort. */
    for (size_t width = 1; width < count; width *= 2) {
        uint32_t *const swap = from;

        for (size_t start = 0; start < count; start += 2 * width) {
            const size_t mid = mprof_min_u64(start + width, count);
            const size_t end = mprof_min_u64(start + 2 * width, count);
            size_t left = start;
            size_t right = mid;

            for (size_t k = start; k < end; k++) {
                if (right < end &&
                    (left == mid || less(context, from[right], from[left])))
                    to[k] = from[right++];
                else
                    to[k] = from[left++];
            }
        }
        from = to;
        to = swap;
    }
    if (from != items)
        mprt_memcpy(items, from, count * sizeof(*items));
}
