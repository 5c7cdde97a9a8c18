/* lock.c -- the slow paths of a lock: waiting without and with a limit.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/lock.h"
#include "rt/base/os.h"

#define SPINS 400
#define NAP_NS UINT64_C(200000)
/* After this many naps a waiting thread takes a brief lock: the holder has
 * gone, for example because it was cancelled in malloc. Naps and not time,
 * because a stopped process takes no naps. */
#define NAPS_MAX (MPRT_LOCK_PATIENCE_NS / NAP_NS)
/* How long a dying program waits for a brief lock. */
#define BRIEF_PATIENCE_NS UINT64_C(200000000)
/* Interval after which a sleeping thread checks whether it may go on waiting.
 */
#define PEEK_NS UINT64_C(100000000)

_Thread_local void **mprt_lock_bail;
_Thread_local void **mprt_lock_bail_when_stuck;
static _Atomic bool is_stuck;
/* A lock that stays taken for so many intervals is that of a process that was
 * killed. */
#define ORPHAN_PEEKS 100
/* No process held more locks when it was killed. */
#define ORPHANS_MAX 8
static const _Atomic uint32_t *_Atomic watched;
static _Atomic uint32_t taken_over; /* locks, since the process began */

void mprt_lock_watch(const _Atomic uint32_t *tid)
{
    atomic_store(&watched, tid);
    atomic_store(&taken_over, 0);
}

static bool is_orphaning(void)
{
    const _Atomic uint32_t *const tid = atomic_load(&watched);

    return tid != NULL && atomic_load(tid) == 0;
}

void mprt_lock_say_stuck(void)
{
    atomic_store(&is_stuck, true);
}

bool mprt_lock_is_bounded(void)
{
    if (mprt_lock_bail == NULL && MPROF_UNLIKELY(atomic_load(&is_stuck)))
        mprt_lock_bail = mprt_lock_bail_when_stuck;
    return mprt_lock_bail != NULL;
}

/* Stores 2, so that the holder wakes threads that fell asleep meanwhile. */
static bool get(struct mprt_lock *lock)
{
    return atomic_exchange_explicit(&lock->word, 2, memory_order_acquire) == 0;
}

bool mprt_lock_try(struct mprt_lock *lock, uint64_t patience_ns)
{
    if (get(lock))
        return true;
    const uint64_t start_ns = mprt_os_monotonic_ns();
    while (!get(lock)) {
        if (mprt_os_monotonic_ns() - start_ns > patience_ns)
            return false;
        mprt_os_yield();
    }
    return true;
}

bool mprt_lock_try_while_bounded(struct mprt_lock *lock, uint64_t patience_ns)
{
    while (!mprt_lock_is_bounded()) {
        if (mprt_lock_try(lock, PEEK_NS))
            return true;
    }
    return mprt_lock_try(lock, patience_ns);
}

/* False if this thread may block forever. A signal may change that at any time.
 */
static bool get_or_bail(struct mprt_lock *lock)
{
    if (MPROF_LIKELY(!mprt_lock_is_bounded()))
        return false;
    if (!mprt_lock_try(lock, MPRT_LOCK_PATIENCE_NS))
        __builtin_longjmp(mprt_lock_bail, 1);
    return true;
}

/* Sleeps. False if a thread released the lock and chose this one. */
static bool was_slept_through(struct mprt_lock *lock)
{
    const uint64_t start_ns = mprt_os_monotonic_ns();

    mprt_os_sleep_privately(&lock->word, 2, PEEK_NS);
    return mprt_os_monotonic_ns() - start_ns >= PEEK_NS;
}

/* Of all threads that wait, for any lock, one takes a lock over; the others see
 * it by the count and begin anew. */
static bool take_over(uint32_t known)
{
    return known < ORPHANS_MAX &&
           atomic_compare_exchange_strong(&taken_over, &known, known + 1);
}

void mprt_lock_wait(struct mprt_lock *lock)
{
    if (get_or_bail(lock))
        return;
    for (unsigned i = 0; i < SPINS; i++) {
        uint32_t unlocked = 0;
        if (MPRT_LOAD(lock->word) == 0 &&
            atomic_compare_exchange_strong_explicit(&lock->word, &unlocked, 1,
                                                    memory_order_acquire,
                                                    memory_order_relaxed))
            return;
        __builtin_ia32_pause();
    }
    for (uint32_t peeks = 0, known = atomic_load(&taken_over);; peeks++) {
        if (atomic_exchange_explicit(&lock->word, 2, memory_order_acquire) ==
                0 ||
            get_or_bail(lock))
            return;
        if (!was_slept_through(lock) || !is_orphaning() ||
            atomic_load(&taken_over) != known) {
            peeks = 0;
            known = atomic_load(&taken_over);
        }
        if (peeks == ORPHAN_PEEKS && take_over(known))
            return;
    }
}

extern char __libc_single_threaded __attribute__((weak));
static const char not_alone = 0;
const volatile char *mprt_lock_alone = &not_alone;

void mprt_lock_init(void)
{
    if (&__libc_single_threaded != NULL)
        mprt_lock_alone = &__libc_single_threaded;
}

bool mprt_lock_has_one_thread(void)
{
    return &__libc_single_threaded != NULL && __libc_single_threaded != 0;
}

void mprt_lock_not_alone(void)
{
    mprt_lock_alone = &not_alone;
}

void mprt_lock_wait_brief(struct mprt_lock *lock)
{
    for (uint64_t naps = 0; naps < NAPS_MAX; naps++) {
        if (MPROF_UNLIKELY(mprt_lock_is_bounded())) {
            mprt_lock_try(lock, BRIEF_PATIENCE_NS);
            return;
        }
        for (unsigned i = 0; i < SPINS; i++) {
            uint32_t unlocked = 0;
            if (MPRT_LOAD(lock->word) == 0 &&
                atomic_compare_exchange_strong_explicit(&lock->word, &unlocked,
                                                        1, memory_order_acquire,
                                                        memory_order_relaxed))
                return;
            __builtin_ia32_pause();
        }
        /* The holder wakes nobody, so sleep for a limited time. The word is 2
         * after mprt_lock_try(). */
        const uint32_t seen = MPRT_LOAD(lock->word);
        if (seen != 0)
            mprt_os_sleep_privately(&lock->word, seen, NAP_NS);
    }
}

void mprt_lock_wake(struct mprt_lock *lock)
{
    mprt_os_wake_one(&lock->word);
}
