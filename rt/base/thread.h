/* thread.h -- what the runtime keeps per thread, and the guard against entering
 * it twice.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_THREAD_H
#define MPRT_THREAD_H

#include "rt/base/rt.h"

/* Of a recorded stack: malloc_context_size counts the runtime's own frame,
 * which we do not record. */
#define MPRT_STACK_FRAMES_MAX 254
#define MPRT_HEAP_CLASSES 80

/* heap.c: free slots that only this thread touches. */
struct mprt_heap_cached {
    void *list;    /* the first one's memory; the next one's is in its header */
    void *reserve; /* NULL, or a whole batch */
    uint32_t count; /* of the list */
};
struct mprt_heap_cache {
    struct mprt_heap_cached class[MPRT_HEAP_CLASSES];
    void *large;  /* one freed large slot, or NULL */
    bool is_busy; /* an interrupted operation is under way */
};

/* block.c: sums over all threads are what was counted. Written by the owner,
 * read by anyone. */
struct mprt_thread_counts {
    _Atomic uint64_t allocated_blocks;
    _Atomic uint64_t allocated_bytes;
    _Atomic uint64_t freed_blocks;
    _Atomic uint64_t freed_bytes;
    _Atomic uint64_t timed_sum; /* overhead.c: counts times calls */
    _Atomic uint64_t timed_calls;
};

/* block.c: the block that was allocated last. */
struct mprt_last_block {
    const void *header;
    uint64_t state;
};

/* live.c: how much of the program's memory lives, as far as this thread
 * allocated and freed it. Written by the owner; `published` and the limits
 * between which it publishes nothing also by who restarts the measuring. */
struct mprt_thread_live {
    _Atomic int64_t bytes;
    int64_t published; /* so much of that is in the sum of all */
    int64_t low;
    int64_t high;
    _Atomic int64_t peak_high; /* beyond it there is a new peak, perhaps */
};

/* sample.c: bytes until the next block that is sampled, and where its random
 * numbers are. */
struct mprt_thread_sample {
    int64_t left;
    uint64_t random;
};

/* clock.c: nanoseconds from the processor's counter, from tsc on. */
struct mprt_conversion {
    uint64_t tsc;
    uint64_t counts; /* how far it reaches; 0: not at all */
    uint64_t ns;
    uint64_t rate; /* nanoseconds per count << MPRT_CLOCK_RATE_SHIFT */
};

/* depot.c: the last stack, root first. */
struct mprt_depot_path {
    uint32_t root;
    uint32_t depth;
    uint32_t nodes[MPRT_STACK_FRAMES_MAX];
    uintptr_t pcs[MPRT_STACK_FRAMES_MAX];
};

/* call_values.c: a context by value, caller and place on the stack. */
struct mprt_call_value {
    uint64_t key;
    uint32_t generation; /* up to which it is valid: code_cache.h */
    uint32_t context;
};
struct mprt_call_values {
    struct mprt_call_value *places; /* or NULL */
    unsigned shift;                 /* from a key to its place */
    uint32_t to_check;              /* look-ups until one is compared */
    uint32_t evictions;             /* since they are so many places */
};

struct mprt_thread {
    struct mprt_thread *next_all;  /* list of all states ever made */
    struct mprt_thread *next_free; /* list of those whose thread has ended */
    struct mprt_heap_cache heap;
    struct mprt_thread_counts counts;
    struct mprt_thread_live live;
    struct mprt_last_block last;
    struct mprt_thread_sample sample;
    uint32_t cpu_thread;     /* block.c: the thread's number, shifted */
    uint32_t calls_to_timed; /* overhead.c */
    uint32_t timed_interval;
    /* unwind.c: stack pages [low, high) that are known to be readable. */
    uintptr_t stack_low;
    uintptr_t stack_high;
    struct mprt_walk *walks;       /* stack_cache.c */
    struct mprt_walk *named_walks; /* the same with per_thread=1 */
    struct mprt_call_values values;
    uint32_t walk_generation; /* stack_cache.c: of the last walk */
    uint32_t name;            /* names.c: the last number, or 0 */
    uint32_t own_name;        /* names.c: what the thread says, or 0 */
    struct mprt_conversion conversion;
    const volatile int32_t *cpu; /* kept by the kernel; negative: it is not */
    struct mprt_depot_path path;
    void *signal_stack; /* signals.c */
    unsigned ends;      /* how often the thread's destructor has run */
    /* stack_cache.c: frames of the walk at hand; stacks may be small. */
    uintptr_t walked[MPRT_STACK_FRAMES_MAX];
};

/* Initial-exec TLS: a load from the thread pointer. */
struct mprt_thread_local {
    struct mprt_thread *state;
    bool is_inside; /* the guard */
    bool has_ended; /* no new state is made any more */
};
extern _Thread_local struct mprt_thread_local mprt_thread_local;

/* Makes threads give back their state when they end. */
void mprt_thread_init(void);
/* This thread's state, made: the parts have started for it (lifecycle.h). NULL
 * where there is no memory for it or the thread has ended but for its last
 * frees: then do without. */
struct mprt_thread *mprt_thread_make(void);
/* The list of all states, by next_all; states are never freed. */
struct mprt_thread *mprt_thread_first(void);
/* Around fork(), see lifecycle.h. */
void mprt_thread_before_fork(bool is_outermost);
void mprt_thread_after_fork(bool is_child, bool is_outermost);
/* Counts of threads without a state. */
extern MPRT_HIDDEN struct mprt_thread_counts mprt_thread_orphan_counts;

/* This thread's state, made on first use; or NULL, as above. */
static inline struct mprt_thread *mprt_thread_current(void)
{
    struct mprt_thread *const t = mprt_thread_local.state;

    return MPROF_LIKELY(t != NULL) ? t : mprt_thread_make();
}

/* Enters the runtime; false when this thread is inside already (then the caller
 * acts as the plain function and must not leave). */
static inline bool mprt_thread_enter(void)
{
    if (mprt_thread_local.is_inside)
        return false;
    mprt_thread_local.is_inside = true;
    /* A signal handler on this thread must see it before what follows. */
    atomic_signal_fence(memory_order_seq_cst);
    return true;
}

static inline void mprt_thread_leave(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    mprt_thread_local.is_inside = false;
}

/* Only the owner writes, so one instruction without a lock does; a reader sees
 * either value. Orphans share theirs and add atomically. */
static inline void mprt_thread_add_count(_Atomic uint64_t *counter, uint64_t n,
                                         bool is_shared)
{
    if (MPROF_UNLIKELY(is_shared)) {
        atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
        return;
    }
    __asm__("addq %1, %0" : "+m"(*counter) : "er"(n) : "cc");
}

#endif
