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
