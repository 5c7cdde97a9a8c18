// If a program ends by direct system calls, the profile is written. If a direct exec
// fails, the profile is withdrawn.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -O0 -fno-builtin %s -o %t
// RUN: %t exit_group 3; test $? = 3
// RUN: %t exit 4; test $? = 4
// RUN: %t leader 5; test $? = 5
// RUN: %t thread 6; test $? = 6
// RUN: %t execve 7; test $? = 0
// RUN: %t execveat 8; test $? = 0
// RUN: %t fails 9; test $? = 9
// RUN: %t tgkill 10; test $? = 143
// RUN: ls *.raw | count 8
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata *.raw | sort -u | FileCheck %s --match-full-lines
// CHECK: 3 1
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;
static const char *how;
static int code;
static void *kept;
static int pipes[2];

/* The first thread has ended when no process has the pipe's other end. */
static void *after_leader(void *unused)
{
    char c;

    read(pipes[0], &c, 1);
    while (1) {
        char stat[512] = "";
        const int fd = open("/proc/self/stat", O_RDONLY);
        read(fd, stat, sizeof(stat) - 1);
        close(fd);
        if (strstr(stat, ") Z") != NULL)
            break;
    }
    syscall(SYS_exit, code);
    return unused;
}

static void *end(void *unused)
{
    syscall(SYS_exit, 99);
    return unused;
}

int main(int argc, char **argv)
{
    char *const arguments[] = {"true", NULL};
    pthread_t thread;

    how = argv[1];
    code = atoi(argv[2]);
    free(malloc(10));
    free(malloc(10));
    kept = malloc(20);
    if (!strcmp(how, "exit_group"))
        syscall(SYS_exit_group, code);
    if (!strcmp(how, "exit"))
        syscall(SYS_exit, code);
    if (!strcmp(how, "execve"))
        syscall(SYS_execve, "/bin/true", arguments, environ);
    if (!strcmp(how, "execveat"))
        syscall(SYS_execveat, AT_FDCWD, "/bin/true", arguments, environ, 0);
    if (!strcmp(how, "tgkill"))
        syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGTERM);
    if (!strcmp(how, "fails")) {
        syscall(SYS_execve, "/none/such", arguments, environ);
        return code;
    }
    pipe(pipes);
    pthread_create(&thread, NULL, !strcmp(how, "leader") ? after_leader : end,
                   NULL);
    if (!strcmp(how, "leader")) {
        write(pipes[1], "x", 1);
        syscall(SYS_exit, 98);
    }
    pthread_join(thread, NULL);
    return code;
}
