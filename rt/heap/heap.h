/* heap.h -- memory for blocks with a header each: one reserved region, size
 * classes, caches of threads in front of shared lists. Any thread, also in
 * signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/thread.h"
#include "rt/heap/runs.h"

/* Reserves the region; ends the program without address space. Called once. */
void mprt_heap_init(void);
/* Gives back all slots in the thread's cache. */
void mprt_heap_end_thread(struct mprt_thread *t);
/* Around fork(), see lifecycle.h: no other thread is adding memory to the heap.
 */
void mprt_heap_before_fork(bool is_outermost);
void mprt_heap_after_fork(bool is_child, bool is_outermost);

/* A slot has memory for a block and a header of MPRT_HEAP_HEADER_BYTES, which
 * its owner fills in. The heap uses the header of a free slot except for the
 * last word, which is zero before the first block. */
/* Alignment of a slot's memory. If the length is a multiple of a granule, the
 * memory begins at a granule. */
#define MPRT_HEAP_ALIGN 32
struct mprt_heap_slot {
    char *memory; /* NULL: no slot */
    void *header;
    size_t bytes; /* length of memory */
};

/* Allocates a slot for at least `bytes` bytes. The slot's memory is NULL if
 * there is none. The contents are undefined unless *is_zero. */
struct mprt_heap_slot mprt_heap_alloc(size_t bytes, bool *is_zero);
/* The same, as a large slot whose memory goes to the system when the slot is
 * freed. */
struct mprt_heap_slot mprt_heap_alloc_separate(size_t bytes, bool *is_zero);
/* Changes the room of a large slot in place to `bytes`, rounded up to pages.
 * False if the pages behind it are in use, or if the slot is small. */
bool mprt_heap_resize(void *memory, size_t bytes);
/* Frees the slot with this memory. */
void mprt_heap_free(void *memory);
/* Gives the memory of free slots back to the system. False if there was none.
 */
bool mprt_heap_trim(void);
/* Whether p lies in the heap's region. */
static inline bool mprt_heap_contains(const void *p)
{
    return (uintptr_t)p - (uintptr_t)mprt_runs_region < MPRT_HEAP_REGION_BYTES;
}
/* The slot, used or free, whose memory contains p. p may be any address. */
struct mprt_heap_slot mprt_heap_slot_of(const void *p);
/* Bytes of the used slot whose memory begins at `memory`. */
size_t mprt_heap_room(const void *memory);
/* Makes memory accessible in advance, because the program is about to forbid
 * itself the system calls for it. */
void mprt_heap_prepare_sandbox(void);
/* Calls visit for every slot that may hold a block. Other threads may allocate
 * and free meanwhile. */
void mprt_heap_walk(void (*visit)(void *context,
                                  const struct mprt_heap_slot *slot),
                    void *context);
/* The same in order of addresses, for callers that hold the heap's locks
 * themselves or through another thread (mprt_heap_before_fork()). */
void mprt_heap_walk_held(void (*visit)(void *context,
                                       const struct mprt_heap_slot *slot),
                         void *context);
/* In bytes: slots in use; taken from the system; mapped but unused. */
struct mprt_heap_stats {
    uint64_t used_bytes;
    uint64_t heap_bytes;
    uint64_t free_bytes;
};
void mprt_heap_stats(struct mprt_heap_stats *stats);
/* Bytes from the start of the region to the end of the last page that was ever
 * used. */
size_t mprt_heap_extent(void);

/* -- small slots in the thread's own list ---------------------------------- */

/* For each page of the region: 1 + class of its small slots, or 0. */
extern MPRT_HIDDEN uint8_t *mprt_heap_small;

/* Header of a slot of a fine class. */
static inline void *mprt_heap_fine_header(const struct mprt_class *c,
                                          void *memory)
{
    const size_t in_page =
        (size_t)((char *)memory - mprt_runs_region) & MPRT_HEAP_PAGE_MASK;

    return (char *)memory - in_page +
           mprt_classes_index(c, (uint32_t)in_page - c->first) * c->stride;
}

/* mprt_heap_header_at() for all slots but those of fine classes. */
void *mprt_heap_coarse_header_at(void *p);

/* Header of the slot whose memory begins at p, or NULL. p may be any address.
 * If the slot never held a block, the header's last word is zero. Stores 1 +
 * class of the page's small slots, or 0. */
static inline void *mprt_heap_header_in(void *p, uint32_t *small)
{
    const size_t off = (size_t)((uintptr_t)p - (uintptr_t)mprt_runs_region);

    *small = 0;
    if (MPROF_UNLIKELY(off >= MPRT_HEAP_REGION_BYTES))
        return NULL;
    *small = mprt_heap_small[off >> MPRT_HEAP_PAGE_SHIFT];
    const uint32_t class = *small - 1;
    if (MPROF_UNLIKELY(class >= MPRT_HEAP_FINE_CLASSES))
        return mprt_heap_coarse_header_at(p);
    const struct mprt_class *const c = &mprt_classes[class];
    const size_t in_page = off & MPRT_HEAP_PAGE_MASK;
    const uint32_t distance = (uint32_t)in_page - c->first;
    const uint64_t i = mprt_classes_index(c, distance);
    if (MPROF_UNLIKELY(distance >= c->end || i * c->bytes != distance))
        return NULL;
    return (char *)p - in_page + i * c->stride;
}

/* The same without the class. */
static inline void *mprt_heap_header_at(void *p)
{
    uint32_t small;

    return mprt_heap_header_in(p, &small);
}

/* The thread's cache, or NULL if there is none or a signal handler has
 * interrupted its use. Call mprt_heap_end_cache() after it. */
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

/* Takes a slot for `bytes` bytes from the thread's list. Returns its memory and
 * *header, or NULL: then use mprt_heap_alloc(). NULL for 0 bytes. */
static inline void *mprt_heap_pop(struct mprt_thread *t, size_t bytes,
                                  void **header)
{
    const size_t class = (bytes - 1) / MPRT_HEAP_ALIGN;

    if (MPROF_UNLIKELY(class >= MPRT_HEAP_FINE_CLASSES))
        return NULL;
    struct mprt_heap_cache *const cache = mprt_heap_begin_cache(t);
    if (MPROF_UNLIKELY(cache == NULL))
        return NULL;
    struct mprt_heap_cached *const cached = &cache->class[class];
    void *const memory = cached->list;
    if (MPROF_LIKELY(memory != NULL)) {
        struct mprt_heap_free *const slot =
            mprt_heap_fine_header(&mprt_classes[class], memory);
        void *const next = slot->next;
        cached->list = next;
        cached->count--;
        __builtin_prefetch(next, 1);
        *header = slot;
    }
    mprt_heap_end_cache(cache);
    return memory;
}

/* Puts a slot into the thread's list. small: as mprt_heap_header_in() has it.
 * False if mprt_heap_free() must free it. */
static inline bool mprt_heap_push(struct mprt_thread *t, void *memory,
                                  void *header, uint32_t small)
{
    struct mprt_heap_free *const slot = header;

    if (MPROF_UNLIKELY(small == 0))
        return false;
    struct mprt_heap_cache *const cache = mprt_heap_begin_cache(t);
    if (MPROF_UNLIKELY(cache == NULL))
        return false;
    struct mprt_heap_cached *const cached = &cache->class[small - 1];
    const bool has_room = cached->count < mprt_classes[small - 1].batch;
    if (MPROF_LIKELY(has_room)) {
        slot->next = cached->list;
        cached->list = memory;
        cached->count++;
    }
    mprt_heap_end_cache(cache);
    return has_room;
}
