/* detail.h -- details of a call stack's blocks that no MIB holds: how sizes and
 * lifetimes are spread, what realloc made of blocks, where blocks were freed,
 * which leaked blocks hold which.
 * A detail is a kind, a key and two sums, which merge by addition.
 *
 * Sizes and lifetimes are counted by powers of two: bucket b has the values
 * from 2^b up to 2^(b+1) - 1, bucket 0 also the value 0. Where the smallest and
 * the largest value of a MIB are in one bucket, all blocks are, and there are
 * no details.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_DETAIL_H
#define MPROF_DETAIL_H

#include "shared/mib.h"

/* X(number, NAME, key, help) */
#define MPROF_DETAIL_KINDS(X)                                                  \
    X(1, SIZE, "bucket", "blocks by size")                                     \
    X(2, LIFETIME, "bucket", "blocks by lifetime in nanoseconds")              \
    X(3, REALLOC, "stack",                                                     \
      "blocks that realloc replaced: by which call stack's, and how much "     \
      "larger those were")                                                     \
    X(4, FREE, "stack", "blocks that were freed: by which call stack; bytes")  \
    X(5, PLACE, "place",                                                       \
      "accesses to 64 bytes of the blocks that the program named: from which " \
      "multiple of 32 on")                                                     \
    X(6, HOLDER, "stack",                                                      \
      "leaked blocks that can be reached from leaked blocks of another call "  \
      "stack, by which; bytes")

enum mprof_detail_kind {
#define X(number, name, key, help) MPROF_DETAIL_##name = (number),
    MPROF_DETAIL_KINDS(X)
#undef X
        MPROF_DETAIL_KINDS_END
};

#define MPROF_DETAIL_BUCKETS 64u

/* Is the key a bucket, or a call stack? Or, of a place, neither. */
static inline bool mprof_detail_is_bucket(uint32_t kind)
{
    return kind == MPROF_DETAIL_SIZE || kind == MPROF_DETAIL_LIFETIME;
}

static inline bool mprof_detail_is_stack(uint32_t kind)
{
    return kind == MPROF_DETAIL_REALLOC || kind == MPROF_DETAIL_FREE ||
           kind == MPROF_DETAIL_HOLDER;
}

/* Of places. Blocks start at a multiple of this, not always of a granule. */
#define MPROF_DETAIL_PLACE_BYTES 32u

static inline uint32_t mprof_detail_bucket(uint64_t n)
{
    return 63 - (uint32_t)__builtin_clzll(n | 1);
}

/* The least and the largest value in a bucket. */
static inline uint64_t mprof_detail_low(uint32_t bucket)
{
    return bucket != 0 ? UINT64_C(1) << bucket : 0;
}
static inline uint64_t mprof_detail_high(uint32_t bucket)
{
    return (UINT64_C(2) << bucket) - 1;
}

/* The one bucket that all blocks of a MIB are in, which our runtime measured;
 * or MPROF_DETAIL_BUCKETS. */
static inline uint32_t mprof_detail_only(const struct mprof_mib *mib,
                                         uint32_t kind)
{
    const bool is_size = kind == MPROF_DETAIL_SIZE;
    const uint32_t low =
        mprof_detail_bucket(is_size ? mib->MinSize : mib->MinLifetimeNs);
    const uint32_t high =
        mprof_detail_bucket(is_size ? mib->MaxSize : mib->MaxLifetimeNs);

    return low == high && mib->MeasuredCount == mib->AllocCount &&
                   mib->AllocCount != 0
               ? low
               : MPROF_DETAIL_BUCKETS;
}

#endif
