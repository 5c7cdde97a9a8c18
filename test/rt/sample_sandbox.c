// The allocator of unsampled blocks makes no system call in a sandbox that it
// would have made before without the profiler: glibc's malloc gets random bytes
// at its first call.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -O1 -fno-builtin %s -o prog
// RUN: env MEMPROF_OPTIONS=sample=100000 ./prog 2>&1 | FileCheck %s
// CHECK: done
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static void *volatile kept;

int main(void)
{
    static struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

    kept = malloc(100 << 20); // as good as certainly sampled
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return 1;
    for (int i = 0; i < 1000; i++)
        free(malloc(16));
    puts("done");
    return 0;
}
