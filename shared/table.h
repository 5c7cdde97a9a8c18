/* table.h -- the layout of all our sections: a table of unsigned numbers,
 * stored by column, plus blobs of bytes.
 *
 *   TABLE  := u64 rows, u32 columns, u32 zero, COLUMN * columns, data
 *   COLUMN :=
 *   OFFSET  SIZE  DESCRIPTION
 *        0     4  tag, unique within the table, ascending
 *        4     4  width: 0 (every value equals base), 1, 2, 4 or 8 bytes per
 *                 value; MPROF_TABLE_BLOB for a column of bytes
 *        8     8  base: value = base + stored number; 0 for a blob
 *       16     8  offset of the data from the start of the table, a multiple
 *                 of 8
 *       24     8  size of the data in bytes: width * rows, or the blob's length
 *
 * The data of the columns follow each other in the order of the descriptors,
 * each padded with zeros to 8 bytes; nothing follows the last. A reader skips
 * unknown columns and takes a missing column as zeros, so that columns can be
 * added without a new version of the format.
 *
 * A table with more than one row has no more rows than bytes: a writer gives at
 * least one column a width above 0. So the number of rows in a damaged file
 * cannot make a reader allocate much more memory than the file is large.
 *
 * Widths are fixed (no varints), so that a reader can access any row directly;
 * zstd compresses the unused bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/buf.h"
#include "shared/err.h"
#include "shared/le.h"

#define MPROF_TABLE_HEADER_BYTES 16
#define MPROF_TABLE_COLUMN_BYTES 32
#define MPROF_TABLE_COLUMNS_MAX 256
#define MPROF_TABLE_BLOB UINT32_MAX

/* A column of an open table. Borrows the table's bytes. */
struct mprof_column {
    const uint8_t *data; /* NULL for a missing column */
    uint64_t base;
    uint64_t rows;
    uint32_t width; /* 0..8 */
};

struct mprof_blob {
    const uint8_t *data;
    uint64_t size;
};

struct mprof_table {
    const uint8_t *data;
    size_t size;
    uint64_t rows;
    uint32_t columns;
    uint64_t file_off;
    const char *section;
};

/* Opens the table in data[0..size), which is at file_off of its file, and
 * checks all descriptors: after MPROF_E_OK every column lies inside the data.
 * Borrows data and section (a literal for messages). */
MPROF_NODISCARD enum mprof_err mprof_table_open(struct mprof_table *table,
                                                const void *data, size_t size,
                                                uint64_t file_off,
                                                const char *section,
                                                struct mprof_diag *diag);

/* The column with this tag, or a column of zeros if there is none. */
struct mprof_column mprof_table_column(const struct mprof_table *table,
                                       uint32_t tag);
bool mprof_table_has_column(const struct mprof_table *table, uint32_t tag);

/* The blob with this tag, or an empty blob if there is none. */
struct mprof_blob mprof_table_blob(const struct mprof_table *table,
                                   uint32_t tag);

/* Tag of the i-th column, i < table->columns. */
uint32_t mprof_table_tag(const struct mprof_table *table, uint32_t i);

/* The value in a row; row < column->rows. */
static inline uint64_t mprof_column_get(const struct mprof_column *column,
                                        uint64_t row)
{
    switch (column->width) {
    case 1:
        return column->base + column->data[row];
    case 2:
        return column->base + mprof_le_load(column->data + 2 * row, 2);
    case 4:
        return column->base + mprof_le_load(column->data + 4 * row, 4);
    case 8:
        return column->base + mprof_le_load(column->data + 8 * row, 8);
    default:
        return column->base;
    }
}

/* Returns the value of column `tag` in a row. The writer asks in any order, and
 * more than once for the same value. */
typedef uint64_t mprof_table_get_fn(const void *context, uint32_t tag,
                                    uint64_t row);

/* Stores all values of a row in values[], in the order of the tags. The writer
 * may ask more than once for the same row. */
typedef void mprof_table_get_row_fn(const void *context, uint64_t row,
                                    uint64_t *values);

/* A table to be written. `tags` ascend, including the tag of a blob.
 *
 * If computing a row is expensive, set `get_row` instead of `get`, and write
 * the head with mprof_table_head_of(). The table must not have a blob. The
 * writer then passes over the rows once for as many columns as fit into
 * scratch[0..scratch_bytes), which has at least 8 bytes per row. */
struct mprof_table_source {
    uint64_t rows;
    const uint32_t *tags;
    uint32_t tag_count;
    mprof_table_get_fn *get;
    mprof_table_get_row_fn *get_row;
    uint8_t *scratch;
    size_t scratch_bytes;
    const void *context;
    uint32_t blob_tag; /* 0: no blob */
    struct mprof_blob blob;
};

/* A table is written in two steps, head and data, so that it need not be in
 * memory as a whole. This is the first step: appends header and descriptors to
 * `head`, whose size must be a multiple of 8, and returns the size of the
 * table. Chooses the width and base of each column by its values. On failure
 * sets head->failed. */
size_t mprof_table_head(struct mprof_buf *head,
                        const struct mprof_table_source *source);

/* Smallest and largest value of a column. */
struct mprof_range {
    uint64_t low;
    uint64_t high;
};

/* mprof_table_head() with known ranges, one for each tag. */
size_t mprof_table_head_of(struct mprof_buf *head,
                           const struct mprof_table_source *source,
                           const struct mprof_range *ranges);

/* Receives the next n bytes; n may be 0. */
typedef void mprof_table_sink_fn(void *to, const void *data, size_t n);

/* Second step: passes the bytes after the head to the sink. `head` is what
 * mprof_table_head() wrote for the same source. */
void mprof_table_data(const void *head, const struct mprof_table_source *source,
                      mprof_table_sink_fn *sink, void *to);
