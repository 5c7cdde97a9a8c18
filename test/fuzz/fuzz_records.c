/* fuzz_records.c -- libFuzzer target: where profiles that follow each other
 * end.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/parse.h"
#include "shared/record_format.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mprof_diag diag;

    while (size != 0) {
        const enum mpdata_kind kind = mpdata_detect(data, size);
        size_t bytes = 0;

        if (mpdata_records_first(data, size, kind, &bytes, &diag) != MPROF_E_OK)
            break;
        if (bytes == 0 || bytes > size)
            abort(); /* it would never end, or read what is not there */
        if (kind == MPDATA_KIND_RECORD) /* then what it holds */
            bytes = MPROF_RECORD_HEADER_BYTES;
        data += bytes;
        size -= bytes;
    }
    return 0;
}
