/* mib_columns.h -- MIBs as a table of our formats holds them: a column a field.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_MIB_COLUMNS_H
#define MPDATA_MIB_COLUMNS_H

#include "shared/mib.h"
#include "shared/table.h"

/* The columns of a MIB that a table has. */
struct mpdata_mib_columns {
    struct mprof_mib same; /* what all rows have alike */
    struct mprof_column columns[MPROF_MIB_FIELDS]; /* of the rest */
    size_t fields[MPROF_MIB_FIELDS]; /* index of each column's field */
    size_t count;
};

/* Fills *columns with those of a table that are fields of a MIB; others are of
 * a newer version, and skipped. */
void mpdata_mib_columns_find(struct mpdata_mib_columns *columns,
                             const struct mprof_table *table);
struct mprof_mib
mpdata_mib_columns_get(const struct mpdata_mib_columns *columns, uint64_t row);
/* Those of all `rows` merged. */
struct mprof_mib
mpdata_mib_columns_sum(const struct mpdata_mib_columns *columns, uint64_t rows);

#endif
