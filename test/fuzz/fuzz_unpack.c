/* fuzz_unpack.c -- libFuzzer target: decompression of whole files, and the
 * detection of what they contain.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/parse.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpdata_file file = {.size = size, .owned = malloc(size + 1)};
    struct mprof_diag diag;
    volatile uint64_t sum = 0;

    if (file.owned == NULL)
        return 0;
    memcpy(file.owned, data, size);
    file.data = file.owned;
    if (mpdata_unpack(&file, &diag) == MPROF_E_OK) {
        for (size_t i = 0; i < file.size; i++)
            sum = sum + file.data[i];
        if (mpdata_detect(file.data, file.size) == MPDATA_KIND_UNKNOWN)
            mpdata_detect_lookalike(file.data, file.size);
    } else if (file.size != size || diag.section == NULL) {
        abort(); /* it must be unchanged, and the position known */
    }
    mpdata_file_close(&file);
    return 0;
}
