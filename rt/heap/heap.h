/* heap.h -- memory for blocks: one reserved region; size classes that are
 * multiples of a granule; per-thread caches in front of shared lists. Any
 * thread, also in signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_HEAP_H
#define MPRT_HEAP_H

#include "rt/base/thread.h"
#include "shared/abi.h"

/* Reserves the region; ends the program without address space. Called once. */
void mprt_heap_init(void);
/* Gives all slots that the thread's cache holds back. */
void mprt_heap_end_thread(struct mprt_thread *t);
/* Around fork(), see lifecycle.h: no thread is at its new memory. */
void mprt_heap_before_fork(bool is_outermost);
void mprt_heap_after_fork(bool is_child, bool is_outermost);

/* At least bytes bytes at a multiple of MPROF_GRANULE_BYTES, contents undefined
 * unless *is_zero says so; NULL without memory. */
void *mprt_heap_alloc(size_t bytes, bool *is_zero);
/* Takes what mprt_heap_alloc() gave. */
void mprt_heap_free(void *p);
/* True where p lies in the heap's region (its memory can then be read). */
#define MPRT_HEAP_REGION_BYTES ((size_t)4 << 40)
extern MPRT_HIDDEN char
    *mprt_heap_region; /* before there is one, where nothing is */
static inline bool mprt_heap_contains(const void *p)
{
    return (uintptr_t)p - (uintptr_t)mprt_heap_region < MPRT_HEAP_REGION_BYTES;
}
/* The start of the allocated slot that holds p, or NULL. Any p. */
void *mprt_heap_slot_of(const void *p, size_t *slot_bytes);
/* Size of the slot that starts here. */
size_t mprt_heap_slot_bytes(const void *slot);
/* Calls visit for the start of every slot that may hold a block; others may
 * allocate and free meanwhile. */
void mprt_heap_walk(void (*visit)(void *context, void *slot, size_t bytes),
                    void *context);
/* The same in order of addresses, for who holds the heap's locks, or for whom
 * another holds them (mprt_heap_before_fork()). */
void mprt_heap_walk_held(void (*visit)(void *context, void *slot, size_t bytes),
                         void *context);
/* Bytes: in slots handed out; taken from the system; mapped but unused. */
struct mprt_heap_stats {
    uint64_t used_bytes;
    uint64_t heap_bytes;
    uint64_t free_bytes;
};
void mprt_heap_stats(struct mprt_heap_stats *stats);

/* -- small slots, from and to the thread's own list ------------------------ */

#define MPRT_HEAP_PAGE_SHIFT 16
/* Classes: multiples of a granule up to 512, then 8 per doubling. */
#define MPRT_HEAP_STEPS 8

/* For each page: 1 + class of its small slots, or 0. */
extern MPRT_HIDDEN uint8_t *mprt_heap_small;
/* Slots of a class that are moved at a time. */
extern MPRT_HIDDEN uint8_t mprt_heap_batches[MPRT_HEAP_CLASSES];

/* A free slot. */
struct mprt_heap_slot {
    struct mprt_heap_slot *next;
    /* Of the first slot of a batch in the shared stack: */
    _Atomic uint64_t below; /* number of the next batch's first slot, or 0 */
    uint64_t count;         /* slots of the batch */
};

/* The thread's cache, or NULL where there is none or a signal interrupted its
 * use; mprt_heap_end_cache() must follow. */
static inline struct mprt_heap_cache *
mprt_heap_begin_cache(struct mprt_thread *t)
{
    if (MPROF_UNLIKELY(t == NULL || t->heap.is_busy))
        return NULL;
    t->heap.is_busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    return &t->heap;
}

static inline void mprt_heap_end_cache(struct mprt_heap_cache *cache)
{
    atomic_signal_fence(memory_order_seq_cst);
    cache->is_busy = false;
}

/* A slot for bytes bytes (not 0) out of the thread's list, or NULL: then
 * mprt_heap_alloc() may have one. */
static inline void *mprt_heap_pop(struct mprt_thread *t, size_t bytes)
{
    const size_t class = (bytes - 1) / MPROF_GRANULE_BYTES;
    struct mprt_heap_cache *cache;

    if (MPROF_UNLIKELY(class >= MPRT_HEAP_STEPS))
        return NULL;
    cache = mprt_heap_begin_cache(t);
    if (MPROF_UNLIKELY(cache == NULL))
        return NULL;
    struct mprt_heap_cached *const cached = &cache->class[class];
    struct mprt_heap_slot *const slot = cached->list;
    if (MPROF_LIKELY(slot != NULL)) {
        struct mprt_heap_slot *const next = slot->next;
        cached->list = next;
        cached->count--;
        __builtin_prefetch(next, 1);
    }
    mprt_heap_end_cache(cache);
    return slot;
}

/* Puts a slot on the thread's list; false where mprt_heap_free() must do it. */
static inline bool mprt_heap_push(struct mprt_thread *t, void *p)
{
    struct mprt_heap_slot *const slot = p;
    const size_t page =
        (size_t)((const char *)p - mprt_heap_region) >> MPRT_HEAP_PAGE_SHIFT;
    const uint32_t small = mprt_heap_small[page];
    struct mprt_heap_cache *cache;
    bool has_room;

    if (MPROF_UNLIKELY(small == 0))
        return false;
    cache = mprt_heap_begin_cache(t);
    if (MPROF_UNLIKELY(cache == NULL))
        return false;
    struct mprt_heap_cached *const cached = &cache->class[small - 1];
    has_room = cached->count < mprt_heap_batches[small - 1];
    if (MPROF_LIKELY(has_room)) {
        slot->next = cached->list;
        cached->list = slot;
        cached->count++;
    }
    mprt_heap_end_cache(cache);
    return has_room;
}

#endif
