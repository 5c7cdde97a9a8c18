// Children by posix_spawn, system, popen and vfork: the parent's profile is complete,
// and each child that is built with the profiler has a file of its own.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -O1 -fno-builtin %s -o %t
// RUN: for o in verbosity=0 continuous=1 dump_interval=1; do env MEMPROF_OPTIONS=$o %t parent %t || exit 1; done
// RUN: ls *.raw | count 15
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata *.raw | sed -n '1,12p' | uniq -c | FileCheck %s --match-full-lines
// CHECK: {{ *}}12 3 0
// RUN: ls -A | not grep -v '[.]raw$'
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char *child[] = {argc > 2 ? argv[2] : 0, "child", 0};
    char command[4096];
    int status = 1;
    pid_t pid;
    FILE *pipe;

    if (strcmp(argv[1], "child") == 0) {
        for (int i = 0; i < 3; i++)
            free(malloc(10));
        return 0;
    }
    for (int i = 0; i < 1000; i++)
        free(malloc(10));
    if (argc != 3 || posix_spawn(&pid, argv[2], 0, 0, child, environ) ||
        waitpid(pid, &status, 0) != pid || status != 0)
        return 1;
    snprintf(command, sizeof(command), "%s child", argv[2]);
    if (system(command) != 0)
        return 2;
    pipe = popen(command, "r");
    if (pipe == 0 || pclose(pipe) != 0)
        return 3;
    pid = vfork();
    if (pid == 0) {
        execve(argv[2], child, environ);
        _exit(1);
    }
    return waitpid(pid, &status, 0) != pid || status != 0 || wait(&status) != -1;
}
