// A block's count is the number of accesses to that block, regardless of its neighbours
// and of earlier blocks at its address (LLVM's defects D2 and D3).
// RUN: %clang %ours-rt -fmemory-profile -O0 %s -o %t
// RUN: env MEMPROF_OPTIONS=print_text=1:print_terse=1:log_path=stderr %t 2>&1 | FileCheck %s
#include <stdlib.h>

#define SITE(name, size)                                  \
    static __attribute__((noinline)) char *name(void)     \
    {                                                     \
        return malloc(size);                              \
    }
SITE(granule, 64)
SITE(untouched, 64)
SITE(four, 4)
SITE(sixteen, 16)
SITE(odd, 97)

static __attribute__((noinline)) void touch(volatile char *p, int count)
{
    for (int i = 0; i < count; i++)
        *p = 1;
}

int main(void)
{
    // CHECK: MIB:[[#]]/8/64.00/64/64/125.00/0/1000/
    for (int i = 0; i < 8; i++) {
        char *p = granule();
        if (i == 3)
            touch(p + 63, 1000);
        free(p);
    }
    // CHECK: MIB:[[#]]/64/64.00/64/64/0.00/0/0/
    static char *all[64];
    for (int i = 0; i < 64; i++)
        all[i] = untouched();
    for (int i = 0; i < 64; i++)
        free(all[i]);
    // CHECK: MIB:[[#]]/4/4.00/4/4/10.00/10/10/
    for (int i = 0; i < 4; i++) {
        char *p = four();
        touch(p, 10);
        free(p);
    }
    // CHECK: MIB:[[#]]/4/16.00/16/16/1000.00/1000/1000/
    for (int i = 0; i < 4; i++) {
        char *p = sixteen();
        touch(p + 15, 1000);
        free(p);
    }
    // CHECK: MIB:[[#]]/4/97.00/97/97/97.00/97/97/
    for (int i = 0; i < 4; i++) {
        char *p = odd();
        for (int k = 0; k < 97; k++)
            touch(p + k, 1);
        free(p);
    }
    return 0;
}
