/* log2_counts.c -- distributions of a context's blocks, as short lists of small
 * nodes.
 *
 * A thread may die anywhere here, and its dump reads the lists then. Nodes are
 * therefore complete before they are linked.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/log2_counts.h"
#include "rt/base/memory.h"

#define NODES_MAX (UINT32_C(1) << 26)
/* More than the number of threads that may take a node at the same time. */
#define NODES_SLACK 65536

bool mprt_log2_counts_pool_init(struct mprt_log2_counts_pool *pool)
{
    pool->nodes = mprt_memory_reserve(NODES_MAX * sizeof(*pool->nodes));
    return pool->nodes != NULL;
}

size_t mprt_log2_counts_pool_bytes(const struct mprt_log2_counts_pool *pool)
{
    const uint32_t used = pool->used;

    return used != 0
               ? (used + (size_t)MPRT_LOG2_COUNTS_FIRST) * sizeof(*pool->nodes)
               : 0;
}

/* Takes a node; 0 if none is left. */
static uint32_t take_node(struct mprt_log2_counts_pool *pool)
{
    if (MPRT_LOAD(pool->used) >= NODES_MAX - NODES_SLACK)
        return 0;
    return MPRT_ADD(pool->used, 1) + MPRT_LOG2_COUNTS_FIRST;
}

/* -- links ----------------------------------------------------------------- */

/* Finds a link and moves it to the front, because the next one is often the
 * same. NULL if there is none. */
static struct mprt_log2_counts_link *
find_link(const struct mprt_log2_counts_pool *pool, uint32_t *first,
          uint32_t kind, uint32_t key)
{
    uint32_t before = 0;

    for (uint32_t at = *first; at != 0; at = pool->nodes[at].link.next) {
        struct mprt_log2_counts_link *const link = &pool->nodes[at].link;

        if (link->kind != kind || link->key != key) {
            before = at;
            continue;
        }
        if (before != 0) {
            pool->nodes[before].link.next = link->next;
            link->next = *first;
            *first = at;
        }
        return link;
    }
    return NULL;
}

static bool add_link(struct mprt_log2_counts_pool *pool,
                     struct mprt_log2_counts *own_counts,
                     const struct mprt_log2_counts_link *more)
{
    struct mprt_log2_counts_link *link =
        find_link(pool, &own_counts->links, more->kind, more->key);

    if (link != NULL) {
        link->count += more->count;
        link->bytes = mprof_add_sat_u64(link->bytes, more->bytes);
        return true;
    }
    const uint32_t at = take_node(pool);
    if (at == 0)
        return false;
    link = &pool->nodes[at].link;
    *link = *more;
    link->next = own_counts->links;
    atomic_signal_fence(memory_order_seq_cst);
    own_counts->links = at;
    return true;
}

bool mprt_log2_counts_add_link(struct mprt_log2_counts_pool *pool,
                               struct mprt_log2_counts *own_counts,
                               uint32_t kind, uint32_t other, uint64_t bytes,
                               uint32_t weight)
{
    return mprt_log2_counts_add_link_sum(pool, own_counts, kind, other, weight,
                                         mprof_mul_sat_u64(bytes, weight));
}

bool mprt_log2_counts_add_link_sum(struct mprt_log2_counts_pool *pool,
                                   struct mprt_log2_counts *own_counts,
                                   uint32_t kind, uint32_t other,
                                   uint64_t count, uint64_t bytes)
{
    return add_link(
        pool, own_counts,
        &(struct mprt_log2_counts_link){
            .kind = kind, .key = other, .count = count, .bytes = bytes});
}

const struct mprt_log2_counts_link *
mprt_log2_counts_next_link(const struct mprt_log2_counts_pool *pool,
                           struct mprt_log2_counts own_counts,
                           const struct mprt_log2_counts_link *link)
{
    const uint32_t at = link != NULL ? link->next : own_counts.links;

    return at != 0 ? &pool->nodes[at].link : NULL;
}

/* -- counts ---------------------------------------------------------------- */

/* Finds the group's node and moves it to the front. NULL if there is none. */
static struct mprt_log2_counts_group *
find_group(const struct mprt_log2_counts_pool *pool, uint32_t *first,
           uint32_t group)
{
    uint32_t before = 0;

    for (uint32_t at = *first; at != 0; at = pool->nodes[at].counts.next) {
        struct mprt_log2_counts_group *const node = &pool->nodes[at].counts;

        if (node->group != group) {
            before = at;
            continue;
        }
        if (before != 0) {
            pool->nodes[before].counts.next = node->next;
            node->next = *first;
            *first = at;
        }
        return node;
    }
    return NULL;
}

static struct mprt_log2_counts_group *
make_group(struct mprt_log2_counts_pool *pool, uint32_t *first, uint32_t group)
{
    const uint32_t at = take_node(pool);
    struct mprt_log2_counts_group *const node = &pool->nodes[at].counts;

    if (at == 0) {
        *first = MPRT_LOG2_COUNTS_LOST;
        return NULL;
    }
    node->next = *first;
    node->group = group;
    atomic_signal_fence(memory_order_seq_cst);
    *first = at;
    return node;
}

/* Moves the group's node to the front, or makes it. */
static bool turn_to(struct mprt_log2_counts_pool *pool, uint32_t *first,
                    uint32_t group)
{
    return find_group(pool, first, group) != NULL ||
           make_group(pool, first, group) != NULL;
}

static uint64_t sum_links(const struct mprt_log2_counts_pool *pool,
                          struct mprt_log2_counts own_counts, uint32_t kind,
                          uint64_t counts[MPROF_DETAIL_BUCKETS])
{
    const struct mprt_log2_counts_link *link = NULL;
    uint64_t sum = 0;

    while ((link = mprt_log2_counts_next_link(pool, own_counts, link)) !=
           NULL) {
        if (link->kind != kind)
            continue;
        counts[link->key] += link->count;
        sum += link->count;
    }
    return sum;
}

bool mprt_log2_counts_sum(const struct mprt_log2_counts_pool *pool,
                          struct mprt_log2_counts own_counts,
                          uint8_t common_bucket, uint32_t kind, uint64_t blocks,
                          uint64_t counts[MPROF_DETAIL_BUCKETS])
{
    const uint32_t first =
        kind == MPROF_DETAIL_SIZE ? own_counts.sizes : own_counts.lifetimes;

    for (uint32_t i = 0; i < MPROF_DETAIL_BUCKETS; i++)
        counts[i] = 0;
    if (first == 0 || first == MPRT_LOG2_COUNTS_LOST)
        return false;
    uint64_t others = sum_links(pool, own_counts, kind, counts);
    for (uint32_t at = first; at != 0; at = pool->nodes[at].counts.next) {
        const struct mprt_log2_counts_group *const node =
            &pool->nodes[at].counts;

        for (uint32_t i = 0; i < MPRT_LOG2_COUNTS_GROUP; i++) {
            counts[((node->group - 1) << MPRT_LOG2_COUNTS_GROUP_SHIFT) + i] +=
                node->counts[i];
            others += node->counts[i];
        }
    }
    counts[common_bucket] += mprof_sub_sat_u64(blocks, others);
    return true;
}

bool mprt_log2_counts_add_separate(struct mprt_log2_counts_pool *pool,
                                   struct mprt_log2_counts *own_counts,
                                   uint32_t kind, uint32_t bucket,
                                   uint32_t weight)
{
    uint32_t *const first =
        kind == MPROF_DETAIL_SIZE ? &own_counts->sizes : &own_counts->lifetimes;

    if (*first == MPRT_LOG2_COUNTS_LOST)
        return true; /* reported before */
    if (!turn_to(pool, first, mprt_log2_counts_group_of(bucket)))
        return false;
    uint32_t *const count = mprt_log2_counts_count_at(pool, *first, bucket);
    *count += weight;
    if (*count >= weight)
        return true;
    if (add_link(pool, own_counts,
                 &(struct mprt_log2_counts_link){
                     .kind = kind,
                     .key = bucket,
                     .count = UINT64_C(1) << MPRT_LOG2_COUNTS_COUNT_BITS}))
        return true;
    *first = MPRT_LOG2_COUNTS_LOST;
    return false;
}

bool mprt_log2_counts_add_many(struct mprt_log2_counts_pool *pool,
                               struct mprt_log2_counts *own_counts,
                               struct mprt_log2_counts_buckets common_buckets,
                               struct mprt_log2_counts_buckets own,
                               uint32_t weight)
{
    const bool has_size =
        own.size == common_buckets.size ||
        mprt_log2_counts_add_separate(pool, own_counts, MPROF_DETAIL_SIZE,
                                      own.size, weight);
    const bool has_lifetime =
        own.lifetime == common_buckets.lifetime ||
        mprt_log2_counts_add_separate(pool, own_counts, MPROF_DETAIL_LIFETIME,
                                      own.lifetime, weight);

    return has_size && has_lifetime;
}

/* -- copies ---------------------------------------------------------------- */

static bool copy_counts(struct mprt_log2_counts_pool *pool, uint32_t *first,
                        const struct mprt_log2_counts_pool *from_pool,
                        uint32_t from)
{
    *first = from == MPRT_LOG2_COUNTS_LOST ? MPRT_LOG2_COUNTS_LOST : 0;
    for (uint32_t at = from; at != 0 && at != MPRT_LOG2_COUNTS_LOST;
         at = from_pool->nodes[at].counts.next) {
        const struct mprt_log2_counts_group *const node =
            &from_pool->nodes[at].counts;
        struct mprt_log2_counts_group *const copy =
            make_group(pool, first, node->group);

        if (copy == NULL)
            return false;
        for (uint32_t i = 0; i < MPRT_LOG2_COUNTS_GROUP; i++)
            copy->counts[i] = node->counts[i];
    }
    return true;
}

static bool copy_links(struct mprt_log2_counts_pool *pool,
                       struct mprt_log2_counts *own_counts,
                       const struct mprt_log2_counts_pool *from_pool,
                       struct mprt_log2_counts from)
{
    const struct mprt_log2_counts_link *link = NULL;
    uint32_t *last = &own_counts->links;

    own_counts->links = 0;
    while ((link = mprt_log2_counts_next_link(from_pool, from, link)) != NULL) {
        const uint32_t at = take_node(pool);

        if (at == 0)
            return false;
        pool->nodes[at].link = *link;
        pool->nodes[at].link.next = 0;
        *last = at;
        last = &pool->nodes[at].link.next;
    }
    return true;
}

bool mprt_log2_counts_copy(struct mprt_log2_counts_pool *pool,
                           struct mprt_log2_counts *own_counts,
                           const struct mprt_log2_counts_pool *from_pool,
                           struct mprt_log2_counts from)
{
    return copy_links(pool, own_counts, from_pool, from) &&
           copy_counts(pool, &own_counts->sizes, from_pool, from.sizes) &&
           copy_counts(pool, &own_counts->lifetimes, from_pool, from.lifetimes);
}
