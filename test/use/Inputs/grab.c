/* The function that all blocks come from, and one that is inlined into it. */
#include <stdlib.h>

static void *get(size_t size)
{
    return malloc(size);
}

__attribute__((noinline)) void *grab(size_t size)
{
    void *block = get(size);

    if (block == NULL)
        abort();
    return block;
}
