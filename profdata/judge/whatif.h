/* whatif.h -- which blocks another layout is about, and what these blocks take
 * at the peak, computed from a profile.
 *
 * A profile has the sizes of a call stack's blocks exactly if they are all
 * equal, and never the order of the blocks in memory. So most numbers are
 * ranges. docs/whatif.md explains them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/query/frames.h"
#include "profdata/judge/reorder.h"

enum mpdata_whatif_layout {
    MPDATA_WHATIF_GLIBC,   /* of glibc's malloc() */
    MPDATA_WHATIF_CLASSES, /* of libmemprof_alloc without hints */
    MPDATA_WHATIF_POOL,    /* in a pool of libmemprof_alloc */
    MPDATA_WHATIF_DENSE    /* likewise, aligned by 8 bytes */
};

enum mpdata_whatif_kind {
    MPDATA_WHATIF_OTHER,
    MPDATA_WHATIF_COLD,
    MPDATA_WHATIF_CHOSEN, /* these and the following are asked about */
    MPDATA_WHATIF_HOT,
    MPDATA_WHATIF_KINDS
};

struct mpdata_range {
    uint64_t least, most;
};

/* What the chosen blocks take. */
struct mpdata_whatif_room {
    struct mpdata_range bytes, pages, lines;
};

/* Blocks at the peak. */
struct mpdata_whatif_sum {
    uint64_t stacks; /* that have blocks then */
    uint64_t blocks;
    uint64_t bytes;
};

struct mpdata_whatif {
    uint8_t *kinds; /* owned; by context: enum mpdata_whatif_kind */
    struct mpdata_whatif_sum sums[MPDATA_WHATIF_KINDS];
    struct mpdata_range size; /* of a chosen block */
    /* Blocks of a multiple of `from` bytes become such of `to`; 0: they keep
     * their sizes. */
    uint64_t from, to;
    double lines_before, lines_after; /* that a visit of an object touches */
};

/* Choose the blocks. Fini is due either way. Error: NOMEM. */

/* Chooses the blocks of types and allocation sites: the name of a type or of
 * the site's function (mpdata_names_is()), or FILE:LINE. *unknown: the first
 * word that is none of these, or NULL. */
MPROF_NODISCARD enum mprof_err
mpdata_whatif_pool(struct mpdata_whatif *w,
                   const struct mpdata_profile *profile,
                   struct mpdata_frame_names *names, const char *const *words,
                   size_t count, const char **unknown);
/* Chooses the hot blocks or, if there are none, those that are not cold. */
MPROF_NODISCARD enum mprof_err
mpdata_whatif_hot_cold(struct mpdata_whatif *w,
                       const struct mpdata_profile *profile);
/* Chooses the objects of a type whose members' accesses are known. *types: how
 * many types of other sizes or members have the name. `to` is 0 if that is not
 * one, or if no better order of the members is found. */
MPROF_NODISCARD enum mprof_err
mpdata_whatif_reorder(struct mpdata_whatif *w,
                      const struct mpdata_profile *profile, const char *type,
                      uint32_t *types);
void mpdata_whatif_fini(struct mpdata_whatif *w);

/* What the chosen blocks take. is_alone: no other block lies between them;
 * is_changed: with their new sizes. */
struct mpdata_whatif_room mpdata_whatif_room(
    const struct mpdata_whatif *w, const struct mpdata_profile *profile,
    enum mpdata_whatif_layout layout, bool is_alone, bool is_changed);
