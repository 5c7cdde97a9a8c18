// Cold, hot and ordinary blocks never share a page, also after many frees, in several
// threads, and whichever thread frees them. Without hints nothing is separated.
// DEFINE: %{cc} = %clang -O1 -fno-builtin -I%root/inc -I%S/Inputs %s -o %t
// RUN: %{cc} %alloc-archive && %t
// RUN: %{cc} %alloc-shared && %t
// RUN: %{cc} && %alloc-preload %t
// RUN: %{cc} -static -DSTATIC %alloc-static && %t
// A program with limited address space runs as before, without separate regions.
// RUN: %{cc} %alloc-archive && sh -c 'ulimit -v 4000000; exec %t none'
#include "hints.h"
#include <pthread.h>
#include <string.h>

enum { KINDS = 3, BLOCKS = 20000, ROUNDS = 6, THREADS = 3 };
static const uint8_t hint_of[KINDS] = {COLD, NOTCOLD, HOT};

static void *blocks[THREADS][BLOCKS];
static uint8_t kind_of[THREADS][BLOCKS];

static void *churn(void *number)
{
    const uintptr_t me = (uintptr_t)number;
    unsigned n = 17 * (unsigned)me + 3;

    for (int i = 0; i < BLOCKS; i++) {
        n = n * 1103515245 + 12345;
        const int kind = (int)(n >> 16) % KINDS;
        const size_t size = 1 + (n >> 20 & 255);
        /* Allocates an own block, and frees one that another thread made in the
         * last round. */
        void **const place = &blocks[me][i];
        if (*place != NULL && n >> 31)
            continue;
        free(*place);
        *place = kind == 1 && n & 8 ? malloc(size)
                 : n & 16           ? HINTED(malloc)(size, hint_of[kind])
                                    : HINTED(calloc)(1, size, hint_of[kind]);
        kind_of[me][i] = (uint8_t)kind;
        if (n & 32)
            *place = realloc(*place, 2 * size); /* stays in its region */
        memset(*place, 1, size);
    }
    return NULL;
}

static int compare(const void *a, const void *b)
{
    const uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

    return (x > y) - (x < y);
}

/* Number of pages with blocks of two kinds. */
static int mixed_pages(void)
{
    static uintptr_t pages[THREADS * BLOCKS];
    int count = 0, mixed = 0;

    for (int t = 0; t < THREADS; t++) {
        for (int i = 0; i < BLOCKS; i++)
            pages[count++] = PAGE_OF(blocks[t][i]) << 2 | kind_of[t][i];
    }
    qsort(pages, (size_t)count, sizeof *pages, compare);
    for (int i = 1; i < count; i++)
        mixed += pages[i] >> 2 == pages[i - 1] >> 2 && pages[i] != pages[i - 1];
    return mixed;
}

int main(int argc, char **argv)
{
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t t[THREADS];
        for (uintptr_t i = 0; i < THREADS; i++)
            pthread_create(&t[i], NULL, churn, (void *)((i + (uintptr_t)round) % THREADS));
        for (int i = 0; i < THREADS; i++)
            pthread_join(t[i], NULL);
        if (argc > 1)
            assert(mixed_pages() > 1000);
        else
            assert(mixed_pages() == 0);
    }
    /* A new hint moves a block. */
    if (argc == 1) {
        void *const hot = HINTED(malloc)(40, HOT);
        void *cold = HINTED(realloc)(HINTED(malloc)(40, HOT), 40, COLD);
        assert(cold < hot);
        void *const next = HINTED(realloc)(cold, 50, COLD);
        assert(next < hot);
    }
    (void)argv;
    return 0;
}
