/* fuzz_counters.c -- libFuzzer target: PGO counters of indexed files. What is
 * read must add up with itself and be writable.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/counters.h"
#include "profdata/base/heapbuf.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_all(const struct mpdata_counters *counters)
{
    struct mprof_buf out;
    uint64_t table_off = 0;

    mpdata_heapbuf_init(&out);
    if (mpdata_counters_write_summary(counters, &out) == MPROF_E_OK &&
        mpdata_counters_write_table(counters, &out, &table_off) == MPROF_E_OK) {
        mpdata_counters_write_vtables(counters, &out);
        if (table_off > out.size)
            abort();
    }
    mpdata_heapbuf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpdata_counters one;
    struct mpdata_counters sum;
    struct mprof_diag diag;

    mpdata_counters_init(&one);
    mpdata_counters_init(&sum);
    if (mpdata_counters_read(data, size, &one, &diag) == MPROF_E_OK &&
        one.is_present) {
        write_all(&one);
        if (mpdata_counters_match(&sum, &one, &diag) != MPROF_E_OK)
            abort();
        if (mpdata_counters_merge(&sum, &one, 1) == MPROF_E_OK &&
            mpdata_counters_match(&sum, &one, &diag) == MPROF_E_OK &&
            mpdata_counters_merge(&sum, &one, UINT64_MAX) == MPROF_E_OK) {
            mpdata_counters_canonical(&sum);
            write_all(&sum);
        }
    }
    mpdata_counters_fini(&sum);
    mpdata_counters_fini(&one);
    return 0;
}
