/* table.h -- the one shape that all our sections have: a table of unsigned
 * numbers, stored by column, plus blobs of bytes.
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
 * columns that it does not know, and takes a column that is not there for one
 * of zeros, so columns can be added without a new version of the format.
 *
 * A table of more than one row has no more rows than bytes: a writer gives one
 * of its columns a width above 0. So nobody can ask for memory with a number
 * alone.
 *
 * Fixed widths instead of varints, because a column can then be read at any row
 * without the ones before it; zstd takes back what they cost.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_TABLE_H
#define MPROF_TABLE_H

#include "shared/buf.h"
#include "shared/err.h"
#include "shared/le.h"

#define MPROF_TABLE_HEADER_BYTES 16
#define MPROF_TABLE_COLUMN_BYTES 32
#define MPROF_TABLE_COLUMNS_MAX 256
#define MPROF_TABLE_BLOB UINT32_MAX

/* A column of a table that was opened. Borrows the table's bytes. */
struct mprof_column {
    const uint8_t *data; /* NULL for a column that is not there */
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

/* Checks the whole directory of the table in data[0..size): after MPROF_E_OK
 * every column lies inside it. Borrows data and section. */
MPROF_NODISCARD enum mprof_err mprof_table_open(struct mprof_table *table,
                                                const void *data, size_t size,
                                                uint64_t file_off,
                                                const char *section,
                                                struct mprof_diag *diag);

/* The column with this tag; without one, a column of zeros. */
struct mprof_column mprof_table_column(const struct mprof_table *table,
                                       uint32_t tag);
bool mprof_table_has_column(const struct mprof_table *table, uint32_t tag);

/* The blob with this tag; without one, an empty blob. */
struct mprof_blob mprof_table_blob(const struct mprof_table *table,
                                   uint32_t tag);

/* Tag of the i-th column, i < table->columns. */
uint32_t mprof_table_tag(const struct mprof_table *table, uint32_t i);

/* The value in a row, row < rows of the table. */
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

/* The value of `tag` in `row`, asked for in any order and more than once. */
typedef uint64_t mprof_table_get_fn(const void *context, uint32_t tag,
                                    uint64_t row);

/* All values of a row, one for each tag, likewise. */
typedef void mprof_table_get_row_fn(const void *context, uint64_t row,
                                    uint64_t *values);

/* A table to be written. `tags` ascend. A blob's tag lies between its
 * neighbours' like any other.
 *
 * Where rows are dear to look at, `get_row` takes the place of `get`, for
 * tables without a blob whose ranges are known: it is asked once for as many
 * columns as fit into scratch[0..scratch_bytes), of at least 8 bytes a row. */
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

/* Writes a table by pieces, as not all are to be in memory as a whole. First
 * this: appends header and directory to head, which must be aligned to 8 from
 * its start, and returns the table's size. Chooses each column's width and base
 * from its values. Failure shows in head->failed. */
size_t mprof_table_head(struct mprof_buf *head,
                        const struct mprof_table_source *source);

/* Smallest and largest value of a column. */
struct mprof_range {
    uint64_t low;
    uint64_t high;
};

/* mprof_table_head() with ranges that are known, one for each tag. */
size_t mprof_table_head_of(struct mprof_buf *head,
                           const struct mprof_table_source *source,
                           const struct mprof_range *ranges);

/* Takes the next n bytes, which may be none. */
typedef void mprof_table_sink_fn(void *to, const void *data, size_t n);

/* Hands what follows the head to the sink. `head` is what mprof_table_head()
 * wrote for this source. */
void mprof_table_data(const void *head, const struct mprof_table_source *source,
                      mprof_table_sink_fn *sink, void *to);

#endif
