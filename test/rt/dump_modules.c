// A profile has the right binaries: the program without PIE, and a library with a
// relative path.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -shared -fPIC -DLIBRARY -fmemory-profile %debugflags %s -o libone.so -Wl,--build-id
// RUN: %clang -no-pie -fno-pie -fmemory-profile %ours-rt %debugflags %s ./libone.so -o prog -Wl,--build-id
// RUN: ./prog && %memprofdata show *.raw | FileCheck %s
// RUN: env MEMPROF_PROFILE_FILE=plain MEMPROF_OPTIONS=compress=0 ./prog && grep -q "%t.dir/libone.so" plain
// RUN: env MEMPROF_PROFILE_FILE=llvm MEMPROF_OPTIONS=raw_format=llvm ./prog
// RUN: %llvm-profdata-v5 show --memory --profiled-binary=prog llvm | FileCheck --check-prefix=LLVM %s
// CHECK: in 2 blocks, from 2 call stacks
// CHECK: allocate_in_library
// LLVM: SymbolName: main
// LLVM: TotalSize: 200
#include <stdlib.h>

char *allocate_in_library(void);

#ifdef LIBRARY
char *allocate_in_library(void)
{
    return malloc(300);
}
#else
int main(void)
{
    free(malloc(200));
    free(allocate_in_library());
    return 0;
}
#endif
