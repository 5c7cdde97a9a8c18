// One-shot handlers and the old functions that set handlers: the profile is written
// when the default action takes effect, and the program sees the actions that it set.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir && ulimit -c 0
// RUN: %clang -fmemory-profile %ours-rt -O0 -fno-builtin -Wno-deprecated-declarations %s -o %t
// RUN: %t
// RUN: ls *.raw | count 10
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata *.raw | uniq -c | FileCheck %s --match-full-lines
// The parent allocates nothing.
//      CHECK: {{ *}}1 0 0
// CHECK-NEXT: {{ *}}9 1 1
// The program sees the same as without the profiler.
// RUN: %t view > with && %clang -O0 -Wno-deprecated-declarations %s -o %t && %t view > without
// RUN: diff with without
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

sighandler_t __sysv_signal(int number, sighandler_t handler);
sighandler_t ssignal(int number, sighandler_t handler);

static void *kept;
static volatile int calls;
static int status_of_child;

static void again(int number)
{
    calls++;
    raise(number);
}

static void again_info(int number, siginfo_t *info, void *context)
{
    calls += info->si_signo == number && context != 0;
    raise(number);
}

static void count(int number)
{
    calls += number != 0;
}

static void set(int how)
{
    struct sigaction action = {.sa_handler = again};
    sigset_t mask;

    switch (how) {
    case 0:
        action.sa_flags = (int)SA_RESETHAND;
        sigaction(SIGSEGV, &action, 0);
        break;
    case 1:
        action.sa_sigaction = again_info;
        action.sa_flags = (int)SA_RESETHAND | SA_SIGINFO | SA_NODEFER;
        sigaction(SIGSEGV, &action, 0);
        break;
    case 2:
        sysv_signal(SIGSEGV, again);
        break;
    case 3:
        __sysv_signal(SIGSEGV, again);
        break;
    case 4:
        sigset(SIGSEGV, SIG_HOLD);
        sigset(SIGSEGV, SIG_DFL);
        break;
    case 5:
        sigset(SIGSEGV, count);
        sigset(SIGSEGV, SIG_DFL);
        break;
    case 6:
        siginterrupt(SIGSEGV, 1);
        break;
    case 7:
        siginterrupt(SIGSEGV, 0);
        signal(SIGSEGV, count);
        signal(SIGSEGV, SIG_DFL);
        break;
    case 8: /* blocked until it is unblocked */
        sigset(SIGSEGV, SIG_HOLD);
        raise(SIGSEGV);
        sigemptyset(&mask);
        sigprocmask(SIG_SETMASK, &mask, 0);
        break;
    }
}

static int die(int how)
{
    int status;
    const pid_t pid = fork();

    if (pid == 0) {
        kept = malloc(10);
        set(how);
        raise(SIGSEGV);
        _exit(99);
    }
    if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status) ||
        WTERMSIG(status) != SIGSEGV) {
        printf("%d: status %x\n", how, (unsigned)status);
        return 1;
    }
    return 0;
}

static void show(const char *what, sighandler_t handler)
{
    struct sigaction now;

    sigaction(SIGSEGV, 0, &now);
    printf("%s: %s, now %s, flags %x, blocked %d\n", what,
           handler == SIG_DFL    ? "default"
           : handler == SIG_HOLD ? "hold"
           : handler == count    ? "count"
                                 : "?",
           now.sa_handler == SIG_DFL ? "default"
           : now.sa_handler == count ? "count"
                                     : "?",
           (unsigned)now.sa_flags & ~0x04000000u,
           sigismember(&now.sa_mask, SIGSEGV));
}

/* Signal actions set by a vfork child do not change the parent's. */
static void set_once_and_fork(void)
{
    struct sigaction action = {.sa_handler = count, .sa_flags = (int)SA_RESETHAND};

    sigaction(SIGSEGV, &action, 0);
    if (vfork() == 0) {
        raise(SIGSEGV);
        _exit(signal(SIGSEGV, SIG_DFL) != SIG_DFL);
    }
    wait(&status_of_child);
    printf("child %d\n", status_of_child);
    show("after the child", SIG_DFL);
}

static int use_stack(int pages)
{
    volatile char page[4096];

    page[pages] = 1;
    return pages > 0 ? use_stack(pages - 1) + page[pages] : 1;
}

static void use_much_stack(int number)
{
    calls += use_stack(200) == 201 && number != 0;
}

/* Without a signal stack, a handler with SA_ONSTACK runs on the program's
 * stack. */
static void handle_on_stack(void)
{
    struct sigaction action = {.sa_handler = use_much_stack, .sa_flags = SA_ONSTACK};

    kept = malloc(10);
    sigaction(SIGUSR1, &action, 0);
    raise(SIGUSR1);
}

static int view(void)
{
    handle_on_stack();
    show("sysv_signal", sysv_signal(SIGSEGV, count));
    raise(SIGSEGV);
    show("after it", SIG_DFL);
    set_once_and_fork();
    raise(SIGSEGV);
    show("sigset", sigset(SIGSEGV, count));
    show("hold", sigset(SIGSEGV, SIG_HOLD));
    show("hold again", sigset(SIGSEGV, SIG_HOLD));
    show("let go", sigset(SIGSEGV, SIG_DFL));
    siginterrupt(SIGSEGV, 1);
    show("interrupts", signal(SIGSEGV, count));
    siginterrupt(SIGSEGV, 0);
    show("restarts", signal(SIGSEGV, SIG_DFL));
    show("ssignal", ssignal(SIGSEGV, count));
    show("ssignal", ssignal(SIGSEGV, SIG_DFL));
    printf("calls %d\n", calls);
    return 0;
}

int main(int argc, char **argv)
{
    int bad = 0;

    if (argc > 1 && strcmp(argv[1], "view") == 0)
        return view();
    for (int how = 0; how < 9; how++)
        bad += die(how);
    if (bad)
        return 1;
    _Exit(0);
}
