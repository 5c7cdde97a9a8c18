/* block_state.h -- the header of a block: what is known of it, and what block.c
 * alone makes of that.
 *
 * `state` says in one word whether a block lives there, where it begins and how
 * long it is. Whoever changes it from LIVE to FREE ends the block: of two
 * threads that free one block, one wins and the other is reported. It also
 * counts the blocks that lived here, so that a dump that reads a header sees
 * whether it was still the same block at the end. It is never anything else's;
 * the other words are the heap's while the slot is free.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_BLOCK_STATE_H
#define MPRT_BLOCK_STATE_H

#include "rt/heap/heap.h"
#include "rt/record/sample.h"

struct header {
    uint64_t birth_ns;
    uint32_t context; /* 0: not recorded */
    uint32_t cpu_thread;
    _Atomic uint64_t state;
};

_Static_assert(sizeof(struct header) == MPRT_HEAP_HEADER_BYTES,
               "as the heap has it");

/* cpu_thread: the number of a CPU, of which Linux has no more, and of a
 * thread. */
#define CPU_THREAD_CPU_BITS 13
#define CPU_THREAD_CPU_MASK ((UINT32_C(1) << CPU_THREAD_CPU_BITS) - 1)
static inline uint32_t cpu_in(uint32_t cpu_thread)
{
    return cpu_thread & CPU_THREAD_CPU_MASK;
}

/* Parts of the state, from the top: the block's size; count of blocks; whether
 * it is accessed by what does not count; the power of two at whose first
 * multiple it begins, 0 where the memory does; kind. */
#define STATE_SIZE_SHIFT 23
#define STATE_COUNT ((uint64_t)1 << 9)
#define STATE_COUNT_MASK ((((uint64_t)1 << STATE_SIZE_SHIFT) - 1) & ~511)
#define STATE_UNSEEN ((uint64_t)1 << 8)
#define STATE_ALIGN_SHIFT 2
#define STATE_ALIGN_MASK ((uint64_t)63 << STATE_ALIGN_SHIFT)
#define STATE_KIND_MASK ((uint64_t)3)
#define STATE_FREE ((uint64_t)1)
#define STATE_LIVE ((uint64_t)2)
static inline bool is_sampling(void)
{
    return mprt_sample_period != 0;
}

static inline uint64_t kind_of(uint64_t state)
{
    return state & STATE_KIND_MASK;
}

static inline uint64_t size_in(uint64_t state)
{
    return state >> STATE_SIZE_SHIFT;
}

/* Is it one block, which may have been marked unseen meanwhile? */
static inline bool is_same_block(uint64_t a, uint64_t b)
{
    return ((a ^ b) & ~STATE_UNSEEN) == 0;
}

static inline uint64_t load_state(const struct header *h)
{
    /* Pairs with the release in set_live(): then the header is filled in. */
    return atomic_load_explicit(&h->state, memory_order_acquire);
}

/* Of a block that has been taken, or was born on this thread. */
static inline uint64_t size_of(const struct header *h)
{
    return size_in(atomic_load_explicit(&h->state, memory_order_relaxed));
}

/* The state of the next block, which no other here has had for a long time. */
static inline uint64_t next_state(const struct header *h, size_t size,
                                  uint64_t align)
{
    const uint64_t before =
        atomic_load_explicit(&h->state, memory_order_relaxed);

    return (uint64_t)size << STATE_SIZE_SHIFT |
           ((before + STATE_COUNT) & STATE_COUNT_MASK) | align | STATE_LIVE;
}

static inline void set_live(struct header *h, uint64_t state)
{
    atomic_store_explicit(&h->state, state, memory_order_release);
}

/* How many blocks the one that begins at p stands for, if it is sampled. As
 * long as it lives, and when it has been taken, this is the same. */
static inline uint32_t weight_at(uintptr_t p, uint64_t state)
{
    return mprt_sample_weight(size_in(state),
                              (state | STATE_KIND_MASK | STATE_UNSEEN) +
                                  ((p - (uintptr_t)mprt_runs_region) << 1));
}

static inline uint32_t weight_of(const struct header *h, uintptr_t p)
{
    return weight_at(p, atomic_load_explicit(&h->state, memory_order_relaxed));
}

/* Where the block of this state lies in its slot. */
static inline char *block_in(const char *memory, uint64_t state)
{
    const uint64_t align = (state & STATE_ALIGN_MASK) >> STATE_ALIGN_SHIFT;

    return (char *)(uintptr_t)mprof_round_up((uintptr_t)memory, UINT64_C(1)
                                                                    << align);
}

/* The slot of the block of this state at p; p's, if there is none. */
static __attribute__((noinline)) struct header *aligned_header(const void *p,
                                                               uint64_t *state)
{
    const struct mprt_heap_slot slot = mprt_heap_slot_of(p);

    if (slot.memory == NULL)
        return NULL;
    *state = load_state(slot.header);
    return p == block_in(slot.memory, *state) ? slot.header : NULL;
}

/* The header and its state where a block began at p last; NULL else. */
static inline struct header *header_of(void *p, uint64_t *state)
{
    struct header *const h = mprt_heap_header_at(p);

    if (MPROF_UNLIKELY(h == NULL))
        return aligned_header(p, state);
    *state = load_state(h);
    return MPROF_LIKELY((*state & STATE_ALIGN_MASK) == 0)
               ? h
               : aligned_header(p, state);
}

/* The header of the live block that begins at p, or NULL. */
static inline struct header *live_header(void *p, uint64_t *state)
{
    struct header *const h = mprt_heap_header_at(p);

    if (MPROF_LIKELY(h != NULL)) {
        *state = load_state(h);
        if (MPROF_LIKELY((*state & (STATE_ALIGN_MASK | STATE_KIND_MASK)) ==
                         STATE_LIVE))
            return h;
    }
    struct header *const other = aligned_header(p, state);
    return other != NULL && kind_of(*state) == STATE_LIVE ? other : NULL;
}

/* Memory of the slot that holds the block of this state at p. */
static inline char *memory_of(void *p, uint64_t state)
{
    return MPROF_LIKELY((state & STATE_ALIGN_MASK) == 0)
               ? p
               : mprt_heap_slot_of(p).memory;
}

#endif
