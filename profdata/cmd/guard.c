/* guard.c -- handles signals that would end the command without a message, and
 * a closed standard error.
 *
 * Inputs are mapped: if another process truncates a file, reading it raises
 * SIGBUS. Exceeding the file size limit raises SIGXFSZ.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/cmd.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static void say_cut_short(int number)
{
    static const char text[] =
        "memprofdata: a file was cut short while it was read\n";
    const ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

    (void)number;
    (void)n; /* no way to report the error */
    _exit(mprof_err_exit(MPROF_E_IO));
}

void guard_signals(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    action.sa_handler = say_cut_short;
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(SIGBUS, &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
}

void guard_stderr(void)
{
    int null;

    if (fcntl(STDERR_FILENO, F_GETFD) >= 0)
        return;
    null = open("/dev/null", O_WRONLY);
    if (null >= 0 && null != STDERR_FILENO) {
        dup2(null, STDERR_FILENO);
        close(null);
    }
}
