// Functions whose assembly defines a symbol exist once: there is no copy for a resolver,
// and no second version of the code.
// RUN: %memprof-clang -O2 -fmemory-profile %s -o %t && %t | FileCheck %s
// RUN: %memprof-clang -O2 -fmemory-profile -mllvm -memprof-versions=2 %s -o %t && %t | FileCheck %s
// CHECK: 1 2 12
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static int helper(int *p)
{
    __asm__ volatile("helper_probe: nop");
    return p ? ++*p : 1;
}

static int first(int *p)
{
    return *p + helper(p);
}

static int (*resolve(void))(int *)
{
    return helper(NULL) ? first : NULL;
}

int chosen(int *p) __attribute__((ifunc("resolve")));

__attribute__((noinline)) static int probed(int *p)
{
    int r;

    __asm__ volatile("my_probe: movl %1, %0" : "=r"(r) : "m"(*p));
    for (int i = 0; i < 10; i++)
        r += ++*p;
    return r - 65;
}

int main(void)
{
    int *const p = calloc(4, 1);
    int *const q = calloc(4, 1);
    const int a = chosen(p);
    const int b = helper(p);

    *q = 2;
    printf("%d %d %d\n", a, b, probed(q));
    free(p);
    free(q);
    return 0;
}
