/* Blocks that are reallocated, cleared, aligned and freed. */
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static char *grow(char *p, size_t size)
{
    return realloc(p, size);
}

__attribute__((noinline)) static void growing(void)
{
    char *p = NULL;

    for (size_t size = 1; size < 100000; size = size * 2 + 1) {
        p = grow(p, size);
        p[size - 1] = (char)size;
    }
    free(p);
}

__attribute__((noinline)) static void mixed(int i)
{
    void *p = NULL;
    int *c = calloc((size_t)i + 1, sizeof *c);
    char *d = strdup("a string that is copied");

    if (posix_memalign(&p, 256, 300) == 0)
        memset(p, i, 300);
    c[i] = d[i % 8];
    free(c);
    free(d);
    free(p);
    free(aligned_alloc(64, 640));
}

int main(void)
{
    growing();
    for (int i = 0; i < 50; i++)
        mixed(i);
    return 0;
}
