/* Each function of libc that allocates, and one of another library's: its blocks
 * are written once; those of hot() are read all the time. `volatile` keeps the
 * calls. */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *library_get(size_t size);

static const char *volatile text = "a text that is copied";
static void *volatile nothing;

__attribute__((noinline)) static long hot(void)
{
    long *volatile block = malloc(256);
    long sum = 0;

    memset(block, 1, 256);
    for (int i = 0; i < 1000000; i++)
        sum += block[i % 32];
    return sum;
}

int main(void)
{
    void *volatile keep;
    void *block;

    for (int i = 0; i < 100; i++) {
        keep = malloc(101);
        keep = calloc(3, 50);
        keep = realloc(nothing, 102);
        keep = reallocarray(nothing, 3, 51);
        keep = aligned_alloc(64, 128);
        keep = memalign(64, 192);
        if (posix_memalign(&block, 64, 320) == 0)
            keep = block;
        keep = strdup(text);
        keep = strndup(text, 10);
        keep = library_get(103);
    }
    (void)keep;
    printf("%ld\n", hot());
    return 0;
}
