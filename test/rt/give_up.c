// A program that crashes inside the profiler, or while a profile is written, ends by
// the same signal as without the profiler, in bounded time, with a complete profile or
// one message.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir && ulimit -c 0
// RUN: %clang -fmemory-profile %ours-rt -O1 -fno-builtin %s -o %t
// An abort in a hook of malloc.
// RUN: %t hook > out 2>&1; FileCheck %s --check-prefix=ABORT --match-full-lines < out
// ABORT: status 6
// ABORT-NOT: {{.}}
// RUN: ls *.raw | count 2 && rm *.raw
// The ELF header of a library is unreadable. The writer faults in it: in a child that
// writes for the program this does no harm; in a dying program the profile is lost.
// RUN: %t writer > out 2>&1; FileCheck %s --check-prefix=ABORT --match-full-lines < out
// RUN: ls *.raw | count 2 && rm *.raw
// RUN: not --crash %t direct > out 2>&1; FileCheck %s --check-prefix=WRITER --match-full-lines < out
// WRITER: memprof: a fault while the last profile was written; it is lost
// WRITER-NOT: memprof:
// RUN: ls -A | not grep 'raw\|part'
// A second fault in the program's handler of the first: the kernel ends the program at
// once, as without the profiler, and no profile can be written.
// RUN: %t nested > out 2>&1; FileCheck %s --check-prefix=NESTED --match-full-lines < out
// NESTED: status 11
// NESTED-NOT: {{.}}
// RUN: ls *.raw | count 1 && rm *.raw
// A crash while other threads write profiles all the time.
// RUN: %t writing > out 2>&1; FileCheck %s --check-prefix=CRASH --match-full-lines < out
// CRASH: status 11
// CRASH-NOT: {{.}}
// RUN: %memprofdata check *.raw > /dev/null && rm *.raw
// The helper is killed: one message at most, and everything else works.
// RUN: env MEMPROF_OPTIONS=continuous=1 %t helper > out 2>&1; FileCheck %s --check-prefix=HELPER < out
// HELPER: status 0
// RUN: %memprofdata check *.raw > /dev/null && rm *.raw
// The helper is killed while it writes: the program does not wait for it.
// RUN: mkfifo fifo && env MEMPROF_OPTIONS=dump_signal=10 MEMPROF_PROFILE_FILE=fifo timeout 300 %t stuck > out 2>&1
// RUN: rm fifo && FileCheck %s --check-prefix=STUCK < out
// STUCK: forked
// Aborts at any point of allocations and dumps, with locks held or not.
// RUN: %t anywhere > out 2>&1; FileCheck %s --check-prefix=ANYWHERE < out
// ANYWHERE-NOT: status {{[^6]}}
// ANYWHERE: all
// RUN: %memprofdata check *.raw > /dev/null
// RUN: ls -A | not grep part
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sanitizer/memprof_interface.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int hook_aborts;
static char small[16384];

void __sanitizer_malloc_hook(const volatile void *p, size_t size);
void __sanitizer_malloc_hook(const volatile void *p, size_t size)
{
    if (hook_aborts && p != 0 && size == 77)
        abort();
}

static void *allocate(void *unused)
{
    for (unsigned i = 0;; i++)
        free(realloc(malloc(i % 5000), i * 7 % 300000));
    return unused;
}

static void *dump(void *unused)
{
    for (;;)
        __memprof_profile_dump();
    return unused;
}

static void start(void *(*function)(void *), int count)
{
    pthread_t thread;

    while (count-- > 0)
        pthread_create(&thread, 0, function, 0);
}

static void fault(int number)
{
    *(volatile int *)(size_t)number = 1;
}

static int overflow(volatile char *below)
{
    volatile char here[4096];
    here[0] = below ? below[0] : 1;
    return overflow(here) + here[1];
}

static void abort_at_once(int number)
{
    (void)number;
    abort();
}

static void die_writing(void)
{
    struct link_map *map = 0;
    void *const library = dlopen("libm.so.6", RTLD_NOW);

    if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map))
        _exit(97);
    munmap((void *)map->l_addr, 4096);
    abort();
}

static void die_nested(void)
{
    stack_t stack = {.ss_sp = small, .ss_size = sizeof(small)};
    const struct sigaction action = {.sa_handler = fault,
                                     .sa_flags = SA_ONSTACK};

    sigaltstack(&stack, 0);
    sigaction(SIGSEGV, &action, 0);
    overflow(0);
}

static void die_anywhere(void)
{
    const struct itimerval soon = {.it_value = {0, 2000 + getpid() % 41 * 200}};

    signal(SIGALRM, abort_at_once);
    start(allocate, 1);
    setitimer(ITIMER_REAL, &soon, 0);
    if (getpid() % 2)
        dump(0);
    allocate(0);
}

/* The number at the start of a file of /proc, or -1. */
static int number_in(const char *format, int process)
{
    char path[64];
    int number = -1;
    FILE *file;

    snprintf(path, sizeof(path), format, process);
    file = fopen(path, "r");
    if (file == 0)
        return -1;
    if (fscanf(file, "%d", &number) != 1)
        number = -1;
    fclose(file);
    return number;
}

static int child(void)
{
    const int pid = number_in("/proc/self/task/%d/children", getpid());

    if (pid < 0)
        _exit(95);
    return pid;
}

/* Waits until the process is in write(), as far as the kernel reports it. */
static void wait_for_write(int process)
{
    for (int i = 0; i < 12000; i++) {
        const int call = number_in("/proc/%d/syscall", process);

        if (call == SYS_write || call == SYS_writev)
            return;
        usleep(10000);
    }
}

/* The helper waits for room in the FIFO while it holds a lock. */
static int kill_stuck_helper(void)
{
    const int fifo = open("fifo", O_RDWR | O_NONBLOCK);
    char bytes[4096] = {0};
    int status = 1;
    pid_t pid;

    while (write(fifo, bytes, sizeof(bytes)) > 0)
        continue;
    raise(SIGUSR1);
    wait_for_write(child());
    kill(child(), SIGKILL);
    pid = fork();
    if (pid == 0)
        _exit(0);
    if (waitpid(pid, &status, 0) == pid && status == 0)
        puts("forked");
    while (read(fifo, bytes, sizeof(bytes)) > 0)
        continue;
    return 0;
}

static int kill_helper(void)
{
    free(malloc(3));
    kill(child(), SIGKILL);
    for (int i = 0; i < 1000; i++)
        free(malloc(3));
    return 0;
}

static void die(const char *how)
{
    free(malloc(10));
    if (strcmp(how, "hook") == 0) {
        hook_aborts = 1;
        free(malloc(77));
    }
    if (strcmp(how, "writer") == 0)
        die_writing();
    if (strcmp(how, "nested") == 0)
        die_nested();
    if (strcmp(how, "writing") == 0) {
        start(allocate, 2);
        start(dump, 2);
        usleep(50000);
        fault(8);
    }
    if (strcmp(how, "anywhere") == 0)
        die_anywhere();
    if (strcmp(how, "helper") == 0)
        exit(kill_helper());
    _exit(99);
}

static void report(const char *how)
{
    int status = 0;
    const pid_t pid = fork();

    if (pid == 0) {
        alarm(300);
        die(how);
    }
    if (waitpid(pid, &status, 0) != pid)
        _exit(98);
    printf("status %d\n",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    (void)argc;
    if (strcmp(argv[1], "stuck") == 0)
        return kill_stuck_helper();
    if (strcmp(argv[1], "direct") == 0)
        die_writing();
    if (strcmp(argv[1], "anywhere") != 0) {
        report(argv[1]);
        return 0;
    }
    for (int i = 0; i < 30; i++)
        report(argv[1]);
    puts("all");
    return 0;
}
