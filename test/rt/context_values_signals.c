// A signal handler that runs before each instruction, leaves values and allocates
// changes no context of the code that it interrupts.
// DEFINE: %{how} =
// DEFINE: %{check} = rm -rf %t.dir && mkdir %t.dir && \
// DEFINE:   %memprof-clang -fmemory-profile -mllvm -memprof-context-values %{how} %s -o %t && \
// DEFINE:   env MEMPROF_OPTIONS=context=both MEMPROF_PROFILE_FILE=%t.dir/raw %t 2> %t.err && \
// DEFINE:   count 0 < %t.err && \
// DEFINE:   %memprofdata merge --text %t.dir/raw -o %t.json && \
// DEFINE:   FileCheck --input-file=%t.json %s
// REDEFINE: %{how} = -O0
// RUN: %if llvm-22 %{ %{check} %}
// REDEFINE: %{how} = -O2
// RUN: %{check}
// CHECK: "CONTEXT_CHECKS":{{[0-9][0-9][0-9]}}
// CHECK-NOT: "CONTEXT_DIFFERENCES"
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define ROUNDS 60
#define TRAP_FLAG 0x100

static volatile int sink;
static volatile int steps;

NOINLINE void take(size_t size)
{
    char *volatile p = malloc(size);
    free(p);
    sink++;
}

NOINLINE void in_handler(void)
{
    take(64);
    sink++;
}

static void handle(int number)
{
    (void)number;
    if (steps++ % 3 == 0)
        in_handler();
}

NOINLINE void left(int n)
{
    take(16);
    if (n != 0)
        left(n - 1);
    sink++;
}

NOINLINE void right(int n)
{
    if (n != 0)
        left(n - 1);
    take(16);
}

NOINLINE void work(int n)
{
    left(n % 3);
    right(n % 3);
}

static void step(int on)
{
    __asm__ volatile("subq $128, %%rsp; pushfq; andq %0, (%%rsp);"
                     "orq %1, (%%rsp); popfq; addq $128, %%rsp"
                     :
                     : "r"(~(long)TRAP_FLAG), "r"(on ? (long)TRAP_FLAG : 0L)
                     : "memory", "cc");
}

int main(void)
{
    const struct sigaction action = {.sa_handler = handle};

    sigaction(SIGTRAP, &action, NULL);
    for (int i = 0; i < ROUNDS; i++)
        work(i);
    for (int i = 0; i < ROUNDS; i++) {
        step(1);
        work(i);
        step(0);
    }
    return steps < ROUNDS * 100;
}
