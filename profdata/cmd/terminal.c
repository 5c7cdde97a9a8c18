/* terminal.c -- width and style of text for people.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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
