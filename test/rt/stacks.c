// Call stacks go through library code and program code without frame pointers, signal
// handlers on their own stack, coroutines, and frames that realign the stack.
// RUN: %clang %ours-rt -fmemory-profile -O1 -g -fomit-frame-pointer -fno-optimize-sibling-calls %s -o %t -lpthread
// RUN: rm -f %t.raw*
// RUN: env MEMPROF_OPTIONS=log_path=%t.raw:raw_format=llvm %t
// RUN: %llvm-profdata-v5 show --memory %t.raw.* --profiled-binary %t > %t.yaml
// RUN: awk '/Callstack:/ {print s; s = "stack:"} /SymbolName:/ {s = s " " $2} END {print s}' %t.yaml | FileCheck %s
// llvm-profdata drops the frames of libraries.
// CHECK-DAG: stack: leaf compare sort_something main{{$}}
// CHECK-DAG: stack: leaf handler raise_signal main{{$}}
// CHECK-DAG: stack: leaf coroutine_body{{$}}
// CHECK-DAG: stack: leaf realigned main{{$}}
// CHECK-DAG: stack: leaf thread{{$}}
// CHECK-DAG: stack: leaf handler thread_below{{$}}
// CHECK-DAG: stack: leaf thread_below{{$}}
// CHECK-DAG: stack: leaf deep deep{{( deep)*$}}
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
static void *volatile sink;
static int done;

NOINLINE static void leaf(size_t size)
{
    sink = malloc(size);
    free(sink);
}

// Through qsort.
static int compare(const void *a, const void *b)
{
    if (!done) {
        done = 1;
        leaf(1001);
    }
    return *(const int *)a - *(const int *)b;
}
NOINLINE static void sort_something(void)
{
    int numbers[4] = {4, 3, 2, 1};
    qsort(numbers, 4, sizeof(int), compare);
}

// Through a signal frame, from an alternate stack.
static void handler(int number)
{
    leaf(1002 + (size_t)(number - SIGUSR1));
}
NOINLINE static void raise_signal(void)
{
    stack_t alt = {.ss_sp = malloc(65536), .ss_size = 65536};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaltstack(&alt, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
}

// On a coroutine's stack.
static ucontext_t main_context, coroutine;
static void coroutine_body(void)
{
    leaf(1003);
}
NOINLINE static void run_coroutine(void)
{
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = malloc(65536);
    coroutine.uc_stack.ss_size = 65536;
    coroutine.uc_link = &main_context;
    makecontext(&coroutine, coroutine_body, 0);
    swapcontext(&main_context, &coroutine);
}

// A frame with manual alignment and a variable size.
NOINLINE static void realigned(int n)
{
    _Alignas(128) char array[128];
    char variable[n];
    memset(array, n, sizeof(array));
    memset(variable, n, (size_t)n);
    sink = array;
    sink = variable;
    leaf(1004);
    sink = array;
}

static void *thread(void *argument)
{
    leaf(1005);
    return argument;
}

// A thread's stack, and below its guard page the stack of its signal handlers.
enum { STACK = 65536, GUARD = 4096 };
static void *thread_below(void *below)
{
    stack_t alt = {.ss_sp = below, .ss_size = STACK};
    sigaltstack(&alt, NULL);
    raise(SIGUSR2);
    leaf(1007);
    return below;
}
static void run_thread_below(void)
{
    char *const stacks = mmap(NULL, 2 * STACK + GUARD, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    pthread_attr_t attr;
    pthread_t t;
    mprotect(stacks + STACK, GUARD, PROT_NONE);
    sigaction(SIGUSR2, &action, NULL);
    pthread_attr_init(&attr);
    pthread_attr_setstack(&attr, stacks + STACK + GUARD, STACK);
    pthread_create(&t, &attr, thread_below, stacks);
    pthread_join(t, NULL);
}

// Deeper than the limit.
NOINLINE static void deep(int n)
{
    if (n == 0)
        leaf(1006);
    else
        deep(n - 1);
    sink = &n;
}

int main(void)
{
    pthread_t t;
    sort_something();
    raise_signal();
    run_coroutine();
    realigned(77);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    run_thread_below();
    deep(100);
    return 0;
}
