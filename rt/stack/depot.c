/* depot.c -- the set of call stacks: a tree, lock-free and append-only.
 *
 * A node is a frame and the node of its caller. A call stack is identified by
 * its leaf, so stacks share the frames from the root that they have in common.
 * There is a root for complete stacks and one for truncated stacks. A node is
 * written completely before it is linked; afterwards only its links and the
 * context that ends at it change.
 *
 * A node stores its first child. All other nodes are in a hash table that grows
 * without moving anything: a split-ordered list (Shalev and Shavit, 2006). The
 * nodes of the table form one list, ordered by their bit-reversed hash. In this
 * order, nodes whose hashes have the same low bits are neighbours, so a bucket
 * is a position in the list, and doubling the number of buckets adds positions.
 * A bucket is linked into the list when it is first used.
 *
 * Each thread remembers its last stack with the nodes, and looks up only the
 * frames that differ.
 *
 * Contexts have consecutive ids from 1. If two threads add the same stack at
 * the same time, two ids and two nodes may be used; the loser's id is never
 * returned.
 *
 * A call stack of one thread (per_thread=1) or of an event is identified by a
 * node below the leaf, which has the number of the name in place of an address.
 * No code is mapped at such low addresses. So call stacks under several names
 * share all frames.
 *
 * A forked child keeps the tree. Ids below mprt_depot_first_id are the
 * parent's; a leaf with such an id gets a new one when it is next looked up.
 *
 * All arrays are reserved address space of the maximum size, which costs no
 * memory until it is written.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/depot.h"
#include "rt/base/memory.h"

#define NODES_MAX ((size_t)1 << 28)
#define BUCKETS_MIN UINT32_C(1024)
#define BUCKETS_MAX (UINT32_C(1) << 27)

/* A link of the list is the number of a node, or the number of a bucket with
 * the bit BUCKET. Bucket 0 begins the list, so no link leads to it, and its
 * number marks the end. */
#define BUCKET (UINT32_C(1) << 31)
#define END BUCKET
/* Set in the link of a bucket that is not yet in the list: no search may start
 * there. */
#define UNLINKED (UINT32_C(1) << 30)

/* Flags in leaves[]: the leaf is the node of a name; the stack is truncated.
 * Both are asked for often, and the nodes are spread over memory. */
#define NAMED (UINT32_C(1) << 31)
#define CUT (UINT32_C(1) << 30)
#define FLAGS (NAMED | CUT)

struct node {
    uintptr_t pc;
    uint32_t parent;
    _Atomic uint32_t context; /* id of the stack that ends here; 0, or a
                               * parent's id */
    _Atomic uint32_t child;   /* the first one, or 0 */
    _Atomic uint32_t next;    /* in the list; unused for a first child */
};

static _Atomic uint32_t *buckets;     /* links; 0: never used */
static _Atomic uint32_t bucket_count; /* in use, a power of two */
static _Atomic uint32_t listed;       /* number of nodes in the list */
static struct node *nodes;            /* by number */
static _Atomic uint32_t *leaves;      /* by context */
static _Atomic uint32_t last_node = MPRT_DEPOT_ROOT_CUT;
static _Atomic uint32_t last_id;
uint32_t mprt_depot_first_id = 1;

void mprt_depot_init(void)
{
    buckets = mprt_memory_reserve(BUCKETS_MAX * sizeof(*buckets));
    nodes = mprt_memory_reserve(NODES_MAX * sizeof(*nodes));
    leaves =
        mprt_memory_reserve((MPRT_CONTEXTS_MAX + (size_t)1) * sizeof(*leaves));
    if (buckets == NULL || nodes == NULL || leaves == NULL)
        mprt_memory_give_up("call stacks");
    MPRT_STORE(buckets[0], END);
    MPRT_STORE(bucket_count, BUCKETS_MIN);
}

/* -- the list -------------------------------------------------------------- */

static inline uint32_t hash_of(uint32_t parent, uintptr_t pc)
{
    const uint64_t mixed = pc * UINT64_C(0x9e3779b97f4a7c15) +
                           parent * UINT64_C(0xc2b2ae3d27d4eb4f);

    return (uint32_t)((mixed ^ mixed >> 32) * UINT64_C(0x9fb21c651e98df25) >>
                      32);
}

/* Whether hash a comes before b in bit-reversed order. */
static inline bool is_before(uint32_t a, uint32_t b)
{
    const uint32_t differing = a ^ b;

    return (b & differing & -differing) != 0;
}

static inline uint32_t hash_at(uint32_t link)
{
    return (link & BUCKET) != 0 ? link & ~BUCKET
                                : hash_of(nodes[link].parent, nodes[link].pc);
}

static inline uint32_t follow(const _Atomic uint32_t *from)
{
    /* Pairs with the release in insert(): the target of the link is
     * complete. */
    return MPRT_LOAD_ACQUIRE(*from);
}

static inline _Atomic uint32_t *link_at(uint32_t link)
{
    return (link & BUCKET) != 0 ? &buckets[link & ~BUCKET] : &nodes[link].next;
}

/* Makes the link `from`, which had the value `seen`, lead to `link`. Returns
 * false if `from` has changed. A bucket that a link leads to stays UNLINKED
 * until link_bucket() is done. */
static bool insert(_Atomic uint32_t *from, uint32_t seen, uint32_t link)
{
    MPRT_STORE(*link_at(link),
               (seen & ~UNLINKED) | ((link & BUCKET) != 0 ? UNLINKED : 0));
    return atomic_compare_exchange_strong_explicit(
        from, &seen, link, memory_order_release, memory_order_relaxed);
}

/* Links a bucket before all nodes that belong to it. */
static void link_bucket(_Atomic uint32_t *from, uint32_t bucket)
{
    for (;;) {
        const uint32_t seen = follow(from);
        const uint32_t next = seen & ~UNLINKED;
        if (next != END && is_before(hash_at(next), bucket)) {
            from = link_at(next);
        } else if (insert(from, seen, BUCKET | bucket)) {
            atomic_fetch_and_explicit(&buckets[bucket], ~UNLINKED,
                                      memory_order_release);
            return;
        }
    }
}

static inline bool is_linked(uint32_t bucket)
{
    const uint32_t link = follow(&buckets[bucket]);

    return link != 0 && (link & UNLINKED) == 0;
}

/* Links the bucket, after the buckets from which it was split, so that a search
 * passes few nodes. Does not wait for another thread that links one of these
 * buckets: returns the bucket before it, from which the nodes are found too. */
static MPRT_NOINLINE uint32_t start_bucket(uint32_t bucket)
{
    uint32_t last = bucket;

    while (!is_linked(last))
        last &= ~(UINT32_C(1) << (31 - __builtin_clz(last)));
    while (last != bucket) {
        const uint32_t rest = last ^ bucket;
        const uint32_t next = last | (rest & -rest);
        uint32_t unused = 0;
        if (!MPRT_CAS(buckets[next], &unused, END | UNLINKED))
            return last;
        link_bucket(&buckets[last], next);
        last = next;
    }
    return bucket;
}

/* The link at which the search for a hash starts. */
static inline _Atomic uint32_t *start_of(uint32_t hash)
{
    uint32_t bucket = hash & (MPRT_LOAD(bucket_count) - 1);

    if (MPROF_UNLIKELY(!is_linked(bucket)))
        bucket = start_bucket(bucket);
    return &buckets[bucket];
}

/* -- nodes ----------------------------------------------------------------- */

/* Position of a node in the list, or where to insert it. */
struct place {
    _Atomic uint32_t *from;
    uint32_t seen; /* value of *from if the node was not found */
};

/* Searches from `place` on; returns the node or 0. */
static inline uint32_t find(struct place *place, uint32_t hash, uint32_t parent,
                            uintptr_t pc)
{
    for (;;) {
        place->seen = follow(place->from);
        const uint32_t next = place->seen & ~UNLINKED;
        if ((next & BUCKET) == 0 && nodes[next].pc == pc &&
            nodes[next].parent == parent)
            return next;
        if (next == END || is_before(hash, hash_at(next)))
            return 0;
        place->from = link_at(next);
    }
}

static void count_listed(void)
{
    const uint32_t n = MPRT_ADD(listed, 1);
    uint32_t count = MPRT_LOAD(bucket_count);

    if (n >= count && count < BUCKETS_MAX)
        MPRT_CAS(bucket_count, &count, 2 * count);
}

/* Returns 0 if the depot is full. */
static uint32_t make_node(uint32_t parent, uintptr_t pc)
{
    if (MPRT_LOAD(last_node) >= NODES_MAX - MPRT_THREADS_SLACK)
        return 0;
    const uint32_t node = MPRT_ADD(last_node, 1) + 1;
    nodes[node].pc = pc;
    nodes[node].parent = parent;
    return node;
}

/* Returns the child of `parent` for `pc` that is not its first child, added if
 * new. If `node` is not 0, it is an unused node to add. */
static uint32_t add_listed(uint32_t node, uint32_t parent, uintptr_t pc)
{
    const uint32_t hash = hash_of(parent, pc);
    struct place place = {.from = start_of(hash)};
    uint32_t found = find(&place, hash, parent, pc);

    if (found != 0)
        return found;
    if (node == 0)
        node = make_node(parent, pc);
    if (node == 0)
        return 0;
    while (!insert(place.from, place.seen, node)) {
        found = find(&place, hash, parent, pc);
        if (found != 0)
            return found;
    }
    count_listed();
    return node;
}

/* Returns the child of a node, added if new; 0 if the depot is full. */
static uint32_t child_of(uint32_t parent, uintptr_t pc)
{
    /* Pairs with the release below: the node is complete. */
    uint32_t first = MPRT_LOAD_ACQUIRE(nodes[parent].child);
    uint32_t node = 0;

    if (first == 0) {
        node = make_node(parent, pc);
        if (node == 0 || atomic_compare_exchange_strong_explicit(
                             &nodes[parent].child, &first, node,
                             memory_order_acq_rel, memory_order_acquire))
            return node;
    }
    return nodes[first].pc == pc ? first : add_listed(node, parent, pc);
}

uint32_t mprt_depot_child(uint32_t parent, uintptr_t pc)
{
    const uint32_t first = MPRT_LOAD_ACQUIRE(nodes[parent].child);
    const uint32_t hash = hash_of(parent, pc);

    if (first == 0 || nodes[first].pc == pc)
        return first;
    struct place place = {.from = start_of(hash)};
    return find(&place, hash, parent, pc);
}

/* -- contexts -------------------------------------------------------------- */

static uint32_t context_at(uint32_t leaf, uint32_t flags)
{
    _Atomic uint32_t *const context = &nodes[leaf].context;
    /* Pairs with the release below: leaves[id] is written. */
    uint32_t id = MPRT_LOAD_ACQUIRE(*context);

    if (MPROF_LIKELY(id >= mprt_depot_first_id))
        return id;
    if (MPRT_LOAD(last_id) >= MPRT_CONTEXTS_MAX - MPRT_THREADS_SLACK)
        return 0;
    const uint32_t mine = MPRT_ADD(last_id, 1) + 1;
    MPRT_STORE(leaves[mine], leaf | flags);
    return atomic_compare_exchange_strong_explicit(
               context, &id, mine, memory_order_acq_rel, memory_order_acquire)
               ? mine
               : id;
}

/* Returns the node of the innermost frame, or 0. */
static inline uint32_t put_frames(const uintptr_t *pcs, size_t count,
                                  bool truncated)
{
    struct mprt_thread *const t = mprt_thread_local.state;
    uint32_t node = truncated ? MPRT_DEPOT_ROOT_CUT : MPRT_DEPOT_ROOT;
    size_t depth = 0;

    if (MPROF_LIKELY(t != NULL)) {
        struct mprt_depot_path *const path = &t->path;
        if (path->root == node) {
            const size_t max = mprof_min_u64(count, path->depth);
            while (depth < max && path->pcs[depth] == pcs[count - 1 - depth])
                depth++;
            if (depth != 0)
                node = path->nodes[depth - 1];
        }
        path->root = truncated ? MPRT_DEPOT_ROOT_CUT : MPRT_DEPOT_ROOT;
        path->depth = 0; /* while the path is being changed */
    }
    for (size_t i = depth; i < count; i++) {
        node = child_of(node, pcs[count - 1 - i]);
        if (MPROF_UNLIKELY(node == 0))
            return 0;
        if (MPROF_LIKELY(t != NULL)) {
            t->path.pcs[i] = pcs[count - 1 - i];
            t->path.nodes[i] = node;
        }
    }
    if (MPROF_LIKELY(t != NULL))
        t->path.depth = (uint32_t)count;
    return node;
}

uint32_t mprt_depot_put(const uintptr_t *pcs, size_t count, bool truncated)
{
    const uint32_t node = put_frames(pcs, count, truncated);

    return MPROF_LIKELY(node != 0) ? context_at(node, truncated ? CUT : 0) : 0;
}

/* Returns the id of a name below a leaf, or of the leaf itself if name is 0. */
static uint32_t put_name(uint32_t leaf, uint32_t name, uint32_t flags)
{
    if (leaf == 0 || name == 0)
        return leaf != 0 ? context_at(leaf, flags) : 0;
    const uint32_t node = child_of(leaf, name);
    return node != 0 ? context_at(node, flags | NAMED) : 0;
}

uint32_t mprt_depot_put_of(uint32_t name, const uintptr_t *pcs, size_t count,
                           bool truncated)
{
    return put_name(put_frames(pcs, count, truncated), name,
                    truncated ? CUT : 0);
}

static uint32_t end_of(uint32_t id)
{
    return MPRT_LOAD(leaves[id]);
}

uint32_t mprt_depot_named(uint32_t id, uint32_t name)
{
    return id != 0 ? put_name(mprt_depot_leaf(id), name, end_of(id) & CUT) : 0;
}

uint32_t mprt_depot_name(uint32_t id)
{
    const uint32_t end = end_of(id);

    return (end & NAMED) != 0 ? (uint32_t)nodes[end & ~FLAGS].pc : 0;
}

uint32_t mprt_depot_leaf(uint32_t id)
{
    const uint32_t end = end_of(id);

    return (end & NAMED) != 0 ? nodes[end & ~FLAGS].parent : end & ~FLAGS;
}

bool mprt_depot_is_cut(uint32_t id)
{
    return (end_of(id) & CUT) != 0;
}

uintptr_t mprt_depot_node(uint32_t node, uint32_t *parent)
{
    *parent = nodes[node].parent;
    return nodes[node].pc;
}

uint32_t mprt_depot_node_count(void)
{
    return MPRT_LOAD_ACQUIRE(last_node);
}

void mprt_depot_get(uint32_t id, struct mprt_stack *stack)
{
    uint32_t node = mprt_depot_leaf(id);

    stack->count = 0;
    while (node > MPRT_DEPOT_ROOT_CUT && stack->count < MPRT_STACK_FRAMES_MAX)
        stack->pcs[stack->count++] = mprt_depot_node(node, &node);
    stack->truncated = mprt_depot_is_cut(id);
}

void mprt_depot_in_child(void)
{
    mprt_depot_first_id = mprt_depot_count() + 1;
}

bool mprt_depot_is_blank(void)
{
    return mprt_depot_first_id == mprt_depot_count() + 1;
}

uint32_t mprt_depot_count(void)
{
    return MPRT_LOAD_ACQUIRE(last_id);
}

uint64_t mprt_depot_memory_bytes(void)
{
    return (uint64_t)mprt_depot_node_count() * sizeof(struct node) +
           (uint64_t)MPRT_LOAD(bucket_count) * sizeof(*buckets) +
           (uint64_t)mprt_depot_count() * sizeof(*leaves);
}
