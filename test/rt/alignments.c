// aligned_alloc, memalign and posix_memalign accept the same alignments, and set errno
// in the same way, as without the profiler.
// RUN: %clang -O0 -fno-builtin %s -o %t.native
// RUN: %clang %ours-rt -fmemory-profile -O0 -fno-builtin %s -o %t
// RUN: %t.native >%t.expected
// RUN: env MEMPROF_OPTIONS=dump_at_exit=0 %t >%t.found
// RUN: diff %t.expected %t.found
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// glibc 2.38 refuses alignments that are not a power of two; until 2.37 aligned_alloc
// is memalign.
#if __GLIBC_PREREQ(2, 38)
#define IS_TAKEN(align) (((align) & ((align)-1)) == 0 && (align) != 0)
#else
#define IS_TAKEN(align) 1
#endif

static const size_t aligns[] = {
    0,    1,    2,        3,          4,          8,
    16,   24,   32,       48,         64,         100,
    4096, 5000, 1u << 20, SIZE_MAX / 2 + 1, SIZE_MAX / 2 + 2, SIZE_MAX};
static const size_t sizes[] = {0, 1, 10, 64, 100, SIZE_MAX / 2, SIZE_MAX};

// The smallest power of two that is not less.
static size_t round_up(size_t align)
{
    size_t up = 1;
    while (up < align && up != 0)
        up *= 2;
    return up;
}

static void say(const char *name, size_t align, size_t size, void *p)
{
    const int error = errno;
    printf("%s(%zx, %zx): %s, errno %d\n", name, align, size,
           p == NULL                                ? "none"
           : (uintptr_t)p % round_up(align) != 0 ? "not aligned"
                                                    : "a block",
           error);
    free(p);
}

static void try(size_t align, size_t size)
{
    static char nothing;
    void *p = &nothing;
    int result;

    errno = 77;
    say("memalign", align, size, memalign(align, size));
    errno = 77;
    if (IS_TAKEN(align))
        say("aligned_alloc", align, size, aligned_alloc(align, size));
    errno = 77;
    result = posix_memalign(&p, align, size);
    say(result == 0        ? "posix_memalign"
        : p == &nothing    ? "posix_memalign, which leaves the pointer alone,"
                           : "posix_memalign, which changes the pointer,",
        align, size, result == 0 ? p : NULL);
    printf("%d\n", result);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(aligns) / sizeof(aligns[0]); i++) {
        for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++)
            try(aligns[i], sizes[j]);
    }
    return 0;
}
