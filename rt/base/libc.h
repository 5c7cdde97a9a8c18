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

/* sort.c -- a sort that allocates nothing. */

/* Sorts items[0..count) in ascending order of less(context, a, b). scratch has
 * room for count items. Stable, O(n log n), no recursion. */
void mprt_sort_u32(uint32_t *items, uint32_t *scratch, size_t count,
                   bool (*less)(const void *context, uint32_t a, uint32_t b),
                   const void *context);
