// A program with its own malloc gets no hinted blocks: its free() would not know them.
// DEFINE: %{cc} = %clang -O1 -fno-builtin -I%root/inc -I%S/Inputs %s -o %t
// RUN: %{cc} %alloc-shared && %t
// RUN: %{cc} && %alloc-preload %t
// RUN: %{cc} -fno-pie -no-pie %alloc-shared && %t
#include "hints.h"
#include <string.h>

static _Alignas(16) char heap[1 << 22];
static size_t used;

static int is_mine(const void *p)
{
    return (const char *)p >= heap && (const char *)p < heap + sizeof(heap);
}

void *malloc(size_t size)
{
    size_t *const head = (size_t *)(void *)(heap + used);

    size = (size + 15) & ~(size_t)15;
    if (used + size + 16 > sizeof(heap))
        return NULL;
    used += size + 16;
    *head = size;
    return head + 2;
}

void free(void *p)
{
    if (p != NULL && !is_mine(p))
        __builtin_trap();
}

void *calloc(size_t count, size_t size)
{
    void *const p = malloc(count * size);

    return p != NULL ? memset(p, 0, count * size) : NULL;
}

void *realloc(void *p, size_t size)
{
    void *const q = malloc(size);

    free(p);
    if (p != NULL && q != NULL)
        memcpy(q, p, ((size_t *)p)[-2] < size ? ((size_t *)p)[-2] : size);
    return q;
}

int main(void)
{
    for (int i = 0; i < 1000; i++) {
        const uint8_t hint = i % 2 != 0 ? COLD : HOT;
        char *p = HINTED(malloc)(40, hint);

        if (!is_mine(p))
            return 1;
        strcpy(p, "kept");
        p = HINTED(realloc)(p, 100, hint);
        if (!is_mine(p) || strcmp(p, "kept") != 0)
            return 2;
        free(p);
        free(HINTED(calloc)(3, 30, hint));
    }
    return 0;
}
