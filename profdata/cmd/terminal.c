/* terminal.c -- width and style of text for people.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/terminal.h"
#include "shared/abi.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define WIDTH_DEFAULT 100
#define WIDTH_MIN 60
#define WIDTH_MAX 200

static size_t find_width(int fd)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    uint64_t width = WIDTH_DEFAULT;

    if (columns == NULL || !cmd_number(columns, UINT32_MAX, &width)) {
        width = WIDTH_DEFAULT;
        if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col != 0)
            width = size.ws_col;
    }
    return (size_t)mprof_max_u64(WIDTH_MIN, mprof_min_u64(width, WIDTH_MAX));
}

static bool wants_color(enum terminal_color color, int fd)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");

    if (color != TERMINAL_AUTO)
        return color == TERMINAL_ALWAYS;
    return isatty(fd) && (no_color == NULL || no_color[0] == '\0') &&
           (term == NULL || strcmp(term, "dumb") != 0);
}

void terminal_set_style(struct show_options *options, enum terminal_color color,
                        FILE *out)
{
    static const struct show_style plain = {"", "", "", ""};
    static const struct show_style colored = {"\033[1m", "\033[2m", "\033[36m",
                                              "\033[0m"};

    options->width = find_width(fileno(out));
    options->style = wants_color(color, fileno(out)) ? colored : plain;
}

/* -- the pager ------------------------------------------------------------- */

extern char **environ;

/* Returns the pager as a shell command, or NULL. */
static char *find_pager(void)
{
    static char usual[] = "command -v less >/dev/null || exec cat; exec less";
    char *command = getenv(MPROF_ENV_PAGER);

    if (command == NULL)
        command = getenv("PAGER");
    if (command == NULL)
        command = usual;
    return command[0] == '\0' || strcmp(command, "cat") == 0 ? NULL : command;
}

/* Starts the pager with its input from a pipe. Returns 0 if it cannot be
 * started. */
static pid_t run_pager(char *command, int input)
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

void terminal_pager_start(struct pager *pager)
{
    char *const command = find_pager();
    int ends[2];

    if (command == NULL || !isatty(STDOUT_FILENO) ||
        pipe2(ends, O_CLOEXEC) != 0)
        return;
    /* Options of less: quit if the text fits the screen, pass colours, keep the
     * text on the screen. */
    setenv("LESS", "FRX", 0);
    setenv("LV", "-c", 0);
    fflush(stdout);
    pager->pid = run_pager(command, ends[0]);
    close(ends[0]);
    if (pager->pid != 0) {
        /* The user may quit the pager early: not an error. */
        signal(SIGPIPE, SIG_IGN);
        dup2(ends[1], STDOUT_FILENO);
    }
    close(ends[1]);
}

int terminal_pager_finish(struct pager *pager)
{
    int how = 0;

    if (pager->pid == 0)
        return 0;
    fflush(stdout);
    clearerr(stdout);
    close(STDOUT_FILENO);
    while (waitpid(pager->pid, &how, 0) < 0 && errno == EINTR) {
    }
    /* Data flushed at exit goes to /dev/null. */
    (void)!open("/dev/null", O_WRONLY | O_CLOEXEC);
    pager->pid = 0;
    if (how == 0)
        return 0;
    cmd_say("the pager failed (%s %d), so the output may be lost: %s",
            WIFSIGNALED(how) ? "signal" : "status",
            WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how), find_pager());
    return mprof_err_exit(MPROF_E_IO);
}
