// malloc_trim() gives the memory of freed blocks and of their counters back; without it,
// most of a large heap goes back when its last blocks are freed. Blocks that live, and
// those that come later, are unharmed.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -O1 -fmemory-profile -fno-builtin %ours-rt %debugflags %s -o c
// RUN: env MEMPROF_PROFILE_FILE=raw ./c 2>&1 | FileCheck %s
// RUN: %memprofdata show --json raw | FileCheck %s --check-prefix=COUNT
// RUN: env MEMPROF_OPTIONS=dump_at_exit=0:sample=100000 ./c 2>&1 | FileCheck %s
// RUN: %memprof-clang -O1 -fmemory-profile -mllvm -memprof-access=rw -fno-builtin %s -o rw
// RUN: env MEMPROF_OPTIONS=dump_at_exit=0 ./rw 2>&1 | FileCheck %s
// RUN: %memprof-clang -O1 -fmemory-profile -mllvm -memprof-histogram -fno-builtin %s -o h
// RUN: env MEMPROF_OPTIONS=dump_at_exit=0 ./h 2>&1 | FileCheck %s
// CHECK: freed: little
// CHECK-NEXT: trimmed: 1, little
// CHECK-NEXT: trimmed: 1, little
// CHECK-NEXT: kept: 1
// CHECK-NOT: memprof:
// COUNT: "function":"again"
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { COUNT = 200000, LARGE = 300 };
static char *all[COUNT];

static long resident_mib(void)
{
    char text[100] = {0};
    long pages = 0;
    const int fd = open("/proc/self/statm", O_RDONLY);

    if (read(fd, text, sizeof(text) - 1) > 0)
        sscanf(text, "%*s %ld", &pages);
    close(fd);
    return pages / 256;
}

static void fill(size_t bytes)
{
    for (int i = 0; i < COUNT; i++) {
        all[i] = malloc(bytes);
        memset(all[i], 1, bytes);
    }
}

static void drop(int step)
{
    for (int i = 0; i < COUNT; i++)
        free(all[(long)i * step % COUNT]);
}

static void large(void)
{
    for (int i = 0; i < LARGE; i++) {
        all[i] = malloc(200000);
        memset(all[i], 1, 200000);
    }
    mlock(all[0], 1);
    for (int i = 0; i < LARGE; i++)
        free(all[i]);
}

__attribute__((noinline)) static void again(void)
{
    for (int i = 0; i < COUNT; i++) {
        char *volatile p = all[i] = malloc(500);
        p[0] = 1;
    }
    drop(1);
}

static const char *amount(long before)
{
    return resident_mib() - before < 24 ? "little" : "MUCH";
}

int main(void)
{
    char *const kept = malloc(500);
    const long before = resident_mib();

    memset(kept, 7, 500);
    fill(500);
    drop(1);
    printf("freed: %s\n", amount(before));
    fill(500);
    mlock(all[COUNT / 2], 1);
    drop(7);
    const int small = malloc_trim(0);
    printf("trimmed: %d, %s\n", small, amount(before));
    large();
    again();
    const int both = malloc_trim(0);
    printf("trimmed: %d, %s\n", both, amount(before));
    printf("kept: %d\n", kept[0] == 7 && kept[499] == 7);
    return 0;
}
