// A core file of an aborted program has its blocks but not the reserved address space:
// it is small and written at once.
// REQUIRES: core-files
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %memprof-clang -O1 -fmemory-profile %s -o prog
// RUN: sh -c 'ulimit -c unlimited && exec timeout -s KILL 60 ./prog' || true
// RUN: sh -c 'python3 %S/Inputs/core_file.py core*' | FileCheck %s
// CHECK: small block 1, large block 1
// CHECK: size below 64 MiB
#include <stdlib.h>

int main(void)
{
    char *const small = malloc(100);
    char *const large = malloc(4 << 20);

    for (int i = 0; i < 8; i++) {
        small[i] = "SMALL-BL"[i] + 1;
        large[(3 << 20) + i] = "LARGE-BL"[i] + 1;
    }
    __asm__ volatile("" ::"r"(small), "r"(large) : "memory");
    abort();
}
