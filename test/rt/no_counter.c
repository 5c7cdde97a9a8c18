// If a thread may not read the time stamp counter (forbidden by prctl() or syscall()),
// it can still allocate, with any clock. The program's handler of SIGSEGV is not
// called.
// REQUIRES: counter-faults
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir && ulimit -c 0
// RUN: %clang -fmemory-profile %ours-rt %debugflags -O1 -fno-builtin -pthread %s -o %t
// RUN: for clock in cached tsc monotonic coarse; do \
// RUN:   for how in libc syscall handler thread child; do \
// RUN:     rm -f *.raw; o=clock=$clock:log_path=$clock-$how.raw; \
// RUN:     env MEMPROF_OPTIONS=$o %t $how || { echo $clock $how $?; exit 1; }; \
// RUN:     python3 %S/Inputs/lives_of.py %memprofdata 4321 50 *.raw || exit 1; \
// RUN:   done; done | FileCheck %s --check-prefix=LIVES
// LIVES-COUNT-20: 1 long
// If a thread may not ask the kernel either, its time stands still; other threads' time
// runs on.
// RUN: for clock in cached tsc monotonic coarse; do \
// RUN:   rm -f *.raw; \
// RUN:   env MEMPROF_OPTIONS=clock=$clock:log_path=$clock.raw %t strict || { echo $clock $?; exit 1; }; \
// RUN:   python3 %S/Inputs/lives_of.py %memprofdata 4321 50 *.raw || exit 1; \
// RUN:   done | FileCheck %s --check-prefix=STRICT
// STRICT-COUNT-4: 1 long
// The program's own read of the counter, and any other fault, reach its handler.
// RUN: rm -f *.raw; not --crash %t own && ls *.raw | count 1
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile int calls;

static void on_fault(int number)
{
    calls++;
    siglongjmp(back, number);
}

static int may_read(void)
{
    int how = 0;

    prctl(PR_GET_TSC, &how);
    return how == PR_TSC_ENABLE;
}

/* Longer than the second for which the counter's rate is cached. */
static void allocate(void)
{
    const struct timespec pause = {0, 50000000};
    void *volatile kept = malloc(4321);

    if (may_read())
        exit(21);
    for (int i = 0; i < 100000; i++)
        free(malloc((size_t)(i % 5000)));
    while (nanosleep(&pause, NULL) != 0)
        continue;
    free(kept);
}

static void *run(void *unused)
{
    allocate();
    return unused;
}

static void *volatile kept_strictly;

/* In strict seccomp mode every system call but read, write and exit is
 * forbidden, and so is the counter. */
static void *run_strictly(void *unused)
{
    free(malloc(1));
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    kept_strictly = malloc(4321);
    syscall(SYS_exit, 0);
    return unused;
}

static void allocate_strictly(void)
{
    const struct timespec pause = {0, 60000000};
    pthread_t thread;

    pthread_create(&thread, NULL, run_strictly, NULL);
    pthread_join(thread, NULL);
    while (nanosleep(&pause, NULL) != 0)
        continue;
    free(kept_strictly);
}

static int read_own(void)
{
    return (int)__builtin_ia32_rdtsc();
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    pthread_t thread;
    int status;

    free(malloc(1));
    if (strcmp(how, "strict") == 0) {
        allocate_strictly();
        return 0;
    }
    if (strcmp(how, "handler") == 0)
        signal(SIGSEGV, on_fault);
    if (strcmp(how, "syscall") == 0)
        syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
    else
        prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
    if (strcmp(how, "own") == 0)
        return read_own();
    if (strcmp(how, "thread") == 0) {
        pthread_create(&thread, NULL, run, NULL);
        pthread_join(thread, NULL);
    } else if (strcmp(how, "child") == 0) {
        if (fork() == 0) {
            allocate();
            exit(0);
        }
        wait(&status);
        _Exit(status != 0);
    } else {
        allocate();
    }
    if (strcmp(how, "handler") != 0)
        return 0;
    if (calls != 0)
        return 22;
    /* Real faults reach the program. */
    if (sigsetjmp(back, 1) == 0)
        *(volatile int *)8 = 1;
    if (sigsetjmp(back, 1) == 0)
        read_own();
    return calls == 2 ? 0 : 23;
}
