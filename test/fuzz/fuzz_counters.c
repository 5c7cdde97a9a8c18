/* fuzz_counters.c -- libFuzzer target: PGO counters of indexed files. At
 * another offset of a file they must read as the same.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/content.h"
#include "profdata/base/sink.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* At the offset where they are in memory, the bytes are equal. */
static void write_again(struct mpdata_counters *counters)
{
    struct mprof_buf out;
    uint64_t table_off = 0;

    mpdata_heapbuf_init(&out);
    mprof_buf_u64(&out, 0);
    mpdata_counters_write_table(counters, &out, &table_off);
    if (!out.failed &&
        (table_off != counters->table_off || out.size != counters->table.size ||
         memcmp(out.data, counters->table.data, out.size) != 0 ||
         mpdata_counters_read_check(counters) != MPROF_E_OK))
        abort();
    mpdata_heapbuf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpdata_counters counters;
    struct mprof_diag diag;

    mpdata_counters_init(&counters);
    if (mpdata_counters_read(data, size, &counters, &diag) == MPROF_E_OK &&
        counters.is_present)
        write_again(&counters);
    mpdata_counters_fini(&counters);
    return 0;
}
