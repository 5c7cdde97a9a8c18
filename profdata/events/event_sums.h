/* event_sums.h -- the blocks of a call stack in a log: what the runtime keeps
 * of them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/vec.h"
#include "shared/detail.h"

/* Blocks by bucket. Those of the first block's bucket are not counted as long
 * as there is no other. */
struct mpdata_event_buckets {
    uint64_t *others; /* owned, MPROF_DETAIL_BUCKETS; NULL: all in `first` */
    uint32_t first;
};

struct mpdata_event_sums {
    struct mprof_mib mib;
    uint32_t peak; /* number of the peak of PeakCount and PeakBytes */
    struct mpdata_event_buckets sizes;
    struct mpdata_event_buckets lifetimes;
};

/* Adds a block as the runtime does. rw may be NULL. weight: blocks that a
 * sampled one stands for, or 0. False without memory. */
bool mpdata_event_sums_add(struct mpdata_event_sums *sums,
                           const struct mprof_block_life *life,
                           const struct mprof_block_rw *rw, uint32_t weight);
/* After the last block: drops the values of another peak. */
void mpdata_event_sums_finish(struct mpdata_event_sums *sums, uint32_t peak,
                              uint64_t most_bytes, uint64_t most_blocks);
/* Bytes and blocks of both, which may be NULL: those of a moment are all alive
 * at once. */
void mpdata_event_sums_all(const struct mpdata_event_sums *ended,
                           const struct mpdata_event_sums *live,
                           uint64_t *bytes, uint64_t *blocks);
/* For all call stacks, after that: if the live blocks are more than those of
 * the last peak, they are the peak, as in the runtime's snapshot. */
void mpdata_event_sums_take_peak(struct mprof_mib *mibs, size_t count);
/* Appends the rows of DETAILS to a vector of struct mpdata_detail. */
bool mpdata_event_sums_details(const struct mpdata_event_sums *sums,
                               struct mpdata_vec *details);
void mpdata_event_sums_fini(struct mpdata_event_sums *sums);
