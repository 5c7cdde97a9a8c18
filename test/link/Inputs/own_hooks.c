/* A program that is linked with an allocator that offers hooks. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void *kept[100];

__attribute__((noinline)) static void *make(size_t size)
{
    return malloc(size);
}

int main(void)
{
    for (int i = 0; i < 1000; i++) {
        free(kept[i % 100]);
        kept[i % 100] = make(64);
    }
    kept[0] = realloc(kept[0], 4096);
    assert(kept[0] != NULL);
    return strdup("of the C library's code") == NULL;
}
