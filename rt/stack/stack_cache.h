/* stack_cache.h -- finds the context of a call, from remembered walks of the
 * stack. Inside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/fault.h"
#include "rt/base/thread.h"
#include "rt/stack/code_cache.h"
#include "rt/stack/unwind.h"

/* Reads the options. Called once. */
void mprt_stack_cache_init(void);
/* Drops the walks of the thread that used the state before: its stack is
 * gone. */
void mprt_stack_cache_start_thread(struct mprt_thread *t);

/* -- the common case ------------------------------------------------------- */

#define MPRT_STACK_CACHE_BITS 6
#define MPRT_STACK_CACHE_WALKS ((size_t)1 << MPRT_STACK_CACHE_BITS)

struct mprt_walk {
    uintptr_t pc;
    uint32_t generation; /* last generation in which the walk is valid */
    uint32_t context;
    bool is_second_next; /* the next eviction by a call with this first slot
                          * takes its second slot */
    struct mprt_trace trace;
};

/* Each pair of return address and frame hashes to two slots of the cache; two
 * such pairs rarely share both. */
static inline uint64_t mprt_stack_cache_hash(struct mprt_caller caller)
{
    return (caller.pc ^ (caller.frame << 20)) * UINT64_C(0x9e3779b97f4a7c15);
}
static inline struct mprt_walk *mprt_stack_cache_first(struct mprt_walk *walks,
                                                       uint64_t hash)
{
    return &walks[hash >> (64 - MPRT_STACK_CACHE_BITS)];
}
static inline struct mprt_walk *mprt_stack_cache_second(struct mprt_walk *walks,
                                                        uint64_t hash)
{
    return &walks[hash >> (64 - 2 * MPRT_STACK_CACHE_BITS) &
                  (MPRT_STACK_CACHE_WALKS - 1)];
}

static inline bool mprt_stack_cache_is_same(const struct mprt_walk *walk,
                                            struct mprt_caller caller)
{
    const struct mprt_trace_pair *pair = walk->trace.pairs;

    if (MPROF_UNLIKELY(
            walk->pc != caller.pc || walk->trace.frame != caller.frame ||
            walk->generation < MPRT_LOAD(mprt_code_cache_generation)))
        return false;
    const struct mprt_trace_pair *const end = pair + walk->trace.count;
    /* The first pair is one word, read at the frame. */
    if (MPROF_UNLIKELY(pair == end))
        return true;
    if (MPROF_UNLIKELY(*(const volatile uintptr_t *)caller.frame !=
                       pair->values[0]))
        return false;
    pair++;
    /* Compare in the order of the walk, and stop at the first difference. If
     * the stack is now another, shorter one, a word differs before its end, or
     * a word is not readable any more. */
    const struct mprt_trace_pair *const plain_end = pair + walk->trace.plain;
    for (; pair != plain_end; pair++) {
        const uintptr_t at = caller.frame + pair->offsets[0];
        if (MPROF_UNLIKELY(mprt_fault_read(at) != pair->values[0]) ||
            MPROF_UNLIKELY(mprt_fault_read(at - sizeof(at)) != pair->values[1]))
            return false;
    }
    for (; pair != end; pair++) {
        for (int i = 0; i < 2; i++) {
            if (MPROF_UNLIKELY(
                    mprt_fault_read(caller.frame + pair->offsets[i]) !=
                    pair->values[i]))
                return false;
        }
    }
    return true;
}

/* Slow path: looks at the second slot, then walks the stack. t may be NULL. */
uint32_t mprt_stack_cache_find(struct mprt_thread *t,
                               struct mprt_caller caller);

/* Returns the context of an allocation call that returns to `caller`, on thread
 * t (may be NULL); 0 if the depot is full. Inside the guard. With per_thread=1,
 * t->walks is always NULL. */
static inline uint32_t mprt_stack_cache_context(struct mprt_thread *t,
                                                struct mprt_caller caller)
{
    if (MPROF_LIKELY(t != NULL && t->walks != NULL)) {
        const struct mprt_walk *const walk =
            mprt_stack_cache_first(t->walks, mprt_stack_cache_hash(caller));
        if (MPROF_LIKELY(mprt_stack_cache_is_same(walk, caller)))
            return walk->context;
    }
    return mprt_stack_cache_find(t, caller);
}
