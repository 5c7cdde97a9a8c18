// Histogram mode: cells of our pass have 32 bits and the exact number of accesses.
// Cells of LLVM's pass stop at 255, and a message says so.
// RUN: %memprof-clang -O1 -fmemory-profile -mllvm -memprof-histogram %s -o %t.wide
// RUN: env MEMPROF_PROFILE_FILE=%t.wide.raw %t.wide && %memprofdata show %t.wide.raw | FileCheck --check-prefix=WIDE %s
// RUN: env MEMPROF_OPTIONS=print_text=1:log_path=stderr %t.wide 2>&1 | FileCheck --check-prefix=CELLS %s
// (LLVM 19's pass uses one cell for four.)
// RUN: %clang %ours-rt %debugflags -O1 -fmemory-profile -mllvm -memprof-histogram %s -o %t.llvm
// RUN: %if llvm-22 %{ env MEMPROF_PROFILE_FILE=%t.llvm.raw %t.llvm && %memprofdata show %t.llvm.raw | FileCheck --check-prefix=LLVM %s %}
// RUN: rm -f %t*.raw
// LLVM's runtime works with LLVM's cells, on request; otherwise the program does not
// link.
// RUN: %clang -fpass-plugin=%plugin -O1 -fmemory-profile -mllvm -memprof-histogram -mllvm -memprof-histogram-cell-bits=8 %s -o %t.narrow
// RUN: not %clang -fpass-plugin=%plugin -O1 -fmemory-profile -mllvm -memprof-histogram %s -o %t.none 2> %t.err
// RUN: FileCheck --check-prefix=LINK %s < %t.err
#include <stdlib.h>

__attribute__((noinline)) void *make(size_t n)
{
    void *volatile p = malloc(n);
    return p;
}

int main(void)
{
    // WIDE: accessed 141,001 times
    // CELLS: AccessCountHistogram[8]: 0 1000 0 140000 0 0 0 1
    // LLVM: accessed at least 511 times
    // LINK: __memprof_histogram_wide_shadow_v1
    volatile long *p = make(64);
    for (int i = 0; i < 1000; i++)
        p[1] = i;
    for (int i = 0; i < 70000; i++)
        p[3]++;
    p[7] = 1;
    free((void *)p);
    return 0;
}
