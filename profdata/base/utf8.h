/* utf8.h -- is it UTF-8? Files say what they like where they mean text.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_UTF8_H
#define MPDATA_UTF8_H

#include "shared/base.h"

/* Bytes of the UTF-8 character at the start of s, of which `left` (not 0) are
 * there, or 0. */
size_t mpdata_utf8_character(const uint8_t *s, size_t left);
bool mpdata_utf8_is(const void *bytes, size_t size);

#endif
