// raw_format= and compress= choose the format of the file; all formats give the same
// profile.
// RUN: %clang -fmemory-profile %ours-rt %debugflags %s -o %t -Wl,--build-id
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: env MEMPROF_PROFILE_FILE=%t.dir/ours.raw %t
// RUN: env MEMPROF_PROFILE_FILE=%t.dir/plain.raw MEMPROF_OPTIONS=compress=0 %t
// RUN: env MEMPROF_PROFILE_FILE=%t.dir/llvm.raw MEMPROF_OPTIONS=raw_format=llvm %t
// RUN: head -c 8 %t.dir/ours.raw | od -An -tx1 | grep -x ' 8d 6d 70 72 61 77 0d 0a'
// RUN: head -c 8 %t.dir/plain.raw | od -An -tx1 | grep -x ' 8d 6d 70 72 61 77 0d 0a'
// RUN: head -c 8 %t.dir/llvm.raw | od -An -tx1 | grep -x ' 81 72 66 6f 72 70 6d ff'
// Paths are readable only in an uncompressed file.
// RUN: grep -q libc.so %t.dir/plain.raw
// RUN: not grep -q libc.so %t.dir/ours.raw
// RUN: %memprofdata show %t.dir/ours.raw | FileCheck %s
// RUN: %memprofdata show %t.dir/plain.raw | FileCheck %s
// RUN: %llvm-profdata-v5 show --memory --profiled-binary=%t %t.dir/llvm.raw \
// RUN:   | FileCheck --check-prefix=LLVM %s
// RUN: env MEMPROF_OPTIONS=raw_format=other:log_path=%t.dir/other %t 2>&1 \
// RUN:   | grep "raw_format must be memprof or llvm, not 'other'"
// CHECK: 4.88 KiB in 50 blocks
// LLVM: AllocCount: 50
// LLVM: TotalSize: 5000
#include <stdlib.h>

int main(void)
{
    for (int i = 0; i < 50; i++)
        free(malloc(100));
    return 0;
}
