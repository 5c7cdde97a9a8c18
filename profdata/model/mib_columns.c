/* mib_columns.c -- reads MIBs from columns.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/mib_columns.h"

void mpdata_mib_columns_find(struct mpdata_mib_columns *columns,
                             const struct mprof_table *table)
{
    *columns = (struct mpdata_mib_columns){.count = 0};
    for (uint32_t i = 0; i < table->columns; i++) {
        const uint32_t tag = mprof_table_tag(table, i);
        const size_t field = mprof_mib_index_of_tag(tag);

        if (field == MPROF_MIB_FIELDS)
            continue;
        columns->columns[columns->count] = mprof_table_column(table, tag);
        if (columns->columns[columns->count].width == 0)
            mprof_mib_set(&columns->same, field,
                          columns->columns[columns->count].base);
        else
            columns->fields[columns->count++] = field;
    }
}

struct mprof_mib
mpdata_mib_columns_get(const struct mpdata_mib_columns *columns, uint64_t row)
{
    struct mprof_mib mib = columns->same;

    for (size_t i = 0; i < columns->count; i++)
        mprof_mib_set(&mib, columns->fields[i],
                      mprof_column_get(&columns->columns[i], row));
    return mib;
}

/* Merges a column; no row may be without blocks. */
static uint64_t sum_column(const struct mprof_column *column, uint64_t rows,
                           uint8_t merge)
{
    uint64_t sum = mprof_column_get(column, 0);

    for (uint64_t i = 1; i < rows; i++) {
        const uint64_t value = mprof_column_get(column, i);

        sum = merge == MPROF_MERGE_SUM   ? mprof_add_sat_u64(sum, value)
              : merge == MPROF_MERGE_MIN ? mprof_min_u64(sum, value)
                                         : mprof_max_u64(sum, value);
    }
    return sum;
}

static struct mprof_mib sum_rows(const struct mpdata_mib_columns *columns,
                                 uint64_t rows)
{
    struct mprof_mib sum = {.AllocCount = 0};

    for (uint64_t i = 0; i < rows; i++) {
        const struct mprof_mib mib = mpdata_mib_columns_get(columns, i);

        mprof_mib_merge(&sum, &mib);
    }
    return sum;
}

/* A row without blocks is ignored, whatever its other fields are. */
static bool has_empty_row(const struct mpdata_mib_columns *columns,
                          uint64_t rows)
{
    for (size_t i = 0; i < columns->count; i++) {
        if (columns->fields[i] == MPROF_MIB_INDEX_AllocCount)
            return sum_column(&columns->columns[i], rows, MPROF_MERGE_MIN) == 0;
    }
    return columns->same.AllocCount == 0;
}

struct mprof_mib
mpdata_mib_columns_sum(const struct mpdata_mib_columns *columns, uint64_t rows)
{
    struct mprof_mib sum = columns->same;

    if (rows == 0 || has_empty_row(columns, rows))
        return sum_rows(columns, rows);
    for (size_t i = 0; i < MPROF_MIB_FIELDS; i++) {
        if (mprof_mib_fields[i].merge == MPROF_MERGE_SUM)
            mprof_mib_set(&sum, i,
                          mprof_mul_sat_u64(mprof_mib_get(&sum, i), rows));
    }
    for (size_t i = 0; i < columns->count; i++)
        mprof_mib_set(&sum, columns->fields[i],
                      sum_column(&columns->columns[i], rows,
                                 mprof_mib_fields[columns->fields[i]].merge));
    sum.AccessHistogram = 0;
    return sum;
}
