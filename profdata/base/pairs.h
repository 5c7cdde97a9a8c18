/* pairs.h -- an array of distinct pairs of numbers: adding an existing pair
 * returns the existing row. Call stacks consist of pairs (parent, frame), so
 * reading and merging spend most of their time here.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/map.h"
#include "profdata/base/vec.h"

struct mpdata_pairs {
    struct mpdata_vec rows; /* uint32_t[2] each */
    uint32_t *slots;        /* row + 1; 0: free. Open addressing */
    uint32_t capacity;      /* of slots; a power of two, or 0: no index */
};

void mpdata_pairs_init(struct mpdata_pairs *pairs);
void mpdata_pairs_fini(struct mpdata_pairs *pairs);

/* Finds or adds (a, b). Its row + 1; 0 without memory or on too many rows. */
uint32_t mpdata_pairs_add(struct mpdata_pairs *pairs, uint32_t a, uint32_t b);

/* Adds a pair that is known to be new, without a look-up: for rows of another
 * set. The next mpdata_pairs_add() builds the index. */
uint32_t mpdata_pairs_append(struct mpdata_pairs *pairs, uint32_t a,
                             uint32_t b);

/* Frees the index until mpdata_pairs_add() needs it. */
void mpdata_pairs_seal(struct mpdata_pairs *pairs);
