/* replay_malloc.c -- an allocator that never frees, and has no blocks of FROM
 * bytes and more if FROM is not 0.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stddef.h>
#include <string.h>

static char heap[256 << 20];
static size_t used;

void *malloc(size_t size)
{
    char *const block = heap + used;
    const size_t bytes = (size + 31) / 16 * 16;

    if ((FROM != 0 && size >= FROM) || bytes > sizeof(heap) - used)
        return NULL;
    used += bytes;
    memcpy(block, &size, sizeof(size));
    return block + 16;
}

void free(void *block)
{
    (void)block;
}

void *realloc(void *block, size_t size)
{
    void *const other = malloc(size);
    size_t bytes = 0;

    if (block != NULL)
        memcpy(&bytes, (char *)block - 16, sizeof(bytes));
    if (other != NULL && block != NULL)
        memcpy(other, block, bytes < size ? bytes : size);
    return other;
}
