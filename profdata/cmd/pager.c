/* pager.c -- pipes standard output through a pager.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/pager.h"
#include "shared/abi.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Returns the pager as a shell command, or NULL. */
static char *find_command(void)
{
    static char usual[] = "less";
    char *command = getenv(MPROF_ENV_PAGER);

    if (command == NULL)
        command = getenv("PAGER");
    if (command == NULL)
        command = usual;
    return command[0] == '\0' || strcmp(command, "cat") == 0 ? NULL : command;
}

/* Starts the pager with its input from a pipe. Returns 0 if it cannot be
 * started. */
static pid_t run(char *command, int input)
{
    char *const argv[] = {(char[]){"sh"}, (char[]){"-c"}, command, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;

    if (posix_spawn_file_actions_init(&actions) != 0)
        return 0;
    if (posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) != 0 ||
        posix_spawn(&pid, "/bin/sh", &actions, NULL, argv, environ) != 0)
        pid = 0;
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

void pager_start(struct pager *pager)
{
    char *const command = find_command();
    int ends[2];

    if (command == NULL || !isatty(STDOUT_FILENO) ||
        pipe2(ends, O_CLOEXEC) != 0)
        return;
    /* Options of less: quit if the text fits the screen, pass colours, keep the
     * text on the screen. */
    setenv("LESS", "FRX", 0);
    setenv("LV", "-c", 0);
    fflush(stdout);
    pager->pid = run(command, ends[0]);
    close(ends[0]);
    if (pager->pid != 0) {
        /* The user may quit the pager early: not an error. */
        signal(SIGPIPE, SIG_IGN);
        dup2(ends[1], STDOUT_FILENO);
    }
    close(ends[1]);
}

int pager_finish(struct pager *pager, int status)
{
    int how;

    if (pager->pid == 0)
        return status;
    fflush(stdout);
    clearerr(stdout);
    close(STDOUT_FILENO);
    while (waitpid(pager->pid, &how, 0) < 0 && errno == EINTR) {
    }
    /* Data flushed at exit goes to /dev/null. */
    (void)!open("/dev/null", O_WRONLY | O_CLOEXEC);
    pager->pid = 0;
    return status;
}
