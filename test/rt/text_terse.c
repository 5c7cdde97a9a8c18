// print_terse=1: a line per context, as LLVM's runtime prints it, and no heading.
// RUN: %clang -fmemory-profile %ours-rt %s -o %t
// RUN: env MEMPROF_OPTIONS=print_text=1:print_terse=1:log_path=stdout %t > %t.ours
// RUN: FileCheck %s < %t.ours
// RUN: %clang -fmemory-profile %s -o %t
// RUN: env MEMPROF_OPTIONS=print_text=1:print_terse=1:log_path=stdout %t > %t.llvm
// RUN: grep ^MIB %t.ours > %t.a && grep ^MIB %t.llvm > %t.b && diff %t.a %t.b
// CHECK-NOT: Recorded
// CHECK: MIB:1/1/40.00/40/40/30.00/30/30/0.00/0/0/0/0/0/0
// CHECK: Stack for id 1:
#include <stdlib.h>

int main(void)
{
    int *const p = malloc(40);

    for (int i = 0; i < 10; i++)
        p[i] = i;
    for (int i = 0; i < 10; i++)
        p[i]++;
    free(p);
    return 0;
}
