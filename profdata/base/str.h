/* str.h -- strings with a size, and their order.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

struct mpdata_str {
    const char *bytes; /* NUL-terminated as well, for convenience */
    size_t size;       /* without the NUL; may contain NULs (build ids) */
};

/* For qsort(): by bytes, then by length. */
int mpdata_str_compare(const void *left, const void *right);

/* utf8.c -- characters of text that may be invalid UTF-8. */

/* Length in bytes of the UTF-8 character at the start of s[0..size), size > 0;
 * 0 if there is no valid one. */
size_t mpdata_utf8_character(const uint8_t *s, size_t size);

/* Are all bytes valid UTF-8? */
bool mpdata_utf8_is(const uint8_t *s, size_t size);

/* controls.c -- control characters in names, which terminals would obey. */

/* Length in bytes of the control character at the start of text[0..size); 0 if
 * another character is there, or none. Control characters are U+0000 to U+001F,
 * U+007F, and U+0080 to U+009F in UTF-8, which terminals treat like an escape
 * and a letter (ECMA-48, 5.3). */
size_t mpdata_controls_bytes(const char *text, size_t size);

/* Replaces each byte of the control characters in text[0..size) by `with`. */
void mpdata_controls_replace(char *text, size_t size, char with);
