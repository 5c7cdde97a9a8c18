/* pair.c -- a file with an allocator of its own, which counts. */
#include <stdlib.h>
#include <string.h>

static long calls;

static __attribute__((noinline)) void *get_block(size_t size)
{
    calls++;
    return malloc(size);
}

long NAME(void);
long NAME(void)
{
    void *blocks[100];

    for (int i = 0; i < 100; i++)
        memset(blocks[i] = get_block(64), 0, 64);
    for (int i = 0; i < 100; i++)
        free(blocks[i]);
    return calls;
}
