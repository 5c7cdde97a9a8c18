/* utf8.h -- characters of text that may be none.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_UTF8_H
#define MPDATA_UTF8_H

#include "shared/base.h"

/* Bytes of the UTF-8 character at the start of s[0..size), size > 0; 0 where
 * there is none. */
size_t mpdata_utf8_character(const uint8_t *s, size_t size);

/* Is all of it UTF-8? */
bool mpdata_utf8_is(const uint8_t *s, size_t size);

#endif
