// Another malloc before the one of the shared library serves the program, also where
// it lacks functions that ours has: no block of one reaches the other.
// RUN: %clang -O1 -fno-builtin -shared -fPIC -DLIBRARY %s -o %t.so
// RUN: %build/bin/memprof-clang-%llvm-version -O1 -fno-builtin -fmemory-profile -shared-libsan %s -o %t
// RUN: env LD_PRELOAD=%t.so %t 2>&1 | FileCheck %s
// CHECK: memprof: nothing is recorded: another malloc comes before the one of
// CHECK-NEXT: 7 blocks
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LIBRARY
static _Alignas(16) char arena[1 << 20];
static size_t used;

void *malloc(size_t n)
{
    char *const p = arena + used;

    used += (n + 31) / 16 * 16;
    memcpy(p, &n, sizeof(n));
    return used <= sizeof(arena) ? p + 16 : NULL;
}

void free(void *p)
{
    if (p != NULL && ((char *)p < arena || (char *)p >= arena + used))
        abort();
}

void *calloc(size_t n, size_t size)
{
    return malloc(n * size);
}

void *realloc(void *p, size_t n)
{
    char *const q = malloc(n);
    size_t old = 0;

    free(p);
    if (p != NULL)
        memcpy(&old, (char *)p - 16, sizeof(old));
    return q != NULL && p != NULL ? memcpy(q, p, old < n ? old : n) : q;
}
#else
int main(void)
{
    void *blocks[] = {malloc(10),
                      calloc(10, 10),
                      realloc(NULL, 10),
                      reallocarray(NULL, 10, 10),
                      strdup("text"),
                      reallocarray(malloc(5), 20, 20),
                      realloc(calloc(1, 5), 7)};
    const size_t count = sizeof(blocks) / sizeof(*blocks);

    for (size_t i = 0; i < count; i++)
        free(blocks[i]);
    printf("%zu blocks\n", count);
    return 0;
}
#endif
