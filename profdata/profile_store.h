/* profile_store.h -- the inside of struct mpdata_profile, for profile*.c.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PROFILE_STORE_H
#define MPDATA_PROFILE_STORE_H

#include "profdata/profile.h"

/* A profile's arrays while they are copied to another one: old index -> new
 * string, or old index -> new ref. Owned. */
struct mpdata_profile_map {
    struct mpdata_view from;
    struct mpdata_profile *into;
    uint32_t *strings;
    uint32_t *paths;
    uint32_t *binaries;
    uint32_t *functions;
    uint32_t *entries;
    uint32_t *nodes;
};

/* False without memory; mpdata_profile_map_fini() is due either way. */
bool mpdata_profile_map_init(struct mpdata_profile_map *map,
                             const struct mpdata_profile *from,
                             struct mpdata_profile *into);
void mpdata_profile_map_fini(struct mpdata_profile_map *map);

/* Things of the old profile in terms of the new one. What they refer to must
 * have been mapped before. */
struct mpdata_path mpdata_profile_map_path(const struct mpdata_profile_map *map,
                                           uint32_t i);
struct mpdata_binary
mpdata_profile_map_binary(const struct mpdata_profile_map *map, uint32_t i);
struct mpdata_function
mpdata_profile_map_function(const struct mpdata_profile_map *map, uint32_t i);
struct mpdata_entry
mpdata_profile_map_entry(const struct mpdata_profile_map *map, uint32_t i);
struct mpdata_run mpdata_profile_map_run(const struct mpdata_profile_map *map,
                                         uint32_t i);

/* The old ref in an array of new ones. */
static inline mpdata_ref mpdata_profile_map_ref(const uint32_t *refs,
                                                mpdata_ref ref)
{
    return ref != 0 ? refs[ref - 1] : 0;
}

#endif
