/* Every function that allocates, sizes from small to large. */
#include "leaks.h"

#define MADE(name, expression)                                    \
    __attribute__((noinline)) static void *site_##name(void)      \
    {                                                             \
        void *volatile p = (expression);                          \
        return p;                                                 \
    }
MADE(calloc, calloc(3, 1000))
MADE(realloc, realloc(malloc(10), 5000))
MADE(aligned, aligned_alloc(4096, 8192))
MADE(strdup, strdup("a text that leaks"))
MADE(large, malloc(3000000))
MADE(huge, malloc(70000000))
MADE(kept_large, malloc(2000000))
MADE(kept_aligned, aligned_alloc(1024, 65536))
static void *kept;
static char *kept_middle;
static char *kept_end;

MADE(posix, posix_memalign(&kept, 64, 640) == 0 ? kept : NULL)

static void make(void)
{
    site_calloc();
    site_realloc();
    site_aligned();
    site_strdup();
    site_large();
    site_huge();
    site_posix();
    kept = NULL;
    kept_middle = (char *)site_kept_large() + 1999999;
    kept_end = (char *)site_kept_aligned() + 65535;
    for (size_t size = 1; size < 200000; size = size * 5 / 4 + 1)
        free(malloc(size));
}

int main(void)
{
    apart(make);
    return kept_middle == kept_end;
}
