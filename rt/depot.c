/* depot.c -- the set of call stacks, lock-free and append-only.
 *
 * Stacks have dense ids from 1, which index an array of entries; a hash table
 * of list heads finds the id of a stack. An entry is written in full before it
 * is pushed on its list, and never changes. Two threads that add one stack at
 * the same time may use up two ids: the loser's stays empty (it is never given
 * out).
 *
 * All arrays are address space of the largest size, which costs nothing until
 * it is touched.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/depot.h"

#define BUCKET_BITS 20
#define BUCKETS ((size_t)1 << BUCKET_BITS)
#define PCS_MAX ((size_t)1 << 31) /* words in the arena */

struct entry {
    uint64_t hash;
    const uintptr_t *pcs;
    uint32_t next; /* id in the bucket's list, or 0 */
    uint16_t count;
    uint16_t is_truncated;
};

static _Atomic uint32_t *buckets;
static struct entry *entries; /* by id */
static uintptr_t *pc_arena;
static _Atomic uint64_t pcs_used;
static _Atomic uint32_t last_id;
uint32_t mprt_depot_first_id = 1;

bool mprt_depot_init(void)
{
    buckets = mprt_sys_reserve(BUCKETS * sizeof(*buckets));
    entries =
        mprt_sys_reserve((MPRT_CONTEXTS_MAX + (size_t)1) * sizeof(*entries));
    pc_arena = mprt_sys_reserve(PCS_MAX * sizeof(*pc_arena));
    return buckets != NULL && entries != NULL && pc_arena != NULL;
}

static uint64_t hash_stack(const uintptr_t *pcs, size_t count, bool truncated)
{
    uint64_t hash = count * 2 + truncated;

    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ pcs[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

static bool is_same(const struct entry *e, uint64_t hash, const uintptr_t *pcs,
                    size_t count, bool truncated)
{
    return e->hash == hash && e->count == count &&
           e->is_truncated == truncated &&
           mprt_memcmp(e->pcs, pcs, count * sizeof(*pcs)) == 0;
}

/* The id of the stack in the list from `id` up to, not including, `stop`. */
static uint32_t find(uint32_t id, uint32_t stop, uint64_t hash,
                     const uintptr_t *pcs, size_t count, bool truncated)
{
    for (; id != stop; id = entries[id].next) {
        if (is_same(&entries[id], hash, pcs, count, truncated))
            return id;
    }
    return 0;
}

/* An entry with the stack in it, or 0 where the depot is full. */
static uint32_t add_entry(uint64_t hash, const uintptr_t *pcs, size_t count,
                          bool truncated)
{
    if (atomic_load_explicit(&last_id, memory_order_relaxed) >=
            MPRT_CONTEXTS_MAX - MPRT_THREADS_SLACK ||
        atomic_load_explicit(&pcs_used, memory_order_relaxed) >=
            PCS_MAX - MPRT_THREADS_SLACK * MPRT_STACK_FRAMES_MAX)
        return 0;
    const uint64_t at =
        atomic_fetch_add_explicit(&pcs_used, count, memory_order_relaxed);
    const uint32_t id =
        atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed) + 1;
    mprt_memcpy(pc_arena + at, pcs, count * sizeof(*pcs));
    entries[id] = (struct entry){
        .hash = hash,
        .pcs = pc_arena + at,
        .count = (uint16_t)count,
        .is_truncated = truncated,
    };
    return id;
}

uint32_t mprt_depot_put(const uintptr_t *pcs, size_t count, bool truncated)
{
    const uint64_t hash = hash_stack(pcs, count, truncated);
    _Atomic uint32_t *const bucket = &buckets[hash >> (64 - BUCKET_BITS)];
    /* Pairs with the release below: what the id leads to is written. */
    uint32_t head = atomic_load_explicit(bucket, memory_order_acquire);
    uint32_t found = find(head, 0, hash, pcs, count, truncated);

    if (MPROF_LIKELY(found != 0))
        return found;
    const uint32_t id = add_entry(hash, pcs, count, truncated);
    if (id == 0)
        return 0;
    for (;;) {
        const uint32_t searched = head;
        entries[id].next = head;
        if (atomic_compare_exchange_weak_explicit(
                bucket, &head, id, memory_order_acq_rel, memory_order_acquire))
            return id;
        found = find(head, searched, hash, pcs, count, truncated);
        if (found != 0)
            return found;
    }
}

struct mprt_stack mprt_depot_get(uint32_t id)
{
    const struct entry *const e = &entries[id];

    return (struct mprt_stack){e->pcs, e->count, e->is_truncated != 0};
}

void mprt_depot_restart(void)
{
    mprt_sys_discard(buckets, BUCKETS * sizeof(*buckets));
    mprt_depot_first_id = mprt_depot_count() + 1;
}

uint32_t mprt_depot_count(void)
{
    return atomic_load_explicit(&last_id, memory_order_acquire);
}

uint64_t mprt_depot_memory_bytes(void)
{
    return (uint64_t)mprt_depot_count() *
               (sizeof(struct entry) + sizeof(*buckets)) +
           atomic_load_explicit(&pcs_used, memory_order_relaxed) *
               sizeof(*pc_arena);
}
