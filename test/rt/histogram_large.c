// The memory of a histogram depends on what was accessed: a block of 6 GiB with 100
// bytes written needs hardly any, in the program and in the reader of the profile.
// Covers a block that is live at the end, freed, or dumped each second; and LLVM's
// file, which has a number for each cell.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %memprof-clang -O1 -fmemory-profile -mllvm -memprof-histogram %s -o %t/app
// DEFINE: %{peak} = python3 %S/Inputs/peak.py 64
// RUN: env MEMPROF_PROFILE_FILE=%t/live.raw %{peak} %t/app live
// RUN: env MEMPROF_PROFILE_FILE=%t/freed.raw %{peak} %t/app freed
// RUN: env MEMPROF_OPTIONS=continuous=1 MEMPROF_PROFILE_FILE=%t/copied.raw %{peak} %t/app freed
// RUN: env MEMPROF_OPTIONS=print_text=1:log_path=stderr %{peak} %t/app live 2>&1 | FileCheck --check-prefix=CELLS %s
// CELLS: AccessCountHistogram[805306368]: 1 0 0
// RUN: for f in live freed copied; do %{peak} %memprofdata show %t/$f.raw | FileCheck %s || exit 1; done
// CHECK: accessed{{ +}}100 times
// CHECK: accesses from byte 0 to 6 GiB: [@
// RUN: for f in live freed copied; do %{peak} %memprofdata merge %t/$f.raw -o %t/$f || exit 1; done
// RUN: for f in live freed copied; do %{peak} %memprofdata merge --text %t/$f -o %t/$f.json && grep -F '"Histogram":[[0,1],[8053063,1],[16106127,1],' %t/$f.json || exit 1; done
// RUN: for f in live freed copied; do %{peak} %memprofdata merge %t/$f.json -o %t/again && cmp %t/again %t/$f || exit 1; done
// RUN: %{peak} %memprofdata show %t/live | FileCheck %s
// RUN: %{peak} %memprofdata check %t/live

// Merged in any order and grouping.
// RUN: %memprofdata merge %t/live.raw %t/freed.raw -o %t/ab && %memprofdata merge %t/copied.raw %t/ab -o %t/c-ab
// RUN: %memprofdata merge %t/copied %t/freed.json -o %t/cb && %memprofdata merge %t/cb %t/live -o %t/cb-a
// RUN: cmp %t/c-ab %t/cb-a

// RUN: env MEMPROF_OPTIONS=raw_format=llvm MEMPROF_PROFILE_FILE=%t/llvm.raw %{peak} %t/app small
// RUN: %{peak} %memprofdata show --profiled-binary=%t/app %t/llvm.raw | FileCheck --check-prefix=SMALL %s
// SMALL: accessed{{ +}}100 times
// RUN: %{peak} %memprofdata merge --text --profiled-binary=%t/app %t/llvm.raw -o /dev/null
// RUN: rm -rf %t
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static char *make(size_t n)
{
    char *volatile p = malloc(n);
    return p;
}

int main(int argc, char **argv)
{
    const int is_small = argc > 1 && strcmp(argv[1], "small") == 0;
    const size_t size = is_small ? (size_t)96 << 20 : (size_t)6 << 30;
    volatile char *p = make(size);

    for (size_t i = 0; i < 100; i++)
        p[size / 100 * i] = 1;
    if (argc > 1 && strcmp(argv[1], "freed") == 0)
        free((char *)p);
    return 0;
}
