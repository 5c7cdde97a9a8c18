/* lock.h -- a lock of one word: spins a little, then sleeps in the kernel. Not
 * recursive. Zero is unlocked, so static locks need no initializer.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_LOCK_H
#define MPRT_LOCK_H

#include "rt/base/rt.h"

/* 0 free, 1 held, 2 held and somebody may sleep. */
struct mprt_lock {
    _Atomic uint32_t word;
};

/* What is not worth inlining. Which lock may be taken under which:
 * rt/start/lifecycle.inc. */
void mprt_lock_wait(struct mprt_lock *lock);
void mprt_lock_wake(struct mprt_lock *lock);

/* Room for __builtin_setjmp(), where this thread must not wait for ever: a lock
 * that it does not get in this time ends what it does. NULL otherwise. */
#define MPRT_LOCK_PATIENCE_NS UINT64_C(2000000000)
extern _Thread_local void **mprt_lock_bail;
/* Such room of who may wait as long as it likes, but not once a thread that may
 * hold locks, and does not go on, waits for the end of the program. */
extern _Thread_local void **mprt_lock_bail_when_stuck;
/* That thread says so, for good: a signal's handler. */
void mprt_lock_say_stuck(void);
/* Must this thread not wait for ever? */
bool mprt_lock_is_bounded(void);
/* True where the lock was got in time. */
bool mprt_lock_try(struct mprt_lock *lock, uint64_t patience_ns);
/* For what can do without the lock: as long as it takes, or where this thread
 * must not wait for ever so long; false where it was not got. */
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

/* In a forked child: whoever held it is not there. */
static inline void mprt_lock_reset(struct mprt_lock *lock)
{
    atomic_store_explicit(&lock->word, 0, memory_order_relaxed);
}

/* Around fork(): waits for who holds the lock where `takes`; gives it back, in
 * a child in any case: whoever held it is not there. */
static inline void mprt_lock_before_fork(struct mprt_lock *lock, bool takes)
{
    if (takes)
        mprt_lock_acquire(lock);
}
static inline void mprt_lock_after_fork(struct mprt_lock *lock, bool is_child,
                                        bool was_taken)
{
    if (is_child)
        mprt_lock_reset(lock);
    else if (was_taken)
        mprt_lock_release(lock);
}

/* glibc's note that this process has one thread, where it has one and nobody
 * else uses this memory; or false. */
extern MPRT_HIDDEN const volatile char *mprt_lock_alone;
static inline bool mprt_lock_is_alone(void)
{
    return *mprt_lock_alone != 0;
}
/* The same, whoever else uses this memory. */
bool mprt_lock_has_one_thread(void);
void mprt_lock_init(void);
/* Before another process uses this memory, too. For good. */
void mprt_lock_not_alone(void);

/* For locks that are held for some nanoseconds, and only so used: releasing is
 * a plain store; who waits long looks again from time to time, and after
 * seconds takes the lock all the same, because its holder is gone. A thread
 * that is alone takes it by a plain store too; a signal's handler still sees it
 * held.
 */
void mprt_lock_wait_brief(struct mprt_lock *lock);

static inline void mprt_lock_acquire_brief(struct mprt_lock *lock)
{
    uint32_t unlocked = 0;

    if (MPROF_LIKELY(mprt_lock_is_alone() &&
                     atomic_load_explicit(&lock->word, memory_order_relaxed) ==
                         0)) {
        atomic_store_explicit(&lock->word, 1, memory_order_relaxed);
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
    atomic_store_explicit(&lock->word, 0, memory_order_release);
}

#endif
