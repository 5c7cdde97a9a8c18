// realloc ends a block and begins one with its own context, in place or not. Its copy
// is not counted.
// RUN: %clang %ours-rt -fmemory-profile -O0 -fno-builtin %s -o %t
// RUN: env MEMPROF_OPTIONS=print_text=1:print_terse=1:log_path=stderr %t 2>&1 | FileCheck %s
#include <stdlib.h>

int main(void)
{
    // CHECK: MIB:[[#]]/1/100.00/100/100/5.00/5/5/
    volatile char *p = malloc(100);
    for (int i = 0; i < 5; i++)
        p[i] = 1;
    // CHECK: MIB:[[#]]/1/120.00/120/120/1.00/1/1/
    p = realloc((void *)p, 120);
    p[119] = 1;
    // CHECK: MIB:[[#]]/1/9000.00/9000/9000/0.00/0/0/
    p = realloc((void *)p, 9000);
    // CHECK: MIB:[[#]]/1/50.00/50/50/2.00/2/2/
    p = realloc((void *)p, 50);
    p[0] = p[1] = 1;
    free((void *)p);
    return 0;
}
