// The blocks at the peak are in the summary and can be sorted by. Runs add up, each
// with its own peak. For a profile without this data show says nothing, or that it is
// missing.
// RUN: %clang -fmemory-profile %ours-rt -g -O0 -fno-builtin %s -o %t
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: env MEMPROF_PROFILE_FILE=%t.d/a.raw %t
// RUN: env MEMPROF_PROFILE_FILE=%t.d/b.raw %t more
// RUN: env MEMPROF_PROFILE_FILE=%t.d/llvm.raw MEMPROF_OPTIONS=raw_format=llvm %t
// RUN: %memprofdata show %t.d/a.raw | FileCheck --check-prefix=ONE %s
// ONE: peak 1.56 KiB in 12 blocks, {{.*}} after the start{{$}}
// RUN: %memprofdata show --sort=peak %t.d/a.raw | FileCheck --check-prefix=PEAK %s
// PEAK: 1. 1000 B at the peak 62.5 % allocated 1.95 KiB in 20 blocks of 100 B
// PEAK-NEXT: lived
// PEAK-NEXT: at the peak 1000 B in 10 blocks, most at a time 1000 B, 5.0 % temporary
// PEAK: 2. 600 B at the peak
// RUN: %memprofdata show --sort=temporary %t.d/a.raw | FileCheck --check-prefix=TEMPORARY %s
// TEMPORARY: 1. 30 temporary blocks
// RUN: %memprofdata merge %t.d/a.raw %t.d/b.raw -o %t.d/both
// RUN: %memprofdata show %t.d/both | FileCheck --check-prefix=BOTH %s
// BOTH: peak 3.12 KiB in 24 blocks, summed over all runs{{$}}
// RUN: %memprofdata show %t.d/a.raw %t.d/llvm.raw | FileCheck --check-prefix=PART %s
// PART: peak 1.56 KiB in 12 blocks, {{.*}} (not measured in all runs){{$}}
// RUN: %memprofdata show --profiled-binary=%t %t.d/llvm.raw | FileCheck --check-prefix=NONE %s
// NONE-NOT: peak {{[0-9]}}
// RUN: %memprofdata show --sort=peak --profiled-binary=%t %t.d/llvm.raw 2>&1 | FileCheck --check-prefix=UNSORTED %s
// UNSORTED: Not measured in this profile: bytes at the peak.
#include <stdlib.h>

static char *volatile kept[20];

__attribute__((noinline)) static char *hundred(void)
{
    char *volatile p = malloc(100);
    return p;
}

int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < 30; i++)
        free(malloc(7));
    for (int part = 0; part < 2; part++) {
        for (int i = 0; i < 10; i++)
            kept[i] = hundred();
        if (part == 0 || argc > 1) {
            for (int i = 10; i < 12; i++)
                kept[i] = malloc(300);
            free(kept[10]);
            free(kept[11]);
        }
        for (int i = 0; i < 10; i++)
            free(kept[i]);
    }
    return 0;
}
