// A block that the program names has a histogram by 64 bytes, in every mode that
// counts, from its birth to free(), realloc() or the end of the program. It is kept
// through dumps, a reset, merging and text. Other blocks have none.
// DEFINE: %{p} = %memprofdata show --histogram --top=9
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: %memprof-clang -fmemory-profile -g -O1 -fno-builtin -I%root/inc %s -o total
// RUN: %memprof-clang -fmemory-profile -g -O1 -fno-builtin -mllvm -memprof-access=rw -I%root/inc %s -o rw
// RUN: %memprof-clang -fmemory-profile -g -O1 -fno-builtin -mllvm -memprof-access=none -I%root/inc %s -o none
// RUN: %memprof-clang -fmemory-profile -g -O1 -fno-builtin -mllvm -memprof-histogram -I%root/inc %s -o cells
// RUN: env MEMPROF_OPTIONS=log_path=total.p ./total && %{p} total.p.*.raw > shown && FileCheck %s < shown
// RUN: env MEMPROF_OPTIONS=log_path=rw.p ./rw && %{p} rw.p.*.raw | FileCheck %s
// RUN: env MEMPROF_OPTIONS=log_path=free.p:free_sites=1 ./total && %{p} free.p.*.raw | FileCheck %s
// CHECK:      1 block of 10 MiB
// CHECK:      0 .. 163839 {{ *}}-
// CHECK-NEXT: 163840 .. 327679 {{ *}}1 {{ *}}14.3 %
// CHECK-NEXT: 327680 .. 10321919 {{ *}}-
// CHECK-NEXT: 10321920 .. 10485759 {{ *}}6 {{ *}}85.7 %
// CHECK-NEXT: large
// CHECK:      20 blocks of 256 B
// CHECK:      0 .. 63 {{ *}}20 {{ *}}20.0 %
// CHECK-NEXT: 64 .. 127 {{ *}}-
// CHECK-NEXT: 128 .. 191 {{ *}}80 {{ *}}80.0 %
// CHECK-NEXT: 192 .. 255 {{ *}}-
// CHECK-NEXT: small
// CHECK:      1 block of 200 B
// CHECK:      0 .. 63 {{ *}}3 100.0 %
// CHECK:      alive
// CHECK:      1 block of 100 B
// CHECK:      64 .. 127 {{ *}}5 100.0 %
// CHECK:      replaced
// CHECK-NOT:  {{[0-9] blocks? of}}

// RUN: %memprofdata merge total.p.*.raw -o a && %memprofdata merge --text a -o a.json && %memprofdata merge a.json -o b && cmp a b && %memprofdata check a
// RUN: %{p} a | FileCheck %s
// RUN: %memprofdata show --json total.p.*.raw | grep -o '"places":[^a-z]*' | FileCheck %s --check-prefix=JSON
// JSON-DAG: "places":{{\[\[}}0,20],[128,80]]

// RUN: env MEMPROF_OPTIONS=log_path=none.p ./none && %{p} none.p.*.raw | FileCheck %s --check-prefix=NONE
// NONE: No call stack has a histogram
// With -memprof-histogram every block has a histogram, and the call changes nothing.
// RUN: env MEMPROF_OPTIONS=log_path=cells.p ./cells && %{p} cells.p.*.raw | FileCheck %s --check-prefix=CELLS
// CELLS:      20 blocks of 300 B
// CELLS:      20 blocks of 256 B
// CELLS:      128 .. 135 {{ *}}80
// Without the profiler the calls do nothing.
// RUN: %clang -O1 -I%root/inc %s -o plain && ./plain
#include <memprof.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

NOINLINE static volatile char *small(void) { return malloc(256); }
NOINLINE static volatile char *large(void) { return malloc(10 << 20); }
NOINLINE static volatile char *alive(void) { return malloc(200); }
NOINLINE static volatile char *replaced(void) { return malloc(100); }
NOINLINE static volatile char *others(void) { return malloc(300); }

static void use_small(void)
{
    volatile char *p = small();

    memprof_histogram((const char *)p + 17);
    p[0] = 1;
    for (int i = 0; i < 4; i++)
        p[130] = (char)i;
    free((void *)p);
}

int main(void)
{
    static volatile char *kept;
    volatile char *p;

    memprof_histogram(NULL);
    memprof_histogram(&kept);
    for (int i = 0; i < 20; i++) {
        use_small();
        p = others();
        p[0] = 1;
        free((void *)p);
    }
    p = large();
    p[200000] = 1;
    memprof_histogram((const void *)p);
    for (int i = 0; i < 6; i++)
        p[(10 << 20) - 1] = 1;
    free((void *)p);
    p = replaced();
    memprof_histogram((const void *)p);
    for (int i = 0; i < 5; i++)
        p[99] = 1;
    p = realloc((void *)p, 100000);
    p[0] = 1;
    free((void *)p);
    kept = alive();
    memprof_histogram((const void *)kept);
    for (int i = 0; i < 3; i++)
        kept[10] = 1;
    return 0;
}
