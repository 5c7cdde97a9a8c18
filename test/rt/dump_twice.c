// A dump empties the profile: a block that was freed before it is in that dump only, a
// live block in both. Our format gives two files, LLVM's one file with two dumps.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt %debugflags %s -o %t -Wl,--build-id
// RUN: %t && ls | count 2
// RUN: %memprofdata show memprof.profraw.*[0-9].[0-9]*.raw | FileCheck --check-prefix=SECOND %s
// RUN: ls | grep -x 'memprof.profraw.[0-9]*.raw'
// RUN: ls | grep -x 'memprof.profraw.[0-9]*.1.raw'
// RUN: env MEMPROF_PROFILE_FILE=llvm MEMPROF_OPTIONS=raw_format=llvm %t
// RUN: ls | count 3
// RUN: %llvm-profdata-v5 show --memory --profiled-binary=%t llvm | FileCheck %s
// SECOND: 1 KiB in 1 block
// CHECK: TotalSize: 100
// CHECK: AllocCount: 2
// CHECK: TotalSize: 2048
#include <sanitizer/memprof_interface.h>
#include <stdlib.h>

char *volatile kept;

int main(void)
{
    free(malloc(100));
    kept = malloc(1024);
    return __memprof_profile_dump();
}
