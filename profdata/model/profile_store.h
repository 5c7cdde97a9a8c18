/* profile_store.h -- internals of struct mpdata_profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PROFILE_STORE_H
#define MPDATA_PROFILE_STORE_H

#include "profdata/model/profile.h"

/* Maps of a profile's arrays during a copy to another profile: old index -> new
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

/* False when out of memory; mpdata_profile_merge_fini() is due either way. */
bool mpdata_profile_merge_init(struct mpdata_profile_map *map,
                               const struct mpdata_profile *from,
                               struct mpdata_profile *into);
void mpdata_profile_merge_fini(struct mpdata_profile_map *map);

/* Rows of the old profile with the ids of the new one. The rows they refer to
 * must have been mapped before. */
struct mpdata_path
mpdata_profile_merge_path(const struct mpdata_profile_map *map, uint32_t i);
struct mpdata_binary
mpdata_profile_merge_binary(const struct mpdata_profile_map *map, uint32_t i);
struct mpdata_function
mpdata_profile_merge_function(const struct mpdata_profile_map *map, uint32_t i);
struct mpdata_frame
mpdata_profile_merge_frame(const struct mpdata_profile_map *map, uint32_t i);
struct mpdata_tagged
mpdata_profile_merge_tagged(const struct mpdata_profile_map *map, uint32_t i);
struct mpdata_run mpdata_profile_merge_run(const struct mpdata_profile_map *map,
                                           const struct mpdata_run *run);

/* Moves the runs of *owner unchanged into *into, which has none, and returns
 * their rows; the caller maps them. NULL when out of memory. */
struct mpdata_run *mpdata_profile_take_runs(struct mpdata_profile *into,
                                            struct mpdata_profile *owner);

/* mpdata_runs_canonical(): nothing refers to the rows. */
void mpdata_profile_order_runs(struct mpdata_profile *profile);

/* By node, kind and key; for qsort(). */
int mpdata_profile_compare_details(const void *left, const void *right);

/* Sorts the distributions; none may be looked up or added afterwards. */
void mpdata_profile_order_details(struct mpdata_profile *profile);

/* A distribution row of the old profile with the ids of the new one. */
struct mpdata_detail
mpdata_profile_merge_detail(const struct mpdata_profile_map *map, uint32_t i);

/* Adds the series of the old profile, with mapped names. */
void mpdata_profile_merge_series(const struct mpdata_profile_map *map);

/* Adds a node that is known to be new, without a look-up (pairs.h). */
mpdata_ref mpdata_profile_node_append(struct mpdata_profile *profile,
                                      mpdata_ref parent, mpdata_ref frame);

/* Reserves room for `count` nodes in all. */
void mpdata_profile_reserve_nodes(struct mpdata_profile *profile,
                                  uint32_t count);

/* Adds the context of a node that has none yet, without a look-up. */
void mpdata_profile_context_append(struct mpdata_profile *profile,
                                   mpdata_ref node, uint32_t flags,
                                   const struct mprof_mib *mib,
                                   struct mpdata_cells cells);

/* Moves the contexts of *from to *into, which has none: context order[i]
 * becomes the i-th, and nodes[] maps old nodes to new refs. Uses up order[].
 * *from may only be freed afterwards. */
void mpdata_profile_take_contexts(struct mpdata_profile *into,
                                  struct mpdata_profile *from, uint32_t *order,
                                  const mpdata_ref *nodes);

/* Removes the contexts, or tagged rows, whose byte in keep[] is 0. Nothing may
 * be added to them afterwards. */
void mpdata_profile_keep_contexts(struct mpdata_profile *profile,
                                  const uint8_t *keep);
void mpdata_profile_keep_tagged(struct mpdata_profile *profile,
                                const uint8_t *keep);
/* Removes all distributions, so that others can be added. */
void mpdata_profile_drop_details(struct mpdata_profile *profile);

/* Removes frames from call stacks, in place. By ref of a node: leaves[] is the
 * last node of a stack that ends there, callers[] that of the callers of its
 * callees; both are the node itself or a node of its stack. Nodes stay in
 * preorder, but stacks that become equal stay apart, so the profile is not
 * canonical. Nothing may be added afterwards. False when out of memory. */
bool mpdata_profile_reparent(struct mpdata_profile *profile,
                             mpdata_ref *callers, mpdata_ref *leaves);

/* Frees the indexes for additions; nothing may be added afterwards. */
void mpdata_profile_seal(struct mpdata_profile *profile);

void mpdata_profile_swap(struct mpdata_profile *a, struct mpdata_profile *b);

/* Maps a ref by an array of new refs. */
static inline mpdata_ref mpdata_profile_map_ref(const uint32_t *refs,
                                                mpdata_ref ref)
{
    return ref != 0 ? refs[ref - 1] : 0;
}

#endif
