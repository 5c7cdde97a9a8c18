/* fuzz_table.c -- libFuzzer target: tables by column. A table that opens must
 * be readable to its last row.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shared/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mprof_table table;
    struct mprof_diag diag;
    uint64_t sum = 0;

    if (mprof_table_open(&table, data, size, 0, "table", &diag) != MPROF_E_OK)
        return 0;
    for (uint32_t i = 0; i < table.columns; i++) {
        const uint32_t tag = mprof_table_tag(&table, i);
        const struct mprof_column column = mprof_table_column(&table, tag);
        const struct mprof_blob blob = mprof_table_blob(&table, tag);

        for (uint64_t row = 0; row < table.rows; row++)
            sum += mprof_column_get(&column, row);
        for (uint64_t j = 0; j < blob.size; j++)
            sum += blob.data[j];
    }
    /* Keeps the compiler from removing the reads. */
    return sum == UINT64_C(0x123456789abcdef) ? -1 : 0;
}
