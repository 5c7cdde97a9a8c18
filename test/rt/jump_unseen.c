// If a function is left by siglongjmp each time, its accesses since the last addition
// to memory are lost; without loops all of them. Its block is not reported as never
// accessed.
// RUN: rm -f %t.raw %t.none && %memprof-clang -fmemory-profile -O2 %debugflags %s -o %t && env MEMPROF_PROFILE_FILE=%t.raw %t && %memprofdata show %t.raw | FileCheck %s
// CHECK: note accesses are lower bounds: 100 jumps out of signal handlers
// CHECK-NOT: never accessed
// CHECK: in 1 block of 3.91 KiB
// CHECK-NEXT: of type int
// CHECK-NEXT: no access seen; signal handlers were left by jumps, lived
// RUN: %memprofdata merge %t.raw -o %t.profdata && %memprofdata show %t.profdata | FileCheck %s
// Without jumps the block is reported as never accessed.
// RUN: env MEMPROF_PROFILE_FILE=%t.none %t none && %memprofdata show %t.none | FileCheck %s --check-prefix=NONE
// NONE: in 1 block of 3.91 KiB
// NONE-NEXT: of type int
// NONE-NEXT: never accessed, lived
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

static sigjmp_buf back;
static volatile int sum;

static void leave(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}

__attribute__((noinline)) static int add(int *p, int n, const int *bad)
{
    int s = p[0];

    if (n > 1)
        p[1] = s;
    s += *bad;
    if (s != 0)
        p[2] = s;
    return s + p[3];
}

int main(int argc, char **argv)
{
    int *const p = (int *)malloc(4000);

    (void)argv;
    __asm__ volatile("" : : "r"(p) : "memory");
    signal(SIGSEGV, leave);
    for (volatile int i = 0; i < 100 && argc == 1; i++) {
        if (sigsetjmp(back, 1) == 0)
            sum += add(p, 1000, (const int *)(size_t)argc);
    }
    __asm__ volatile("" : : "r"(p) : "memory");
    return 0;
}
