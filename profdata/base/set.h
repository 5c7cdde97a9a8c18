/* set.h -- an array of distinct rows: adding one that is there gives the old
 * one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SET_H
#define MPDATA_SET_H

#include "profdata/base/map.h"
#include "profdata/base/vec.h"

/* What rows are. Hashes are of the columns that make rows equal, not of the
 * bytes: structs have padding. */
struct mpdata_set_kind {
    uint64_t (*hash)(const void *key);
    mpdata_map_equal_fn *equal;
    uint32_t elem_bytes;
};

struct mpdata_set {
    const struct mpdata_set_kind *kind; /* a constant of the owner's */
    struct mpdata_vec rows;
    struct mpdata_map map;
};

void mpdata_set_init(struct mpdata_set *set,
                     const struct mpdata_set_kind *kind);
void mpdata_set_fini(struct mpdata_set *set);

/* The row + 1 that equals *key: an old one, or a copy of *key; *is_new (which
 * may be NULL) says which. 0 without memory or with too many rows. */
uint32_t mpdata_set_add(struct mpdata_set *set, const void *key, bool *is_new);

#endif
