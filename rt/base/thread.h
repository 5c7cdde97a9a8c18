/* thread.h -- the runtime's state of each thread, and the guard that keeps a
 * thread from entering the runtime twice.
 *
 * The state has members of many parts, whose names stand in the comments: in
 * one struct the fast paths reach each member by one load from the thread
 * pointer and a constant offset.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* Frames of a recorded stack. malloc_context_size counts the runtime's own
 * frame, which we do not record. */
#define MPRT_STACK_FRAMES_MAX 254
#define MPRT_HEAP_CLASSES 80

/* heap.c: the thread's own free slots. */
struct mprt_heap_cached {
    void *list;     /* memory of the first slot; its header links the next */
    void *reserve;  /* NULL, or a full batch */
    uint32_t count; /* slots in list */
};
struct mprt_heap_cache {
    struct mprt_heap_cached class[MPRT_HEAP_CLASSES];
    void *large;  /* one free large slot, or NULL */
    bool is_busy; /* in use: a signal handler must do without it */
};

/* block_*.c: counts of this thread; the program's counts are the sums over all
 * threads. Written by the thread, read by any. */
struct mprt_thread_counts {
    _Atomic uint64_t allocated_blocks;
    _Atomic uint64_t allocated_bytes;
    _Atomic uint64_t freed_blocks;
    _Atomic uint64_t freed_bytes;
    _Atomic uint64_t timed_sum; /* overhead.c: counts times calls */
    _Atomic uint64_t timed_calls;
};

/* block_new.c: the block that was allocated last. */
struct mprt_last_block {
    const void *header;
    uint64_t state;
};

/* links.c: blocks to be searched for pointers. Searched by other threads too.
 */
#define MPRT_LINKS_WAIT 16
struct mprt_links_sampled {
    _Atomic uintptr_t p; /* 0: none */
    _Atomic uint64_t state;
    _Atomic uint64_t births; /* of the thread, when the block was born */
};
struct mprt_links {
    struct mprt_links_sampled sampled[MPRT_LINKS_WAIT];
    uint32_t next;
};

/* live.c: change of live bytes by this thread's allocations and frees. Written
 * by the thread. A restart of the measurement also writes `published` and the
 * limits low and high, between which the thread publishes nothing. */
struct mprt_thread_live {
    _Atomic int64_t bytes;
    int64_t published; /* the part of bytes that the global sum includes */
    int64_t low;
    int64_t high;
    _Atomic int64_t peak_high; /* above it the thread checks for a new peak */
};

/* sample.c: bytes until the next sampled block, the state of the random
 * numbers, and the number of the rate. */
struct mprt_thread_sample {
    int64_t left;
    uint64_t random;
    uint32_t rate;
};

/* clock.c: converts the time stamp counter to nanoseconds, from tsc on. */
struct mprt_conversion {
    uint64_t tsc;
    uint64_t counts; /* range of validity in counts; 0: not valid */
    uint64_t ns;
    uint64_t rate; /* nanoseconds per count << MPRT_CLOCK_RATE_SHIFT */
};

/* depot.c: the last recorded stack, root first. */
struct mprt_depot_path {
    uint32_t root;
    uint32_t depth;
    uint32_t nodes[MPRT_STACK_FRAMES_MAX];
    uintptr_t pcs[MPRT_STACK_FRAMES_MAX];
};

/* call_values.c: cached context of a context word, caller and stack position.
 */
struct mprt_call_value {
    uint64_t key;
    /* last generation in which it is valid (code_cache.h) */
    uint32_t generation;
    uint32_t context;
};
struct mprt_call_values {
    struct mprt_call_value *places; /* table, or NULL */
    unsigned shift;                 /* from a key to its index */
    uint32_t to_check;              /* look-ups until one is verified */
    uint32_t evictions;             /* since the table has its current size */
};

/* Below a thread's number is room for that of a CPU. */
#define MPRT_THREAD_SHIFT 13

struct mprt_thread {
    struct mprt_thread *next_all; /* list of all states ever made */
    /* list of the states whose thread has ended */
    struct mprt_thread *next_free;
    struct mprt_heap_cache heap;
    struct mprt_thread_counts counts;
    struct mprt_thread_live live;
    struct mprt_last_block last;
    struct mprt_ended *_Atomic ended;           /* ended.c */
    struct mprt_live_reserve *_Atomic reserves; /* live.c */
    struct mprt_trail *trail;                   /* trail.c, or NULL */
    struct mprt_thread_sample sample;
    struct mprt_links links;
    int32_t *checks; /* bursts.c: the word of compiled code; NULL: ended */
    /* block_new.c: the thread's number, shifted by MPRT_THREAD_SHIFT. */
    uint32_t cpu_thread;
    uint32_t calls_to_timed; /* overhead.c */
    uint32_t timed_interval;
    /* unwind.c: pages [low, high) of the stack that are known to be readable.
     */
    uintptr_t stack_low;
    uintptr_t stack_high;
    struct mprt_walk *walks;       /* stack_cache.c */
    struct mprt_walk *named_walks; /* stack_cache.c, with per_thread=1 */
    struct mprt_call_values values;
    uint32_t walk_generation; /* stack_cache.c: generation of the last walk */
    uint32_t name;            /* names.c: number of the last name, or 0 */
    /* names.c: number of the name that the program gave, or 0 */
    uint32_t own_name;
    struct mprt_conversion conversion;
    const volatile int32_t *cpu; /* mprt_os_cpu_word() */
    struct mprt_depot_path path;
    struct mprt_vm_cache *vm; /* vm.c, or NULL */
    void *signal_stack;       /* signal_stack.c */
    unsigned ends;            /* how often the thread's destructor has run */
    /* stack_cache.c: frames of the current walk; kept here because stacks may
     * be small. */
    uintptr_t walked[MPRT_STACK_FRAMES_MAX];
};

/* Thread-local with the initial-exec model: one load from the thread pointer.
 */
struct mprt_thread_local {
    struct mprt_thread *state;
    bool is_inside; /* the guard */
    bool has_ended; /* the thread gets no state any more */
};
extern _Thread_local struct mprt_thread_local mprt_thread_local;

/* Makes threads give back their state when they end. */
void mprt_thread_init(void);
/* Makes this thread's state and starts all parts for it (lifecycle.h). Returns
 * NULL without memory, or if the thread has ended except for its last frees;
 * callers work without a state then. */
struct mprt_thread *mprt_thread_make(void);
/* Head of the list of all states, linked by next_all. States are never freed.
 */
struct mprt_thread *mprt_thread_first(void);
#define MPRT_EACH_THREAD(t)                                        \
    for (struct mprt_thread *t = mprt_thread_first(); (t) != NULL; \
         t = (t)->next_all)
/* See lifecycle.inc. */
extern MPRT_HIDDEN struct mprt_lock mprt_thread_lock;
/* Counts of all threads without a state. */
extern MPRT_HIDDEN struct mprt_thread_counts mprt_thread_orphan_counts;

/* This thread's state, made on first use, or NULL as above. */
static inline struct mprt_thread *mprt_thread_current(void)
{
    struct mprt_thread *const t = mprt_thread_local.state;

    return MPROF_LIKELY(t != NULL) ? t : mprt_thread_make();
}

/* Enters the runtime. False if this thread is inside already: then the caller
 * acts as the plain function and must not leave. */
static inline bool mprt_thread_enter(void)
{
    if (mprt_thread_local.is_inside)
        return false;
    mprt_thread_local.is_inside = true;
    /* Signal handlers of this thread must see the flag before the caller's next
     * accesses. */
    atomic_signal_fence(memory_order_seq_cst);
    return true;
}

static inline void mprt_thread_leave(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    mprt_thread_local.is_inside = false;
}

/* Only the owner writes its counter, so one instruction without a lock
 * suffices; readers see the old or the new value. Threads without a state share
 * counters and add atomically. */
static inline void mprt_thread_add_count(_Atomic uint64_t *counter, uint64_t n,
                                         bool is_shared)
{
    if (MPROF_UNLIKELY(is_shared)) {
        MPRT_ADD(*counter, n);
        return;
    }
    __asm__("addq %1, %0" : "+m"(*counter) : "er"(n) : "cc");
}
