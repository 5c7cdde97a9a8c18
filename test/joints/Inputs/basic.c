/* Blocks of many sizes, alive until exit and 64 bytes apart: every combination
 * of passes and runtimes must count the same. */
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static void *spaced(size_t size);

/* Of the same size, so that it lies between two blocks in any allocator. */
__attribute__((noinline)) void *spacer(size_t size)
{
    return malloc(size);
}

__attribute__((noinline)) static void *spaced(size_t size)
{
    void *p;

    spacer(size);
    p = malloc(size);
    spacer(size);
    return p;
}

__attribute__((noinline)) static void touch(volatile char *p, size_t size,
                                            int times)
{
    for (int i = 0; i < times; i++)
        for (size_t j = 0; j < size; j += 8)
            p[j]++;
}

__attribute__((noinline)) static void small(void)
{
    for (size_t size = 8; size < 200; size += 8)
        touch(spaced(size), size, 3);
}

__attribute__((noinline)) static void large(void)
{
    for (size_t size = 1000; size < 70000; size += 7001)
        touch(spaced(size), size, 2);
}

__attribute__((noinline)) static void ranges(size_t size)
{
    char *a = spaced(size);
    char *b = spaced(size);

    memset(a, 1, size);
    memcpy(b, a, size);
    memmove(b + 1, b, size - 1);
    if (memcmp(a, b, size) != 0)
        touch(b, size, 1);
}

static void recurse(int depth)
{
    touch(spaced(64), 64, depth);
    if (depth > 0)
        recurse(depth - 1);
    touch(spaced(32), 32, 1);
}

int main(void)
{
    small();
    large();
    for (volatile size_t size = 16; size < 5000; size = size * 3)
        ranges(size);
    recurse(12);
    touch(spaced(100), 100, 1000);
    return 0;
}
