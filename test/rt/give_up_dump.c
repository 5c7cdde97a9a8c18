// A program that crashes while another thread is stuck in a dump ends by its own signal
// with one message, and leaves no incomplete file.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir && ulimit -c 0
// RUN: %clang -fmemory-profile %ours-rt -O1 -fno-builtin %s -o %t
// RUN: %t > out 2>&1; FileCheck %s --match-full-lines < out
// Needs support by the kernel to get stuck.
// CHECK: {{status 77|memprof: the program ends inside the profiler; what was recorded since the last profile is lost}}
// RUN: grep -x 'status 6\|status 77' out
// RUN: ls -A | grep -vx out | not grep -v '[.]raw$'
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sanitizer/memprof_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int listener = -1;
static pthread_barrier_t is_ready;

/* Any call that gives the file its name waits for an answer that never comes. */
static void *dump(void *unused)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0 /* the number */),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_linkat, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_link, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rename, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {7, code};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                                SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    pthread_barrier_wait(&is_ready);
    if (listener >= 0)
        __memprof_profile_dump();
    return unused;
}

static void die(void)
{
    pthread_t thread;
    struct pollfd waits = {.events = POLLIN};

    free(malloc(10));
    pthread_barrier_init(&is_ready, 0, 2);
    pthread_create(&thread, 0, dump, 0);
    pthread_barrier_wait(&is_ready);
    waits.fd = listener;
    if (listener < 0 || poll(&waits, 1, 300000) != 1)
        _exit(77);
    abort();
}

int main(void)
{
    int status = 0;
    const pid_t pid = fork();

    if (pid == 0)
        die();
    waitpid(pid, &status, 0);
    printf("status %d\n",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return 0;
}
