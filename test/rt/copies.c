// copies=1 records the bytes that each call stack copies, equal to the program's own
// log. Without the option nothing is recorded.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// DEFINE: %{copies} = python3 %S/Inputs/events.py %memprofdata copies
// RUN: %clang -O1 -fmemory-profile -fno-builtin %ours-rt %debugflags %s -o plain -lpthread
// RUN: %memprof-clang -O2 -fmemory-profile -fno-builtin %s -o ours -lpthread
// RUN: %clang -O1 -D_FORTIFY_SOURCE=2 -fmemory-profile -fno-builtin %ours-rt %debugflags %s -o chk -lpthread
// RUN: %clang -O1 -D_FORTIFY_SOURCE=2 -fno-builtin -c %s -o chk.o && nm -u chk.o | FileCheck %s --check-prefix=CHECKED
// CHECKED-DAG: __memcpy_chk
// CHECKED-DAG: __strncat_chk
// RUN: for p in plain ours chk; do env MEMPROF_PROFILE_FILE=$p-raw MEMPROF_OPTIONS=copies=1 ./$p > $p.log && %{copies} $p.log $p-raw || exit 1; done
// RUN: %memprofdata merge plain-raw -o m && %{copies} plain.log m
// RUN: env MEMPROF_PROFILE_FILE=none ./plain > none.log && %memprofdata show --copies none | FileCheck %s --check-prefix=NONE
// NONE: No copies were recorded: run the program with MEMPROF_OPTIONS=copies=1.
// RUN: %memprofdata show --copies --top=2 m | FileCheck %s
// CHECK: Copies  {{.*}} in {{.*}} calls
// CHECK: %  memcpy 1,200 times, 10 B to 87.9 KiB, {{.*}} in all
// CHECK: {{^}} 1. {{.*}} %  memcpy 400 times, 87.9 KiB each, 34.3 MiB in all
// CHECK-NEXT: {{^}}     copy_large {{.*}}copies.c:
// CHECK: {{^}} 2.  <0.1 %  wcscat 400 times, 20 B each, 7.81 KiB in all
// CHECK: more call stacks; --top={{[0-9]+}} shows all
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static char to[90000], from[90000];
static wchar_t wide[100], wide_from[] = L"wide";
#ifdef _FORTIFY_SOURCE
#define p to /* whose size the compiler knows: the checked functions are called */
#else
static char *volatile p = to;
#endif
static const char *volatile hello = "hello";
static volatile size_t large = 90000, few = 10;

static __attribute__((noinline)) void copy_large(void)
{
    memcpy(p, from, large);
}

static __attribute__((noinline)) void copy_few(void)
{
    memcpy(p, from, few);
    memcpy(p, from, few + 1);
    memcpy(p, from, 0 * few);
    memmove(p, p + few, few);
}

static __attribute__((noinline)) void copy_strings(void)
{
    strcpy(p, hello);
    stpcpy(p, hello);
    strncpy(p, hello, few);
    strncpy(p, hello, few - 8);
    strcpy(p, "");
    strcat(p, hello);
    strncat(p, hello, few - 7);
    free(strdup(hello));
    free(strndup(hello, few - 8));
    mempcpy(p, from, few);
    memccpy(p, hello, 'l', few);
}

static __attribute__((noinline)) void copy_wide(void)
{
    wmemcpy(wide, wide_from, 3);
    wcscpy(wide, wide_from);
    wcscat(wide, wide_from);
    free(wcsdup(wide_from));
}

static void *work(void *unused)
{
    for (int i = 0; i < 100; i++) {
        copy_large();
        copy_few();
        copy_strings();
        copy_wide();
    }
    return unused;
}

/* Totals of the calls above in a round. */
static void tell(void)
{
    puts("copy_large memcpy 90000");
    puts("copy_few memcpy 10\ncopy_few memcpy 11\ncopy_few memmove 10");
    puts("copy_strings strcpy 6\ncopy_strings stpcpy 6");
    puts("copy_strings strncpy 6\ncopy_strings strncpy 2");
    puts("copy_strings strcpy 1\ncopy_strings strcat 6\ncopy_strings strncat 4");
    puts("copy_strings strdup 6\ncopy_strings strndup 3");
    puts("copy_strings mempcpy 10\ncopy_strings memccpy 3");
    puts("copy_wide wmemcpy 12\ncopy_wide wcscpy 20\ncopy_wide wcscat 20");
    puts("copy_wide wcsdup 20");
}

int main(void)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 400; i++)
        tell();
    return 0;
}
