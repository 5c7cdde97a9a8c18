// fold_recursion=1: a recursive tree allocates from few call stacks, mutual recursion
// from fewer than without. Blocks and bytes are unchanged, and so are stacks without
// recursion.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -O1 -fno-inline -fmemory-profile %ours-rt %debugflags -Wl,--build-id %s -o prog
// RUN: env MEMPROF_PROFILE_FILE=whole MEMPROF_OPTIONS=malloc_context_size=255 ./prog
// RUN: env MEMPROF_PROFILE_FILE=folded MEMPROF_OPTIONS=fold_recursion=1 ./prog
// RUN: %memprofdata show --top=1 whole | FileCheck --check-prefix=WHOLE %s
// RUN: %memprofdata show --top=40 folded | FileCheck %s
//
// 2^9 leaves; 40 depths of mutual recursion; one stack without recursion.
// WHOLE: allocated {{.*}} in 553 blocks, from 553 call stacks
//
// Paths from the root to a leaf of the tree without repetition: six, by the first and
// the last call. Even and odd depths of the mutual recursion, and each without a whole
// round. One without recursion.
// CHECK: allocated {{.*}} in 553 blocks, from 11 call stacks
// CHECK-NOT: cut at
// CHECK: in 1 block of 77 B
// CHECK-NEXT: {{never|accessed}}
// CHECK-NEXT: third
// CHECK-NEXT: second
// CHECK-NEXT: first
// CHECK-NEXT: main
//
// Deeper than the limit of the walk: still few stacks, which are marked as cut.
// RUN: env MEMPROF_PROFILE_FILE=deep MEMPROF_OPTIONS=fold_recursion=1 ./prog 2000
// RUN: %memprofdata show --top=40 deep | FileCheck --check-prefix=DEEP %s
// DEEP: in 2,513 blocks, from 16 call stacks
// DEEP: 5 call stacks were cut at
//
// RUN: python3 %S/Inputs/blocks_by_leaf.py %memprofdata whole > a
// RUN: python3 %S/Inputs/blocks_by_leaf.py %memprofdata folded > b && cmp a b
#include <stdlib.h>

static void *volatile sink;

static void allocate(size_t size)
{
    sink = malloc(size);
    free(sink);
    __asm__ volatile("");
}

static void tree(int depth)
{
    if (depth == 0) {
        allocate(32);
    } else {
        tree(depth - 1);
        tree(depth - 1);
    }
    __asm__ volatile("");
}

static void odd(int depth);
static void even(int depth)
{
    if (depth == 0)
        allocate(64);
    else
        odd(depth - 1);
    __asm__ volatile("");
}

static void odd(int depth)
{
    if (depth == 0)
        allocate(64);
    else
        even(depth - 1);
    __asm__ volatile("");
}

static void third(void)
{
    sink = malloc(77);
    free(sink);
}

static void second(void)
{
    third();
    __asm__ volatile("");
}

static void first(void)
{
    second();
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    const int depths = argc > 1 ? atoi(argv[1]) : 40;

    tree(9);
    for (int i = 0; i < depths; i++)
        even(i);
    first();
    __asm__ volatile("");
    return 0;
}
