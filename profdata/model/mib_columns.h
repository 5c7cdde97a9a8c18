/* mib_columns.h -- MIBs in a table of our formats: a column per field.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/mib.h"
#include "shared/table.h"

/* The MIB columns of a table. */
struct mpdata_mib_columns {
    struct mprof_mib same; /* values that all rows share */
    struct mprof_column columns[MPROF_MIB_FIELDS]; /* of the other fields */
    size_t fields[MPROF_MIB_FIELDS]; /* field index of each column */
    size_t count;
};

/* Finds the columns of a table that are MIB fields; skips others, which are of
 * a newer version. */
void mpdata_mib_columns_find(struct mpdata_mib_columns *columns,
                             const struct mprof_table *table);
struct mprof_mib
mpdata_mib_columns_get(const struct mpdata_mib_columns *columns, uint64_t row);
