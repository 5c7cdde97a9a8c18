/* Blocks of 1 byte to 70 kB, packed and aligned, that are freed and come back
 * at the same addresses with other counts. */
#include "known.h"

ALLOCATOR(tiny, malloc(size))
ALLOCATOR(cleared, calloc(1, size))
ALLOCATOR(sized, malloc(size))
ALLOCATOR(untouched, malloc(size))
ALLOCATOR(edge, malloc(size))
ALLOCATOR(reused, malloc(size))
ALLOCATOR(wide, aligned_alloc(64, (size + 63) / 64 * 64))
ALLOCATOR(page, aligned_alloc(4096, (size + 4095) / 4096 * 4096))
ALLOCATOR(live, malloc(size))
ALLOCATOR(huge, malloc(size))

static void *odd_memory;
ALLOCATOR(odd, posix_memalign(&odd_memory, 32, size) ? NULL : odd_memory)

/* Neighbours: all alive at once, each with another count. */
static void packed(void)
{
    void *block[200];

    for (int i = 0; i < 200; i++) {
        block[i] = tiny((size_t)i % 8 + 1);
        untouched(64);
    }
    for (int i = 0; i < 200; i++)
        ended(0, "tiny", (size_t)i % 8 + 1,
              touch(block[i], (size_t)i % 8 + 1, (uint64_t)i));
    for (int i = 0; i < 200; i++) {
        ended(3, "untouched", 64, 0);
        free(block[i]);
    }
}

static void every_size(void)
{
    for (size_t size = 1; size <= 70000; size += size / 16 + 1) {
        void *a = sized(size);
        void *b = cleared(size);

        ended(1, "sized", size, touch(a, size, size % 97 + 3));
        ended(2, "cleared", size, touch(b, size, size % 13));
        free(a);
        free(b);
    }
}

/* Sizes whose end is the end of a granule, last byte hammered. */
static void edges(void)
{
    for (size_t size = 32; size <= 4096; size += 32) {
        unsigned char *a = edge(size);
        void *b = untouched(32);
        volatile unsigned char *last = a + size - 1;

        for (int i = 0; i < 100; i++)
            *last = (unsigned char)i;
        ended(4, "edge", size, 100);
        ended(3, "untouched", 32, 0);
        free(a);
        free(b);
    }
}

/* One address again and again: every block starts at 0. */
static void again(void)
{
    for (uint64_t i = 0; i < 1000; i++) {
        void *p = reused(48);

        ended(5, "reused", 48, touch(p, 48, i % 5));
        free(p);
    }
}

static void alignments(void)
{
    for (size_t i = 1; i < 60; i++) {
        void *a = wide(i * 64);
        void *b = page(4096 * (i % 3 + 1));
        void *c = odd(i);

        ended(6, "wide", i * 64, touch(a, i * 64, i));
        ended(7, "page", 4096 * (i % 3 + 1), touch(b, 4096, i * 2));
        ended(8, "odd", i, touch(c, i, i * 3));
        free(c);
        free(b);
        if (i % 2)
            free(a);
    }
}

static void leftovers(void)
{
    for (uint64_t i = 0; i < 100; i++)
        ended(9, "live", 24, touch(live(24), 24, i + 1));
}

static void large(void)
{
    for (uint64_t i = 1; i < 6; i++) {
        const size_t size = i * 3000000;
        void *p = huge(size);

        ended(10, "huge", size, touch(p, size, 100000 * i));
        free(p);
    }
}

int main(void)
{
    packed();
    every_size();
    edges();
    again();
    alignments();
    leftovers();
    large();
    print_sites();
    return 0;
}
