// If a profile cannot be written, the program ends as without the profiler and one
// message says what happened. A profile can be written without free address space.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -O1 -fno-builtin %s -o %t
// RUN: %t memory 2> err; test $? = 5
// RUN: count 0 < err
// RUN: ls memprof.profraw.*.raw | count 1 && rm memprof.profraw.*.raw
// RUN: %t forbidden 2> err; test $? = 5
// RUN: FileCheck %s --check-prefix=FORBIDDEN --implicit-check-not=memprof: < err
// FORBIDDEN: memprof: the program forbids itself by seccomp to write a profile: the profile has been written and ends here
// RUN: ls memprof.profraw.*.raw | count 1
// RUN: %t descriptors 2> err; test $? = 5
// RUN: FileCheck %s --check-prefix=MANY --implicit-check-not=memprof: < err
// MANY: memprof: cannot write the profile memprof.profraw.{{.*}}: too many open files{{$}}
// Full and read-only file systems, another root directory, first processes of
// containers.
// RUN: sh %S/Inputs/failures.sh %t
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Opening files fails as it does in a sandbox. */
static int forbid(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0 /* the number */),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {4, code};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
    const struct rlimit none = {1, 1};
    const struct rlimit three = {3, 3};

    free(malloc((size_t)argc));
    if (strcmp(argv[1], "memory") == 0 && setrlimit(RLIMIT_AS, &none))
        return 1;
    if (strcmp(argv[1], "descriptors") == 0 &&
        syscall(SYS_setrlimit, RLIMIT_NOFILE, &three))
        return 2;
    if (strcmp(argv[1], "forbidden") == 0 && forbid())
        return 3;
    if (strcmp(argv[1], "chroot") == 0 && (chroot(argv[2]) || chdir("/")))
        return 4;
    return 5;
}
