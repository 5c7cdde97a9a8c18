// If the process that writes profiles of the running program cannot be started, one
// message says so. The program's output and exit code are unchanged, and the profile at
// the end is complete.
// RUN: rm -rf %t.dir && mkdir %t.dir && chmod 777 %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -O1 -fno-builtin %s -o prog
// RUN: %clang -DREFUSE %s -o refuse
// RUN: sh %S/Inputs/no_helper.sh %memprofdata %S/Inputs/blocks_in.py > %t.out
// RUN: FileCheck %s --match-full-lines < %t.out
//      CHECK: refused continuous=1: 8 1
// CHECK-NEXT: refused dump_interval=1: 8 1
// CHECK-NEXT: refused dump_signal=10: 8 1
// CHECK-NEXT: limited continuous=1: {{8 1|not to be had}}
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef REFUSE
/* Forbids new processes, like a sandbox. */
int main(int argc, char **argv)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0 /* the number */),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    const struct sock_fprog program = {5, code};

    if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return 1;
    execv(argv[1], argv + 1);
    return 2;
}
#else
int main(void)
{
    for (int i = 0; i < 7; i++)
        free(malloc(10));
    void *volatile kept = malloc(10);
    if (strstr(getenv("MEMPROF_OPTIONS"), "dump_signal"))
        raise(SIGUSR1);
    if (fork() != -1 || (errno != EPERM && errno != EAGAIN))
        return 3;
    write(1, "output\n", 7);
    return kept ? 5 : 4;
}
#endif
