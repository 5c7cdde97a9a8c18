// If a program has forbidden itself to discard pages, the runtime clears the counters
// instead, so each block still has its own counts.
// RUN: %memprof-clang -O1 -fmemory-profile %s -o %t
// RUN: rm -f %t.raw && env MEMPROF_PROFILE_FILE=%t.raw %t && %memprofdata show %t.raw | FileCheck %s
// CHECK: accessed{{ +}}3,000 times
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static void forbid_madvise(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {4, code};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
        abort();
}

int main(void)
{
    forbid_madvise();
    for (int round = 0; round < 3; round++) {
        volatile char *const p = malloc(64 << 20);
        for (size_t i = 0; i < 1000; i++)
            p[i * 4096] = 1;
        free((void *)p);
    }
    return 0;
}
