/* thread.c -- the state of each thread.
 *
 * States lie in mapped memory, because static TLS would take room of the
 * threads' stacks. They are reused after their thread has ended. A destructor
 * of a pthread key gives the state back. It rearms itself so that it runs in
 * the last round, after the program's own destructors, which may free blocks.
 * Frees after that work without a cache.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/thread.h"
#include "rt/base/lock.h"
#include "rt/base/memory.h"
#include "rt/base/os.h"
#include "rt/base/lifecycle.h"

#include <pthread.h>
#include <sys/mman.h>

/* PTHREAD_DESTRUCTOR_ITERATIONS of glibc. */
#define DESTRUCTOR_ROUNDS 4
/* Two cache lines, because processors fetch pairs of lines. */
#define STATE_ALIGN 128
#define CHUNK_BYTES ((size_t)64 << 10)

_Thread_local struct mprt_thread_local mprt_thread_local;
struct mprt_thread_counts mprt_thread_orphan_counts;

struct mprt_lock mprt_thread_lock; /* protects pool */
static struct {
    struct mprt_thread *free;
    struct mprt_memory_chunk chunk;
} pool;
static _Atomic(struct mprt_thread *) all;
static pthread_key_t key;
static bool has_key;

struct mprt_thread *mprt_thread_first(void)
{
    /* Pairs with the release in take_state(). */
    return MPRT_LOAD_ACQUIRE(all);
}

static struct mprt_thread *take_state(void)
{
    mprt_lock_acquire(&mprt_thread_lock);
    struct mprt_thread *t = pool.free;
    if (t != NULL) {
        pool.free = t->next_free;
    } else {
        t = (struct mprt_thread *)mprt_memory_cut(
            &pool.chunk, mprof_round_up(sizeof(*t), STATE_ALIGN), CHUNK_BYTES);
        if (t != NULL) {
            t->next_all = MPRT_LOAD(all);
            /* Pairs with the acquire in mprt_thread_first(). */
            MPRT_STORE_RELEASE(all, t);
        }
    }
    mprt_lock_release(&mprt_thread_lock);
    return t;
}

struct mprt_thread *mprt_thread_make(void)
{
    struct mprt_thread_local *const self = &mprt_thread_local;
    const bool was_inside = self->is_inside;

    if (self->has_ended)
        return NULL;
    /* A signal handler that interrupts this function works without a state. */
    self->has_ended = true;
    self->is_inside = true;
    struct mprt_thread *const t = take_state();
    if (t != NULL) {
        t->ends = 0;
        t->cpu = mprt_os_cpu_word();
        mprt_lifecycle_start_thread(t);
        self->state = t;
        if (has_key)
            pthread_setspecific(key, t);
    }
    self->is_inside = was_inside;
    self->has_ended = t == NULL;
    return t;
}

static void end_thread(void *value)
{
    struct mprt_thread *const t = value;

    if (++t->ends < DESTRUCTOR_ROUNDS) {
        pthread_setspecific(key, t);
        return;
    }
    mprt_thread_local.has_ended = true;
    mprt_thread_local.state = NULL;
    const bool is_first = mprt_thread_enter();
    mprt_lifecycle_end_thread(t);
    if (is_first)
        mprt_thread_leave();
    mprt_lock_acquire(&mprt_thread_lock);
    t->next_free = pool.free;
    pool.free = t;
    mprt_lock_release(&mprt_thread_lock);
}

void mprt_thread_init(void)
{
    has_key = pthread_key_create(&key, end_thread) == 0;
    if (has_key && mprt_thread_local.state != NULL)
        pthread_setspecific(key, mprt_thread_local.state);
}
