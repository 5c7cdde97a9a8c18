/* controls.h -- characters of names that a terminal would take for a command.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_CONTROLS_H
#define MPDATA_CONTROLS_H

#include "shared/base.h"

/* Bytes of the control character that text[0..size) begins with, 0 for another
 * or none: U+0000 to U+001F, U+007F, and U+0080 to U+009F in UTF-8, to which
 * terminals listen as to an escape and a letter (ECMA-48, 5.3). */
size_t mpdata_controls_bytes(const char *text, size_t size);

/* Each byte of such characters in text[0..size) becomes `with`. */
void mpdata_controls_replace(char *text, size_t size, char with);

#endif
