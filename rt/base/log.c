/* log.c -- what the runtime has to say: single lines on stderr, never in a
 * profile. Few lines per process, because a program that does something wrong
 * once does it a million times.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/rt.h"

#include <stdarg.h>

#define LINE_BYTES 512
#define LINES_MAX 100
#define STDERR 2

static _Atomic uint32_t lines;
/* What the helper could not say: it has no descriptors of its own. */
static char unsaid[LINE_BYTES];
static _Atomic uint32_t unsaid_bytes;

/* Through the program's stderr, which it may not be able to open (a socket):
 * the first such line waits for the program's end. */
static void write_from_helper(const char *line, size_t n)
{
    const int fd = mprt_helper_open_fd(STDERR);

    if (fd >= 0) {
        mprt_sys_write_all(fd, line, n);
        mprt_sys_close(fd);
    } else if (atomic_load(&unsaid_bytes) == 0) {
        mprt_memcpy(unsaid, line, n);
        atomic_store(&unsaid_bytes, (uint32_t)n);
    }
}

void mprt_log_unsaid(void)
{
    const uint32_t n = atomic_exchange(&unsaid_bytes, 0);

    if (n != 0)
        mprt_sys_write_all(STDERR, unsaid, n);
}

static void log_parts(const char *part, va_list parts)
{
    char line[LINE_BYTES];
    /* The newline always has room. */
    struct mprt_text t = {line, sizeof(line) - 1, 0};

    if (atomic_fetch_add_explicit(&lines, 1, memory_order_relaxed) >= LINES_MAX)
        return;
    mprt_text_str(&t, "memprof: ");
    for (; part != NULL; part = va_arg(parts, const char *))
        mprt_text_str(&t, part);
    line[t.used++] = '\n';
    if (mprt_helper_is_here())
        write_from_helper(line, t.used);
    else
        mprt_sys_write_all(STDERR, line, t.used);
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
