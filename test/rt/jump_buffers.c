// A jump reads its buffer, which setjmp() wrote.
// RUN: %memprof-clang -O1 %debugflags -fmemory-profile -mllvm -memprof-access=rw %s -o %t && rm -f %t.raw && env MEMPROF_PROFILE_FILE=%t.raw %t
// RUN: %memprofdata show %t.raw | FileCheck %s
// CHECK: 50 reads, 25 writes
// CHECK: 125 reads, 25 writes
// What the compiler's own jumps access is not counted, and the block says so.
// CHECK: in 1 block of 96 B
// CHECK-NOT: never read
// CHECK: accesses not measured
// Without a dynamic linker nobody sees what setjmp() writes, so nothing is said.
// RUN: %build/bin/memprof-clang-%llvm-version -static -O1 %debugflags -fmemory-profile -mllvm -memprof-access=rw %s -o %t && rm -f %t.raw && env MEMPROF_PROFILE_FILE=%t.raw %t
// RUN: %memprofdata show %t.raw | FileCheck %s --check-prefix=STATIC --implicit-check-not=never
// STATIC: of type __jmp_buf_tag
#include <setjmp.h>
#include <stdlib.h>

static __attribute__((noinline)) void jump(void **own)
{
    __builtin_longjmp(own, 1);
}

int main(void)
{
    jmp_buf *const small = calloc(1, sizeof(*small) + 8);
    sigjmp_buf *const large = calloc(1, sizeof(*large) + 16);
    void **const own = calloc(12, sizeof(void *));
    volatile int count = 0;

    if (__builtin_setjmp(own) == 0)
        jump(own);
    setjmp(*small);
    if (count++ < 5)
        longjmp(*small, 1);
    count = 0;
    sigsetjmp(*large, 1);
    if (count++ < 2)
        siglongjmp(*large, 1);
    return 0;
}
