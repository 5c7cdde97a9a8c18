/* log.h -- messages: one line to stderr, never into a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* textbuf.c -- builds a text of limited length; cuts what does not fit. Safe in
 * signal handlers. */

struct mprt_textbuf {
    char *out;
    size_t size; /* room, including the terminator */
    size_t used; /* length without the terminator */
};
void mprt_textbuf_str(struct mprt_textbuf *t, const char *s);
/* Appends a list of strings. MPRT_DEC() and MPRT_HEX() are a number as such a
 * string, which is valid in the current block. */
#define MPRT_TEXT(t, ...) \
    mprt_textbuf_list(t, (const char *const[]){__VA_ARGS__, NULL})
#define MPRT_DEC(n) mprt_textbuf_digits((char[21]){0}, n, 10)
#define MPRT_HEX(n) mprt_textbuf_digits((char[21]){0}, n, 16)
void mprt_textbuf_list(struct mprt_textbuf *t, const char *const *strings);
const char *mprt_textbuf_digits(char out[21], uint64_t value, unsigned base);
void mprt_textbuf_strn(struct mprt_textbuf *t, const char *s, size_t n);
void mprt_textbuf_char(struct mprt_textbuf *t, char c);

/* log.c */

/* Writes "memprof: " and the strings, a NULL-terminated list, as one line by
 * one write(2). A process writes a limited number of lines. Safe in signal
 * handlers; keeps errno. */
void mprt_log(const char *part, ...) __attribute__((sentinel));
/* As mprt_log(), but only once for each `once`. */
void mprt_log_once(uint32_t *once, const char *part, ...)
    __attribute__((sentinel));
/* The same for a list without NULL; the second one only once in its place. */
#define MPRT_LOG(...) mprt_log(__VA_ARGS__, NULL)
#define MPRT_LOG_ONCE(...)                       \
    do {                                         \
        static uint32_t once;                    \
        mprt_log_once(&once, __VA_ARGS__, NULL); \
    } while (0)

/* Sends this thread's lines, with their newline, to sink(line, bytes) from now
 * on. NULL: to stderr. */
void mprt_log_set_sink(void (*sink)(const char *line, size_t bytes));
