/* table.c -- opens tables of untrusted files, and writes tables.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/buf.h"
#include "shared/cursor.h"
#include "shared/table.h"

struct descriptor {
    uint32_t tag;
    uint32_t width;
    uint64_t base;
    uint64_t offset;
    uint64_t size;
};

static struct descriptor read_descriptor(const struct mprof_table *table,
                                         uint32_t i)
{
    const uint8_t *p = table->data + MPROF_TABLE_HEADER_BYTES +
                       (size_t)i * MPROF_TABLE_COLUMN_BYTES;

    return (struct descriptor){
        .tag = mprof_le_load32(p),
        .width = mprof_le_load32(p + 4),
        .base = mprof_le_load64(p + 8),
        .offset = mprof_le_load64(p + 16),
        .size = mprof_le_load64(p + 24),
    };
}

static bool is_width(uint32_t width)
{
    return width == 0 || width == 1 || width == 2 || width == 4 || width == 8;
}

/* Checks one descriptor. *end is the offset at which the column's data must
 * start; it is advanced past the data. */
static enum mprof_err check_descriptor(const struct mprof_table *table,
                                       const struct descriptor *d,
                                       uint64_t *end)
{
    if (d->offset != *end)
        return MPROF_E_OFFSET;
    if (d->size > table->size - *end)
        return MPROF_E_TRUNCATED;
    if (d->width == MPROF_TABLE_BLOB) {
        if (d->base != 0)
            return MPROF_E_VALUE;
    } else {
        if (!is_width(d->width))
            return MPROF_E_VALUE;
        if (d->width != 0 && table->rows > d->size / d->width)
            return MPROF_E_TRUNCATED;
        if (d->size != d->width * table->rows)
            return MPROF_E_VALUE;
    }
    *end += mprof_round_up(d->size, 8);
    return *end <= table->size ? MPROF_E_OK : MPROF_E_TRUNCATED;
}

enum mprof_err mprof_table_open(struct mprof_table *table, const void *data,
                                size_t size, uint64_t file_off,
                                const char *section, struct mprof_diag *diag)
{
    struct mprof_cursor c = mprof_cursor_over(data, size, file_off, section);
    uint64_t end;
    uint32_t zero;

    *table = (struct mprof_table){.data = (const uint8_t *)data,
                                  .size = size,
                                  .file_off = file_off,
                                  .section = section};
    table->rows = mprof_cursor_u64(&c);
    table->columns = mprof_cursor_u32(&c);
    zero = mprof_cursor_u32(&c);
    if (table->columns > MPROF_TABLE_COLUMNS_MAX || zero != 0 ||
        (table->rows > 1 && table->rows > size))
        mprof_cursor_fail(&c, MPROF_E_VALUE);
    mprof_cursor_bytes(&c, (uint64_t)table->columns * MPROF_TABLE_COLUMN_BYTES);
    if (c.err != MPROF_E_OK)
        return mprof_cursor_status(&c, diag);

    end = c.pos;
    for (uint32_t i = 0; i < table->columns; i++) {
        const struct descriptor d = read_descriptor(table, i);
        enum mprof_err err = check_descriptor(table, &d, &end);

        if (i > 0 && d.tag <= read_descriptor(table, i - 1).tag)
            err = MPROF_E_DUPLICATE;
        if (err != MPROF_E_OK)
            return mprof_err_fail(diag, err, section,
                                  file_off + MPROF_TABLE_HEADER_BYTES +
                                      (uint64_t)i * MPROF_TABLE_COLUMN_BYTES);
    }
    if (end != size)
        return mprof_err_fail(diag, MPROF_E_VALUE, section, file_off + end);
    return MPROF_E_OK;
}

static bool find_descriptor(const struct mprof_table *table, uint32_t tag,
                            struct descriptor *found)
{
    for (uint32_t i = 0; i < table->columns; i++) {
        *found = read_descriptor(table, i);
        if (found->tag == tag)
            return true;
    }
    return false;
}

struct mprof_column mprof_table_column(const struct mprof_table *table,
                                       uint32_t tag)
{
    struct descriptor d;

    if (!find_descriptor(table, tag, &d) || d.width == MPROF_TABLE_BLOB)
        return (struct mprof_column){.rows = table->rows};
    return (struct mprof_column){.data = table->data + d.offset,
                                 .base = d.base,
                                 .rows = table->rows,
                                 .width = d.width};
}

bool mprof_table_has_column(const struct mprof_table *table, uint32_t tag)
{
    struct descriptor d;

    return find_descriptor(table, tag, &d);
}

struct mprof_blob mprof_table_blob(const struct mprof_table *table,
                                   uint32_t tag)
{
    struct descriptor d;

    if (!find_descriptor(table, tag, &d) || d.width != MPROF_TABLE_BLOB)
        return (struct mprof_blob){.data = NULL, .size = 0};
    return (struct mprof_blob){.data = table->data + d.offset, .size = d.size};
}

uint32_t mprof_table_tag(const struct mprof_table *table, uint32_t i)
{
    return read_descriptor(table, i).tag;
}

static unsigned width_for(uint64_t span)
{
    if (span == 0)
        return 0;
    if (span <= UINT8_MAX)
        return 1;
    if (span <= UINT16_MAX)
        return 2;
    return span <= UINT32_MAX ? 4 : 8;
}

/* Finds the ranges of all columns of numbers. Goes row by row, because the data
 * of two rows may be far apart in memory. */
static void find_ranges(const struct mprof_table_source *source,
                        struct mprof_range *ranges)
{
    for (uint32_t i = 0; i < source->tag_count; i++)
        ranges[i] =
            (struct mprof_range){.low = source->rows != 0 ? UINT64_MAX : 0};
    for (uint64_t row = 0; row < source->rows; row++) {
        for (uint32_t i = 0; i < source->tag_count; i++) {
            if (source->tags[i] == source->blob_tag)
                continue;
            const uint64_t value =
                source->get(source->context, source->tags[i], row);

            ranges[i].low = mprof_min_u64(ranges[i].low, value);
            ranges[i].high = mprof_max_u64(ranges[i].high, value);
        }
    }
}

static struct descriptor plan_column(const struct mprof_table_source *source,
                                     uint32_t tag,
                                     const struct mprof_range *range)
{
    uint64_t low = range->low;
    const uint64_t high = range->high;

    if (tag == source->blob_tag)
        return (struct descriptor){
            .tag = tag, .width = MPROF_TABLE_BLOB, .size = source->blob.size};
    /* Use a base only if it makes the column narrower. */
    if (width_for(high) == width_for(high - low))
        low = 0;
    return (struct descriptor){.tag = tag,
                               .width = width_for(high - low),
                               .base = low,
                               .size = width_for(high - low) * source->rows};
}

/* plan_column() for the i-th column. If all columns of numbers are constant,
 * the last one gets one byte per row all the same (see table.h). *is_wide: a
 * column before this one has a width above 0. */
static struct descriptor plan_next(const struct mprof_table_source *source,
                                   uint32_t i, const struct mprof_range *range,
                                   bool *is_wide)
{
    const uint32_t last = source->tag_count - 1;
    struct descriptor d = plan_column(source, source->tags[i], range);
    const bool is_last =
        i == last || (i + 1 == last && source->tags[last] == source->blob_tag);

    if (d.width == 0 && is_last && !*is_wide && source->rows > 1) {
        d.width = 1;
        d.size = source->rows;
    }
    *is_wide |= d.width != 0 && d.width != MPROF_TABLE_BLOB;
    return d;
}

/* Constant widths, so that each compiles to one store. */
static inline void store(uint8_t *p, uint64_t value, uint32_t width)
{
    switch (width) {
    case 1:
        *p = (uint8_t)value;
        break;
    case 2:
        mprof_le_store(p, value, 2);
        break;
    case 4:
        mprof_le_store(p, value, 4);
        break;
    case 8:
        mprof_le_store(p, value, 8);
        break;
    default:
        break;
    }
}

#define PIECE_BYTES 2048

/* Hands the numbers of a column to the sink in pieces. */
static void emit_numbers(const struct mprof_table_source *source,
                         const struct descriptor *d, mprof_table_sink_fn *sink,
                         void *to)
{
    uint8_t piece[PIECE_BYTES];
    size_t used = 0;

    for (uint64_t row = 0; row < source->rows; row++) {
        store(piece + used, source->get(source->context, d->tag, row) - d->base,
              d->width);
        used += d->width;
        if (used == sizeof(piece)) {
            sink(to, piece, used);
            used = 0;
        }
    }
    sink(to, piece, used);
}

size_t mprof_table_head_of(struct mprof_buf *head,
                           const struct mprof_table_source *source,
                           const struct mprof_range *ranges)
{
    bool is_wide = false;
    uint64_t end = MPROF_TABLE_HEADER_BYTES +
                   (uint64_t)source->tag_count * MPROF_TABLE_COLUMN_BYTES;

    mprof_buf_u64(head, source->rows);
    mprof_buf_u32(head, source->tag_count);
    mprof_buf_u32(head, 0);
    for (uint32_t i = 0; i < source->tag_count; i++) {
        const struct descriptor d = plan_next(source, i, &ranges[i], &is_wide);

        mprof_buf_u32(head, d.tag);
        mprof_buf_u32(head, d.width);
        mprof_buf_u64(head, d.base);
        mprof_buf_u64(head, end);
        mprof_buf_u64(head, d.size);
        end += mprof_round_up(d.size, 8);
    }
    return (size_t)end;
}

size_t mprof_table_head(struct mprof_buf *head,
                        const struct mprof_table_source *source)
{
    struct mprof_range ranges[MPROF_TABLE_COLUMNS_MAX];

    find_ranges(source, ranges);
    return mprof_table_head_of(head, source, ranges);
}

/* Writes columns [first, end) of all rows to the scratch memory, column after
 * column. */
static void fill_columns(const struct mprof_table_source *source,
                         const struct descriptor *columns, uint32_t first,
                         uint32_t end)
{
    uint64_t values[MPROF_TABLE_COLUMNS_MAX];

    for (uint64_t row = 0; row < source->rows; row++) {
        uint8_t *column = source->scratch;

        source->get_row(source->context, row, values);
        for (uint32_t i = first; i < end; i++) {
            const struct descriptor *const d = &columns[i];

            store(column + row * d->width, values[i] - d->base, d->width);
            column += d->size;
        }
    }
}

static const uint8_t zeros[8];

static void emit_padding(const struct descriptor *d, mprof_table_sink_fn *sink,
                         void *to)
{
    sink(to, zeros, (size_t)(mprof_round_up(d->size, 8) - d->size));
}

/* mprof_table_data() for sources with get_row. Each pass over the rows fills as
 * many columns as fit into the scratch memory. */
static void emit_rows(const struct mprof_table *planned,
                      const struct mprof_table_source *source,
                      mprof_table_sink_fn *sink, void *to)
{
    struct descriptor columns[MPROF_TABLE_COLUMNS_MAX];
    uint32_t end = 0;

    for (uint32_t i = 0; i < source->tag_count; i++)
        columns[i] = read_descriptor(planned, i);
    while (end < source->tag_count) {
        const uint32_t first = end;
        const uint8_t *column = source->scratch;
        uint64_t room = source->scratch_bytes;

        for (; end < source->tag_count && columns[end].size <= room; end++)
            room -= columns[end].size;
        fill_columns(source, columns, first, end);
        for (uint32_t i = first; i < end; i++) {
            sink(to, column, (size_t)columns[i].size);
            emit_padding(&columns[i], sink, to);
            column += columns[i].size;
        }
    }
}

void mprof_table_data(const void *head, const struct mprof_table_source *source,
                      mprof_table_sink_fn *sink, void *to)
{
    const struct mprof_table planned = {.data = (const uint8_t *)head};

    if (source->get_row != NULL) {
        emit_rows(&planned, source, sink, to);
        return;
    }
    for (uint32_t i = 0; i < source->tag_count; i++) {
        const struct descriptor d = read_descriptor(&planned, i);

        if (d.width == MPROF_TABLE_BLOB)
            sink(to, source->blob.data, (size_t)source->blob.size);
        else if (d.width != 0)
            emit_numbers(source, &d, sink, to);
        emit_padding(&d, sink, to);
    }
}
