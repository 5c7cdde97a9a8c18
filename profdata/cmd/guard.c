/* guard.c -- handles signals that would end the command without a message, and
 * closed standard descriptors.
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

#define MAPS_PATH "/proc/self/maps"
#define CHUNK_BYTES 4096

/* State of the parser of /proc/self/maps. */
struct line {
    uintptr_t start;
    uintptr_t end;
    unsigned field; /* 0: start, 1: end, 2 to 6: attributes, 7: path */
};

static unsigned hex_digit(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

/* Parses one more character. Returns true if it belongs to the path of the
 * mapping that contains `address`. */
static bool step(struct line *line, char c, uintptr_t address)
{
    if (c == '\n') {
        *line = (struct line){.field = 0};
        return false;
    }
    switch (line->field) {
    case 0:
        if (c == '-')
            line->field = 1;
        else
            line->start = line->start << 4 | hex_digit(c);
        return false;
    case 1:
        if (c == ' ')
            line->field = 2;
        else
            line->end = line->end << 4 | hex_digit(c);
        return false;
    default:
        if (line->field < 6)
            line->field += c == ' ';
        else if (c != ' ')
            line->field = 7;
        return line->field == 7 && line->start <= address &&
               address < line->end;
    }
}

static void write_text(const char *text, size_t size)
{
    ssize_t n = write(STDERR_FILENO, text, size);

    (void)n; /* no way to report the error */
}

/* Writes the path of the mapped file that contains `address`.
 * Async-signal-safe. */
static void write_path(uintptr_t address)
{
    const int fd = open(MAPS_PATH, O_RDONLY | O_CLOEXEC);
    struct line line = {.field = 0};
    char chunk[CHUNK_BYTES];
    ssize_t n;

    while (fd >= 0 && (n = read(fd, chunk, sizeof(chunk))) > 0) {
        for (ssize_t i = 0; i < n; i++) {
            if (step(&line, chunk[i], address))
                write_text(&chunk[i], 1);
        }
    }
}

static void say_cut_short(int number, siginfo_t *info, void *context)
{
    static const char before[] = "memprofdata: ";
    static const char after[] = ": the file was cut short while it was read\n";

    (void)number;
    (void)context;
    write_text(before, sizeof(before) - 1);
    write_path((uintptr_t)info->si_addr);
    write_text(after, sizeof(after) - 1);
    _exit(mprof_err_exit(MPROF_E_IO));
}

void guard_signals(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    action.sa_sigaction = say_cut_short;
    action.sa_flags = SA_SIGINFO | (int)SA_RESETHAND;
    sigaction(SIGBUS, &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
}

void guard_descriptors(void)
{
    static const int flags[] = {[STDIN_FILENO] = O_PATH,
                                [STDOUT_FILENO] = O_PATH,
                                [STDERR_FILENO] = O_WRONLY};

    for (int fd = 0; fd < (int)MPROF_ARRAY_LEN(flags); fd++) {
        /* The lowest number that is free is the next one: fd. */
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", flags[fd]);
    }
}
