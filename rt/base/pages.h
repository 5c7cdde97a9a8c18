/* pages.h -- pages of ours that exist: memory that nobody touched costs
 * nothing. Any thread, also in signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_PAGES_H
#define MPRT_PAGES_H

#include "rt/base/rt.h"

/* Below so many bytes, touching them is cheaper than asking the kernel. */
#define MPRT_PAGES_SPARSE_BYTES ((size_t)512 << 10)

/* Calls visit for the parts of [from, to) that are not known to be zero, in
 * order. */
typedef void mprt_pages_fn(void *context, const char *from, const char *to);
void mprt_pages_visit(const char *from, const char *to, mprt_pages_fn *visit,
                      void *context);
/* Makes private anonymous memory zero, and gives whole pages back where the
 * system takes them. */
void mprt_pages_clear(void *memory, size_t bytes);
/* Whether the system would map so many bytes at once for a program that wants
 * to write them: it refuses more than all memory and swap. */
bool mprt_pages_would_map(size_t bytes);

#endif
