// A block that holds a stack is not reported as never accessed or cold: code does not
// count the accesses to its own stack.
// RUN: rm -f %t.raw %t.llvm && %memprof-clang -fmemory-profile -O1 %debugflags %s -o %t && env MEMPROF_PROFILE_FILE=%t.raw %t && %memprofdata show --top=20 %t.raw | FileCheck %s
// RUN: %memprofdata explain %t.raw | FileCheck %s --check-prefix=WHY
// RUN: %memprofdata merge %t.raw -o %t.profdata && %memprofdata show --top=20 %t.profdata | FileCheck %s
// CHECK: in 1 block of 84 KiB
// CHECK-NEXT: of type char
// CHECK-NEXT: accesses not measured, lived
// CHECK: in 1 block of 80 KiB
// CHECK-NEXT: of type char
// CHECK-NEXT: accesses not measured, lived
// CHECK: in 1 block of 76 KiB
// CHECK-NEXT: of type char
// CHECK-NEXT: accesses not measured, lived
// CHECK: in 1 block of 72 KiB
// CHECK-NEXT: of type char
// CHECK-NEXT: accesses not measured, lived
// CHECK: in 1 block of 68 KiB
// CHECK-NEXT: of type char
// CHECK-NEXT: accesses not measured, lived
// CHECK: in 1 block of 64 KiB
// CHECK-NEXT: of type char
// CHECK-NEXT: accesses not measured, lived
// CHECK: in 1 block of 1000 B
// CHECK-NEXT: of type char
// run_on() below is in assembly, which may access any block.
// CHECK-NEXT: no access seen; a part of {{.*}} is not instrumented, lived
// WHY-NOT: {{ cold .* main }}
// In LLVM's format and in its part of an indexed file every block but a stack has its
// usual density; a stack has one for which LLVM does not call it cold.
// RUN: env MEMPROF_OPTIONS=raw_format=llvm MEMPROF_PROFILE_FILE=%t.llvm %t && %memprofdata merge --profiled-binary=%t %t.llvm -o %t.llvm.profdata && %llvm-profdata-v5 show --memory %t.llvm.profdata | FileCheck %s --check-prefix=LLVM
// LLVM-COUNT-6: TotalLifetimeAccessDensity: 100000
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <ucontext.h>

enum { BYTES = 65536 };

static ucontext_t home, task;
static volatile int ran;
static int argument_sum;

static void use_stack(void)
{
    volatile char bytes[1000];

    for (int i = 0; i < 1000; i++)
        bytes[i] = (char)i;
    ran++;
}

static void start(int a, int b, int c, int d, int e, int f, int g)
{
    use_stack();
    argument_sum = a + b + c + d + e + f + g;
}

static void *start_thread(void *arg)
{
    use_stack();
    return arg;
}

static int start_clone(void *arg)
{
    use_stack();
    return *(int *)arg;
}

static void handle(int number)
{
    (void)number;
    use_stack();
}

/* A stack switch by the program itself, which the runtime notices only by an
 * allocation on it. */
__attribute__((noinline)) static void allocate(void)
{
    use_stack();
    void *volatile p = malloc(48);
    free(p);
}

__attribute__((naked, noinline)) static void run_on(void *end, void (*f)(void))
{
    __asm__("push %rbp\n\tmov %rsp, %rbp\n\tmov %rdi, %rsp\n\tcall *%rsi\n\t"
            "mov %rbp, %rsp\n\tpop %rbp\n\tret");
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    int seven = 7, status;
    char *stacks[6];

    stacks[0] = malloc(BYTES);
    getcontext(&task);
    task.uc_stack.ss_sp = stacks[0];
    task.uc_stack.ss_size = BYTES;
    task.uc_link = &home;
    makecontext(&task, (void (*)(void))start, 7, 1, 2, 3, 4, 5, 6, 7);
    swapcontext(&home, &task);
    if (argument_sum != 28)
        return 1;

    stacks[1] = aligned_alloc(4096, BYTES + 4096);
    pthread_attr_init(&attributes);
    if (pthread_attr_setstack(&attributes, stacks[1], BYTES + 4096) != 0)
        return 2;
    pthread_create(&thread, &attributes, start_thread, NULL);
    pthread_join(thread, NULL);

    stacks[2] = malloc(BYTES + 8192);
    stack_t stack = {.ss_sp = stacks[2], .ss_size = BYTES + 8192};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handle, .sa_flags = SA_ONSTACK}, NULL);
    raise(SIGUSR1);
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);

    stacks[3] = malloc(BYTES + 12288);
    const int pid = clone(start_clone, stacks[3] + BYTES + 12288, SIGCHLD | CLONE_VM, &seven);
    if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 7)
        return 3;

    stacks[4] = malloc(BYTES + 16384);
    run_on(stacks[4] + BYTES, allocate);
    stacks[5] = realloc(malloc(1), BYTES + 20480); /* a moved stack is a new block */
    run_on(stacks[5] + BYTES, allocate);
    char *volatile none = malloc(1000);
    for (int i = 0; i < 6; i++)
        free(stacks[i]);
    free(none);
    return ran != 6;
}
