/* A comparison of few bytes counts, also where the code generator makes loads of the
 * call, which the runtime does not see. */
// DEFINE: %{how} = -O2
// DEFINE: %{show} = rm -f %t.raw && %memprof-clang -fmemory-profile -mllvm -memprof-access=rw-bytes %{how} %s -o %t && \
// DEFINE:   env MEMPROF_PROFILE_FILE=%t.raw %t && %memprofdata show %t.raw | FileCheck %s
// RUN: %{show}
// REDEFINE: %{how} = -Os
// RUN: %{show}
// REDEFINE: %{how} = -O2 -flto=thin -fuse-ld=lld
// RUN: %if lld %{ %{show} %}
// REDEFINE: %{how} = -O0
// RUN: %{show}
// CHECK: in 1 block of 300 B
// CHECK: never written, 32 read per byte
// CHECK: in 1 block of 200 B
// CHECK: never written, 16 read per byte
// CHECK: in 1 block of 100 B
// CHECK: never written, 4 read per byte
#include <stdlib.h>
#include <string.h>

static char *volatile a, *volatile b, *volatile c;

int main(void)
{
    int sum = 0;

    a = calloc(300, 1);
    b = calloc(200, 1);
    c = calloc(100, 1);
    for (int i = 0; i < 300; i++)
        sum += memcmp(a, "0123456789abcdef0123456789abcdef", 32) == 0;
    for (int i = 0; i < 200; i++)
        sum += bcmp(b, "0123456789abcdef", 16) == 0;
    for (int i = 0; i < 100; i++)
        sum += memcmp(c, "0123", 4);
    free(a);
    free(b);
    free(c);
    return sum == 0;
}
