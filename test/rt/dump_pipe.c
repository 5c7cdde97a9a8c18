// Profiles that several processes write to one pipe at the same time do not mix: each
// is complete.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -O0 %debugflags %s -o program
// RUN: env MEMPROF_PROFILE_FILE=/dev/fd/9 MEMPROF_OPTIONS=compress=0 ./program > all.raw
// RUN: %memprofdata check all.raw
// RUN: %memprofdata show all.raw | FileCheck %s
// RUN: env MEMPROF_PROFILE_FILE=/dev/fd/9 MEMPROF_OPTIONS=print_text=1 ./program > all.txt
// RUN: not grep -v -e '^Recorded MIBs' -e '^Memory allocation stack id = [0-9]*$' -e '^Stack for id [0-9]*:$' -e '^    #[0-9]* 0x' -e '^.[a-z]' -e '^AccessCountHistogram' -e '^$' all.txt
// RUN: grep -c '^Recorded MIBs' all.txt | grep -x 8
// RUN: env MEMPROF_PROFILE_FILE=/dev/fd/9 ./program nobody 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY: memprof: cannot write the profile to an open descriptor: nobody reads it;
// CHECK: runs         8,
// CHECK: allocated    {{.*}} in 4,096 blocks
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CHILDREN = 8, STACKS = 512, DEPTH = 9, PIPE = 9, ROOM = 4096 };

static void allocate(unsigned way, int depth)
{
    if (depth == 0)
        free(malloc(64));
    else if (way & 1)
        allocate(way >> 1, depth - 1);
    else
        allocate(way >> 1, depth - 1);
}

int main(int argc, char **argv)
{
    char data[ROOM];
    int ends[2];
    ssize_t n;

    if (pipe(ends) != 0 || fcntl(ends[1], F_SETPIPE_SZ, ROOM) < 0)
        return 1;
    dup2(ends[1], PIPE);
    close(ends[1]);
    if (argc > 1) {
        close(ends[0]);
        return argv[1] == NULL;
    }
    for (int i = 0; i < CHILDREN; i++) {
        if (fork() != 0)
            continue;
        close(ends[0]);
        for (unsigned way = 0; way < STACKS; way++)
            allocate(way, DEPTH);
        return 0;
    }
    close(PIPE);
    while ((n = read(ends[0], data, sizeof(data))) > 0)
        if (write(1, data, (size_t)n) != n)
            return 1;
    syscall(SYS_exit_group, 0);
}
