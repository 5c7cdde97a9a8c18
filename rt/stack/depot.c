/* depot.c -- the set of call stacks, lock-free and append-only: a tree.
 *
 * A node is a frame and the node of its caller; a stack is named by its leaf.
 * So stacks share the frames that they have in common from the root, and a
 * context takes as many nodes as it has frames of its own. The two roots stand
 * for whole stacks and for those that were cut. A hash table of list heads
 * finds the child of a node by its address. A node is written in full before it
 * is pushed on its list, and never changes but for the context that ends at it.
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
#include "rt/base/log.h"
#include "rt/base/os.h"

#define BUCKET_BITS 18
#define BUCKETS ((size_t)1 << BUCKET_BITS)
#define BUCKETS_PER_NODE 4
#define SPREAD_BITS 8
#define NODES_MAX ((size_t)1 << 28)

struct node {
    uintptr_t pc;
    uint32_t parent;
    uint32_t next; /* in the bucket's list, or 0 */
};

static _Atomic uint32_t *buckets;
static struct node *nodes;         /* by number */
static _Atomic uint32_t *contexts; /* that ends at the node; 0, a parent's */
static _Atomic uint32_t *leaves;   /* by context */
static _Atomic uint32_t last_node = MPRT_DEPOT_ROOT_CUT;
static _Atomic uint32_t last_id;
uint32_t mprt_depot_first_id = 1;

void mprt_depot_init(void)
{
    buckets = mprt_os_reserve(BUCKETS * sizeof(*buckets));
    nodes = mprt_os_reserve(NODES_MAX * sizeof(*nodes));
    contexts = mprt_os_reserve(NODES_MAX * sizeof(*contexts));
    leaves = mprt_os_reserve((MPRT_CONTEXTS_MAX + (size_t)1) * sizeof(*leaves));
    if (buckets == NULL || nodes == NULL || contexts == NULL || leaves == NULL)
        mprt_log_give_up("call stacks");
}

/* -- nodes ----------------------------------------------------------------- */

/* The node in the list from `node` up to, not including, `stop`, or 0. */
static uint32_t find(uint32_t node, uint32_t stop, uint32_t parent,
                     uintptr_t pc)
{
    for (; node != stop; node = nodes[node].next) {
        if (nodes[node].pc == pc && nodes[node].parent == parent)
            return node;
    }
    return 0;
}

static uint32_t add_node(_Atomic uint32_t *bucket, uint32_t head,
                         uint32_t parent, uintptr_t pc)
{
    if (atomic_load_explicit(&last_node, memory_order_relaxed) >=
        NODES_MAX - MPRT_THREADS_SLACK)
        return 0;
    const uint32_t node =
        atomic_fetch_add_explicit(&last_node, 1, memory_order_relaxed) + 1;
    nodes[node] = (struct node){.pc = pc, .parent = parent};
    for (;;) {
        const uint32_t searched = head;
        nodes[node].next = head;
        if (atomic_compare_exchange_weak_explicit(bucket, &head, node,
                                                  memory_order_acq_rel,
                                                  memory_order_acquire))
            return node;
        const uint32_t found = find(head, searched, parent, pc);
        if (found != 0)
            return found;
    }
}

/* Near the parent's own place: nodes are numbered as they come, so a program
 * with few of them touches few pages of the table. Its children are spread over
 * so many buckets that a caller of thousands is no list of thousands. */
static inline _Atomic uint32_t *bucket_of(uint32_t parent, uintptr_t pc)
{
    const uint64_t hash = pc * UINT64_C(0x9e3779b97f4a7c15);

    return &buckets[(parent * (uint64_t)BUCKETS_PER_NODE +
                     (hash >> (64 - SPREAD_BITS))) %
                    BUCKETS];
}

/* The child of a node, added where it is new; 0 where the depot is full. */
static uint32_t child_of(uint32_t parent, uintptr_t pc)
{
    _Atomic uint32_t *const bucket = bucket_of(parent, pc);
    /* Pairs with the release in add_node(): what the number leads to is
     * written. */
    const uint32_t head = atomic_load_explicit(bucket, memory_order_acquire);
    const uint32_t found = find(head, 0, parent, pc);

    return MPROF_LIKELY(found != 0) ? found
                                    : add_node(bucket, head, parent, pc);
}

uint32_t mprt_depot_child(uint32_t parent, uintptr_t pc)
{
    const _Atomic uint32_t *const bucket = bucket_of(parent, pc);

    return find(atomic_load_explicit(bucket, memory_order_acquire), 0, parent,
                pc);
}

/* -- contexts -------------------------------------------------------------- */

static uint32_t context_at(uint32_t leaf)
{
    /* Pairs with the release below. */
    uint32_t id = atomic_load_explicit(&contexts[leaf], memory_order_acquire);

    if (MPROF_LIKELY(id >= mprt_depot_first_id))
        return id;
    if (atomic_load_explicit(&last_id, memory_order_relaxed) >=
        MPRT_CONTEXTS_MAX - MPRT_THREADS_SLACK)
        return 0;
    const uint32_t mine =
        atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed) + 1;
    atomic_store_explicit(&leaves[mine], leaf, memory_order_relaxed);
    return atomic_compare_exchange_strong_explicit(&contexts[leaf], &id, mine,
                                                   memory_order_acq_rel,
                                                   memory_order_acquire)
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

    return MPROF_LIKELY(node != 0) ? context_at(node) : 0;
}

uint32_t mprt_depot_put_of(uint32_t name, const uintptr_t *pcs, size_t count,
                           bool truncated)
{
    uint32_t node = put_frames(pcs, count, truncated);

    if (node != 0 && name != 0)
        node = child_of(node, name);
    return node != 0 ? context_at(node) : 0;
}

uint32_t mprt_depot_named(uint32_t id, uint32_t name)
{
    const uint32_t node = id != 0 ? child_of(mprt_depot_leaf(id), name) : 0;

    return node != 0 ? context_at(node) : 0;
}

static uint32_t end_of(uint32_t id)
{
    return atomic_load_explicit(&leaves[id], memory_order_relaxed);
}

uint32_t mprt_depot_name(uint32_t id)
{
    const uint32_t end = end_of(id);
    const uintptr_t pc = end > MPRT_DEPOT_ROOT_CUT ? nodes[end].pc : 0;

    return pc < MPRT_NAMES ? (uint32_t)pc : 0;
}

uint32_t mprt_depot_leaf(uint32_t id)
{
    const uint32_t end = end_of(id);

    return mprt_depot_name(id) != 0 ? nodes[end].parent : end;
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
    stack->truncated = node == MPRT_DEPOT_ROOT_CUT;
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
    return (uint64_t)mprt_depot_node_count() *
               (sizeof(struct node) + sizeof(*contexts) + sizeof(*buckets)) +
           (uint64_t)mprt_depot_count() * sizeof(*leaves);
}
