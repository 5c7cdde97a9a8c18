// The control socket: what each command does, which file a dump is, who may connect, what
// clients cannot do to the program, and when there is no socket. control.py runs the modes.
// RUN: %clang -fmemory-profile %ours-rt -O1 -fno-builtin %s -o %t
// DEFINE: %{control} = python3 %S/Inputs/control.py %memprofdata %t %t.d
// RUN: %{control} commands
// RUN: %{control} files
// RUN: %{control} lines
// RUN: %{control} crowd
// RUN: %{control} leave
// RUN: %{control} places
// RUN: %{control} forks
// RUN: %{control} ends
// RUN: %{control} rights
// RUN: %{control} unseen
#define _GNU_SOURCE
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *volatile kept[100];

__attribute__((noinline)) static char *make(size_t size)
{
    char *const p = malloc(size);

    memset(p, 1, size);
    return p;
}

static void work(int i)
{
    free(kept[i % 100]);
    kept[i % 100] = make(64);
}

/* Until stdin ends. */
static int loop(int (*more)(int i))
{
    struct pollfd in = {0, POLLIN, 0};

    puts("ready");
    fflush(stdout);
    for (int i = 0; poll(&in, 1, 0) == 0; i++) {
        for (int k = 0; k < 100; k++)
            work(k);
        if (more && more(i) != 0)
            return 9;
        usleep(500);
    }
    return 3;
}

/* A child that works as long as the parent's pipe is open. */
static int fork_and_work(int i)
{
    int status = 0;
    const pid_t pid = fork();

    if (pid == 0) {
        for (int k = 0; k < 100; k++)
            work(k);
        if (i % 2)
            _exit(0);
        exit(0);
    }
    return pid < 0 || waitpid(pid, &status, 0) != pid || status != 0;
}

static int count_names(const char *path)
{
    DIR *const dir = opendir(path);
    int count = 0;

    while (dir && readdir(dir))
        count++;
    closedir(dir);
    return count;
}

int main(int argc, char **argv)
{
    const char *const mode = argv[1];

    signal(SIGPIPE, SIG_DFL);
    if (strcmp(mode, "short") == 0) {
        for (int k = 0; k < 100; k++)
            work(k);
        return 3;
    }
    if (strcmp(mode, "user") == 0 && (setgid(65534) || setuid(65534)))
        return 8;
    if (strcmp(mode, "root") == 0 && (mkdir("jail", 0755) || chroot("jail")))
        return 8;
    if (strcmp(mode, "silent") == 0) {
        printf("%d tasks, %d descriptors, %d\n", count_names("/proc/self/task"),
               count_names("/proc/self/fd"), waitpid(-1, 0, WNOHANG));
        return 3;
    }
    if (strcmp(mode, "storm") == 0)
        return loop(fork_and_work);
    if (strcmp(mode, "child") == 0) {
        const pid_t pid = fork();
        int status;

        if (pid == 0)
            _exit(loop(0));
        return waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 3 ? 9
                                                                           : 3;
    }
    return argc > 2 ? 7 : loop(0);
}
