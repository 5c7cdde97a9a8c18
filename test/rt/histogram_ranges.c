// In histogram mode, memset and memcmp count in each cell that they access, once per
// word, also at a block's start (LLVM's defects D10 and D11).
// RUN: %memprof-clang -fmemory-profile -mllvm -memprof-histogram -fno-builtin -O0 %s -o %t
// RUN: env MEMPROF_OPTIONS=print_text=1:log_path=stderr %t 2>&1 | FileCheck %s
#include <stdlib.h>
#include <string.h>

static __attribute__((noinline)) char *get(void)
{
    return malloc(256);
}

int main(void)
{
    char other[64] = {0};
    // CHECK: size (ave/min/max) 256.00
    // CHECK-NEXT: access_count (ave/min/max): 641.00 / 641 / 641
    // CHECK: AccessCountHistogram[32]: 80 80 80 80 80 80 80 80 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1
    char *p = get();
    for (int i = 0; i < 40; i++) {
        memset(p, 0, 64);
        if (memcmp(p, other, 64) != 0)
            abort();
    }
    p[255] = 1;
    free(p);
    return 0;
}
