/* textbuf.h -- a bounded text under construction; what does not fit is cut.
 * Safe in signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_TEXTBUF_H
#define MPRT_TEXTBUF_H

#include "rt/base/rt.h"

struct mprt_textbuf {
    char *out;
    size_t size; /* room, with the final NUL */
    size_t used; /* without the NUL */
};
void mprt_textbuf_str(struct mprt_textbuf *t, const char *s);
void mprt_textbuf_strn(struct mprt_textbuf *t, const char *s, size_t n);
void mprt_textbuf_uint(struct mprt_textbuf *t, uint64_t value);
void mprt_textbuf_hex(struct mprt_textbuf *t, uint64_t value);
void mprt_textbuf_char(struct mprt_textbuf *t, char c);

#endif
