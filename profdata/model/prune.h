/* prune.h -- a smaller profile: only what is asked for, only what is large.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_PRUNE_H
#define MPDATA_PRUNE_H

#include "profdata/model/profile.h"

/* What a frame of a call stack may be asked. NULL: it is not. */
struct mpdata_prune_frames {
    bool (*function)(void *context, const struct mpdata_str *name,
                     uint64_t guid);
    bool (*file)(void *context, const char *path);
};

/* What is kept; zeroes keep everything. In this order: stacks are cut, equal
 * ones joined, then contexts are chosen. */
struct mpdata_prune {
    uint32_t depth_max; /* frames from the leaf on; 0: all */
    /* By node ref, the node at which a stack that ends there ends now: a caller
     * or the same. NULL: all end where they did. */
    const mpdata_ref *ends;
    /* Stacks lose the frames for which one of these is true; a stack without
     * frames is one of which nothing is known. */
    struct mpdata_prune_frames hidden;
    /* The same, but the innermost frame that is left stays. */
    struct mpdata_prune_frames hidden_callers;
    /* Contexts with frames in their stack for which each of these is true, */
    struct mpdata_prune_frames wanted;
    /* with a frame for which one of these is true, */
    struct mpdata_prune_frames focused;
    /* and with none for which one of these is. */
    struct mpdata_prune_frames unwanted;
    /* Contexts for which this is true; the view is that of the profile whose
     * stacks were cut. NULL: all. */
    bool (*keeps)(void *context, const struct mpdata_view *view, uint32_t i);
    void *context;
    /* What parts the contexts are made of, by mpdata_prune_to_parts(): they go
     * with the contexts. 0: of none, so that threads' parts do. */
    uint32_t of_parts;     /* enum mprof_part_kind */
    uint64_t bytes_min;    /* allocated by a context in all */
    uint64_t contexts_max; /* the largest ones; 0: all */
    /* By which options, to be kept in the profile as a part LEFT_OUT where
     * something is left out; NULL: it is not to be kept. */
    const char *by;
};

struct mpdata_pruned {
    uint64_t contexts; /* of them all, after cutting */
    uint64_t bytes;
    uint64_t gone_contexts;
    uint64_t gone_bytes;
    uint64_t cut_stacks;
};

/* A new canonical profile in which the parts of a kind are the contexts, whose
 * accesses are not measured; the parts stay too. NULL without memory. */
struct mpdata_profile *
mpdata_prune_to_parts(const struct mpdata_profile *canonical, uint32_t kind);

/* Makes *profile, a canonical one, smaller, which is canonical again; the runs
 * and binaries stay. Pruning is not associative: it is for the last output, not
 * before a merge. Error: NOMEM; *profile is then good for freeing only. */
MPROF_NODISCARD enum mprof_err
mpdata_prune_profile(struct mpdata_profile **profile,
                     const struct mpdata_prune *prune,
                     struct mpdata_pruned *pruned);

/* Adds a part LEFT_OUT (part_format.h), unless nothing is gone. */
void mpdata_prune_record(struct mpdata_profile *profile, const char *by,
                         const struct mprof_mib *gone);

#endif
