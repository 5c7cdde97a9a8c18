/* log.c -- messages: single lines on stderr. Their number is limited, because a
 * program that makes a mistake often makes it a million times.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/log.h"
#include "rt/base/os.h"

#include <stdarg.h>

#define LINE_BYTES 512
#define LINES_MAX 100

static _Atomic uint32_t lines;
static _Thread_local void (*sink)(const char *line, size_t bytes);

void mprt_log_set_sink(void (*new_sink)(const char *line, size_t bytes))
{
    sink = new_sink;
}

static void log_parts(const char *part, va_list parts)
{
    char line[LINE_BYTES];
    /* Room for the newline. */
    struct mprt_textbuf t = {line, sizeof(line) - 1, 0};

    if (MPRT_ADD(lines, 1) >= LINES_MAX)
        return;
    mprt_textbuf_str(&t, "memprof: ");
    for (; part != NULL; part = va_arg(parts, const char *))
        mprt_textbuf_str(&t, part);
    line[t.used++] = '\n';
    if (sink != NULL)
        sink(line, t.used);
    else
        mprt_os_write_all(MPRT_OS_STDERR, line, t.used);
}

void mprt_log(const char *part, ...)
{
    va_list parts;

    va_start(parts, part);
    log_parts(part, parts);
    va_end(parts);
}

void mprt_log_once(uint32_t *once, const char *part, ...)
{
    va_list parts;

    if (__atomic_exchange_n(once, 1, __ATOMIC_RELAXED) != 0)
        return;
    va_start(parts, part);
    log_parts(part, parts);
    va_end(parts);
}
