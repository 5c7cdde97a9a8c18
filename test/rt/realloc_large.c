// realloc of a large block takes time and memory for the parts that the program
// touches, not for the block's length: alone, and next to another block that grows. The
// bytes are those of the old block, untouched ones zero; each block has its own counts.
// RUN: %memprof-clang -O1 -fmemory-profile %s -o %t
// RUN: rm -f %t.raw && env MEMPROF_PROFILE_FILE=%t.raw %t
// RUN: %memprofdata show %t.raw | FileCheck %s
// CHECK: accessed{{ +}}16,384 times
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define STEP 65536
#define STEPS 2048
#define MAX_KIB (256 << 10)

static char *volatile all[4];

static int grow(int count)
{
    for (size_t i = 1; i <= STEPS; i++) {
        for (int k = 0; k < count; k++) {
            volatile char *const p = realloc(all[k], i * STEP);
            p[i * STEP - 1] = (char)i;
            all[k] = (char *)p;
        }
    }
    for (int k = 0; k < count; k++) {
        for (size_t i = 1; i <= STEPS; i++) {
            if (((volatile char *)all[k])[i * STEP - 1] != (char)i)
                return fprintf(stderr, "block %d lost byte %zu\n", k, i);
        }
        /* Shrinks in place: the rest is discarded. */
        char *const p = realloc(all[k], STEPS * STEP / 8);
        free(p);
        all[k] = NULL;
    }
    return 0;
}

int main(void)
{
    struct rusage usage;

    if (grow(1) != 0 || grow(3) != 0)
        return 1;
    char *p = calloc(1, (size_t)1 << 30);
    char *const fence = malloc(200000);
    p = realloc(p, (size_t)1100 << 20);
    free(p);
    free(fence);
    getrusage(RUSAGE_SELF, &usage);
    if (usage.ru_maxrss > MAX_KIB)
        return fprintf(stderr, "%ld KiB\n", usage.ru_maxrss);
    return 0;
}
