/* set.h -- an array of distinct rows: adding one that is there gives the old
 * row.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SET_H
#define MPDATA_SET_H

#include "profdata/base/map.h"
#include "profdata/base/vec.h"

#include <stddef.h>

/* Rows are equal where their first key_bytes bytes are, which must not have
 * padding between members; or, for MPDATA_SET_BY_TEXT, where the struct
 * mpdata_str that they begin with has the same text. */
struct mpdata_set {
    struct mpdata_vec rows;
    struct mpdata_map map;
    uint32_t key_bytes;
};

#define MPDATA_SET_BY_TEXT 0u
/* The bytes of a struct up to the end of a member. */
#define MPDATA_SET_KEY(type, member) \
    ((uint32_t)(offsetof(type, member) + sizeof(((type *)NULL)->member)))

void mpdata_set_init(struct mpdata_set *set, uint32_t key_bytes,
                     size_t row_bytes);
void mpdata_set_fini(struct mpdata_set *set);

/* The row + 1 that equals *key, of which only the key matters; 0: none. */
uint32_t mpdata_set_find(const struct mpdata_set *set, const void *key);

/* The row + 1 that equals *key: an old one, or a copy of *key; *is_new (which
 * may be NULL) says which. 0 without memory, or with too many rows. */
uint32_t mpdata_set_add(struct mpdata_set *set, const void *key, bool *is_new);

#endif
