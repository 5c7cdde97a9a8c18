/* heap.h -- memory for blocks, and a header for each: one reserved region; size
 * classes; per-thread caches in front of shared lists. Any thread, also in
 * signal handlers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_HEAP_H
#define MPRT_HEAP_H

#include "rt/base/thread.h"
#include "rt/heap/runs.h"

/* Reserves the region; ends the program without address space. Called once. */
void mprt_heap_init(void);
/* Gives all slots that the thread's cache holds back. */
void mprt_heap_end_thread(struct mprt_thread *t);
/* Around fork(), see lifecycle.h: no thread is at its new memory. */
void mprt_heap_before_fork(bool is_outermost);
void mprt_heap_after_fork(bool is_child, bool is_outermost);

/* Each slot has memory for a block, and a header of so many bytes that its
 * owner fills in. While a slot is free the heap uses the header but for its
 * last word, which is zero before the first block. */
/* Memory begins at a multiple of this; of a granule, where it is a multiple of
 * a granule in length. */
#define MPRT_HEAP_ALIGN 32
struct mprt_heap_slot {
    char *memory; /* NULL: no slot */
    void *header;
    size_t bytes; /* of memory */
};

/* A slot for at least bytes bytes, contents undefined unless *is_zero says so;
 * none without memory. */
struct mprt_heap_slot mprt_heap_alloc(size_t bytes, bool *is_zero);
/* The same of bytes bytes, a large slot whose memory goes back
 * to the system when the slot is freed. */
struct mprt_heap_slot mprt_heap_alloc_separate(size_t bytes, bool *is_zero);
/* Gives a large slot room for so many bytes where it is, and no more; false
 * where that is in use, or the slot is small. */
bool mprt_heap_resize(void *memory, size_t bytes);
/* Takes the memory of what these gave. */
void mprt_heap_free(void *memory);
/* True where p lies in the heap's region. */
static inline bool mprt_heap_contains(const void *p)
{
    return (uintptr_t)p - (uintptr_t)mprt_runs_region < MPRT_HEAP_REGION_BYTES;
}
/* The slot, in use or free, whose memory holds p. Any p. */
struct mprt_heap_slot mprt_heap_slot_of(const void *p);
/* Bytes of memory of the slot, in use, whose memory begins here. */
size_t mprt_heap_room(const void *memory);
/* The program is about to forbid itself the system calls by which the heap
 * grows: opens memory ahead. */
void mprt_heap_prepare_sandbox(void);
/* Calls visit for every slot that may hold a block; others may allocate and
 * free meanwhile. */
void mprt_heap_walk(void (*visit)(void *context,
                                  const struct mprt_heap_slot *slot),
                    void *context);
/* The same in order of addresses, for who holds the heap's locks, or for whom
 * another holds them (mprt_heap_before_fork()). */
void mprt_heap_walk_held(void (*visit)(void *context,
                                       const struct mprt_heap_slot *slot),
                         void *context);
/* Bytes: in slots handed out; taken from the system; mapped but unused. */
struct mprt_heap_stats {
    uint64_t used_bytes;
    uint64_t heap_bytes;
    uint64_t free_bytes;
};
void mprt_heap_stats(struct mprt_heap_stats *stats);
/* Bytes of the region, from its start, that ever held slots. */
size_t mprt_heap_extent(void);

/* -- small slots, from and to the thread's own list ------------------------ */

/* For each page: 1 + class of its small slots, or 0. */
extern MPRT_HIDDEN uint8_t *mprt_heap_small;

/* The header of a slot of a fine class. */
static inline void *mprt_heap_fine_header(const struct mprt_class *c,
                                          void *memory)
{
    const size_t in_page =
        (size_t)((char *)memory - mprt_runs_region) & MPRT_HEAP_PAGE_MASK;

    return (char *)memory - in_page +
           mprt_classes_index(c, (uint32_t)in_page - c->first) * c->stride;
}

/* mprt_heap_header_at() for other than fine classes. */
void *mprt_heap_coarse_header_at(void *p);

/* The header of the slot whose memory begins at p, or NULL; any p. Of a slot
 * that never held a block the last word is zero. */
static inline void *mprt_heap_header_at(void *p)
{
    const size_t off = (size_t)((uintptr_t)p - (uintptr_t)mprt_runs_region);

    if (MPROF_UNLIKELY(off >= MPRT_HEAP_REGION_BYTES))
        return NULL;
    const uint32_t class = mprt_heap_small[off >> MPRT_HEAP_PAGE_SHIFT] - 1u;
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

/* The memory of a slot for bytes bytes (not 0) out of the thread's list, and
 * its header, or NULL: then mprt_heap_alloc() may have one. */
static inline void *mprt_heap_pop(struct mprt_thread *t, size_t bytes,
                                  void **header)
{
    const size_t class = (bytes - 1) / MPRT_HEAP_ALIGN;
    struct mprt_heap_cache *cache;

    if (MPROF_UNLIKELY(class >= MPRT_HEAP_FINE_CLASSES))
        return NULL;
    cache = mprt_heap_begin_cache(t);
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

/* Puts a slot on the thread's list; false where mprt_heap_free() must do it. */
static inline bool mprt_heap_push(struct mprt_thread *t, void *memory,
                                  void *header)
{
    struct mprt_heap_free *const slot = header;
    const size_t page = (size_t)((const char *)memory - mprt_runs_region) >>
                        MPRT_HEAP_PAGE_SHIFT;
    const uint32_t small = mprt_heap_small[page];
    struct mprt_heap_cache *cache;
    bool has_room;

    if (MPROF_UNLIKELY(small == 0))
        return false;
    cache = mprt_heap_begin_cache(t);
    if (MPROF_UNLIKELY(cache == NULL))
        return false;
    struct mprt_heap_cached *const cached = &cache->class[small - 1];
    has_room = cached->count < mprt_classes[small - 1].batch;
    if (MPROF_LIKELY(has_room)) {
        slot->next = cached->list;
        cached->list = memory;
        cached->count++;
    }
    mprt_heap_end_cache(cache);
    return has_room;
}

#endif
