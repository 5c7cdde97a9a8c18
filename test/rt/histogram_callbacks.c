// Callbacks count in cells as wide as the code's: LLVM's pass has cells of 8 bits,
// which stop at 255, and so has our pass on request. Otherwise our cells have 32 bits,
// also before main.
// DEFINE: %{width} =
// DEFINE: %{run} = env MEMPROF_OPTIONS=print_text=1:log_path=stdout %t
// DEFINE: %{ours} = %memprof-clang -O0 -fmemory-profile -mllvm -memprof-histogram -mllvm -memprof-use-callbacks %{width} %s -o %t && %{run}
// RUN: %{ours} | FileCheck --check-prefix=WIDE %s
// REDEFINE: %{width} = -mllvm -memprof-histogram-cell-bits=32
// RUN: %{ours} | FileCheck --check-prefix=WIDE %s
// REDEFINE: %{width} = -mllvm -memprof-histogram-cell-bits=8
// RUN: %{ours} | FileCheck --check-prefix=NARROW %s
// (LLVM 19's pass uses one cell for four.)
// RUN: %if llvm-22 %{ %clang %ours-rt -O0 -fmemory-profile -mllvm -memprof-histogram -mllvm -memprof-use-callbacks %s -o %t && %{run} | FileCheck --check-prefix=NARROW %s %}
// RUN: %if llvm-22 %{ %clang -O0 -fmemory-profile -mllvm -memprof-histogram -mllvm -memprof-use-callbacks %s -o %t && %{run} | FileCheck --check-prefix=NARROW %s %}
// WIDE-DAG: AccessCountHistogram[8]: 10 210 400 0 0 0 0 0
// WIDE-DAG: AccessCountHistogram[4]: 300 0 0 0
// NARROW-DAG: AccessCountHistogram[8]: 10 210 255 0 0 0 0 0
// NARROW-DAG: AccessCountHistogram[4]: 255 0 0 0
#include <stdlib.h>

__attribute__((constructor)) static void before_main(void)
{
    volatile char *const p = malloc(32);

    for (int i = 0; i < 300; i++)
        p[0] = 1;
    free((void *)p);
}

int main(void)
{
    volatile char *const p = malloc(64);

    for (int i = 0; i < 10; i++)
        p[0] = 1;
    for (int i = 0; i < 210; i++)
        p[8] = 1;
    for (int i = 0; i < 400; i++)
        p[16] = 1;
    free((void *)p);
    return 0;
}
