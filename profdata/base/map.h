/* map.h -- the index of a hash-consed array: finds the row that equals a key.
 * Holds hashes and row numbers only; the rows are the caller's. Hashes must
 * come from hash.h: a file could make others collide.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/hash.h"

struct mpdata_map_slot {
    uint32_t hash;
    uint32_t ref; /* row + 1; 0: free */
};

/* Open addressing with linear probing; at most 3/4 full. Starts zeroed. */
struct mpdata_map {
    struct mpdata_map_slot *slots;
    uint32_t capacity; /* a power of two, or 0 */
    uint32_t count;
};

typedef bool mpdata_map_equal_fn(const void *rows, uint32_t row,
                                 const void *key);

/* Returns the index + 1 of the row that equals key, or 0. */
uint32_t mpdata_map_find(const struct mpdata_map *map, uint64_t hash,
                         mpdata_map_equal_fn *equal, const void *rows,
                         const void *key);

/* Adds a row whose key is new; false when out of memory. */
bool mpdata_map_add(struct mpdata_map *map, uint64_t hash, uint32_t ref);

void mpdata_map_fini(struct mpdata_map *map);
