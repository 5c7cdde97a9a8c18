/* raw.c -- memory of a raw dump.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/raw.h"

#include <stdlib.h>

#define X(key, name, what, help) \
    _Static_assert((key) < MPDATA_RAW_METAS, "keys are 1, 2, 3, ...");
MPROF_RAW_METAS(X)
#undef X

void mpdata_raw_free(struct mpdata_raw *raw)
{
    free(raw->modules);
    free(raw->segments);
    free(raw->frames);
    free(raw->nodes);
    free(raw->contexts);
    free(raw->cells);
    free(raw->strings);
    free(raw->string_table);
    *raw = (struct mpdata_raw){.modules = NULL};
}

void mpdata_raw_file_free(struct mpdata_raw_file *file)
{
    for (size_t i = 0; i < file->count; i++)
        mpdata_raw_free(&file->dumps[i]);
    free(file->dumps);
    *file = (struct mpdata_raw_file){.dumps = NULL};
}

void *mpdata_raw_array(uint64_t count, size_t item_bytes)
{
    if (count >= UINT32_MAX)
        return NULL;
    return calloc((size_t)count + 1, item_bytes);
}
