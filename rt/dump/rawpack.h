/* rawpack.h -- appends sections to the raw profile, compressed if the options
 * ask for it and it saves space.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_RAWPACK_H
#define MPRT_RAWPACK_H

#include "shared/container.h"
#include "shared/table.h"

/* Appends a table of n bytes as a section, aligned, and describes it in
 * *section. `head` is the beginning of the table; the rest comes from `source`
 * in pieces, so the whole table is never in memory. Sets out->failed on
 * failure. */
void mprt_rawpack_section(struct mprof_buf *out, struct mprof_section *section,
                          uint32_t id, const struct mprof_buf *head,
                          const struct mprof_table_source *source, size_t n);
/* The same with a head made from the source's values. */
void mprt_rawpack_table(struct mprof_buf *out, struct mprof_section *section,
                        uint32_t id, const struct mprof_table_source *source);

#endif
