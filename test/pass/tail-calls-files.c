// The functions of a state machine, each in its own file, tail-call each other and need
// no stack, as in a program that is not profiled. Functions that allocate for others
// are in the call stacks, both by values and by walks.
// REQUIRES: lld
// DEFINE: %{how} =
// DEFINE: %{cc} = %memprof-clang -w -fmemory-profile %{how} %s
// DEFINE: %{run} = rm -f %t.raw && ulimit -s 1024 && env MEMPROF_OPTIONS=context=both MEMPROF_PROFILE_FILE=%t.raw %t && %memprofdata export --format=folded %t.raw | FileCheck %s
// DEFINE: %{same} = %memprofdata merge --text %t.raw -o %t.json && FileCheck --input-file=%t.json --check-prefix=SAME %s
// DEFINE: %{check} = %{cc} -DODD -c -o %t.odd.o && %{cc} %t.odd.o -o %t && %{run} && %{same}
// REDEFINE: %{how} = -O1
// RUN: %{check}
// REDEFINE: %{how} = -O2
// RUN: %{check}
// REDEFINE: %{how} = -O3 -fPIC
// RUN: %{check}
// REDEFINE: %{how} = -Os
// RUN: %{check}
// REDEFINE: %{how} = -O2 -flto=thin -fuse-ld=lld
// RUN: %{check}
// SAME: "CONTEXT_CHECKS":{{[0-9][0-9][0-9]}}
// SAME-NOT: "CONTEXT_DIFFERENCES"
// CHECK-DAG: main;even 16000
// CHECK-DAG: main;odd 48000
// CHECK-DAG: main;wrap{{[^;]*}};make{{[^;]*}} 48
#include <stdlib.h>

#define N 1000000
#define NOINLINE __attribute__((noinline))

typedef struct node {
    struct node *next;
    long value;
} node;

NOINLINE long even(node *n, long sum);
NOINLINE long odd(node *n, long sum);
NOINLINE void *make(size_t size);

#ifdef ODD
static void *volatile kept;

long odd(node *n, long sum)
{
    if (!n)
        return -sum;
    if (sum % 1000 == 1) {
        free(kept);
        kept = malloc(48);
    }
    return even(n->next, sum + n->value);
}

void *make(size_t size)
{
    return malloc(size);
}
#else
static node nodes[N];
static void *volatile kept;

long even(node *n, long sum)
{
    if (!n)
        return sum;
    if (sum % 1000 == 0) {
        free(kept);
        kept = malloc(16);
    }
    return odd(n->next, sum + n->value);
}

NOINLINE void *wrap(size_t size)
{
    return make(size);
}

int main(void)
{
    for (long i = 0; i < N; i++)
        nodes[i] = (node){i + 1 < N ? &nodes[i + 1] : NULL, 1};
    if (even(nodes, 0) != N)
        return 1;
    free(wrap(48));
    return 0;
}
#endif
