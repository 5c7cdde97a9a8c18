/* textbuf.c -- builds a text of limited length.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/log.h"
#include "rt/base/libc.h"

void mprt_textbuf_strn(struct mprt_textbuf *t, const char *s, size_t n)
{
    const size_t room = t->size > t->used ? t->size - t->used - 1 : 0;

    if (t->size == 0)
        return;
    if (n > room)
        n = room;
    mprt_libc_memcpy(t->out + t->used, s, n);
    t->used += n;
    t->out[t->used] = '\0';
}

void mprt_textbuf_str(struct mprt_textbuf *t, const char *s)
{
    mprt_textbuf_strn(t, s, mprt_libc_strlen(s));
}

void mprt_textbuf_char(struct mprt_textbuf *t, char c)
{
    mprt_textbuf_strn(t, &c, 1);
}

void mprt_textbuf_list(struct mprt_textbuf *t, const char *const *strings)
{
    for (; *strings != NULL; strings++)
        mprt_textbuf_str(t, *strings);
}

const char *mprt_textbuf_digits(char out[21], uint64_t value, unsigned base)
{
    size_t at = 20;

    do {
        out[--at] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    return out + at;
}
