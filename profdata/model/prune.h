/* prune.h -- makes a profile smaller: selects, hides and cuts.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"

/* What the caller says of a frame, as bits. */
enum {
    MPDATA_PRUNE_WANTED_FUNCTION = 1,
    MPDATA_PRUNE_WANTED_FILE = 2,
    MPDATA_PRUNE_FOCUSED = 4,
    MPDATA_PRUNE_UNWANTED = 8, /* its call stacks are removed */
    /* The frame is removed; a stack that loses all frames becomes an unknown
     * stack. */
    MPDATA_PRUNE_HIDDEN = 16
};

/* What to keep; zeroed: everything. Frames are hidden first, then stacks are
 * cut, then equal ones are merged, then contexts are selected. */
struct mpdata_prune {
    uint32_t depth_max; /* frames to keep from the leaf on; 0: all */
    /* By node ref: the new last node of a stack that ends there, a caller or
     * the same node. NULL: unchanged. */
    const mpdata_ref *ends;
    /* By node ref: is it removed, unless it is the innermost that remains?
     * NULL: none. */
    const bool *starts;
    /* Return bits of frames by function and by file, each asked once; NULL:
     * none. */
    uint8_t (*function)(void *context, const struct mpdata_str *name,
                        uint64_t guid);
    uint8_t (*file)(void *context, const char *path);
    uint8_t needed; /* selects contexts whose frames have all these bits */
    bool hides;     /* some frames may be hidden */
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

/* By node ref: does the stack that ends there have the needed bits, and is it
 * not unwanted? The caller frees it. NULL when out of memory. */
bool *mpdata_prune_nodes(const struct mpdata_profile *profile,
                         const struct mpdata_prune *prune);

/* Removes hidden frames, and those below prune->ends, from call stacks, in
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
