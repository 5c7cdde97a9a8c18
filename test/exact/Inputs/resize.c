/* realloc ends a block and begins a new one at its own context, even in place;
 * the copy is not counted. */
#include "known.h"

ALLOCATOR(first, malloc(size))
__attribute__((noinline)) void *grown(void *p, size_t size)
{
    void *volatile q = realloc(p, size);
    return q;
}
__attribute__((noinline)) void *shrunk(void *p, size_t size)
{
    void *volatile q = realloc(p, size);
    return q;
}
ALLOCATOR(from_null, realloc(NULL, size))

int main(void)
{
    for (size_t i = 1; i < 200; i++) {
        void *p = first(i * 10);

        ended(0, "first", i * 10, touch(p, i * 10, i));
        p = grown(p, i * 20);
        ended(1, "grown", i * 20, touch(p, i * 20, i + 5));
        p = shrunk(p, i);
        ended(2, "shrunk", i, touch(p, i, 3));
        free(p);
        p = from_null(i * 5);
        ended(3, "from_null", i * 5, touch(p, i * 5, i * 2));
        if (i % 4 != 0)
            free(p);
    }
    print_sites();
    return 0;
}
