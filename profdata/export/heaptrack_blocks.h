/* heaptrack_blocks.h -- single blocks of a call stack, made from their number
 * and total size in the profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/query/metrics.h"

/* Ends of blocks, in the order in which they are allocated. */
enum mpdata_heaptrack_end {
    MPDATA_HEAPTRACK_FREED, /* freed before the next block is allocated */
    MPDATA_HEAPTRACK_PEAK,  /* live at the peak, freed after it */
    MPDATA_HEAPTRACK_BOTH,  /* live at the peak, never freed */
    MPDATA_HEAPTRACK_LIVE,  /* allocated after the peak, never freed */
    MPDATA_HEAPTRACK_ENDS
};

/* The most sizes of the blocks with one end. */
#define MPDATA_HEAPTRACK_SIZES 4
#define MPDATA_HEAPTRACK_KINDS \
    ((size_t)MPDATA_HEAPTRACK_ENDS * MPDATA_HEAPTRACK_SIZES)

/* Blocks of one size; the count may be 0. */
struct mpdata_heaptrack_kind {
    uint64_t size;
    uint64_t count;
};

struct mpdata_heaptrack_blocks {
    /* By end, MPDATA_HEAPTRACK_SIZES of each. */
    struct mpdata_heaptrack_kind kinds[MPDATA_HEAPTRACK_KINDS];
    uint64_t temporary; /* number of freed blocks that are temporary */
    /* One of the blocks of end PEAK is temporary, too. */
    bool is_peak_temporary;
};

/* The blocks of a call stack with this MIB; `held`: the metrics of the profile.
 * Sums are those of the MIB, unless it contradicts itself. All blocks with one
 * end have their mean size, rounded, but if possible one has the smallest size
 * and one the largest. Each block stands for `scale` blocks and has their total
 * size; an end that has blocks keeps at least one. */
struct mpdata_heaptrack_blocks
mpdata_heaptrack_blocks(const struct mprof_mib *mib,
                        const bool held[MPDATA_METRIC_COUNT], uint64_t scale);

/* The smallest `scale` with which all contexts together have about `most`
 * blocks at the most (more only if there are more ends than `most`). */
uint64_t mpdata_heaptrack_blocks_scale(const struct mpdata_view *view,
                                       const bool held[MPDATA_METRIC_COUNT],
                                       uint64_t most);
