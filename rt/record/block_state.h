/* block_state.h -- the header of a block, for the files block_*.c.
 *
 * The word `state` tells whether a block lives in the slot, where it begins and
 * how long it is. The thread that changes it from LIVE to FREE ends the block:
 * if two threads free one block, one succeeds and the other is reported. The
 * state also counts the blocks of the slot, so that a dump can see whether a
 * header still described the same block at the end of its reading. The word
 * never holds anything else; the heap uses the header's other words while the
 * slot is free.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/heap/shadow.h"
#include "rt/record/sample.h"

struct header {
    uint64_t birth_ns;
    uint32_t context; /* 0: not recorded */
    uint32_t cpu_thread;
    _Atomic uint64_t state;
};

_Static_assert(sizeof(struct header) == MPRT_HEAP_HEADER_BYTES,
               "as the heap has it");

/* cpu_thread holds a CPU's number, for which Linux needs no more bits, and a
 * thread's number. */
#define CPU_THREAD_CPU_BITS MPRT_THREAD_SHIFT
#define CPU_THREAD_CPU_MASK ((UINT32_C(1) << CPU_THREAD_CPU_BITS) - 1)
static inline uint32_t cpu_in(uint32_t cpu_thread)
{
    return cpu_thread & CPU_THREAD_CPU_MASK;
}

/* Fields of the state, from the top: the block's size; the number of the rate
 * at which it was sampled; a count of blocks; whether code that does not count
 * accesses the block; log2 of the alignment at whose first multiple the block
 * begins, or 0 if it begins with the slot's memory; kind. */
#define STATE_SIZE_SHIFT 23
#define STATE_RATE_SHIFT (STATE_SIZE_SHIFT - MPRT_SAMPLE_RATE_BITS)
#define STATE_COUNT ((uint64_t)1 << 9)
#define STATE_COUNT_MASK ((((uint64_t)1 << STATE_RATE_SHIFT) - 1) & ~511)
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

static inline uint32_t rate_in(uint64_t state)
{
    return (uint32_t)(state >> STATE_RATE_SHIFT) & (MPRT_SAMPLE_RATES - 1);
}

/* Whether both states are of one block. It may have been marked unseen
 * meanwhile. */
static inline bool is_same_block(uint64_t a, uint64_t b)
{
    return ((a ^ b) & ~STATE_UNSEEN) == 0;
}

/* Whether code may have accessed the block without counting. */
static inline bool is_unseen_in(uint64_t state)
{
    return (state & STATE_UNSEEN) != 0 || MPRT_LOAD(mprt_shadow_is_partial);
}

static inline uint64_t load_state(const struct header *h)
{
    /* Pairs with the release in set_live(), after which the header is complete.
     */
    return MPRT_LOAD_ACQUIRE(h->state);
}

/* For a block that was claimed, or born on this thread. */
static inline uint64_t size_of(const struct header *h)
{
    return size_in(MPRT_LOAD(h->state));
}

/* The state of a new block. The slot has not had the same state for a long
 * time. */
static inline uint64_t next_state(const struct header *h, size_t size,
                                  uint32_t rate, uint64_t align)
{
    const uint64_t before = MPRT_LOAD(h->state);

    return (uint64_t)size << STATE_SIZE_SHIFT |
           (uint64_t)rate << STATE_RATE_SHIFT |
           ((before + STATE_COUNT) & STATE_COUNT_MASK) | align | STATE_LIVE;
}

static inline void set_live(struct header *h, uint64_t state)
{
    MPRT_STORE_RELEASE(h->state, state);
}

/* Number of blocks that the sampled block at p stands for. The result stays the
 * same as long as the block lives, and after it is claimed. */
static inline uint32_t weight_at(uintptr_t p, uint64_t state)
{
    return mprt_sample_weight(size_in(state), rate_in(state),
                              (state | STATE_KIND_MASK | STATE_UNSEEN) +
                                  ((p - (uintptr_t)mprt_runs_region) << 1));
}

static inline uint32_t weight_of(const struct header *h, uintptr_t p)
{
    return weight_at(p, MPRT_LOAD(h->state));
}

/* Start of the block with this state in its slot. */
static inline char *block_in(const char *memory, uint64_t state)
{
    const uint64_t align = (state & STATE_ALIGN_MASK) >> STATE_ALIGN_SHIFT;

    return (char *)(uintptr_t)mprof_round_up((uintptr_t)memory, UINT64_C(1)
                                                                    << align);
}

/* Header and state of the slot that contains p, if its last block began at p;
 * otherwise NULL. Slower than header_of(), but finds blocks with an alignment,
 * too. */
static MPRT_NOINLINE struct header *aligned_header(const void *p,
                                                   uint64_t *state)
{
    const struct mprt_heap_slot slot = mprt_heap_slot_of(p);

    if (slot.memory == NULL)
        return NULL;
    *state = load_state(slot.header);
    return p == block_in(slot.memory, *state) ? slot.header : NULL;
}

/* Header and state of the last block that began at p, which may have ended.
 * NULL if there is none. */
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

/* Header and state of the live block that begins at p, or NULL. small: as in
 * mprt_heap_header_in(). */
static inline struct header *live_header_in(void *p, uint64_t *state,
                                            uint32_t *small)
{
    struct header *const h = mprt_heap_header_in(p, small);

    if (MPROF_LIKELY(h != NULL)) {
        *state = load_state(h);
        if (MPROF_LIKELY((*state & (STATE_ALIGN_MASK | STATE_KIND_MASK)) ==
                         STATE_LIVE))
            return h;
    }
    struct header *const other = aligned_header(p, state);
    return other != NULL && kind_of(*state) == STATE_LIVE ? other : NULL;
}

static inline struct header *live_header(void *p, uint64_t *state)
{
    uint32_t small;

    return live_header_in(p, state, &small);
}

/* Memory of the slot of the block at p with this state. */
static inline char *memory_of(void *p, uint64_t state)
{
    return MPROF_LIKELY((state & STATE_ALIGN_MASK) == 0)
               ? p
               : mprt_heap_slot_of(p).memory;
}
