/* pages.h -- visits and clears pages of our memory that exist, so that
 * untouched memory costs nothing. Any thread, also in signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* Below this size, touching memory is cheaper than asking the kernel. */
#define MPRT_PAGES_SPARSE_BYTES ((size_t)512 << 10)

/* Calls visit for the parts of [from, to) that may be non-zero, in ascending
 * order. */
typedef void mprt_pages_fn(void *context, const char *from, const char *to);
void mprt_pages_visit(const char *from, const char *to, mprt_pages_fn *visit,
                      void *context);
/* Zeroes private anonymous memory and gives whole pages back if the system
 * takes them. */
void mprt_pages_clear(void *memory, size_t bytes);
/* Whether the system would map `bytes` for a program at once: it refuses more
 * than all memory and swap. */
bool mprt_pages_would_map(size_t bytes);
