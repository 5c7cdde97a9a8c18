/* details.h -- distributions of one call stack in a canonical profile
 * (shared/detail.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"

/* A kind of rows that no file has: blocks of a log that were alive from one of
 * some moments on, and not any more at another one (event_moments.h). */
#define MPDATA_DETAIL_MOMENTS ((uint32_t)MPROF_DETAIL_KINDS_END)

/* Their keys: the indices of both moments. `to` is the number of moments for
 * blocks that ended after the last one, and 0 for those that did not end. */
static inline uint32_t mpdata_moments_key(uint32_t from, uint32_t to)
{
    return from | to << 16;
}
static inline uint32_t mpdata_moments_from(uint32_t key)
{
    return key & 0xffff;
}
static inline uint32_t mpdata_moments_to(uint32_t key)
{
    return key >> 16;
}

/* Another such kind: its keys are the numbers of a log's call stacks, from 1
 * on. */
#define MPDATA_DETAIL_LOG_STACK ((uint32_t)MPROF_DETAIL_KINDS_END + 1)

/* Rows of view->details. */
struct mpdata_details {
    const struct mpdata_detail *rows;
    uint32_t count;
};

/* Distributions of a kind. For buckets use mpdata_details_buckets(). */
struct mpdata_details mpdata_details_of(const struct mpdata_view *view,
                                        const struct mpdata_context *context,
                                        uint32_t kind);

/* Blocks of the kind IDLE or UNTOUCHED in the rows from `from` on, to the end
 * of the power of two in which the first of them lies, or to the last row. */
struct mpdata_details_idle {
    uint64_t blocks;
    uint64_t bytes;
    uint64_t ns; /* the shortest of their times */
    uint32_t end;
};
struct mpdata_details_idle
mpdata_details_idle(const struct mpdata_details *details, uint32_t from,
                    bool is_to_last);

/* Blocks of the kind DUPLICATE or LIVE_DUPLICATE: all of them, and those with
 * the content of another one. */
struct mpdata_details_contents {
    uint64_t blocks, bytes;
    uint64_t repeated_blocks, repeated_bytes;
};
struct mpdata_details_contents
mpdata_details_contents(const struct mpdata_view *view,
                        const struct mpdata_context *context, uint32_t kind);

/* Fills counts[] with blocks by bucket; returns their sum. The sum is below the
 * MIB's blocks if some were not measured, and 0 if nothing is known. */
uint64_t mpdata_details_buckets(const struct mpdata_view *view,
                                const struct mpdata_context *context,
                                uint32_t kind,
                                uint64_t counts[MPROF_DETAIL_BUCKETS]);
