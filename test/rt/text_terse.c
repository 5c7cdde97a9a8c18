// print_terse=1 prints one line per context, as LLVM's runtime does, and no heading.
// RUN: %clang -fmemory-profile %ours-rt %s -o %t
// RUN: env MEMPROF_OPTIONS=print_text=1:print_terse=1:log_path=stdout %t > %t.ours
// RUN: FileCheck %s < %t.ours
// RUN: %clang -fmemory-profile %s -o %t
// RUN: env MEMPROF_OPTIONS=print_text=1:print_terse=1:log_path=stdout %t > %t.llvm
// Except for the lifetime (three numbers) and whether the block stayed on one
// processor.
// DEFINE: %{mib} = sed -nE '/^MIB/s,/[0-9]+[.][0-9]{2}/[0-9]+/[0-9]+/[01](/0/0/0)$,/TIMES\1,p'
// RUN: %{mib} %t.ours > %t.a && %{mib} %t.llvm > %t.b && diff %t.a %t.b
// RUN: FileCheck %s < %t.a --check-prefix=LIKE
// LIKE: MIB:1/1/40.00/40/40/30.00/30/30/TIMES/0/0/0
// CHECK-NOT: Recorded
// CHECK: MIB:1/1/40.00/40/40/30.00/30/30/
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
