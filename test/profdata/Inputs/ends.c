/* Blocks of several sizes that realloc replaces and that are freed elsewhere, in a
 * phase and with a mark.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <memprof.h>
#include <stdlib.h>

__attribute__((noinline)) static void *grow(void *p, size_t n)
{
    return realloc(p, n);
}

int main(void)
{
    memprof_phase("grow");
    for (size_t i = 0; i < 20; i++) {
        void *p = malloc(10 + i);

        p = grow(p, 100);
        p = grow(p, 1000 * (i + 1));
        free(p);
    }
    memprof_mark("done");
    return 0;
}
