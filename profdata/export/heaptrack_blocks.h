/* heaptrack_blocks.h -- the blocks of a call stack, of which a profile knows
 * how many they were and how many bytes in all, one by one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_HEAPTRACK_BLOCKS_H
#define MPDATA_HEAPTRACK_BLOCKS_H

#include "profdata/query/metrics.h"

/* How blocks end, in the order in which they are allocated. */
enum mpdata_heaptrack_end {
    MPDATA_HEAPTRACK_FREED, /* before another one is allocated */
    MPDATA_HEAPTRACK_PEAK,  /* after the peak, which they are there at */
    MPDATA_HEAPTRACK_BOTH,  /* never, and they are there at the peak */
    MPDATA_HEAPTRACK_LIVE,  /* never; they come after the peak */
    MPDATA_HEAPTRACK_ENDS
};

/* Blocks that end alike are of so many sizes at most. */
#define MPDATA_HEAPTRACK_SIZES 4
#define MPDATA_HEAPTRACK_KINDS \
    ((size_t)MPDATA_HEAPTRACK_ENDS * MPDATA_HEAPTRACK_SIZES)

/* Blocks of one size; perhaps none. */
struct mpdata_heaptrack_kind {
    uint64_t size;
    uint64_t count;
};

struct mpdata_heaptrack_blocks {
    /* By end, MPDATA_HEAPTRACK_SIZES of each. */
    struct mpdata_heaptrack_kind kinds[MPDATA_HEAPTRACK_KINDS];
    uint64_t temporary; /* of those that are freed */
    /* Another temporary block is one that was there at the peak. */
    bool is_peak_temporary;
};

/* The blocks of a call stack with this MIB, of a profile that holds those
 * metrics. Sums are those of the MIB, as far as it does not contradict itself;
 * blocks that end alike are as large as their mean, rounded, but where possible
 * for one of the smallest size and one of the largest. Each stands for `scale`
 * blocks, and is as large as they are together: of those that end alike there
 * is one at least. */
struct mpdata_heaptrack_blocks
mpdata_heaptrack_blocks(const struct mprof_mib *mib,
                        const bool held[MPDATA_METRIC_COUNT], uint64_t scale);

/* The least `scale` for which all contexts have not many more blocks than
 * `most`, if they have fewer than that many ends. */
uint64_t mpdata_heaptrack_blocks_scale(const struct mpdata_view *view,
                                       const bool held[MPDATA_METRIC_COUNT],
                                       uint64_t most);

#endif
