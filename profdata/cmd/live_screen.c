/* live_screen.c -- the terminal of memprofdata live, by escape sequences.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/live.h"
#include "profdata/query/names.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#define ENTER "\033[?1049h\033[?25l"
#define LEAVE "\033[?25h\033[?1049l"
#define HOME "\033[H"
#define END_OF_LINE "\033[K\r\n"
#define END_OF_PAGE "\033[J"
#define ROWS_WITHOUT 1000
#define COLUMNS_WITHOUT 160
#define COLUMNS_MIN 20

static struct {
    bool is_on;
    struct termios before;
    int messages; /* what stderr is meanwhile */
    int stderr_before;
} screen;
static volatile sig_atomic_t is_ended;

static void on_end(int number)
{
    (void)number;
    is_ended = 1;
}

bool live_screen_begin(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = on_end};

    if (!isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &screen.before) != 0)
        return false;
    struct termios raw = screen.before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(ends); i++)
        sigaction(ends[i], &action, NULL);
    screen.stderr_before = dup(STDERR_FILENO);
    screen.messages = memfd_create("messages", MFD_CLOEXEC);
    if (screen.messages >= 0)
        dup2(screen.messages, STDERR_FILENO);
    fputs(ENTER, stdout);
    fflush(stdout);
    screen.is_on = true;
    return true;
}

void live_screen_end(void)
{
    if (!screen.is_on)
        return;
    fputs(LEAVE, stdout);
    fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSANOW, &screen.before);
    dup2(screen.stderr_before, STDERR_FILENO);
    close(screen.stderr_before);
    if (screen.messages >= 0)
        close(screen.messages);
    screen.is_on = false;
}

struct live_size live_screen_size(void)
{
    struct live_size size = {ROWS_WITHOUT, COLUMNS_WITHOUT};
    struct winsize window;

    if (screen.is_on && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 &&
        window.ws_row != 0 && window.ws_col != 0)
        size = (struct live_size){
            window.ws_row, (size_t)mprof_max_u64(window.ws_col, COLUMNS_MIN)};
    return size;
}

void live_screen_show(char *page)
{
    const struct live_size size = live_screen_size();
    char *rest = page;

    if (screen.is_on)
        fputs(HOME, stdout);
    for (size_t row = 0; rest != NULL && *rest != '\0' && row < size.rows;
         row++) {
        char *const line = strsep(&rest, "\n");

        if (screen.is_on && row != 0)
            fputs(END_OF_LINE, stdout);
        if (screen.is_on)
            mpdata_names_cut(line, size.columns);
        fputs(line, stdout);
        if (!screen.is_on)
            putchar('\n');
    }
    if (screen.is_on)
        fputs("\033[K" END_OF_PAGE, stdout);
    fflush(stdout);
}

int live_screen_key(uint64_t ms)
{
    struct pollfd in = {.fd = screen.is_on ? STDIN_FILENO : -1,
                        .events = POLLIN};
    unsigned char key = 0;

    if (is_ended || (poll(&in, 1, (int)ms) < 0 && is_ended))
        return LIVE_QUIT;
    if (in.revents == 0)
        return 0;
    return read(STDIN_FILENO, &key, 1) == 1 ? key : LIVE_QUIT;
}

void live_screen_message(char *out, size_t size)
{
    const off_t end = screen.is_on ? lseek(STDERR_FILENO, 0, SEEK_CUR) : 0;
    const off_t start = end > (off_t)size - 1 ? end - (off_t)size + 1 : 0;
    char *newline;
    ssize_t n = 0;

    if (end > 0)
        n = pread(screen.messages, out, size - 1, start);
    out[n > 0 ? n - 1 : 0] = '\0'; /* without the last newline */
    newline = strrchr(out, '\n');
    if (newline != NULL)
        memmove(out, newline + 1, strlen(newline));
    if (end > 0 && ftruncate(screen.messages, 0) == 0)
        lseek(STDERR_FILENO, 0, SEEK_SET);
}
