/* accesses=none: code with two versions counts nothing, and no block is taken for one
 * that is never accessed. accesses=all: each access counts. */
// RUN: rm -rf %t.*
// RUN: %memprof-clang -O2 -fmemory-profile -mllvm -memprof-versions=2 %s -o %t
// RUN: env MEMPROF_PROFILE_FILE=%t.all MEMPROF_OPTIONS=accesses=all %t
// RUN: %memprofdata show %t.all | FileCheck --check-prefix=ALL %s
// RUN: env MEMPROF_PROFILE_FILE=%t.none MEMPROF_OPTIONS=accesses=none %t
// RUN: %memprofdata show %t.none | FileCheck --check-prefix=NONE %s
// RUN: env MEMPROF_PROFILE_FILE=%t.raw MEMPROF_OPTIONS=accesses=few %t 2>&1 | FileCheck --check-prefix=BAD %s
// ALL: 2,000 accesses
// NONE: accesses not measured
// NONE-NOT: never accessed
// BAD: accesses must be all, none, or 1/N with N from 2 to 1000, not 'few'
#include <stdlib.h>

int main(void)
{
    volatile int *const p = malloc(1000 * sizeof(int));
    int sum = 0;

    for (int i = 0; i < 1000; i++)
        p[i] = i;
    for (int i = 0; i < 1000; i++)
        sum += p[i];
    free((void *)p);
    return sum == 0;
}
