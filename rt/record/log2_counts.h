/* log2_counts.h -- distributions of a context's blocks (shared/detail.h). Call
 * under the lock of the context's row.
 *
 * The bucket of a context's first block is its common bucket. Its count is the
 * number of blocks minus the counts of all other buckets. So a context whose
 * blocks are alike takes no memory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"
#include "shared/detail.h"

/* Counts of neighbouring buckets. When a counter overflows, it restarts, and a
 * link of the context counts the overflow. */
#define MPRT_LOG2_COUNTS_GROUP_SHIFT 3
#define MPRT_LOG2_COUNTS_GROUP (1u << MPRT_LOG2_COUNTS_GROUP_SHIFT)
#define MPRT_LOG2_COUNTS_COUNT_BITS 32
struct mprt_log2_counts_group {
    uint32_t next;  /* next node, or 0 */
    uint32_t group; /* (bucket >> MPRT_LOG2_COUNTS_GROUP_SHIFT) + 1 */
    uint32_t counts[MPRT_LOG2_COUNTS_GROUP];
};
/* A sum of blocks: those related to another call stack, or those of a bucket
 * whose counter overflowed. */
struct mprt_log2_counts_link {
    uint32_t next;
    uint32_t kind; /* enum mprof_detail_kind */
    uint32_t key;  /* context or bucket */
    uint64_t count;
    uint64_t bytes;
};
union mprt_log2_counts_node {
    struct mprt_log2_counts_group counts;
    struct mprt_log2_counts_link link;
};
_Static_assert(sizeof(union mprt_log2_counts_node) == 40,
               "no bytes for nothing");

/* Memory for nodes, freed all at once. */
struct mprt_log2_counts_pool {
    /* nodes from MPRT_LOG2_COUNTS_FIRST on */
    union mprt_log2_counts_node *nodes;
    _Atomic uint32_t used;
};

/* Reserves address space. False without. */
bool mprt_log2_counts_pool_init(struct mprt_log2_counts_pool *pool);
/* Bytes of the nodes in use. */
size_t mprt_log2_counts_pool_bytes(const struct mprt_log2_counts_pool *pool);

/* First nodes of a context's lists. Zeroed: empty. */
struct mprt_log2_counts {
    uint32_t sizes;
    uint32_t lifetimes;
    uint32_t links;
};
/* Marks a list that is lost because there was no memory. */
#define MPRT_LOG2_COUNTS_LOST 1u
#define MPRT_LOG2_COUNTS_FIRST 2u

/* Buckets of a block, or the common buckets of a context. */
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
/* The bucket's counter in a node of its group. */
static inline uint32_t *
mprt_log2_counts_count_at(const struct mprt_log2_counts_pool *pool,
                          uint32_t node, uint32_t bucket)
{
    return &pool->nodes[node]
                .counts.counts[bucket & (MPRT_LOG2_COUNTS_GROUP - 1)];
}

/* Counts a block if the list's first node is of the bucket's group. False
 * otherwise, and if the counter is full. */
static inline MPRT_ALWAYS_INLINE bool
mprt_log2_counts_count(union mprt_log2_counts_node *nodes, uint32_t first,
                       uint32_t bucket)
{
    struct mprt_log2_counts_group *const node = &nodes[first].counts;
    uint32_t *const count =
        &node->counts[bucket & (MPRT_LOG2_COUNTS_GROUP - 1)];

    /* Unused nodes have group 0. */
    if (node->group != mprt_log2_counts_group_of(bucket) ||
        *count == UINT32_MAX)
        return false;
    ++*count;
    return true;
}
/* Count a block's size or lifetime in the frequent cases; otherwise return
 * false. Sizes of a context rarely differ, so the common bucket comes first.
 * Lifetimes often lie around a power of two, where branch prediction fails, so
 * a counter comes first. */
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
/* Adds `weight` blocks to a bucket. False without memory; the list is lost
 * then. */
bool mprt_log2_counts_add_separate(struct mprt_log2_counts_pool *pool,
                                   struct mprt_log2_counts *own_counts,
                                   uint32_t kind, uint32_t bucket,
                                   uint32_t weight);
/* Adds `weight` blocks with these buckets. False without memory. */
bool mprt_log2_counts_add_many(struct mprt_log2_counts_pool *pool,
                               struct mprt_log2_counts *own_counts,
                               struct mprt_log2_counts_buckets common_buckets,
                               struct mprt_log2_counts_buckets own,
                               uint32_t weight);

/* Adds `weight` blocks, of `bytes` each, that are related to another context.
 */
bool mprt_log2_counts_add_link(struct mprt_log2_counts_pool *pool,
                               struct mprt_log2_counts *own_counts,
                               uint32_t kind, uint32_t other, uint64_t bytes,
                               uint32_t weight);
/* The same for sums of blocks and bytes. */
bool mprt_log2_counts_add_link_sum(struct mprt_log2_counts_pool *pool,
                                   struct mprt_log2_counts *own_counts,
                                   uint32_t kind, uint32_t other,
                                   uint64_t count, uint64_t bytes);
/* Copies all lists into an empty context. */
bool mprt_log2_counts_copy(struct mprt_log2_counts_pool *pool,
                           struct mprt_log2_counts *own_counts,
                           const struct mprt_log2_counts_pool *from_pool,
                           struct mprt_log2_counts from);

/* Counts of all buckets of a kind for `blocks` blocks. False if all blocks are
 * in the common bucket, or if the list is lost. */
bool mprt_log2_counts_sum(const struct mprt_log2_counts_pool *pool,
                          struct mprt_log2_counts own_counts,
                          uint8_t common_bucket, uint32_t kind, uint64_t blocks,
                          uint64_t counts[MPROF_DETAIL_BUCKETS]);
/* The next link, or the first for NULL. NULL at the end. */
const struct mprt_log2_counts_link *
mprt_log2_counts_next_link(const struct mprt_log2_counts_pool *pool,
                           struct mprt_log2_counts own_counts,
                           const struct mprt_log2_counts_link *link);
