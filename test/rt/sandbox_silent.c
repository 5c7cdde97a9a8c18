// If no profile is requested at the end, none is written before a sandbox starts.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir && %memprof-clang -fmemory-profile -O1 %s -o c
// RUN: env MEMPROF_OPTIONS=continuous=1:dump_at_exit=0 ./c && ls | count 1
// RUN: env MEMPROF_OPTIONS=continuous=1 ./c && ls | count 2
// A child that records nothing, before its own sandbox.
// RUN: rm -f *.raw && env MEMPROF_OPTIONS=continuous=1 ./c fork && ls | count 2
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int forbid_files(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0;
}

int main(int argc, char **argv)
{
    void *volatile p = malloc(10);

    (void)argv;
    free(p);
    if (argc == 1)
        return forbid_files();
    if (fork() == 0)
        _exit(forbid_files());
    wait(NULL);
    return 0;
}
