// Without address space for the counters, the program prints one message and exits with
// status 78 before main.
// RUN: %clang %ours-rt -fmemory-profile %s -o %t
// RUN: sh -c 'ulimit -v 4000000; %t; echo status $?' > %t.out 2>&1
// RUN: FileCheck %s < %t.out
// The same in a static program, which has no thread-local variables then.
// RUN: %build/bin/memprof-clang-%llvm-version -fmemory-profile -static %s -o %t
// RUN: sh -c 'ulimit -v 4000000; %t; echo status $?' > %t.out 2>&1
// RUN: FileCheck %s < %t.out
// CHECK: memprof: cannot reserve address space for {{.*}}ulimit -v
// CHECK-NEXT: status 78
#include <stdio.h>

int main(void)
{
    puts("main");
    return 0;
}
