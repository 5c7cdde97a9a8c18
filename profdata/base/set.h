/* set.h -- an array of distinct rows: adding an existing key returns the
 * existing row.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/map.h"
#include "profdata/base/vec.h"

#include <stddef.h>

/* Rows are equal if their first key_bytes bytes are equal (no padding between
 * members), or, with MPDATA_SET_BY_TEXT, if the struct mpdata_str at their
 * start has the same text. */
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

/* Returns the index + 1 of the row that equals *key, or 0. Only the key bytes
 * of *key are read. */
uint32_t mpdata_set_find(const struct mpdata_set *set, const void *key);

/* Finds the row that equals *key, or adds a copy of *key. Returns its index +
 * 1; *is_new (may be NULL) tells whether it was added. 0 when out of memory or
 * with too many rows. */
uint32_t mpdata_set_add(struct mpdata_set *set, const void *key, bool *is_new);
