/* rawpack.h -- sections of the raw profile, compressed where the options want
 * it and it saves something.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_RAWPACK_H
#define MPRT_RAWPACK_H

#include "shared/container.h"
#include "shared/table.h"

/* Appends a section, aligned, and describes it in *section: a table of n bytes,
 * of which `head` holds the beginning, without having it in memory as a whole.
 * Failure shows in out->failed. */
void mprt_rawpack_section(struct mprof_buf *out, struct mprof_section *section,
                          uint32_t id, const struct mprof_buf *head,
                          const struct mprof_table_source *source, size_t n);
/* The same with the head that the source's values give. */
void mprt_rawpack_table(struct mprof_buf *out, struct mprof_section *section,
                        uint32_t id, const struct mprof_table_source *source);

#endif
