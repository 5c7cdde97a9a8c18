/* set.c -- arrays of distinct rows.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/set.h"

#include <string.h>

void mpdata_set_init(struct mpdata_set *set, const struct mpdata_set_kind *kind)
{
    *set = (struct mpdata_set){.kind = kind,
                               .rows = {.elem_bytes = kind->elem_bytes}};
}

void mpdata_set_fini(struct mpdata_set *set)
{
    mpdata_vec_fini(&set->rows);
    mpdata_map_fini(&set->map);
}

uint32_t mpdata_set_add(struct mpdata_set *set, const void *key, bool *is_new)
{
    const uint64_t hash = set->kind->hash(key);
    const uint32_t found =
        mpdata_map_find(&set->map, hash, set->kind->equal, set->rows.data, key);
    void *row;

    if (is_new != NULL)
        *is_new = found == 0;
    if (found != 0)
        return found;
    row = mpdata_vec_push(&set->rows);
    if (row == NULL)
        return 0;
    if (!mpdata_map_add(&set->map, hash, set->rows.count)) {
        set->rows.count--;
        return 0;
    }
    memcpy(row, key, set->kind->elem_bytes);
    return set->rows.count;
}
