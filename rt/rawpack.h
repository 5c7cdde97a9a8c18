/* rawpack.h -- a section of the raw profile, compressed.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_RAWPACK_H
#define MPRT_RAWPACK_H

#include "shared/table.h"

/* Appends a table of n bytes, of which `head` holds the beginning, compressed
 * and without having it in memory as a whole; all of it where source is NULL.
 * False where that fails or saves nothing: then *out is as it was. */
bool mprt_rawpack(struct mprof_buf *out, const struct mprof_buf *head,
                  const struct mprof_table_source *source, size_t n);

#endif
