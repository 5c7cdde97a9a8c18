// Programs that forbid themselves system calls by seccomp end as without the profiler:
// the runtime makes no call that would kill them. If writing a profile is forbidden, it
// is written before, and a message says so.
// REQUIRES: seccomp
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir && ulimit -c 0
// RUN: %clang -fmemory-profile %ours-rt -O1 -fno-builtin -pthread -Wno-deprecated-declarations %s -o prog
// RUN: %clang -O1 -fno-builtin -pthread -Wno-deprecated-declarations %s -o plain
// RUN: python3 %S/Inputs/sandbox.py %memprofdata > out
// RUN: FileCheck %s --match-full-lines --implicit-check-not={{.}} < out
// Exit status, then the blocks of each profile (1008 and 5 if it was written at the
// end).
//      CHECK: strict: 7 done [4 1] said
// CHECK-NEXT: strict-seccomp: 7 done [4 1] said
// CHECK-NEXT: strict-exit: -9 done [4 1] said
// CHECK-NEXT: strict-thread: 7 done [1010 6]
// CHECK-NEXT: kill-open: 7 done [4 1] said
// CHECK-NEXT: kill-thread-open: 7 done [4 1] said
// CHECK-NEXT: trap-open: 7 done [4 1] said
// CHECK-NEXT: kill-open-seccomp: 7 done [4 1] said
// CHECK-NEXT: kill-open-tsync: 7 done [5 2] said
// CHECK-NEXT: kill-open-child: 7 done [4 1] said
// CHECK-NEXT: kill-open-twice: 7 done [4 1] said
// CHECK-NEXT: kill-open-continuous: -9 done [1008 5]
// CHECK-NEXT: kill-open-blind: 7 done [4 1] said
// CHECK-NEXT: kill-rename: 7 done [4 1] said
// CHECK-NEXT: kill-rename-parts: 7 done [4 1] said
// CHECK-NEXT: kill-open-brief: 7 done [4 1] cannot write
// CHECK-NEXT: only-write: 7 done [4 1] said
// CHECK-NEXT: only-write-term: -15 done [4 1] said
// CHECK-NEXT: only-write-segv: -11 done [4 1] said
// CHECK-NEXT: only-write-handler: 7 done [4 1] said
// CHECK-NEXT: only-write-ignored: 7 done [4 1] said
// CHECK-NEXT: errno-raise: -15 done [1008 5]
// CHECK-NEXT: kill-raise: -15 done [1008 5]
// CHECK-NEXT: errno-open: 7 done [4 1] said
// CHECK-NEXT: errno-others: 7 done [4 1] said
// CHECK-NEXT: errno-rename: 7 done [1008 5]
// CHECK-NEXT: harmless: 7 done [1008 5]
// CHECK-NEXT: thread-only: 7 done [1010 6]
// CHECK-NEXT: refused: 7 done [1008 5]
// CHECK-NEXT: null: 7 done [1008 5]
// CHECK-NEXT: vfork: 7 done [1008 5]
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOAD_NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define IF(number, action) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, action)
#define ELSE(action) BPF_STMT(BPF_RET | BPF_K, action)

static const char *how;
static void *kept[5];
static volatile int goes_on = 1;

static void allocate(int n)
{
    for (int i = 0; i < n; i++)
        free(malloc((size_t)(i % 2000)));
}

/* Some of these blocks are used up in the sandbox, and more. */
static void work(void)
{
    allocate(1000);
    for (int i = 1; i < 5; i++)
        kept[i] = malloc(10000);
    for (int i = 1; i < 5; i++) {
        if (kept[i] == NULL)
            _exit(11);
        memset(kept[i], 1, 10000);
    }
    write(1, "done\n", 5);
}

static int put(const struct sock_filter *code, size_t count, unsigned flags)
{
    const struct sock_fprog program = {(unsigned short)count, (struct sock_filter *)code};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    if (strstr(how, "seccomp") || flags != 0)
        return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#define PUT(flags, ...)                                                           \
    put((const struct sock_filter[]){LOAD_NUMBER, __VA_ARGS__},                   \
        sizeof((struct sock_filter[]){LOAD_NUMBER, __VA_ARGS__}) /                \
            sizeof(struct sock_filter), flags)

static int forbid_open(unsigned action, unsigned flags)
{
    return PUT(flags, IF(SYS_open, action), IF(SYS_openat, action), IF(SYS_creat, action),
               ELSE(SECCOMP_RET_ALLOW));
}

static int only_write(void)
{
    return PUT(0, IF(SYS_write, SECCOMP_RET_ALLOW), IF(SYS_read, SECCOMP_RET_ALLOW),
               IF(SYS_exit_group, SECCOMP_RET_ALLOW), ELSE(SECCOMP_RET_KILL_PROCESS));
}

/* Like sandboxes that list the allowed calls and let all others fail. */
static int others_fail(void)
{
    return PUT(0, IF(SYS_write, SECCOMP_RET_ALLOW), IF(SYS_mmap, SECCOMP_RET_ALLOW),
               IF(SYS_brk, SECCOMP_RET_ALLOW), IF(SYS_exit_group, SECCOMP_RET_ALLOW),
               ELSE(SECCOMP_RET_ERRNO | EPERM));
}

static int kill_rename(void)
{
    const unsigned kill = SECCOMP_RET_KILL_PROCESS;

    return PUT(0, IF(SYS_rename, kill), IF(SYS_renameat, kill), IF(SYS_renameat2, kill),
               IF(SYS_link, kill), IF(SYS_linkat, kill), ELSE(SECCOMP_RET_ALLOW));
}

static int enter_strict(void)
{
    return strstr(how, "seccomp") ? (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL)
                                  : prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
}

static void end_strict(int status)
{
    if (strstr(how, "exit"))
        exit(status);
    syscall(SYS_exit, status);
}

static void *in_thread(void *unused)
{
    free(malloc(100000)); /* libc asks the kernel for no more than that */
    if (!strcmp(how, "strict-thread")) {
        if (enter_strict() != 0)
            _exit(10);
        work();
        end_strict(0);
    }
    if (forbid_open(SECCOMP_RET_KILL_PROCESS, 0) != 0)
        _exit(10);
    work();
    return unused;
}

/* Whether the kernel still has a thread with this number. */
static void wait_for_thread(pid_t tid)
{
    while (tid == 0 || (syscall(SYS_tgkill, getpid(), tid, 0) == 0))
        usleep(1000);
}

static volatile pid_t other;

static void *start_thread(void *unused)
{
    other = (pid_t)syscall(SYS_gettid);
    return in_thread(unused);
}

static void *stand(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static int with_thread(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, start_thread, NULL);
    while (other == 0)
        usleep(1000);
    wait_for_thread(other);
    return 7;
}

static int run_child(void *unused)
{
    if (forbid_open(SECCOMP_RET_KILL_PROCESS, 0) != 0)
        _exit(10);
    _exit(3);
    return unused != NULL;
}

static int by_vfork(void)
{
    static char stack[65536];
    int status;
    const pid_t pid =
        clone(run_child, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);

    if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 3)
        return 12;
    work();
    return 7;
}

static void wait_for_word(void)
{
    char c;

    if (read(0, &c, 1) != 1)
        _exit(14);
}

static void on_fault(int number)
{
    syscall(SYS_exit_group, number == SIGSEGV ? 7 : 13);
}

static int enter(void)
{
    const unsigned kill = SECCOMP_RET_KILL_PROCESS;
    pthread_t thread;

    if (strstr(how, "kill-thread-open"))
        return forbid_open(SECCOMP_RET_KILL_THREAD, 0);
    if (!strcmp(how, "trap-open"))
        return forbid_open(SECCOMP_RET_TRAP, 0);
    if (!strcmp(how, "errno-open"))
        return forbid_open(SECCOMP_RET_ERRNO | EACCES, 0);
    if (!strcmp(how, "kill-open-tsync")) {
        pthread_create(&thread, NULL, stand, NULL);
        return forbid_open(kill, SECCOMP_FILTER_FLAG_TSYNC);
    }
    if (!strcmp(how, "errno-others"))
        return others_fail();
    if (!strcmp(how, "errno-rename"))
        return PUT(0, IF(SYS_renameat2, SECCOMP_RET_ERRNO | EPERM), ELSE(SECCOMP_RET_ALLOW));
    if (!strcmp(how, "kill-open-blind") &&
        PUT(0, IF(SYS_rt_sigprocmask, SECCOMP_RET_ERRNO | EPERM), ELSE(SECCOMP_RET_ALLOW)) != 0)
        return -1;
    if (!strcmp(how, "kill-open-twice") && forbid_open(kill, 0) != 0)
        return -1;
    if (!strncmp(how, "kill-open", 9))
        return forbid_open(kill, 0);
    if (!strcmp(how, "kill-rename"))
        return kill_rename();
    /* Each thread ends in another way. */
    if (!strcmp(how, "kill-rename-parts") &&
        PUT(0, IF(SYS_renameat2, kill), ELSE(SECCOMP_RET_ALLOW)) != 0)
        return -1;
    if (!strcmp(how, "kill-rename-parts"))
        return PUT(0, IF(SYS_link, kill), ELSE(SECCOMP_RET_ALLOW));
    if (!strcmp(how, "only-write-handler"))
        signal(SIGSEGV, on_fault);
    if (!strcmp(how, "only-write-ignored"))
        sigignore(SIGTERM);
    if (!strncmp(how, "only-write", 10))
        return only_write();
    if (strstr(how, "-raise"))
        return PUT(0, IF(SYS_rt_tgsigqueueinfo,
                         how[0] == 'k' ? kill : SECCOMP_RET_ERRNO | EPERM),
                   ELSE(SECCOMP_RET_ALLOW));
    if (!strcmp(how, "harmless"))
        return PUT(0, IF(SYS_ptrace, kill), ELSE(SECCOMP_RET_ALLOW));
    if (!strcmp(how, "refused"))
        return PUT(0, BPF_STMT(0xffff, 0), ELSE(kill)) == -1 && errno == EINVAL ? 0 : -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == -1 && errno == EFAULT ? 0 : -1;
}

int main(int argc, char **argv)
{
    int status;

    how = argv[argc - 1];
    allocate(3);
    kept[0] = malloc(10);
    if (!strcmp(how, "vfork"))
        return by_vfork();
    if (!strcmp(how, "strict-thread") || !strcmp(how, "thread-only"))
        return with_thread();
    if (!strncmp(how, "strict", 6)) {
        if (enter_strict() != 0)
            return 10;
        work();
        end_strict(7);
    }
    if (enter() != 0)
        return 10;
    if (!strcmp(how, "kill-open-child")) {
        const pid_t pid = fork();
        if (pid == 0) {
            allocate(100);
            exit(3);
        }
        if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 3)
            return 12;
    }
    work();
    if (!strcmp(how, "only-write-ignored"))
        wait_for_word();
    if (strstr(how, "-segv") || strstr(how, "-handler"))
        *(volatile int *)8 = 1;
    if (strstr(how, "-term") || strstr(how, "-continuous") || strstr(how, "-raise"))
        while (goes_on) /* another process ends it */
            continue;
    return 7;
}
