// Functions that endlessly tail-call each other need no stack, as in a program that is
// not profiled, also if they allocate or are called through a table. All other call
// stacks are complete, both by values and by walks.
// DEFINE: %{how} =
// DEFINE: %{run} = rm -f %t.raw && ulimit -s 4096 && env MEMPROF_OPTIONS=context=both MEMPROF_PROFILE_FILE=%t.raw %t && %memprofdata export --format=folded %t.raw | FileCheck %s
// DEFINE: %{same} = %memprofdata merge --text %t.raw -o %t.json && FileCheck --input-file=%t.json --check-prefix=SAME %s
// DEFINE: %{check} = %memprof-clang -w -fmemory-profile %{how} %s -o %t && %{run} && %{same}
// DEFINE: %{cxx} = %memprof-clangxx -w -fmemory-profile %{how} -x c++ %s -o %t && %{run} && %{same}
// REDEFINE: %{how} = -O1
// RUN: %{check}
// REDEFINE: %{how} = -O2
// RUN: %{check}
// RUN: %{cxx}
// REDEFINE: %{how} = -O3
// RUN: %{check}
// REDEFINE: %{how} = -Os -fPIC
// RUN: %{check}
// RUN: %memprof-clang -w -fmemory-profile -O2 -mllvm -memprof-context-values=false %s -o %t && %{run}
// SAME: "CONTEXT_CHECKS":{{[0-9][0-9][0-9][0-9]}}
// SAME-NOT: "CONTEXT_DIFFERENCES"
// CHECK-DAG: main;length_with_blocks{{[^;]*}} 8000
// CHECK-DAG: main;even_with_blocks{{[^;]*}} 16000
// CHECK-DAG: main;odd_with_blocks{{[^;]*}} 24000
// CHECK-DAG: main;{{(.*;)?}}allocate{{[^;]*}} 32000
// CHECK-DAG: main;outer{{[^;]*}};middle{{[^;]*}};inner{{[^;]*}} 48
#include <stdlib.h>

#define N 1000000
#define NOINLINE __attribute__((noinline))

typedef struct node {
    struct node *next;
    long value;
} node;

static node nodes[N];
static void *volatile kept;

static void keep(void *block)
{
    free(kept);
    kept = block;
}

/* -- Recursion ------------------------------------------------------------ */

static NOINLINE long length(node *n, long sum)
{
    return n ? length(n->next, sum + n->value) : sum;
}

static NOINLINE long length_with_blocks(node *n, long sum)
{
    if (!n)
        return sum;
    if (sum % 1000 == 0)
        keep(malloc(8));
    return length_with_blocks(n->next, sum + n->value);
}

/* -- Mutual recursion ----------------------------------------------------- */

static NOINLINE long odd(node *n, long sum);
static NOINLINE long even(node *n, long sum)
{
    return n ? odd(n->next, sum + n->value) : sum;
}
static NOINLINE long odd(node *n, long sum)
{
    return n ? even(n->next, sum + n->value) : -sum;
}

long odd_with_blocks(node *n, long sum, int more);
NOINLINE long even_with_blocks(node *n, long sum)
{
    if (!n)
        return sum;
    if (sum % 1000 == 0)
        keep(malloc(16));
    return odd_with_blocks(n->next, sum + n->value, 0);
}
NOINLINE long odd_with_blocks(node *n, long sum, int more)
{
    if (!n)
        return -sum;
    if (sum % 1000 == 501)
        keep(malloc(24));
    return even_with_blocks(n->next, sum + n->value + more);
}

/* -- States --------------------------------------------------------------- */

typedef struct machine {
    const char *pc;
    long left;
    long sum;
} machine;
typedef long state(machine *);
static state add, subtract, allocate, end;
static state *const table[] = {add, subtract, allocate, end};

static NOINLINE long next(machine *m, int skip)
{
    m->pc += skip;
    return m->left-- > 0 ? table[*m->pc - '0'](m) : end(m);
}
static long add(machine *m)
{
    m->sum += 2;
    m->pc++;
    return table[*m->pc - '0'](m);
}
static long subtract(machine *m)
{
    m->sum -= 1;
    return next(m, 1);
}
static long allocate(machine *m)
{
    if (m->left % 1000 == 1)
        keep(malloc(32));
    return next(m, -2);
}
static long end(machine *m)
{
    return m->sum;
}

/* -- Frames that are shown ------------------------------------------------ */

static NOINLINE void *inner(size_t size)
{
    return malloc(size);
}
NOINLINE void *middle(size_t size, int more)
{
    return inner(size + more);
}
static NOINLINE void *outer(void)
{
    return middle(40, 8);
}

int main(void)
{
    machine m = {"012", N, 0};

    for (long i = 0; i < N; i++) {
        nodes[i].next = i + 1 < N ? &nodes[i + 1] : NULL;
        nodes[i].value = 1;
    }
    if (length(nodes, 0) != N || length_with_blocks(nodes, 0) != N ||
        even(nodes, 0) != N || even_with_blocks(nodes, 0) != N)
        return 1;
    if (table[0](&m) != N / 2 + 1)
        return 2;
    keep(outer());
    return 0;
}
