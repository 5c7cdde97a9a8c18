/* profile_store.h -- internals of struct mpdata_profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/arena.h"
#include "profdata/base/pairs.h"
#include "profdata/base/set.h"
#include "profdata/model/profile.h"
#include "profdata/model/runs.h"

/* Tables whose rows refer to each other. Rows of the kinds up to FRAME refer to
 * those of the kinds before, or to earlier rows of their own. */
enum mpdata_kind {
    MPDATA_KIND_STRING,
    MPDATA_KIND_PATH,
    MPDATA_KIND_BINARY,
    MPDATA_KIND_FUNCTION,
    MPDATA_KIND_FRAME,
    MPDATA_KIND_DETAIL,
    MPDATA_KIND_TAGGED,
    MPDATA_KIND_SETS, /* the kinds before are sets of rows */
    MPDATA_KIND_NODE = MPDATA_KIND_SETS,
    MPDATA_KIND_RUN,
    MPDATA_KINDS
};

struct mpdata_profile {
    enum mprof_err status;
    struct mpdata_arena arena; /* bytes of strings */
    struct mpdata_set sets[MPDATA_KIND_SETS];
    struct mpdata_pairs nodes;  /* struct mpdata_node */
    bool has_equal_nodes;       /* mpdata_profile_reparent() was called */
    struct mpdata_vec contexts; /* struct mpdata_context */
    struct mpdata_mib_bases mib_bases;
    struct mpdata_mib_bases tagged_bases;
    struct mpdata_vec owners; /* uint32_t: context + 1, by node ref */
    bool has_cells;           /* some contexts own words */
    bool has_accessed_cells;  /* some histograms are not empty */
    unsigned unit_cells;      /* as in mpdata_view */
    struct mpdata_runs runs;
    struct mpdata_vec series; /* struct mpdata_series */
};

/* Records an error; returns NULL. The second: a row could not be added. */
void *mpdata_profile_fail(struct mpdata_profile *profile, enum mprof_err err);
void *mpdata_profile_fail_rows(struct mpdata_profile *profile,
                               const struct mpdata_vec *rows);

/* Adds a row of a kind up to FRAME; returns its id. */
uint32_t mpdata_profile_add(struct mpdata_profile *profile,
                            enum mpdata_kind kind, const void *row);

/* -- rows by kind (profile_rows.c) ------------------------------------------- */

struct mpdata_rows {
    const void *data;
    uint32_t count;
    uint32_t row_bytes;
};
struct mpdata_rows mpdata_profile_rows_of(const struct mpdata_view *view,
                                          enum mpdata_kind kind);

/* For all rows of a kind, or, if it has marks, for the marked ones: marks the
 * rows of other kinds, and earlier ones of its own, that they refer to. A kind
 * without marks is NULL. Not for nodes. */
void mpdata_profile_rows_mark(const struct mpdata_view *view,
                              enum mpdata_kind kind,
                              uint8_t *const marks[MPDATA_KINDS]);

/* The canonical order of a kind, *context; for qsort_r(). Not for nodes and
 * runs. */
int mpdata_profile_rows_compare(const void *left, const void *right,
                                void *context);

/* -- copies to another profile (profile_merge.c) ----------------------------- */

/* Changes a row on its way: a copy of an old row with the ids of *into. The
 * name of a mark is a row MPDATA_KIND_STRING: mpdata_string. */
struct mpdata_profile_change {
    void (*row)(const void *context, struct mpdata_profile *into,
                enum mpdata_kind kind, void *row);
    const void *context;
};

/* Adds all of *from with changed rows: paths, binaries, functions, frames,
 * tagged rows, runs and names of marks. */
enum mprof_err
mpdata_profile_merge_changed(struct mpdata_profile *into,
                             const struct mpdata_profile *from,
                             const struct mpdata_profile_change *change);

/* By kind: old index -> new string, or old index -> new ref. Owned. */
struct mpdata_profile_map {
    struct mpdata_view from;
    struct mpdata_profile *into;
    const struct mpdata_profile_change *change; /* NULL: none */
    bool has_equal_nodes; /* different nodes may be the same stack of *into */
    uint32_t *ids[MPDATA_KINDS];
};

/* False when out of memory; mpdata_profile_merge_fini() is due either way. */
bool mpdata_profile_merge_init(struct mpdata_profile_map *map,
                               const struct mpdata_profile *from,
                               struct mpdata_profile *into);
void mpdata_profile_merge_fini(struct mpdata_profile_map *map);

/* Gives a copy of an old row the ids of the new profile. The rows it refers to
 * must have been mapped before. Not for nodes. */
void mpdata_profile_rows_map(const struct mpdata_profile_map *map,
                             enum mpdata_kind kind, void *row);

/* Copies row i of the old profile to *row and maps it. */
void mpdata_profile_merge_row(const struct mpdata_profile_map *map,
                              enum mpdata_kind kind, uint32_t i, void *row);

/* Room for a row of any kind that can be added or mapped. */
union mpdata_row {
    struct mpdata_str string;
    struct mpdata_path path;
    struct mpdata_binary binary;
    struct mpdata_function function;
    struct mpdata_frame frame;
    struct mpdata_detail detail;
    struct mpdata_tagged tagged;
    struct mpdata_run run;
};

/* Sorts the distributions; none may be looked up or added afterwards. */
void mpdata_profile_order_details(struct mpdata_profile *profile);

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

/* Maps a ref by an array of new refs. */
static inline mpdata_ref mpdata_profile_map_ref(const uint32_t *refs,
                                                mpdata_ref ref)
{
    return ref != 0 ? refs[ref - 1] : 0;
}
