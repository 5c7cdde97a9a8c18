// Signals that end the program: the profile is written once, the status is the same as
// without the profiler, and the program sees its own signal actions.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir && ulimit -c 0
// RUN: %clang -fmemory-profile %ours-rt -O0 -fno-builtin %s -o %t
// RUN: not --crash %t status > status; FileCheck %s --check-prefix=STATUS < status
// STATUS: segv 11 bus 7 fpe 8 ill 4 trap 5 abrt 6 sys 31 raise 11 overflow 11 thread 11 small 11 reset 11 handler 42 blocked 6
// RUN: ls *.raw | count 14
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata *.raw | uniq -c | FileCheck \
// RUN:   %s --match-full-lines --implicit-check-not={{.}}
// tmpfile(), pthread_create() and the thread allocate.
//      CHECK: {{ *}}12 10 1
// CHECK-NEXT: {{ *}}1 11 2
// CHECK-NEXT: {{ *}}1 12 3
// RUN: rm *.raw && %t recover && ls *.raw | count 1
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata *.raw | \
// RUN:   FileCheck %s --check-prefix=RECOVER --match-full-lines
// RECOVER: 30 1
// RUN: %t view
// From here on the parent has a file, too. Signals that are left alone, and one that
// the program cannot handle.
// RUN: rm *.raw && env MEMPROF_OPTIONS=handle_segv=0 %t one segv | grep 'status 11'
// RUN: ls *.raw | count 1
// RUN: env MEMPROF_OPTIONS=handle_segv=2 %t one handler | grep 'status 11'
// RUN: env MEMPROF_OPTIONS=allow_user_segv_handler=0 %t one handler | \
// RUN:   grep 'status 11'
// The same for the other signals. Without a signal stack, nothing can be written if the
// program's stack is used up.
// RUN: for o in 'sigbus bus 7' 'sigfpe fpe 8' 'sigill ill 4' 'sigtrap trap 5' 'abort abrt 6'; do \
// RUN:   set -- $o; rm *.raw; env MEMPROF_OPTIONS=handle_$1=0 %t one $2 | grep "status $3" && ls *.raw | count 1 || exit 1; done
// RUN: rm *.raw; env MEMPROF_OPTIONS=use_sigaltstack=0 %t one overflow | grep 'status 11' && ls *.raw | count 1
// SIGTERM, without the option and with it.
// RUN: rm *.raw && env MEMPROF_OPTIONS=dump_on_term=0 %t one term | grep 'status 15' && ls *.raw | count 1
// RUN: %t one term | grep 'status 15'
// RUN: %t one int | grep 'status 2'
// RUN: ls *.raw | count 5
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void *kept;
static sigjmp_buf back;
static char small[8192];

static void allocate(int n)
{
    while (--n > 0)
        free(malloc(10));
    kept = malloc(20);
}

static int overflow(volatile char *below)
{
    volatile char here[4096];
    here[0] = below ? below[0] : 1;
    return overflow(here) + here[1];
}

static void *overflow_here(void *unused)
{
    kept = malloc(1); /* the runtime knows the thread */
    overflow(0);
    return unused;
}

static void leave(int number)
{
    _exit(number == SIGSEGV ? 42 : 43);
}

static void reset(int number)
{
    signal(number, SIG_DFL);
}

static void jump(int number)
{
    siglongjmp(back, number);
}

static void die(const char *how)
{
    pthread_t thread;
    sigset_t all;

    if (!strcmp(how, "segv"))
        *(volatile int *)8 = 1;
    if (!strcmp(how, "bus"))
        *(volatile char *)mmap(0, 4096, PROT_WRITE, MAP_SHARED,
                               fileno(tmpfile()), 0) = 1;
    if (!strcmp(how, "fpe"))
        __asm__ volatile("xorl %%ecx, %%ecx; idivl %%ecx" ::: "eax", "ecx", "edx");
    if (!strcmp(how, "ill"))
        __asm__ volatile("ud2");
    if (!strcmp(how, "trap"))
        __asm__ volatile("int3");
    if (!strcmp(how, "abrt"))
        abort();
    if (!strcmp(how, "sys"))
        raise(SIGSYS);
    if (!strcmp(how, "raise"))
        kill(getpid(), SIGSEGV);
    if (!strcmp(how, "overflow"))
        overflow(0);
    if (!strcmp(how, "thread")) {
        pthread_create(&thread, 0, overflow_here, 0);
        pthread_join(thread, 0);
    }
    if (!strcmp(how, "small")) {
        stack_t s = {.ss_sp = small, .ss_size = sizeof(small)};
        sigaltstack(&s, 0);
        overflow(0);
    }
    if (!strcmp(how, "reset")) {
        signal(SIGSEGV, reset);
        *(volatile int *)8 = 1;
    }
    if (!strcmp(how, "handler")) {
        signal(SIGSEGV, leave);
        *(volatile int *)8 = 1;
    }
    if (!strcmp(how, "blocked")) {
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, 0);
        abort();
    }
    if (!strcmp(how, "term"))
        kill(getpid(), SIGTERM);
    if (!strcmp(how, "int")) {
        signal(SIGINT, SIG_DFL); /* ignored in the background */
        raise(SIGINT);
    }
}

static int status_of(const char *how)
{
    int status;
    const pid_t pid = fork();

    if (pid == 0) {
        allocate(10);
        die(how);
        _exit(99);
    }
    if (waitpid(pid, &status, 0) != pid)
        _exit(98);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static int view(void)
{
    struct sigaction action = {.sa_handler = leave, .sa_flags = SA_NODEFER};
    struct sigaction old;
    stack_t stack;

    if (sigaction(SIGSEGV, 0, &old) || old.sa_handler != SIG_DFL || old.sa_flags)
        return 1;
    if (sigaction(SIGSEGV, &action, &old) || old.sa_handler != SIG_DFL)
        return 2;
    if (signal(SIGSEGV, SIG_IGN) != leave || signal(SIGSEGV, SIG_DFL) != SIG_IGN)
        return 3;
    action.sa_handler = SIG_DFL;
    sigaddset(&action.sa_mask, SIGUSR1);
    if (sigaction(SIGSEGV, &action, 0) || sigaction(SIGSEGV, 0, &old) ||
        old.sa_handler != SIG_DFL || !(old.sa_flags & SA_NODEFER) ||
        !sigismember(&old.sa_mask, SIGUSR1))
        return 4;
    if (sigaltstack(0, &stack) || stack.ss_flags != SS_DISABLE)
        return 5;
    stack = (stack_t){.ss_sp = small, .ss_size = sizeof(small)};
    if (sigaltstack(&stack, 0) || sigaltstack(0, &stack) || stack.ss_sp != small)
        return 6;
    return 0;
}

int main(int argc, char **argv)
{
    static const char *all[] = {"segv",     "bus",    "fpe",   "ill",   "trap",
                                "abrt",     "sys",    "raise", "overflow",
                                "thread",   "small",  "reset", "handler",
                                "blocked"};

    if (!strcmp(argv[1], "view"))
        return view();
    if (argc > 2) {
        printf("status %d\n", status_of(argv[2]));
        fflush(stdout);
        _Exit(0);
    }
    if (!strcmp(argv[1], "recover")) {
        allocate(20);
        signal(SIGSEGV, jump);
        if (sigsetjmp(back, 1) == 0)
            *(volatile int *)8 = 1;
        free(kept);
        allocate(10);
        return 0;
    }
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        char text[64];
        write(1, text, (size_t)sprintf(text, "%s %d ", all[i], status_of(all[i])));
    }
    kill(getpid(), SIGKILL); /* no profile of this process */
}
