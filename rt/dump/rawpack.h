/* rawpack.h -- appends sections to the raw profile, compressed if the options
 * ask for it and it saves space.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

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
/* The same as the next section of the directory. */
void mprt_rawpack_add(struct mprof_buf *out, struct mprof_dir *dir, uint32_t id,
                      const struct mprof_table_source *source);
/* The same for rows that are in memory, each an array of a number per tag. */
struct mprt_rawpack_numbers {
    const uint64_t *numbers;
    uint64_t rows;
    const uint32_t *tags;
    uint32_t tag_count;
};
void mprt_rawpack_numbers(struct mprof_buf *out, struct mprof_dir *dir,
                          uint32_t id,
                          const struct mprt_rawpack_numbers *numbers);

/* The tags in ascending order, as members of a source. */
#define MPRT_RAWPACK_TAGS(...)               \
    .tags = (const uint32_t[]){__VA_ARGS__}, \
    .tag_count = sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)
