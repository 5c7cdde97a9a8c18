// A fault, or a signal from outside, ends the whole program, not one thread, even if
// that thread has forbidden itself by seccomp to end the program.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir && ulimit -c 0
// RUN: %clang -fmemory-profile %ours-rt -O1 -pthread %s -o prog
// RUN: %clang -O1 -pthread %s -o plain
// RUN: for p in ./plain ./prog; do for how in null trap; do for by in strict filter; do \
// RUN:   $p $by $how && exit 1; echo $by $how $?; done; done; done > out 2>&1
// RUN: FileCheck %s < out
//      CHECK: strict null 139
//      CHECK: filter null 139
//      CHECK: strict trap 132
//      CHECK: filter trap 132
//      CHECK: strict null 139
//      CHECK: filter null 139
//      CHECK: strict trap 132
//      CHECK: filter trap 132
// The signal differs then.
// RUN: for by in strict filter; do ./prog $by term; echo $by term $?; done > term 2>&1
// RUN: FileCheck %s --check-prefix=TERM < term
// TERM: strict term 139
// TERM: filter term 139
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *by, *how;
static volatile int is_ready;

#define ALLOW(n) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, n, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static void enter(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(SYS_read),
        ALLOW(SYS_write),
        ALLOW(SYS_exit),
        ALLOW(SYS_rt_sigreturn),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
    };
    const struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

    if (strcmp(by, "strict") == 0) {
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    } else {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    }
}

static void *run(void *unused)
{
    sigset_t term;

    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    pthread_sigmask(SIG_UNBLOCK, &term, NULL);
    free(malloc(1));
    enter();
    is_ready = 1;
    if (strcmp(how, "null") == 0)
        *(volatile int *volatile)NULL = 1;
    if (strcmp(how, "trap") == 0)
        __builtin_trap();
    for (;;)
        continue;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    sigset_t term;

    if (argc < 3)
        return 1;
    by = argv[1];
    how = argv[2];
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &term, NULL);
    pthread_create(&thread, NULL, run, NULL);
    while (!is_ready)
        usleep(1000);
    if (strcmp(how, "term") == 0)
        kill(getpid(), SIGTERM);
    pthread_join(thread, NULL); // returns also if only that thread was killed
    return 9;
}
