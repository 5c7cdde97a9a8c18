// A jump reads its buffer, which setjmp() wrote.
// RUN: %memprof-clang -O1 %debugflags -fmemory-profile -mllvm -memprof-access=rw %s -o %t && rm -f %t.raw && env MEMPROF_PROFILE_FILE=%t.raw %t
// RUN: %memprofdata show %t.raw | FileCheck %s
// CHECK: 50 reads, 25 writes
// CHECK: 125 reads, 25 writes
// Without a dynamic linker nobody sees what setjmp() writes, so nothing is said.
// RUN: %build/bin/memprof-clang-%llvm-version -static -O1 %debugflags -fmemory-profile -mllvm -memprof-access=rw %s -o %t && rm -f %t.raw && env MEMPROF_PROFILE_FILE=%t.raw %t
// RUN: %memprofdata show %t.raw | FileCheck %s --check-prefix=STATIC --implicit-check-not=never
// STATIC: of type __jmp_buf_tag
#include <setjmp.h>
#include <stdlib.h>

int main(void)
{
    jmp_buf *const small = calloc(1, sizeof(*small) + 8);
    sigjmp_buf *const large = calloc(1, sizeof(*large) + 16);
    volatile int count = 0;

    setjmp(*small);
    if (count++ < 5)
        longjmp(*small, 1);
    count = 0;
    sigsetjmp(*large, 1);
    if (count++ < 2)
        siglongjmp(*large, 1);
    return 0;
}
