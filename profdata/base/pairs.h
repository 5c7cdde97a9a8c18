/* pairs.h -- an array of distinct pairs of numbers: adding one that is there
 * gives the old one. What call stacks are made of (parent and frame), so it is
 * what reading and merging spend their time on.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PAIRS_H
#define MPDATA_PAIRS_H

#include "profdata/base/map.h"
#include "profdata/base/vec.h"

struct mpdata_pairs {
    struct mpdata_vec rows; /* uint32_t[2] each */
    uint32_t *slots;        /* row + 1; 0: free. Open addressing */
    uint32_t capacity;      /* of slots; a power of two, or 0: not indexed */
};

void mpdata_pairs_init(struct mpdata_pairs *pairs);
void mpdata_pairs_fini(struct mpdata_pairs *pairs);

/* The row + 1 of (a, b), added where it is new; 0 without memory or with too
 * many rows. */
uint32_t mpdata_pairs_add(struct mpdata_pairs *pairs, uint32_t a, uint32_t b);

/* Adds a pair that is not there yet, without looking: for rows that come from
 * another set. The index is made when the next mpdata_pairs_add() needs it. */
uint32_t mpdata_pairs_append(struct mpdata_pairs *pairs, uint32_t a,
                             uint32_t b);

/* Gives back the memory of the index, until mpdata_pairs_add() needs it. */
void mpdata_pairs_seal(struct mpdata_pairs *pairs);

#endif
