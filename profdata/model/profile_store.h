/* profile_store.h -- the inside of struct mpdata_profile, for profile*.c.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PROFILE_STORE_H
#define MPDATA_PROFILE_STORE_H

#include "profdata/model/profile.h"

/* A profile's arrays while they are copied to another one: old index -> new
 * string, or old index -> new ref. Owned. */
struct mpdata_profile_map {
    struct mpdata_view from;
    struct mpdata_profile *into;
    uint32_t *strings;
    uint32_t *paths;
    uint32_t *binaries;
    uint32_t *functions;
    uint32_t *frames;
    uint32_t *nodes;
};

/* False without memory; mpdata_profile_merge_fini() is due either way. */
bool mpdata_profile_merge_init(struct mpdata_profile_map *map,
                               const struct mpdata_profile *from,
                               struct mpdata_profile *into);
void mpdata_profile_merge_fini(struct mpdata_profile_map *map);

/* Things of the old profile in terms of the new one. What they refer to must
 * have been mapped before. */
struct mpdata_path
mpdata_profile_merge_path(const struct mpdata_profile_map *map, uint32_t i);
struct mpdata_binary
mpdata_profile_merge_binary(const struct mpdata_profile_map *map, uint32_t i);
struct mpdata_function
mpdata_profile_merge_function(const struct mpdata_profile_map *map, uint32_t i);
struct mpdata_frame
mpdata_profile_merge_frame(const struct mpdata_profile_map *map, uint32_t i);
struct mpdata_part
mpdata_profile_merge_part(const struct mpdata_profile_map *map, uint32_t i);
struct mpdata_run mpdata_profile_merge_run(const struct mpdata_profile_map *map,
                                           const struct mpdata_run *run);

/* The rows of the runs of *owner, as they are, into *into, which has none. NULL
 * without memory. The caller turns them into what they are in *into. */
struct mpdata_run *mpdata_profile_take_runs(struct mpdata_profile *into,
                                            struct mpdata_profile *owner);

/* mpdata_runs_canonical(): nothing refers to the rows. */
void mpdata_profile_order_runs(struct mpdata_profile *profile);

/* By node, kind and key. */
int mpdata_profile_compare_details(const void *left, const void *right);

/* In their order; nothing is looked up in them any more. */
void mpdata_profile_order_details(struct mpdata_profile *profile);

/* A detail of the old profile in terms of the new one. */
struct mpdata_detail
mpdata_profile_merge_detail(const struct mpdata_profile_map *map, uint32_t i);

/* The series of the old profile, with the names of the new one. */
void mpdata_profile_merge_series(const struct mpdata_profile_map *map);

/* A node that is not there yet, without looking (pairs.h). */
mpdata_ref mpdata_profile_node_append(struct mpdata_profile *profile,
                                      mpdata_ref parent, mpdata_ref frame);

/* Room for so many nodes in all. */
void mpdata_profile_reserve_nodes(struct mpdata_profile *profile,
                                  uint32_t count);

/* The context of a node that has none yet, without looking. */
void mpdata_profile_context_append(struct mpdata_profile *profile,
                                   mpdata_ref node, uint32_t flags,
                                   const struct mprof_mib *mib,
                                   struct mpdata_cells cells);

/* Moves the contexts of *from to *into, which has none: context order[i]
 * becomes the i-th, and nodes[] maps old nodes to new ones. order[] is used
 * up. What is left of *from is good for freeing only. */
void mpdata_profile_take_contexts(struct mpdata_profile *into,
                                  struct mpdata_profile *from, uint32_t *order,
                                  const mpdata_ref *nodes);

/* Leaves out the contexts, or parts, whose byte is 0: keep[] has one a row.
 * Nothing may be added to them any more. */
void mpdata_profile_keep_contexts(struct mpdata_profile *profile,
                                  const uint8_t *keep);
void mpdata_profile_keep_parts(struct mpdata_profile *profile,
                               const uint8_t *keep);
/* Leaves out all details, so that others can be added. */
void mpdata_profile_drop_details(struct mpdata_profile *profile);

/* Frees what only adding needs. Nothing is added any more. */
void mpdata_profile_seal(struct mpdata_profile *profile);

void mpdata_profile_swap(struct mpdata_profile *a, struct mpdata_profile *b);

/* The old ref in an array of new ones. */
static inline mpdata_ref mpdata_profile_map_ref(const uint32_t *refs,
                                                mpdata_ref ref)
{
    return ref != 0 ? refs[ref - 1] : 0;
}

#endif
