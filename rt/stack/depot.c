/* depot.c -- the set of call stacks, lock-free and append-only: a tree.
 *
 * A node is a frame and the node of its caller; a stack is named by its leaf.
 * So stacks share the frames that they have in common from the root, and a
 * context takes as many nodes as it has frames of its own. The two roots stand
 * for whole stacks and for those that were cut. A node is written in full
 * before it is linked, and never changes but for its links and the context that
 * ends at it.
 *
 * A node holds its first child. A hash table that grows without moving anything
 * finds the others by their address: a split-ordered list (Shalev and Shavit,
 * 2006). All nodes of the table are in one list, ordered by their hash read
 * from its lowest bit up. In that order the nodes whose hash has the same low
 * bits are neighbours, so a bucket is a place in the list, and twice as many
 * buckets are further places in it. A bucket is linked when it is first used.
 *
 * Each thread remembers its last stack with its nodes, and looks up only what
 * is different from there on.
 *
 * Contexts have dense ids from 1. Two threads that add one stack at the same
 * time may use up two ids (and two nodes): the loser's is never given out.
 *
 * A stack of one thread (per_thread=1), or of an event, is named by a node
 * below its leaf, in which the number of the name stands where an address
 * would: nothing is mapped so low. So names share all frames.
 *
 * A forked child keeps the tree; ids before the first are the parent's, and a
 * leaf that has one gets another when it is asked for.
 *
 * All arrays are address space of the largest size, which costs nothing until
 * it is touched.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/depot.h"
#include "rt/base/memory.h"

#define NODES_MAX ((size_t)1 << 28)
#define BUCKETS_MIN UINT32_C(1024)
#define BUCKETS_MAX (UINT32_C(1) << 27)

/* A link of the list is the number of a node, or a bucket's with this bit. No
 * link leads to bucket 0, where the list begins; its number stands for the end.
 */
#define BUCKET (UINT32_C(1) << 31)
#define END BUCKET
/* In the link of a bucket that no link may lead to yet: searches must not begin
 * there. */
#define UNLINKED (UINT32_C(1) << 30)

/* Of a context: its leaf is a name's node; its stack is a truncated one. Names
 * and roots are asked for often, and their nodes are far from each other. */
#define NAMED (UINT32_C(1) << 31)
#define CUT (UINT32_C(1) << 30)
#define FLAGS (NAMED | CUT)

struct node {
    uintptr_t pc;
    uint32_t parent;
    _Atomic uint32_t context; /* that ends here; 0, a parent's */
    _Atomic uint32_t child;   /* the first one, or 0 */
    _Atomic uint32_t next;    /* in the list; of a first child unused */
};

static _Atomic uint32_t *buckets;     /* links; 0: never used */
static _Atomic uint32_t bucket_count; /* in use, a power of two */
static _Atomic uint32_t listed;       /* nodes that are in the list */
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
    atomic_store_explicit(&buckets[0], END, memory_order_relaxed);
    atomic_store_explicit(&bucket_count, BUCKETS_MIN, memory_order_relaxed);
}

/* -- the list -------------------------------------------------------------- */

static inline uint32_t hash_of(uint32_t parent, uintptr_t pc)
{
    const uint64_t mixed = pc * UINT64_C(0x9e3779b97f4a7c15) +
                           parent * UINT64_C(0xc2b2ae3d27d4eb4f);

    return (uint32_t)((mixed ^ mixed >> 32) * UINT64_C(0x9fb21c651e98df25) >>
                      32);
}

/* Is the hash a before b, read from the lowest bit up? */
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
    /* Pairs with the release in insert(): what the link leads to is written. */
    return atomic_load_explicit(from, memory_order_acquire);
}

static inline _Atomic uint32_t *link_at(uint32_t link)
{
    return (link & BUCKET) != 0 ? &buckets[link & ~BUCKET] : &nodes[link].next;
}

/* The link `from`, which was `seen`, leads to `link` now. A bucket that is
 * reached by a link is linked. */
static bool insert(_Atomic uint32_t *from, uint32_t seen, uint32_t link)
{
    atomic_store_explicit(link_at(link),
                          (seen & ~UNLINKED) |
                              ((link & BUCKET) != 0 ? UNLINKED : 0),
                          memory_order_relaxed);
    return atomic_compare_exchange_strong_explicit(
        from, &seen, link, memory_order_release, memory_order_relaxed);
}

/* A bucket goes before all nodes that are in it. */
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

/* Links the bucket, and before it those from which its nodes were split; so a
 * search passes a few nodes only. If another thread is about to link one of
 * them, it is not waited for: its nodes are found from the one before. */
static __attribute__((noinline)) uint32_t start_bucket(uint32_t bucket)
{
    uint32_t last = bucket;

    while (!is_linked(last))
        last &= ~(UINT32_C(1) << (31 - __builtin_clz(last)));
    while (last != bucket) {
        const uint32_t rest = last ^ bucket;
        const uint32_t next = last | (rest & -rest);
        uint32_t unused = 0;
        if (!atomic_compare_exchange_strong_explicit(
                &buckets[next], &unused, END | UNLINKED, memory_order_relaxed,
                memory_order_relaxed))
            return last;
        link_bucket(&buckets[last], next);
        last = next;
    }
    return bucket;
}

/* The link from which nodes of this hash are looked for. */
static inline _Atomic uint32_t *start_of(uint32_t hash)
{
    /* Zero until the runtime has started. */
    uint32_t bucket =
        hash & (atomic_load_explicit(&bucket_count, memory_order_relaxed) - 1);

    if (MPROF_UNLIKELY(!is_linked(bucket)))
        bucket = start_bucket(bucket);
    return &buckets[bucket];
}

/* -- nodes ----------------------------------------------------------------- */

/* Where a node is, or belongs. */
struct place {
    _Atomic uint32_t *from;
    uint32_t seen; /* *from, where there is no such node */
};

/* The node, from the place on, or 0. */
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
    const uint32_t n =
        atomic_fetch_add_explicit(&listed, 1, memory_order_relaxed);
    uint32_t count = atomic_load_explicit(&bucket_count, memory_order_relaxed);

    if (n >= count && count < BUCKETS_MAX)
        atomic_compare_exchange_strong_explicit(&bucket_count, &count,
                                                2 * count, memory_order_relaxed,
                                                memory_order_relaxed);
}

/* 0 where the depot is full. */
static uint32_t make_node(uint32_t parent, uintptr_t pc)
{
    if (atomic_load_explicit(&last_node, memory_order_relaxed) >=
        NODES_MAX - MPRT_THREADS_SLACK)
        return 0;
    const uint32_t node =
        atomic_fetch_add_explicit(&last_node, 1, memory_order_relaxed) + 1;
    nodes[node].pc = pc;
    nodes[node].parent = parent;
    return node;
}

/* The child, which is not the first one; `node` is to be used where it is new,
 * if not 0. */
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

/* The child of a node, added where it is new; 0 where the depot is full. */
static uint32_t child_of(uint32_t parent, uintptr_t pc)
{
    /* Pairs with the release below: what the number leads to is written. */
    uint32_t first =
        atomic_load_explicit(&nodes[parent].child, memory_order_acquire);
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
    const uint32_t first =
        atomic_load_explicit(&nodes[parent].child, memory_order_acquire);
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
    /* Pairs with the release below. */
    uint32_t id = atomic_load_explicit(context, memory_order_acquire);

    if (MPROF_LIKELY(id >= mprt_depot_first_id))
        return id;
    if (atomic_load_explicit(&last_id, memory_order_relaxed) >=
        MPRT_CONTEXTS_MAX - MPRT_THREADS_SLACK)
        return 0;
    const uint32_t mine =
        atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed) + 1;
    atomic_store_explicit(&leaves[mine], leaf | flags, memory_order_relaxed);
    return atomic_compare_exchange_strong_explicit(
               context, &id, mine, memory_order_acq_rel, memory_order_acquire)
               ? mine
               : id;
}

/* The node of the last frame, or 0. */
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
        path->depth = 0; /* while it is not true */
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

/* The context of a name below a leaf, or of the leaf itself. */
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
    return atomic_load_explicit(&leaves[id], memory_order_relaxed);
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
    return atomic_load_explicit(&last_node, memory_order_acquire);
}

void mprt_depot_get(uint32_t id, struct mprt_stack *stack)
{
    uint32_t node = mprt_depot_leaf(id);

    stack->count = 0;
    while (node > MPRT_DEPOT_ROOT_CUT && stack->count < MPRT_STACK_FRAMES_MAX)
        stack->pcs[stack->count++] = mprt_depot_node(node, &node);
    stack->truncated = mprt_depot_is_cut(id);
}

void mprt_depot_after_fork(bool is_child, bool is_outermost)
{
    (void)is_outermost;
    if (is_child)
        mprt_depot_first_id = mprt_depot_count() + 1;
}

bool mprt_depot_is_blank(void)
{
    return mprt_depot_first_id == mprt_depot_count() + 1;
}

uint32_t mprt_depot_count(void)
{
    return atomic_load_explicit(&last_id, memory_order_acquire);
}

uint64_t mprt_depot_memory_bytes(void)
{
    return (uint64_t)mprt_depot_node_count() * sizeof(struct node) +
           (uint64_t)atomic_load_explicit(&bucket_count, memory_order_relaxed) *
               sizeof(*buckets) +
           (uint64_t)mprt_depot_count() * sizeof(*leaves);
}
