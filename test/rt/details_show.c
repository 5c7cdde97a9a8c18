// How show prints distributions, ends of blocks, and phases.
// RUN: %clang -fmemory-profile %ours-rt -g -O1 -fno-builtin -I%root/inc %s -o %t
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d && env MEMPROF_OPTIONS=free_sites=1:log_path=p %t
// RUN: %memprofdata show --sort=blocks --sizes p.* | FileCheck %s --check-prefix=SIZES
// SIZES:      Sizes of blocks, of call stacks by blocks
// SIZES:      All 140 blocks
// SIZES-NEXT: 64 B to <128 B 75 53.6 % ####
// SIZES-NEXT: 1 KiB to <2 KiB 25 17.9 % ####
// SIZES-NEXT: 2 KiB to <4 KiB 40 28.6 % ####
// SIZES:      1. 100 blocks
// SIZES-NEXT: 64 B to <128 B 75 75.0 % ####
// SIZES-NEXT: 1 KiB to <2 KiB 25 25.0 % ####
// SIZES-NEXT: make
// RUN: %memprofdata show --sort=blocks --lifetimes --top=1 p.* | FileCheck %s --check-prefix=LIFETIMES
// LIFETIMES: Lifetimes of blocks, of call stacks by blocks
// LIFETIMES: All 140 blocks
// LIFETIMES: 1. 100 blocks
// LIFETIMES: make
// RUN: %memprofdata show --sort=blocks --ends p.* | FileCheck %s --check-prefix=ENDS
// ENDS:      Ends of blocks, of call stacks by blocks
// ENDS:      1. 100 blocks
// ENDS-NEXT: make
// ENDS:      40 blocks replaced, 76.6 KiB more, by
// ENDS-NEXT: grow
// ENDS:      60 blocks freed,
// ENDS-NEXT: drop
// A block that grows at one call stack again and again does not repeat that stack.
// RUN: env MEMPROF_OPTIONS=log_path=again %t again
// RUN: %memprofdata show --sort=blocks --ends --top=1 again.* | FileCheck %s --check-prefix=ITSELF
// ITSELF:      1. 101 blocks
// ITSELF:      100 blocks replaced, {{.*}} more, by this call stack itself
// ITSELF-NOT:  grow
// RUN: %memprofdata show --timeline p.* | FileCheck %s --check-prefix=TIME
// TIME: Bytes alive over time, process {{[0-9]+}}
// TIME: {{[|].*#}}
// TIME: 0 +--------
// TIME: ^ {{.*}} alive peak
// TIME: A {{.*}} 0 B alive phase first
// TIME: a {{.*}} alive mark half way?
// TIME: B {{.*}} alive no phase
// An older profile does not have it.
// RUN: %memprofdata show --timeline %root/test/golden/index-v4/forty.profdata | FileCheck %s --check-prefix=OLD
// OLD: The profile has no data over time.
#include <memprof.h>
#include <stdlib.h>

__attribute__((noinline)) static void *make(size_t size)
{
    void *volatile p = malloc(size);
    return p;
}

__attribute__((noinline)) static void *grow(void *p)
{
    void *volatile q = realloc(p, 2060);
    return q;
}

__attribute__((noinline)) static void drop(void *p)
{
    free(p);
    __asm__ volatile("");
}

/* From one call stack. */
static void again(void)
{
    void *volatile p = NULL;

    for (size_t i = 1; i <= 101; i++)
        p = realloc(p, 100 * i);
    free(p);
}

int main(int argc, char **argv)
{
    static void *blocks[100];

    (void)argv;
    if (argc > 1) {
        again();
        return 0;
    }
    memprof_phase("first");
    for (int i = 0; i < 100; i++)
        blocks[i] = make(i < 75 ? 100 : 1500);
    memprof_mark("half way\n");
    for (int i = 0; i < 40; i++)
        blocks[i] = grow(blocks[i]);
    for (int i = 40; i < 100; i++)
        drop(blocks[i]);
    memprof_phase(NULL);
    return 0;
}
