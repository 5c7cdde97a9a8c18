/* terminal.c -- how text for people is to look.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/terminal.h"
#include "profdata/base/file.h"
#include "profdata/base/output.h"

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

static ssize_t append(void *context, const char *bytes, size_t size)
{
    struct mpdata_sink *const sink = context;

    mpdata_sink_bytes(sink, bytes, size);
    return sink->failed ? 0 : (ssize_t)size;
}

enum mprof_err terminal_print(const char *path, terminal_print_fn *print,
                              void *context, struct mprof_diag *diag)
{
    struct mpdata_output output;
    struct mpdata_sink sink;
    enum mprof_err err = MPROF_E_NOMEM;
    FILE *out;

    if (path == NULL || mpdata_file_is_standard(path))
        return print(context, stdout, diag);
    mpdata_output_init(&output, path);
    sink = mpdata_output_sink(&output);
    out = fopencookie(&sink, "w", (cookie_io_functions_t){.write = append});
    if (out == NULL)
        mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
    else
        err = print(context, out, diag);
    /* Also what failed before what the stream holds now. */
    if (out != NULL && (fclose(out) != 0 || sink.failed) && err == MPROF_E_OK)
        err = mpdata_output_fail(&output, MPROF_E_NOMEM, diag);
    if (err == MPROF_E_OK)
        err = mpdata_output_finish(&output, diag);
    mpdata_output_fini(&output);
    return err;
}
