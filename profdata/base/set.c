/* set.c -- arrays of distinct rows.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/set.h"
#include "profdata/base/str.h"

#include <string.h>

void mpdata_set_init(struct mpdata_set *set, uint32_t key_bytes,
                     size_t row_bytes)
{
    *set = (struct mpdata_set){.rows = {.elem_bytes = (uint32_t)row_bytes},
                               .key_bytes = key_bytes};
}

void mpdata_set_fini(struct mpdata_set *set)
{
    mpdata_vec_fini(&set->rows);
    mpdata_map_fini(&set->map);
}

static uint64_t hash_key(const struct mpdata_set *set, const void *key)
{
    const struct mpdata_str *const text = key;

    return set->key_bytes == MPDATA_SET_BY_TEXT
               ? mpdata_hash_bytes(text->bytes, text->size)
               : mpdata_hash_bytes(key, set->key_bytes);
}

static bool equal_row(const void *of, uint32_t row, const void *key)
{
    const struct mpdata_set *const set = of;
    const void *const at =
        (const uint8_t *)set->rows.data + (size_t)row * set->rows.elem_bytes;

    return set->key_bytes == MPDATA_SET_BY_TEXT
               ? mpdata_str_compare(at, key) == 0
               : memcmp(at, key, set->key_bytes) == 0;
}

uint32_t mpdata_set_find(const struct mpdata_set *set, const void *key)
{
    /* A zeroed set has no rows. */
    return set->rows.count != 0 ? mpdata_map_find(&set->map, hash_key(set, key),
                                                  equal_row, set, key)
                                : 0;
}

uint32_t mpdata_set_add(struct mpdata_set *set, const void *key, bool *is_new)
{
    const uint64_t hash = hash_key(set, key);
    const uint32_t found =
        mpdata_map_find(&set->map, hash, equal_row, set, key);

    if (is_new != NULL)
        *is_new = found == 0;
    if (found != 0)
        return found;
    void *row = mpdata_vec_push(&set->rows);
    if (row == NULL)
        return 0;
    if (!mpdata_map_add(&set->map, hash, set->rows.count)) {
        set->rows.count--;
        return 0;
    }
    memcpy(row, key, set->rows.elem_bytes);
    return set->rows.count;
}
