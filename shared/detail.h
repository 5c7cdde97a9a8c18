/* detail.h -- distributions of a call stack's blocks, which are not in the MIB:
 * numbers of blocks by size, by lifetime, by the call stack that reallocated or
 * freed them or to which they point, by the time since their last access, by
 * whether their content is that of another one. A row is a kind, a key and two
 * sums (count and bytes); rows with the same kind and key merge by addition.
 *
 * Sizes and lifetimes are counted by powers of two: bucket b holds the values
 * from 2^b to 2^(b+1) - 1, and bucket 0 also the value 0. If the smallest and
 * the largest value of a MIB are in one bucket, all blocks are in it, and the
 * distribution has no rows.
 *
 * The kinds of last_access=1 are only about live blocks. Their buckets are
 * finer: eight for each power of two, and one for each value below 8. A block
 * is in neither kind if its accesses are not known.
 *
 * The kinds of duplicates=1 have two keys: 1 for blocks whose content another
 * one of the same call stack and size had before, and 0 for all others whose
 * content is known.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/mib.h"

/* X(number, NAME, key, help) */
#define MPROF_DETAIL_KINDS(X)                                                  \
    X(1, SIZE, "bucket", "blocks by size")                                     \
    X(2, LIFETIME, "bucket", "blocks by lifetime in nanoseconds")              \
    X(3, REALLOC, "stack",                                                     \
      "blocks that realloc replaced, by the call stack of the new block; "     \
      "bytes: growth")                                                         \
    X(4, FREE, "stack", "freed blocks and their bytes, by freeing call stack") \
    X(5, PLACE, "place",                                                       \
      "accesses to 64 bytes of named blocks, by their offset in the block / "  \
      "32")                                                                    \
    X(6, HOLDER, "stack",                                                      \
      "leaked blocks and their bytes, by the call stack of a leaked block "    \
      "that points to them")                                                   \
    X(7, LINK, "stack",                                                        \
      "blocks that point to a block allocated at about the same time, and "    \
      "their bytes, by call stack of that block; estimated from a sample")     \
    X(8, IDLE, "fine bucket",                                                  \
      "live blocks that were accessed and their bytes, by the nanoseconds in " \
      "which they were not accessed, at least, before the dump")               \
    X(9, UNTOUCHED, "fine bucket",                                             \
      "live blocks that were never accessed and their bytes, by age in "       \
      "nanoseconds")                                                           \
    X(10, DUPLICATE, "0 or 1",                                                 \
      "freed blocks and their bytes; 1: with the content of an earlier one")   \
    X(11, LIVE_DUPLICATE, "0 or 1",                                            \
      "live blocks and their bytes; 1: with the content of another one, "      \
      "which "                                                                 \
      "is not in the row")

enum mprof_detail_kind {
#define X(number, name, key, help) MPROF_DETAIL_##name = (number),
    MPROF_DETAIL_KINDS(X)
#undef X
        MPROF_DETAIL_KINDS_END
};

#define MPROF_DETAIL_BUCKETS 64u

#define MPROF_DETAIL_FINE_BITS 3
#define MPROF_DETAIL_FINE_BUCKETS                         \
    ((MPROF_DETAIL_BUCKETS + 1u - MPROF_DETAIL_FINE_BITS) \
     << MPROF_DETAIL_FINE_BITS)

/* Number of buckets of this kind; 0 if its keys are no buckets. */
static inline uint32_t mprof_detail_buckets(uint32_t kind)
{
    switch (kind) {
    case MPROF_DETAIL_SIZE:
    case MPROF_DETAIL_LIFETIME:
        return MPROF_DETAIL_BUCKETS;
    case MPROF_DETAIL_IDLE:
    case MPROF_DETAIL_UNTOUCHED:
        return MPROF_DETAIL_FINE_BUCKETS;
    case MPROF_DETAIL_DUPLICATE:
    case MPROF_DETAIL_LIVE_DUPLICATE:
        return 2;
    default:
        return 0;
    }
}

/* True if keys of this kind are call stacks. Keys of PLACE are neither. */
static inline bool mprof_detail_is_stack(uint32_t kind)
{
    return kind == MPROF_DETAIL_REALLOC || kind == MPROF_DETAIL_FREE ||
           kind == MPROF_DETAIL_HOLDER || kind == MPROF_DETAIL_LINK;
}

/* Blocks that a block stands for which was sampled for LINK. */
#define MPROF_DETAIL_LINK_WEIGHT 256u

/* Unit of PLACE keys. Blocks start at a multiple of it, but not always at a
 * multiple of a granule. */
#define MPROF_DETAIL_PLACE_BYTES 32u

/* The bucket of the value n. */
static inline uint32_t mprof_detail_bucket(uint64_t n)
{
    return 63 - (uint32_t)__builtin_clzll(n | 1);
}

/* The smallest and the largest value of a bucket. */
static inline uint64_t mprof_detail_low(uint32_t bucket)
{
    return bucket != 0 ? UINT64_C(1) << bucket : 0;
}
static inline uint64_t mprof_detail_high(uint32_t bucket)
{
    return (UINT64_C(2) << bucket) - 1;
}

/* The fine bucket of the value n, and the smallest value of a fine bucket. */
static inline uint32_t mprof_detail_fine(uint64_t n)
{
    const uint32_t power = mprof_detail_bucket(n);
    const uint32_t shift = power - MPROF_DETAIL_FINE_BITS;

    return power < MPROF_DETAIL_FINE_BITS
               ? (uint32_t)n
               : (shift << MPROF_DETAIL_FINE_BITS) + (uint32_t)(n >> shift);
}
static inline uint64_t mprof_detail_fine_low(uint32_t bucket)
{
    const uint32_t power = bucket >> MPROF_DETAIL_FINE_BITS;
    const uint64_t first = UINT64_C(1) << MPROF_DETAIL_FINE_BITS;

    return power < 2 ? bucket : (first | (bucket & (first - 1))) << (power - 1);
}

/* The bucket that holds all blocks of a MIB (kind: SIZE or LIFETIME), or
 * MPROF_DETAIL_BUCKETS if there are several or our runtime did not measure all
 * blocks. */
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
