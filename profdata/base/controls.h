/* controls.h -- control characters in names, which terminals would obey.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

/* Length in bytes of the control character at the start of text[0..size); 0 if
 * another character is there, or none. Control characters are U+0000 to U+001F,
 * U+007F, and U+0080 to U+009F in UTF-8, which terminals treat like an escape
 * and a letter (ECMA-48, 5.3). */
size_t mpdata_controls_bytes(const char *text, size_t size);

/* Replaces each byte of the control characters in text[0..size) by `with`. */
void mpdata_controls_replace(char *text, size_t size, char with);
