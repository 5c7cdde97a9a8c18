// SIGTERM and SIGINT with the default action do not end a child that is the first
// process of a container; its own child ends by them and writes a profile.
// REQUIRES: pid-namespace
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -O1 -fno-builtin %s -o plain && ./plain > without
// RUN: %clang -fmemory-profile %ours-rt -O1 -fno-builtin %s -o prog && ./prog > with
// RUN: diff with without
// RUN: FileCheck %s --match-full-lines < with
//      CHECK: first 1
// CHECK-NEXT: grandchild 15
// CHECK-NEXT: child 3
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata *.raw | FileCheck %s --check-prefix=BLOCKS
//      BLOCKS: 11 0
// BLOCKS-NEXT: 22 0
// BLOCKS-NEXT: 33 0
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void allocate(int n)
{
    while (n-- > 0)
        free(malloc(10));
}

static void say(const char *what, int number)
{
    char text[64];

    write(1, text, (size_t)sprintf(text, "%s %d\n", what, number));
}

static int status_of(pid_t pid)
{
    int status = 0;

    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static void set_again(int number)
{
    struct sigaction action;

    sigaction(number, NULL, &action);
    if (action.sa_handler != SIG_DFL)
        _exit(9);
    signal(number, SIG_IGN);
    signal(number, SIG_DFL);
}

int main(void)
{
    signal(SIGINT, SIG_DFL);
    allocate(11);
    if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
        return 1;
    const pid_t child = fork();
    if (child == 0) {
        allocate(22);
        set_again(SIGINT);
        raise(SIGTERM);
        raise(SIGINT);
        say("first", getpid());
        const pid_t grandchild = fork();
        if (grandchild == 0) {
            allocate(33);
            raise(SIGTERM);
            _exit(9);
        }
        say("grandchild", status_of(grandchild));
        exit(3);
    }
    say("child", status_of(child));
    return 0;
}
