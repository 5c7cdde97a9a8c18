/* log2_counts.h -- details of a context's blocks (shared/detail.h). Under the
 * lock of the context's row.
 *
 * The bucket of a context's first block is its common one. Blocks in it are not
 * counted as long as there are no others: they are what is left of all. So a
 * context whose blocks are alike takes no memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_LOG2_COUNTS_H
#define MPRT_LOG2_COUNTS_H

#include "rt/base/rt.h"
#include "shared/detail.h"

/* Counts of buckets that lie beside each other. A counter that is full begins
 * anew, which its context's links say. */
#define MPRT_LOG2_COUNTS_GROUP_SHIFT 3
#define MPRT_LOG2_COUNTS_GROUP (1u << MPRT_LOG2_COUNTS_GROUP_SHIFT)
#define MPRT_LOG2_COUNTS_COUNT_BITS 32
struct mprt_log2_counts_group {
    uint32_t next;  /* node, or 0 */
    uint32_t group; /* bucket >> MPRT_LOG2_COUNTS_GROUP_SHIFT, + 1 */
    uint32_t counts[MPRT_LOG2_COUNTS_GROUP];
};
/* A sum of blocks: together with another call stack, or in a bucket (from
 * counters that were full). */
struct mprt_log2_counts_link {
    uint32_t next;
    uint32_t kind; /* enum mprof_detail_kind */
    uint32_t key;  /* context, or bucket */
    uint64_t count;
    uint64_t bytes;
};
union mprt_log2_counts_node {
    struct mprt_log2_counts_group counts;
    struct mprt_log2_counts_link link;
};
_Static_assert(sizeof(union mprt_log2_counts_node) == 40,
               "no bytes for nothing");

/* Where nodes come from. They are given back all at once. */
struct mprt_log2_counts_pool {
    union mprt_log2_counts_node *nodes; /* from MPRT_LOG2_COUNTS_FIRST on */
    _Atomic uint32_t used;
};

/* Reserves address space; false without. */
bool mprt_log2_counts_pool_init(struct mprt_log2_counts_pool *pool);
/* Bytes of nodes that were taken. */
size_t mprt_log2_counts_pool_bytes(const struct mprt_log2_counts_pool *pool);

/* Of a context: first nodes. Zeroed: there are none. */
struct mprt_log2_counts {
    uint32_t sizes;
    uint32_t lifetimes;
    uint32_t links;
};
/* In place of a node: there was no memory, so nothing is known. */
#define MPRT_LOG2_COUNTS_LOST 1u
#define MPRT_LOG2_COUNTS_FIRST 2u

/* The buckets of a block, or the common ones of a context. */
struct mprt_log2_counts_buckets {
    uint8_t size;
    uint8_t lifetime;
};
static inline struct mprt_log2_counts_buckets
mprt_log2_counts_of(uint64_t size, uint64_t life_ns)
{
    return (struct mprt_log2_counts_buckets){
        .size = (uint8_t)mprof_detail_bucket(size),
        .lifetime = (uint8_t)mprof_detail_bucket(life_ns)};
}

static inline uint32_t mprt_log2_counts_group_of(uint32_t bucket)
{
    return (bucket >> MPRT_LOG2_COUNTS_GROUP_SHIFT) + 1;
}
/* In a node of its group. */
static inline uint32_t *
mprt_log2_counts_count_at(const struct mprt_log2_counts_pool *pool,
                          uint32_t node, uint32_t bucket)
{
    return &pool->nodes[node]
                .counts.counts[bucket & (MPRT_LOG2_COUNTS_GROUP - 1)];
}

/* Counts a block where the list's first node is the bucket's, be it the common
 * one or not. A counter is left before it is full. */
static inline MPRT_ALWAYS_INLINE bool
mprt_log2_counts_count(union mprt_log2_counts_node *nodes, uint32_t first,
                       uint32_t bucket)
{
    struct mprt_log2_counts_group *const node = &nodes[first].counts;
    uint32_t *const count =
        &node->counts[bucket & (MPRT_LOG2_COUNTS_GROUP - 1)];

    /* Nodes that are not used are of no group. */
    if (node->group != mprt_log2_counts_group_of(bucket) ||
        *count == UINT32_MAX)
        return false;
    ++*count;
    return true;
}
/* A block's size, and its lifetime, in most cases; else false. Sizes of a call
 * stack hardly change. Lifetimes may well lie around a power of two, and no
 * processor foresees on which side: they are counted first. */
static inline MPRT_ALWAYS_INLINE bool
mprt_log2_counts_add_size(union mprt_log2_counts_node *nodes,
                          struct mprt_log2_counts own_counts,
                          struct mprt_log2_counts_buckets common_buckets,
                          struct mprt_log2_counts_buckets own)
{
    return own.size == common_buckets.size ||
           mprt_log2_counts_count(nodes, own_counts.sizes, own.size);
}
static inline MPRT_ALWAYS_INLINE bool
mprt_log2_counts_add_lifetime(union mprt_log2_counts_node *nodes,
                              struct mprt_log2_counts own_counts,
                              struct mprt_log2_counts_buckets common_buckets,
                              struct mprt_log2_counts_buckets own)
{
    return mprt_log2_counts_count(nodes, own_counts.lifetimes, own.lifetime) ||
           own.lifetime == common_buckets.lifetime;
}
/* Adds `weight` blocks in any bucket. False where there is no memory for it;
 * the context's list is lost then. */
bool mprt_log2_counts_add_separate(struct mprt_log2_counts_pool *pool,
                                   struct mprt_log2_counts *own_counts,
                                   uint32_t kind, uint32_t bucket,
                                   uint32_t weight);
/* Adds `weight` blocks. False where there is no memory for it. */
bool mprt_log2_counts_add_many(struct mprt_log2_counts_pool *pool,
                               struct mprt_log2_counts *own_counts,
                               struct mprt_log2_counts_buckets common_buckets,
                               struct mprt_log2_counts_buckets own,
                               uint32_t weight);

/* Adds what happened to `weight` blocks together with another context; bytes of
 * one. */
bool mprt_log2_counts_add_link(struct mprt_log2_counts_pool *pool,
                               struct mprt_log2_counts *own_counts,
                               uint32_t kind, uint32_t other, uint64_t bytes,
                               uint32_t weight);
/* The same of a sum of blocks and bytes. */
bool mprt_log2_counts_add_link_sum(struct mprt_log2_counts_pool *pool,
                                   struct mprt_log2_counts *own_counts,
                                   uint32_t kind, uint32_t other,
                                   uint64_t count, uint64_t bytes);
/* All of it, to an empty one. */
bool mprt_log2_counts_copy(struct mprt_log2_counts_pool *pool,
                           struct mprt_log2_counts *own_counts,
                           const struct mprt_log2_counts_pool *from_pool,
                           struct mprt_log2_counts from);

/* Counts of a kind's buckets of all `blocks`; false where there is none but the
 * common one, or nothing is known. */
bool mprt_log2_counts_sum(const struct mprt_log2_counts_pool *pool,
                          struct mprt_log2_counts own_counts,
                          uint8_t common_bucket, uint32_t kind, uint64_t blocks,
                          uint64_t counts[MPROF_DETAIL_BUCKETS]);
/* The link behind this one, or the first behind NULL; NULL: none. */
const struct mprt_log2_counts_link *
mprt_log2_counts_next_link(const struct mprt_log2_counts_pool *pool,
                           struct mprt_log2_counts own_counts,
                           const struct mprt_log2_counts_link *link);

#endif
