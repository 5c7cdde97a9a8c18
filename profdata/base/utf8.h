/* utf8.h -- characters of text that may be invalid UTF-8.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

/* Length in bytes of the UTF-8 character at the start of s[0..size), size > 0;
 * 0 if there is no valid one. */
size_t mpdata_utf8_character(const uint8_t *s, size_t size);

/* Are all bytes valid UTF-8? */
bool mpdata_utf8_is(const uint8_t *s, size_t size);
