/* libc.h -- memory and string functions of the C standard without libc. Safe in
 * signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

void *mprt_libc_memcpy(void *to, const void *from, size_t n);
void *mprt_libc_memmove(void *to, const void *from, size_t n);
void *mprt_libc_memset(void *to, int byte, size_t n);
int mprt_libc_memcmp(const void *a, const void *b, size_t n);
size_t mprt_libc_strlen(const char *s);
int mprt_libc_strcmp(const char *a, const char *b);
