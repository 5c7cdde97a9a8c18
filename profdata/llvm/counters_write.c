/* counters_write.c -- PGO counters as parts of an indexed file.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/counters.h"
#include "shared/le.h"

uint64_t mpdata_counters_write_version(const struct mpdata_counters *counters)
{
    uint64_t version = MPROF_INDEX_VERSION;

    /* LLVM 19 reads up to 12; 13 is for counters that would not match in 12. */
    if ((counters->variant & MPROF_INDEX_VARIANT_IR) == 0)
        version = mprof_max_u64(version, counters->version);
    return version | counters->variant;
}

void mpdata_counters_write_table(const struct mpdata_counters *counters,
                                 struct mprof_buf *out, uint64_t *table_off)
{
    const uint8_t *const data = counters->table.data;
    const size_t shift = out->size - MPDATA_COUNTERS_TABLE_START;

    *table_off = counters->table_off + shift;
    mprof_buf_bytes(out, data + MPDATA_COUNTERS_TABLE_START,
                    counters->table.size - MPDATA_COUNTERS_TABLE_START);
    for (size_t at = counters->table_off + MPROF_INDEX_BUCKETS_OFF;
         at < counters->table.size && !out->failed; at += 8) {
        const uint64_t off = mprof_le_load64(data + at);

        if (off != 0)
            mprof_buf_patch(out, at + shift, off + shift, 8);
    }
}
