/* accesses=1/N: accesses count in bursts, which are random but the same in each run
 * with one seed. Sums are estimates of all accesses, within three standard errors.
 * What no burst sees is not "never accessed". Code of one version counts always. */
// RUN: rm -rf %t.*
// RUN: %memprof-clang -O2 -fmemory-profile -mllvm -memprof-versions=2 %s -o %t
// RUN: env MEMPROF_PROFILE_FILE=%t.raw MEMPROF_OPTIONS=accesses=1/32:sample_seed=7 %t
// RUN: %memprofdata show %t.raw | FileCheck --check-prefix=BURSTS %s
// RUN: env MEMPROF_PROFILE_FILE=%t.again MEMPROF_OPTIONS=accesses=1/32:sample_seed=7 %t
// RUN: %memprofdata export --format=csv %t.raw > %t.csv
// RUN: %memprofdata export --format=csv %t.again > %t.again.csv
// RUN: python3 %S/Inputs/bursts.py %t.csv %t.again.csv
// RUN: env MEMPROF_PROFILE_FILE=%t.all MEMPROF_OPTIONS=accesses=all %t
// RUN: %memprofdata show %t.all | FileCheck --check-prefix=ALL %s
// RUN: env MEMPROF_PROFILE_FILE=%t.none MEMPROF_OPTIONS=accesses=none %t
// RUN: %memprofdata show %t.none | FileCheck --check-prefix=NONE %s
// RUN: %memprof-clang -O2 -fmemory-profile %s -o %t.one
// RUN: env MEMPROF_PROFILE_FILE=%t.one.raw MEMPROF_OPTIONS=accesses=1/32 %t.one 2>&1 | FileCheck --check-prefix=ONE %s
// RUN: %memprofdata show %t.one.raw | FileCheck --check-prefix=ALL %s
// BURSTS: accessed about
// BURSTS: note estimates: accesses were counted in {{.*}} bursts, 1/32 of the program
// BURSTS: standard error
// BURSTS: no access seen in {{.*}} bursts
// BURSTS-NOT: never accessed
// ALL: 40,000,000 accesses
// ALL: never accessed
// NONE: accesses not measured
// NONE-NOT: never accessed
// ONE: accesses=1/N needs all code to be compiled with -mllvm -memprof-versions=2; all accesses are counted
#include <stdlib.h>
#include <string.h>

static __attribute__((noinline)) char *untouched(void)
{
    return malloc(64);
}

/* Blocks of some bursts each. */
static __attribute__((noinline)) int many(void)
{
    int sum = 0;

    for (int k = 0; k < 400; k++) {
        volatile int *const p = malloc(1000 * sizeof(int));
        for (int i = 0; i < 50000; i++)
            sum += p[i % 1000];
        free((void *)p);
    }
    return sum;
}

/* A block of all bursts. */
static __attribute__((noinline)) int one(void)
{
    volatile int *const p = malloc(1000 * sizeof(int));
    int sum = 0;

    for (int i = 0; i < 40000000; i++)
        sum += p[i % 1000];
    free((void *)p);
    return sum;
}

/* Copies of 32 granules, each of which is as many checks, in a burst or not. */
static __attribute__((noinline)) int copies(void)
{
    char *const p = malloc(2 * 2048);
    volatile size_t size = 2048;

    for (int i = 0; i < 400000; i++)
        memcpy(p + 2048, p, size);
    const int last = p[2048];
    free(p);
    return last;
}

int main(void)
{
    char *volatile kept = untouched();
    const int sum = many() + one() + copies();

    free(kept);
    return sum == 1;
}
