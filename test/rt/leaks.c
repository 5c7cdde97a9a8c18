// Leaks as the program gets them from the API and as its profile has them, both if the
// search works and if it fails.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: %memprof-clang -fmemory-profile -g -O1 -fno-omit-frame-pointer -pthread \
// RUN:   -I%root/inc %s -o leaks

// Requested by the program, and then at the end, too; at the end by the option.
// RUN: env MEMPROF_OPTIONS=log_path=asked ./leaks asked > out 2>&1
// RUN: FileCheck %s --check-prefix=ASKED < out && ls asked.* | wc -l | FileCheck %s --check-prefix=THREE
// ASKED-NOT: memprof:
// ASKED: 0, then 1000
// THREE: 3
// RUN: not %memprofdata show --leaks asked.*.raw | FileCheck %s --check-prefix=BOTH
// BOTH: leaked       3 KiB in 2 blocks;
// RUN: env MEMPROF_OPTIONS=log_path=end:leaks=1 ./leaks end
// RUN: not %memprofdata show --leaks end.*.raw | FileCheck %s --check-prefix=END
// END: leaked       1000 B in 1 block;
// RUN: env MEMPROF_OPTIONS=log_path=off ./leaks end
// RUN: not %memprofdata show --leaks off.*.raw | FileCheck %s --check-prefix=OFF
// OFF: Not measured in this profile: bytes leaked.

// A program built without the profiler.
// RUN: %clang -O1 -pthread -I%root/inc %s -o plain && ./plain asked 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: 0, then 0

// Through LeakSanitizer's functions, which do not end the program.
// RUN: env MEMPROF_OPTIONS=log_path=lsan ./leaks lsan | FileCheck %s --check-prefix=LSAN
// LSAN: 0, then 1, and goes on
// RUN: %memprof-clang -fmemory-profile -O1 -pthread -DTURNED_OFF -I%root/inc %s -o turned-off
// RUN: env MEMPROF_OPTIONS=log_path=no:leaks=1 ./turned-off asked 2>&1 | FileCheck %s --check-prefix=NO
// NO: -1, then -1
// RUN: not %memprofdata show --leaks no.*.raw | FileCheck %s --check-prefix=OFF

// A signal handler on a stack of its own.
// RUN: env MEMPROF_OPTIONS=log_path=handler ./leaks handler | FileCheck %s --check-prefix=HANDLER
// HANDLER: 0, then 77

// Unreadable blocks do not stop the search.
// RUN: env MEMPROF_OPTIONS=log_path=unreadable ./leaks unreadable 2>&1 | FileCheck %s --check-prefix=UNREADABLE
// UNREADABLE-NOT: memprof:
// UNREADABLE: 0, then 1000

// A forked child reports only its own blocks.
// RUN: env MEMPROF_OPTIONS=log_path=fork:leaks=1 ./leaks fork | FileCheck %s --check-prefix=FORK
// FORK: child: 500
// FORK: parent: 1000

// Forbidden by a seccomp filter that refuses, or that kills. With one thread the search
// makes no such system call.
// RUN: env MEMPROF_OPTIONS=log_path=filter:leaks=1 ./leaks filter > out 2>&1
// RUN: FileCheck %s --check-prefix=FILTER < out
// RUN: env MEMPROF_OPTIONS=log_path=filter:leaks=1 ./leaks kill > out 2>&1
// RUN: FileCheck %s --check-prefix=FILTER < out
// FILTER:      memprof: leaks were not looked for: the system does not let a process trace this program
// FILTER-NOT:  memprof:
// FILTER:      -1, then -1
// FILTER-NOT:  memprof:
// RUN: not %memprofdata show --leaks filter.*.raw | FileCheck %s --check-prefix=OFF
// RUN: env MEMPROF_OPTIONS=log_path=one ./leaks kill-one 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: env MEMPROF_OPTIONS=log_path=no-clone ./leaks no-clone 2>&1 | FileCheck %s --check-prefix=CLONE
// CLONE: memprof: leaks were not looked for: no process can be started
// CLONE: -1, then -1

// A thread does not stop, because its child of vfork() runs on.
// RUN: env MEMPROF_OPTIONS=log_path=vfork ./leaks vfork 2>&1 | FileCheck %s --check-prefix=VFORK
// VFORK: memprof: leaks were not looked for: a thread did not stop in time
// VFORK: -1, then 1000

// Which call stacks' blocks hold which others: in a ring of 32 each holds the 31 others.
// A chain of a thousand call stacks has too many pairs.
// RUN: env MEMPROF_OPTIONS=log_path=ring:leaks=1 ./leaks ring 2>&1 | count 0
// RUN: not %memprofdata show --leaks --json --top=100 ring.*.raw | tr '}' '\n' | grep -c '"blocks":1,"bytes":100,"stack"' | FileCheck %s --check-prefix=RING
// RING: {{^}}992{{$}}
// RUN: env MEMPROF_OPTIONS=log_path=chain:leaks=1 ./leaks chain 2>&1 | FileCheck %s --check-prefix=CHAIN
// CHAIN: memprof: too many leaks to find which leaked blocks hold which
// RUN: not %memprofdata show --leaks --json --top=2000 chain.*.raw | FileCheck %s --check-prefix=NO-HOLDERS
// NO-HOLDERS-NOT: held_by
// NO-HOLDERS: "leaked-blocks":1024
// NO-HOLDERS-NOT: held_by

// Many threads start, end, allocate, fork and search at the same time.
// RUN: env MEMPROF_OPTIONS=log_path=stress:leaks=1 ./leaks stress 2>&1 | FileCheck %s --check-prefix=STRESS
// STRESS-NOT: memprof:
// STRESS: nothing leaked
// RUN: %memprofdata show --leaks stress.*.raw > stress.txt

#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <memprof.h>
#include <pthread.h>
#include <sanitizer/lsan_interface.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#pragma weak __lsan_do_recoverable_leak_check
#pragma weak __lsan_do_leak_check

#ifdef TURNED_OFF
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}
#endif

__attribute__((noinline)) static void *make(size_t size)
{
    char *volatile p = malloc(size);

    memset(p, 0, size);
    return p;
}

__attribute__((noinline)) static void lose(size_t size)
{
    make(size);
}

__attribute__((noinline)) static void lose_below(size_t size)
{
    volatile char stack[65536];

    memset((void *)stack, 0, sizeof(stack));
    __asm__ volatile("" : : "r"(stack) : "memory");
    lose(size);
    __asm__ volatile("" : : "r"(stack) : "memory");
}

__attribute__((noinline)) static void forget(void)
{
    volatile char stack[131072];

    memset((void *)stack, 0, sizeof(stack));
    __asm__ volatile("" : : "r"(stack) : "memory");
}

static void leak(size_t size)
{
    lose_below(size);
    forget();
}

static void ask_twice(void)
{
    const long long before = memprof_leaks();

    leak(1000);
    printf("%lld, then %lld\n", before, memprof_leaks());
    fflush(stdout);
}

/* A call stack of its own for each number. */
static void *make_at(unsigned number, unsigned digits);

#define DIGIT(name)                                                        \
    __attribute__((noinline)) static void *name(unsigned number,           \
                                                unsigned digits)           \
    {                                                                      \
        void *volatile p =                                                 \
            digits == 0 ? make(100) : make_at(number / 2, digits - 1);     \
        return p;                                                          \
    }
DIGIT(zero)
DIGIT(one)

static void *make_at(unsigned number, unsigned digits)
{
    return number % 2 == 0 ? zero(number, digits) : one(number, digits);
}

__attribute__((noinline)) static void make_chain(unsigned digits, int is_ring)
{
    void **const first = make_at(0, digits);
    void **last = first;

    for (unsigned i = 1; i < 1u << digits; i++)
        last = *last = make_at(i, digits);
    if (is_ring)
        *last = first;
}

static void leak_chain(unsigned digits, int is_ring)
{
    volatile char stack[65536];

    memset((void *)stack, 0, sizeof(stack));
    __asm__ volatile("" : : "r"(stack) : "memory");
    make_chain(digits, is_ring);
    __asm__ volatile("" : : "r"(stack) : "memory");
}

static pthread_barrier_t barrier;

static void *stay(void *argument)
{
    pthread_barrier_wait(&barrier);
    for (;;)
        pause();
    return argument;
}

static void start(void *(*function)(void *))
{
    pthread_t t;

    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, function, NULL);
    pthread_barrier_wait(&barrier);
}

static void forbid(long number, unsigned action)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {4, code};

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        perror("prctl");
}

/* The only pointer to its block is on the handler's stack. */
static void handle(int number)
{
    void *volatile here = make(77);

    forget();
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    here = NULL;
    forget();
    pthread_barrier_wait(&barrier);
    for (;;)
        pause();
}

static void *be_interrupted(void *argument)
{
    const stack_t stack = {.ss_size = 1 << 20,
                           .ss_sp =
                               mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)};
    const struct sigaction action = {.sa_handler = handle,
                                     .sa_flags = SA_ONSTACK};

    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    return argument;
}

/* A possible array without elements: the search cannot read the block to
 * tell. */
static struct {
    uint64_t *array;
    void *behind_array;
    void *kept;
} unreadable;

static void ask_beside_unreadable(void)
{
    void *p = NULL;

    if (posix_memalign(&p, 1 << 20, sizeof(uint64_t)) != 0)
        return;
    unreadable.array = (uint64_t *)p;
    *unreadable.array = 0;
    unreadable.behind_array = unreadable.array + 1;
    unreadable.kept = make(600);
    mprotect(p, 4096, PROT_NONE);
    ask_twice();
    mprotect(p, 4096, PROT_READ | PROT_WRITE);
}

static int to_child[2];
static volatile int has_child;

static void *wait_for_child(void *argument)
{
    char c;

    pthread_barrier_wait(&barrier);
    if (vfork() == 0) {
        has_child = 1;
        close(to_child[1]);
        (void)!read(to_child[0], &c, 1);
        _exit(0);
    }
    wait(NULL);
    pthread_barrier_wait(&barrier);
    return argument;
}

static volatile int is_over;
static void *held[8][256];

static void *churn(void *argument)
{
    const long id = (long)argument;
    unsigned n = (unsigned)id;

    while (!is_over) {
        n = n * 1103515245 + 12345;
        void **const p = &held[id][n >> 16 & 255];
        free(*p);
        *p = malloc((n >> 8) % 5000 + 1);
    }
    return NULL;
}

static void *end_at_once(void *argument)
{
    free(malloc(10));
    return argument;
}

static void *make_threads(void *argument)
{
    pthread_t t;

    while (!is_over && pthread_create(&t, NULL, end_at_once, NULL) == 0)
        pthread_join(t, NULL);
    return argument;
}

static void *ask(void *argument)
{
    for (int i = 0; i < 5; i++) {
        if (memprof_leaks() != 0)
            puts("something leaked");
    }
    return argument;
}

static void stress(void)
{
    pthread_t threads[10];
    pthread_t asking[2];

    for (long i = 0; i < 10; i++)
        pthread_create(&threads[i], NULL, i < 8 ? churn : make_threads,
                       (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_create(&asking[i], NULL, ask, NULL);
    for (int i = 0; i < 5; i++) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0)
            _exit(memprof_leaks() != 0);
        waitpid(child, &status, 0);
        if (status != 0)
            puts("something leaked in a child");
    }
    for (int i = 0; i < 2; i++)
        pthread_join(asking[i], NULL);
    is_over = 1;
    for (int i = 0; i < 10; i++)
        pthread_join(threads[i], NULL);
    puts("nothing leaked");
}

int main(int argc, char **argv)
{
    const char *const what = argv[1];

    if (strcmp(what, "asked") == 0) {
        ask_twice();
        leak(2072);
    } else if (strcmp(what, "end") == 0) {
        leak(1000);
    } else if (strcmp(what, "ring") == 0) {
        leak_chain(5, 1);
        forget();
    } else if (strcmp(what, "chain") == 0) {
        leak_chain(10, 0);
        forget();
    } else if (strcmp(what, "lsan") == 0) {
        const int before = __lsan_do_recoverable_leak_check();
        leak(1000);
        const int after = __lsan_do_recoverable_leak_check();
        __lsan_do_leak_check();
        printf("%d, then %d, and goes on\n", before, after);
    } else if (strcmp(what, "handler") == 0) {
        start(be_interrupted);
        const long long before = memprof_leaks();
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
        printf("%lld, then %lld\n", before, memprof_leaks());
    } else if (strcmp(what, "unreadable") == 0) {
        ask_beside_unreadable();
    } else if (strcmp(what, "fork") == 0) {
        leak(1000);
        const pid_t child = fork();
        if (child == 0) {
            leak(500);
            printf("child: %lld\n", memprof_leaks());
            exit(0);
        }
        waitpid(child, NULL, 0);
        printf("parent: %lld\n", memprof_leaks());
    } else if (strcmp(what, "filter") == 0 || strcmp(what, "kill") == 0) {
        start(stay);
        forbid(SYS_ptrace, what[0] == 'k' ? SECCOMP_RET_KILL_PROCESS
                                          : SECCOMP_RET_ERRNO | 1);
        ask_twice();
    } else if (strcmp(what, "kill-one") == 0) {
        forbid(SYS_ptrace, SECCOMP_RET_KILL_PROCESS);
        ask_twice();
    } else if (strcmp(what, "no-clone") == 0) {
        forbid(SYS_clone, SECCOMP_RET_ERRNO | 1);
        ask_twice();
    } else if (strcmp(what, "vfork") == 0) {
        (void)!pipe(to_child);
        start(wait_for_child);
        while (!has_child)
            usleep(1000);
        const long long before = memprof_leaks();
        leak(1000);
        close(to_child[1]);
        pthread_barrier_wait(&barrier);
        printf("%lld, then %lld\n", before, memprof_leaks());
    } else {
        stress();
    }
    return 0;
}
