// Values of code compiled with -memprof-context-values identify the same contexts as
// walks: each allocation is looked up both ways. Covers callbacks through libc,
// recursion, jumps, the program's own contexts, signal handlers, and threads.
// DEFINE: %{how} =
// DEFINE: %{check} = rm -rf %t.dir && mkdir %t.dir && \
// DEFINE:   %memprof-clang -fmemory-profile -mllvm -memprof-context-values %{how} -pthread %s -o %t && \
// DEFINE:   env MEMPROF_OPTIONS=context=both MEMPROF_PROFILE_FILE=%t.dir/raw %t 2> %t.err && \
// DEFINE:   FileCheck --allow-empty --check-prefix=SAME --input-file=%t.err %s && \
// DEFINE:   %memprofdata merge --text %t.dir/raw -o %t.json && \
// DEFINE:   FileCheck --input-file=%t.json %s
// REDEFINE: %{how} = -O0
// RUN: %{check}
// REDEFINE: %{how} = -O1
// RUN: %{check}
// REDEFINE: %{how} = -O2
// RUN: %{check}
// REDEFINE: %{how} = -O3 -fomit-frame-pointer
// RUN: %{check}
// REDEFINE: %{how} = -O2 -fPIC
// RUN: %{check}
// REDEFINE: %{how} = -O2 -shared-libsan -Wl,-rpath,%build/llvm-%llvm-version/resource/lib/linux
// RUN: %{check}
// Without a dynamic linker, also for thread-local variables.
// RUN: %build/bin/memprof-clang-%llvm-version -O2 -static-pie -fmemory-profile -mllvm -memprof-context-values -pthread %s -o %t
// RUN: env MEMPROF_OPTIONS=context=both MEMPROF_PROFILE_FILE=%t.dir/static %t 2>&1 | count 0
// SAME-NOT: {{.}}
// Nearly all contexts are found by value; the rest are seen for the first time.
// CHECK: "CONTEXT_CHECKS":{{[0-9][0-9][0-9][0-9][0-9]}}
// CHECK-NOT: "CONTEXT_DIFFERENCES"
//
// The profile has no such numbers without values, and none if nothing was compared.
// RUN: env MEMPROF_OPTIONS=context=walk MEMPROF_PROFILE_FILE=%t.dir/walk %t
// RUN: %memprofdata merge --text %t.dir/walk -o %t.walk.json
// RUN: FileCheck --input-file=%t.walk.json --check-prefix=WALK %s
// WALK-NOT: "CONTEXT_CHECKS"
//
// show would print differences.
// RUN: sed 's/"CONTEXT_CHECKS":[0-9]*/"CONTEXT_CHECKS":2000,"CONTEXT_DIFFERENCES":3/' %t.json > %t.differs.json
// RUN: %memprofdata show %t.differs.json | FileCheck --check-prefix=NOTE %s
// NOTE: note 3 of 2,000 contexts found by value differed from a stack walk (context=walk avoids
// NOTE-NEXT: this)
// RUN: %memprofdata show %t.json | FileCheck --check-prefix=NO-NOTE %s
// NO-NOTE-NOT: by value
#define _GNU_SOURCE
#include <pthread.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline))
#define ROUNDS 300

static volatile int sink;

NOINLINE static void take(size_t size)
{
    char *volatile p = malloc(size);
    sink += p != NULL;
    free(p);
}

NOINLINE void one_way(size_t size)
{
    take(size);
    sink++;
}

NOINLINE void other_way(size_t size)
{
    take(size);
    take(size + 1);
    sink++;
}

// Callbacks: from two calls of one function, and with two callers.
static int compare(const void *a, const void *b)
{
    if (*(const int *)a & 1)
        one_way(24);
    else
        other_way(24);
    return *(const int *)a - *(const int *)b;
}

NOINLINE void sort_twice(void)
{
    int numbers[] = {3, 1, 2, 5, 4};
    int copy[5];

    memcpy(copy, numbers, sizeof(copy));
    qsort(numbers, 5, sizeof(*numbers), compare);
    sink++;
    qsort(copy, 5, sizeof(*copy), compare);
    sink += bsearch(copy, numbers, 5, sizeof(*copy), compare) != NULL;
}

// Many calls of one function, in functions whose call sites are as close to each other
// as the numbers of the calls.
#define EIGHT(of, n) of(n) of(n + 1) of(n + 2) of(n + 3) of(n + 4) of(n + 5) of(n + 6) of(n + 7)
#define SIXTY_FOUR(of) \
    EIGHT(of, 0) EIGHT(of, 8) EIGHT(of, 16) EIGHT(of, 24) \
    EIGHT(of, 32) EIGHT(of, 40) EIGHT(of, 48) EIGHT(of, 56)
#define CASE(n) \
    case n: qsort(pair, 2, sizeof(*pair), compare); break;
#define MANY(name) \
    NOINLINE void name(int which) \
    { \
        int pair[] = {1, 3}; \
        switch (which) { SIXTY_FOUR(CASE) } \
        sink++; \
    }
MANY(many_1)
MANY(many_2)
MANY(many_3)

NOINLINE void sort_at_many(void)
{
    for (int i = 0; i < 64; i++) {
        many_1(i);
        many_2(i);
        many_3(i);
    }
}

// A callback that calls its caller.
static int depth_of_walk;
static void visit(const void *node, VISIT which, int depth)
{
    static void *root;
    static int keys[] = {1, 2, 3};

    (void)node;
    if (which != postorder && which != leaf)
        return;
    take((size_t)depth + 1);
    for (int i = 0; i < 3; i++)
        tsearch(&keys[i], &root, compare);
    if (depth_of_walk++ < 2)
        twalk(root, visit);
    depth_of_walk--;
}

NOINLINE void walk_tree(void)
{
    static void *root;
    static int keys[] = {7, 3, 9, 1};

    for (int i = 0; i < 4; i++)
        tsearch(&keys[i], &root, compare);
    twalk(root, visit);
}

// More frames than the limit, with two paths at each step.
NOINLINE void descend(int depth, unsigned way);
NOINLINE void step_left(int depth, unsigned way)
{
    descend(depth, way);
    sink++;
}
NOINLINE void descend(int depth, unsigned way)
{
    if (depth == 0)
        take(40);
    else if (way & 1)
        step_left(depth - 1, way >> 1);
    else
        descend(depth - 1, way >> 1);
    sink++;
}

// Jumps over frames that do not restore the value.
static jmp_buf target;
NOINLINE void jump(int deep)
{
    one_way(8);
    if (deep == 0)
        longjmp(target, 1);
    jump(deep - 1);
    sink++;
}
static int compare_and_jump(const void *a, const void *b)
{
    (void)a, (void)b;
    jump(2);
    return 0;
}
NOINLINE void jump_home(void)
{
    int two[2] = {2, 1};

    if (setjmp(target) == 0)
        jump(3);
    take(16);
    if (setjmp(target) == 0)
        qsort(two, 2, sizeof(*two), compare_and_jump);
    other_way(16);
}

// Two stacks in turn.
static ucontext_t home, away;
static char stack[1 << 16];
static void run_away(void)
{
    for (;;) {
        one_way(64);
        swapcontext(&away, &home);
        other_way(64);
        swapcontext(&away, &home);
    }
}
NOINLINE void change_stacks(void)
{
    take(1);
    swapcontext(&home, &away);
    one_way(1);
    swapcontext(&home, &away);
    other_way(1);
}

// A signal handler that interrupts anything.
static void handle(int number)
{
    (void)number;
    one_way(128);
    take(129);
}
NOINLINE void *interrupted(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        take(200);
        raise(SIGUSR1);
        other_way(201);
        pthread_kill(pthread_self(), SIGUSR2);
        take(202);
    }
    return NULL;
}

static void *work(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        sort_twice();
        sort_at_many();
        descend(i % 6, (unsigned)i);
        descend(40, (unsigned)i & 31);
    }
    return unused;
}

/* A tail call passes on the value that its function found. */
NOINLINE static void end_in_sort(void *base, size_t count, size_t size,
                              int (*order)(const void *, const void *))
{
    __attribute__((musttail)) return qsort(base, count, size, order);
}

NOINLINE static void sort_by_tail_calls(void)
{
    int values[] = {2, 1};

    end_in_sort(values, 2, sizeof(int), compare);
    values[0] = 2;
    values[1] = 1;
    end_in_sort(values, 2, sizeof(int), compare);
}

int main(void)
{
    pthread_t threads[3];
    static char signal_stack[1 << 16];
    const stack_t alternate = {.ss_sp = signal_stack,
                               .ss_size = sizeof(signal_stack)};
    struct sigaction action = {.sa_handler = handle};

    work(NULL);
    for (int i = 0; i < ROUNDS; i++) {
        walk_tree();
        jump_home();
        sort_by_tail_calls();
    }
    getcontext(&away);
    away.uc_stack.ss_sp = stack;
    away.uc_stack.ss_size = sizeof(stack);
    makecontext(&away, run_away, 0);
    for (int i = 0; i < ROUNDS; i++)
        change_stacks();
    sigaction(SIGUSR1, &action, NULL);
    sigaltstack(&alternate, NULL);
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR2, &action, NULL);
    interrupted(NULL);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, i == 0 ? interrupted : work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
