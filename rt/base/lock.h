/* lock.h -- a lock of one word: spins a little, then sleeps in the kernel. Not
 * recursive. Zero is unlocked, so static locks need no initializer.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/rt.h"

/* 0: free; 1: held; 2: held, and threads may be sleeping. */
struct mprt_lock {
    _Atomic uint32_t word;
};

/* The slow paths. rt/start/lifecycle.inc defines which lock may be taken while
 * another is held. */
void mprt_lock_wait(struct mprt_lock *lock);
void mprt_lock_wake(struct mprt_lock *lock);

/* Set to a buffer of __builtin_setjmp() while this thread must not block
 * forever: a lock that stays taken for MPRT_LOCK_PATIENCE_NS makes the thread
 * jump there and abandon its work. NULL otherwise. */
#define MPRT_LOCK_PATIENCE_NS UINT64_C(2000000000)
extern _Thread_local void **mprt_lock_bail;
/* The same buffer for a thread that may block without a limit until some thread
 * calls mprt_lock_say_stuck(). */
extern _Thread_local void **mprt_lock_bail_when_stuck;
/* Tells that this thread, in a signal handler, may hold locks and does not
 * continue, but waits for the end of the program. Cannot be undone. */
void mprt_lock_say_stuck(void);
/* Whether this thread must not block forever. */
bool mprt_lock_is_bounded(void);
/* Tells that another process takes locks of this memory, too: *tid is 0 when it
 * has ended. If it was killed, a lock that stays taken for 10 s is taken over:
 * that process only reads under locks. No thread may hold one so long. NULL: no
 * process. */
void mprt_lock_watch(const _Atomic uint32_t *tid);
/* Waits at most patience_ns. False if the lock stayed taken. */
bool mprt_lock_try(struct mprt_lock *lock, uint64_t patience_ns);
/* For callers that can work without the lock: waits without a limit, or at most
 * patience_ns while this thread must not block forever. False if the lock
 * stayed taken. */
bool mprt_lock_try_while_bounded(struct mprt_lock *lock, uint64_t patience_ns);

static inline void mprt_lock_acquire(struct mprt_lock *lock)
{
    uint32_t unlocked = 0;

    /* Pairs with the release in mprt_lock_release(). */
    if (!atomic_compare_exchange_strong_explicit(&lock->word, &unlocked, 1,
                                                 memory_order_acquire,
                                                 memory_order_relaxed))
        mprt_lock_wait(lock);
}

static inline void mprt_lock_release(struct mprt_lock *lock)
{
    if (atomic_exchange_explicit(&lock->word, 0, memory_order_release) == 2)
        mprt_lock_wake(lock);
}

/* Unlocks in a forked child, where the holder does not exist. */
static inline void mprt_lock_reset(struct mprt_lock *lock)
{
    MPRT_STORE(lock->word, 0);
}

/* After fork(): releases the lock if it was taken before; in a child always. */
static inline void mprt_lock_after_fork(struct mprt_lock *lock, bool is_child,
                                        bool was_taken)
{
    if (is_child)
        mprt_lock_reset(lock);
    else if (was_taken)
        mprt_lock_release(lock);
}

/* Points to glibc's flag "this process has one thread", or to false if another
 * process uses this memory. */
extern MPRT_HIDDEN const volatile char *mprt_lock_alone;
static inline bool mprt_lock_is_alone(void)
{
    return *mprt_lock_alone != 0;
}
/* Whether the process has one thread, no matter who else uses its memory. */
bool mprt_lock_has_one_thread(void);
void mprt_lock_init(void);
/* Call before another process begins to use this memory. Cannot be undone. */
void mprt_lock_not_alone(void);

/* For locks that are held for some microseconds and used by these functions
 * only. The release is a plain store without a wake-up. A waiting thread polls.
 * After some seconds it takes the lock, because its holder has gone; sooner if
 * the program is dying and the holder, perhaps this thread before a signal, may
 * not continue. A single thread takes the lock by a plain store, too; its
 * signal handlers still see it held. */
void mprt_lock_wait_brief(struct mprt_lock *lock);

static inline void mprt_lock_acquire_brief(struct mprt_lock *lock)
{
    uint32_t unlocked = 0;

    if (MPROF_LIKELY(mprt_lock_is_alone() && MPRT_LOAD(lock->word) == 0)) {
        MPRT_STORE(lock->word, 1);
        atomic_signal_fence(memory_order_seq_cst);
        return;
    }
    /* Pairs with the release in mprt_lock_release_brief(). */
    if (MPROF_UNLIKELY(!atomic_compare_exchange_strong_explicit(
            &lock->word, &unlocked, 1, memory_order_acquire,
            memory_order_relaxed)))
        mprt_lock_wait_brief(lock);
}

static inline void mprt_lock_release_brief(struct mprt_lock *lock)
{
    MPRT_STORE_RELEASE(lock->word, 0);
}
