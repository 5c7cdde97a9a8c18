// A stack that the program's own assembly switches to, and on which nothing is allocated, is
// known by the return addresses in it: of a block that was freed and of one that lives.
// RUN: rm -f %t.raw %t.rw && %memprof-clang -fmemory-profile -O1 %debugflags %s %S/Inputs/switch.s -o %t && env MEMPROF_PROFILE_FILE=%t.raw %t
// RUN: %memprofdata show --top=20 %t.raw | FileCheck %s
// RUN: %memprofdata explain %t.raw | FileCheck %s --check-prefix=WHY
// RUN: env MEMPROF_PASS_OPTIONS=-memprof-access=rw %memprof-clang -fmemory-profile -O1 %debugflags %s %S/Inputs/switch.s -o %t && env MEMPROF_PROFILE_FILE=%t.rw %t
// RUN: %memprofdata show --top=20 %t.rw | FileCheck %s --check-prefix=RW
// CHECK: in 50 blocks of 32 KiB
// CHECK: accesses not measured ({{.*}} seen), lived {{.*}}, all freed
// CHECK: in 1 block of 64 KiB
// CHECK: accesses not measured ({{.*}} seen), lived {{.*}}, none freed
// CHECK: in 1 block of 40 KiB
// CHECK: no access seen; a part of {{.*}} is not instrumented, lived
// WHY-NOT: {{ cold }}
// RW: in 50 blocks of 32 KiB
// RW: accesses not measured
// RW: in 1 block of 64 KiB
// RW: accesses not measured
#include <stdint.h>
#include <stdlib.h>

enum { TASKS = 50, ROUNDS = 100, BYTES = 32768 };

struct task {
    uintptr_t registers[7];
};

void switch_stack(struct task *to, struct task *from);

static struct task home;
static struct task tasks[TASKS + 1];
static int current;
static volatile long total;

__attribute__((noinline)) static long work(int n)
{
    volatile char bytes[1000];
    long sum = 0;

    for (int i = 0; i < 1000; i++)
        bytes[i] = (char)(i * n);
    for (int i = 0; i < 1000; i++)
        sum += bytes[i];
    return sum;
}

static void run(void)
{
    for (int n = 0;; n++) {
        total += work(n);
        switch_stack(&home, &tasks[current]);
    }
}

static void *begin(struct task *task, void *memory, size_t bytes)
{
    uintptr_t *const top = (uintptr_t *)((char *)memory + bytes);

    top[-1] = 0; /* run() does not return */
    top[-2] = (uintptr_t)run;
    task->registers[0] = (uintptr_t)&top[-2];
    return memory;
}

int main(void)
{
    char *stacks[TASKS];
    void *volatile unused = malloc(BYTES + 8192);
    static void *volatile kept;
    long *volatile busy = malloc(64);

    for (int i = 0; i < TASKS; i++)
        stacks[i] = begin(&tasks[i], malloc(BYTES), BYTES);
    kept = begin(&tasks[TASKS], malloc((size_t)2 * BYTES), (size_t)2 * BYTES);
    for (int n = 0; n < ROUNDS; n++) {
        for (current = 0; current <= TASKS; current++) {
            switch_stack(&tasks[current], &home);
            for (int i = 0; i < 100; i++)
                *busy += i;
        }
    }
    for (int i = 0; i < TASKS; i++)
        free(stacks[i]);
    free(unused);
    return (int)(*busy & 1);
}
