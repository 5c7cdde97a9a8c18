/* counters.c -- PGO counters in memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/content.h"

#include <string.h>

void mpdata_counters_init(struct mpdata_counters *counters)
{
    *counters = (struct mpdata_counters){
        .binary_ids = {.elem_bytes = sizeof(struct mpdata_bytes)}};
}

void mpdata_counters_fini(struct mpdata_counters *counters)
{
    mpdata_vec_fini(&counters->binary_ids);
    mpdata_arena_fini(&counters->arena);
}

void mpdata_counters_move(struct mpdata_counters *into,
                          struct mpdata_counters *from)
{
    mpdata_counters_fini(into);
    *into = *from;
    mpdata_counters_init(from);
}

bool mpdata_counters_keep(struct mpdata_counters *counters, const void *data,
                          uint64_t size, struct mpdata_bytes *part)
{
    uint8_t *const copy = mpdata_arena_alloc(&counters->arena, size);

    if (copy == NULL)
        return false;
    if (size != 0)
        memcpy(copy, data, size);
    *part = (struct mpdata_bytes){.data = copy, .size = size};
    return true;
}
