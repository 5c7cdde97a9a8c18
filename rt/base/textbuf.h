/* textbuf.h -- builds a text of limited length; cuts what does not fit. Safe in
 * signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

struct mprt_textbuf {
    char *out;
    size_t size; /* room, including the terminator */
    size_t used; /* length without the terminator */
};
void mprt_textbuf_str(struct mprt_textbuf *t, const char *s);
void mprt_textbuf_strn(struct mprt_textbuf *t, const char *s, size_t n);
void mprt_textbuf_uint(struct mprt_textbuf *t, uint64_t value);
void mprt_textbuf_hex(struct mprt_textbuf *t, uint64_t value);
void mprt_textbuf_char(struct mprt_textbuf *t, char c);
