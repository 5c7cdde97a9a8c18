/* prune.h -- makes a profile smaller: selects, hides and cuts.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"

/* Predicates on a frame of a call stack; NULL: none. */
struct mpdata_prune_frames {
    bool (*function)(void *context, const struct mpdata_str *name,
                     uint64_t guid);
    bool (*file)(void *context, const char *path);
};

/* What to keep; zeroed: everything. Stacks are cut first, then equal ones are
 * merged, then contexts are selected. */
struct mpdata_prune {
    uint32_t depth_max; /* frames to keep from the leaf on; 0: all */
    /* By node ref: the new last node of a stack that ends there, a caller or
     * the same node. NULL: unchanged. */
    const mpdata_ref *ends;
    /* Removes the frames for which one of these is true; a stack that loses all
     * frames becomes an unknown stack. */
    struct mpdata_prune_frames hidden;
    /* The same, but the innermost remaining frame stays. */
    struct mpdata_prune_frames hidden_callers;
    /* Selects contexts that have, for each of these, a frame for which it is
     * true, */
    struct mpdata_prune_frames wanted;
    /* that have a frame for which one of these is true, */
    struct mpdata_prune_frames focused;
    /* and that have no frame for which one of these is true. */
    struct mpdata_prune_frames unwanted;
    /* Selects contexts for which this is true; the view is of the profile after
     * cutting. NULL: all. */
    bool (*keeps)(void *context, const struct mpdata_view *view, uint32_t i);
    void *context;
    /* The kind of tagged rows that mpdata_prune_to_tagged() made the contexts:
     * these rows are removed with their contexts. 0: the contexts are the
     * profile's, so rows of threads are removed with them. */
    uint32_t of_tagged;    /* enum mprof_tag_kind */
    uint64_t bytes_min;    /* smallest total size of a context */
    uint64_t contexts_max; /* to keep, largest first; 0: all */
    /* The options to record in a row LEFT_OUT if something is removed; NULL: do
     * not record. */
    const char *by;
};

struct mpdata_pruned {
    uint64_t contexts; /* number of contexts after cutting */
    uint64_t bytes;
    uint64_t gone_contexts;
    uint64_t gone_bytes;
    uint64_t cut_stacks;
};

/* Makes a new canonical profile whose contexts are the tagged rows of a kind,
 * with unmeasured accesses; keeps these rows, too. NULL when out of memory. */
struct mpdata_profile *
mpdata_prune_to_tagged(const struct mpdata_profile *canonical, uint32_t kind);

/* By node ref: does the stack that ends there fit wanted, focused and unwanted?
 * The caller frees it. NULL when out of memory. */
bool *mpdata_prune_nodes(const struct mpdata_profile *profile,
                         const struct mpdata_prune *prune);

/* Removes frames from stacks as prune->hidden, hidden_callers and ends say, in
 * place, for views by frame: stacks that become equal stay apart, so the result
 * is not canonical, but its nodes are in preorder. Error: NOMEM; the profile
 * may then only be freed. */
MPROF_NODISCARD enum mprof_err
mpdata_prune_hide(struct mpdata_profile *profile,
                  const struct mpdata_prune *prune);

/* Makes *profile, a canonical one, smaller; the result is canonical. Keeps runs
 * and binaries. Pruning is not associative: it is for final outputs, not before
 * a merge. Error: NOMEM; *profile may then only be freed. */
MPROF_NODISCARD enum mprof_err
mpdata_prune_profile(struct mpdata_profile **profile,
                     const struct mpdata_prune *prune,
                     struct mpdata_pruned *pruned);

/* Adds a row LEFT_OUT (tag_format.h), unless *gone has no blocks. */
void mpdata_prune_record(struct mpdata_profile *profile, const char *by,
                         const struct mprof_mib *gone);
