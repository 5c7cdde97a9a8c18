// The first function of these coroutines has no return address above it, so a walk of
// their stack continues into the memory next to it: another coroutine's stack, then
// nothing. The stack is aligned to 8 bytes only.
// RUN: %memprof-clang -w -O2 -fmemory-profile %s -o %t && rm -rf %t.dir && mkdir %t.dir
// RUN: env MEMPROF_OPTIONS=log_path=%t.dir/ %t 2>&1 | FileCheck %s
// RUN: env MEMPROF_OPTIONS=log_path=%t.dir/:context=walk %t 2>&1 | FileCheck %s
// RUN: env MEMPROF_OPTIONS=log_path=%t.dir/:context=walk:handle_segv=0 %t 2>&1 | FileCheck %s
// RUN: %build/bin/memprof-clang-%llvm-version -static -w -O2 -fmemory-profile %s -o %t.static
// RUN: env MEMPROF_OPTIONS=log_path=%t.dir/:context=walk %t.static 2>&1 | FileCheck %s
// CHECK-NOT: {{.}}
// CHECK: done
// CHECK-NOT: {{.}}
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define STACK_BYTES ((size_t)256 << 10)
/* A compiled function reads its return address on entry. */
#define ABOVE_BYTES ((size_t)4096)
#define SWITCHES 200

void switch_to(void **save, void *to);
__asm__(".globl switch_to\n.type switch_to,@function\nswitch_to:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");

static void *main_stack, *low_stack, *high_stack;

/* libc's call of malloc has no context value: it is walked. */
static void work(void)
{
    FILE *const file = fopen("/dev/null", "r");
    void *volatile p = malloc(100);

    if (file != NULL)
        fclose(file);
    free(p);
}
static void run_low(void)
{
    for (;;) {
        work();
        switch_to(&low_stack, main_stack);
    }
}
static void run_high(void)
{
    for (;;) {
        work();
        switch_to(&high_stack, main_stack);
    }
}

static void *make(char *stack, void (*function)(void))
{
    void **p = (void **)(stack + STACK_BYTES);

    *--p = (void *)function;
    return p - 6;
}

enum how { UNMAP, PROTECT, WAYS };

static void take_away(char *memory, enum how how)
{
    if (how == UNMAP)
        munmap(memory, STACK_BYTES);
    else
        mprotect(memory, STACK_BYTES, PROT_NONE);
}

int main(void)
{
    for (int round = 0; round < 2 * WAYS; round++) {
        char *const stacks =
            mmap(NULL, 2 * STACK_BYTES + ABOVE_BYTES, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        char *const gone = round & 1 ? stacks : stacks + STACK_BYTES;

        low_stack = make(stacks, run_low);
        high_stack = make(stacks + STACK_BYTES, run_high);
        for (int i = 0; i < SWITCHES; i++) {
            switch_to(&main_stack, low_stack);
            switch_to(&main_stack, high_stack);
        }
        munmap(stacks + 2 * STACK_BYTES, ABOVE_BYTES);
        take_away(gone, round / 2);
        for (int i = 0; i < SWITCHES; i++)
            switch_to(&main_stack, round & 1 ? high_stack : low_stack);
        munmap(stacks, 2 * STACK_BYTES);
        work();
    }
    puts("done");
    return 0;
}
