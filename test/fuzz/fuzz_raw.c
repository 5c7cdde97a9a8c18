/* fuzz_raw.c -- libFuzzer target: the readers of raw profiles in both formats,
 * without checksums so that damage reaches the parsers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/raw/raw.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Looks at everything that a reader promises to have checked. */
static uint64_t look_at(const struct mpdata_raw *raw)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < raw->segment_count; i++)
        sum += raw->modules[raw->segments[i].module].path.size;
    for (uint32_t i = 0; i < raw->frame_count; i++) {
        if (raw->frames[i].module != 0)
            sum += raw->modules[raw->frames[i].module - 1].bias;
    }
    for (uint32_t i = 0; i < raw->node_count; i++) {
        if (raw->nodes[i].parent > i)
            abort();
        sum += raw->frames[raw->nodes[i].frame].address;
    }
    for (uint32_t i = 0; i < raw->context_count; i++) {
        const struct mpdata_raw_context *context = &raw->contexts[i];
        const struct mprof_mib mib = mpdata_raw_mib(raw, i);

        if (context->node != 0)
            sum += raw->nodes[context->node - 1].frame;
        struct mpdata_cells cells = mpdata_raw_cells(raw, i);
        struct mpdata_cells_run run;
        while (mpdata_cells_next_run(&cells, &run)) {
            if (run.first + run.count > mib.AccessHistogramSize)
                abort();
            for (uint64_t k = 0; k < run.count; k++)
                sum += run.counts[k];
        }
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpdata_raw_file file = {.dumps = NULL};
    struct mprof_diag diag;
    volatile uint64_t sum = 0;

    const enum mprof_err err =
        mpdata_raw_file_read(data, size, false, &file, &diag);

    if (err != MPROF_E_OK)
        return 0;
    for (size_t i = 0; i < file.count; i++)
        sum = sum + look_at(&file.dumps[i]);
    mpdata_raw_file_free(&file);
    return 0;
}
