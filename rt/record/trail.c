/* trail.c -- the events of blocks on their way to the log.
 *
 * Only its thread appends to a buffer and empties it. Any thread may write its
 * events to the log, under the buffer's lock; the log's lock is taken before.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/trail.h"
#include "rt/base/clock.h"
#include "rt/base/memory.h"
#include "rt/base/thread.h"
#include "rt/record/block_state.h"

bool mprt_trail_is_on;
bool mprt_trail_takes_snapshot;
_Atomic uint64_t mprt_trail_due_ns;
struct mprt_live_peak mprt_trail_last_peak;

static void (*write_events)(struct mprt_trail *full);
static _Atomic(struct mprt_trail *) all;
/* For threads without a state; the lock is held while one appends. */
static struct mprt_lock orphan_lock;
static struct mprt_trail *orphan;

void mprt_trail_start(void (*write)(struct mprt_trail *full))
{
    write_events = write;
    mprt_trail_is_on = true;
}

struct mprt_trail *mprt_trail_first(void)
{
    /* Pairs with the release in new_trail(). */
    return atomic_load_explicit(&all, memory_order_acquire);
}

static struct mprt_trail *new_trail(void)
{
    struct mprt_trail *const trail = mprt_memory_map(sizeof(*trail));

    if (trail == NULL)
        return NULL;
    trail->next = atomic_load_explicit(&all, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(
        &all, &trail->next, trail, memory_order_release, memory_order_relaxed))
        ;
    return trail;
}

/* Room for n events after the first `used`, or NULL if they are lost. */
static union mprt_trail_event *room_for(struct mprt_trail *trail, uint32_t n,
                                        uint64_t now_ns, uint32_t *used)
{
    *used = atomic_load_explicit(&trail->used, memory_order_relaxed);
    if (MPROF_UNLIKELY(*used + n > MPRT_TRAIL_ROOM)) {
        write_events(trail);
        mprt_lock_acquire_brief(&trail->lock);
        trail->written = 0;
        atomic_store_explicit(&trail->used, 0, memory_order_relaxed);
        mprt_lock_release_brief(&trail->lock);
        *used = 0;
    } else if (MPROF_UNLIKELY(now_ns >=
                              atomic_load_explicit(&mprt_trail_due_ns,
                                                   memory_order_relaxed))) {
        write_events(NULL);
    }
    return &trail->events[*used];
}

static void put(struct mprt_trail *trail, const union mprt_trail_event *events,
                uint32_t n)
{
    uint32_t used;
    union mprt_trail_event *const to = room_for(trail, n, events[0].ns, &used);

    for (uint32_t i = 0; i < n; i++)
        to[i] = events[i];
    /* Pairs with the acquire of who writes the events to the log. */
    atomic_store_explicit(&trail->used, used + n, memory_order_release);
}

static uint32_t number_of(const struct mprt_thread *t)
{
    return t->cpu_thread >> CPU_THREAD_CPU_BITS;
}

static void note(struct mprt_trail *trail, uint64_t ns, uint32_t what,
                 uint64_t value)
{
    const union mprt_trail_event event = {
        .ns = ns, .at = value, .context = what, .code = MPROF_LOG_EVENT_NOTE};

    put(trail, &event, 1);
}

/* The thread's buffer, which may be an earlier thread's, or NULL. */
static struct mprt_trail *trail_of(struct mprt_thread *t, uint64_t ns)
{
    struct mprt_trail *trail = t->trail;

    if (MPROF_LIKELY(trail != NULL && trail->thread != 0))
        return trail;
    if (trail == NULL)
        trail = t->trail = new_trail();
    if (trail == NULL)
        return NULL;
    trail->thread = number_of(t);
    note(trail, ns, MPROF_LOG_NOTE_BEGIN, 0);
    return trail;
}

static __attribute__((noinline)) void
append_orphan(const union mprt_trail_event *events, uint32_t n)
{
    mprt_lock_acquire(&orphan_lock);
    if (orphan == NULL)
        orphan = new_trail();
    if (orphan != NULL)
        put(orphan, events, n);
    mprt_lock_release(&orphan_lock);
}

static void append(struct mprt_thread *t, const union mprt_trail_event *events,
                   uint32_t n)
{
    struct mprt_trail *const trail =
        t != NULL ? trail_of(t, events[0].ns) : NULL;

    if (MPROF_UNLIKELY(trail == NULL))
        append_orphan(events, n);
    else
        put(trail, events, n);
}

void mprt_trail_birth(struct mprt_thread *t, uintptr_t p,
                      const struct mprof_block_life *life, uint32_t context)
{
    const union mprt_trail_event event = {.ns = life->alloc_ns,
                                          .at = p,
                                          .number = life->size,
                                          .context = context,
                                          .cpu = life->alloc_cpu,
                                          .code = MPROF_LOG_EVENT_ALLOC};

    append(t, &event, 1);
}

static uint16_t code_of(const struct mprof_block_life *life)
{
    uint32_t code = life->is_live ? MPROF_LOG_EVENT_LIVE : MPROF_LOG_EVENT_FREE;

    code |= life->is_temporary ? MPROF_LOG_FL_TEMPORARY : 0;
    code |= life->is_elsewhere ? MPROF_LOG_FL_ELSEWHERE : 0;
    code |= life->is_unseen ? MPROF_LOG_FL_UNSEEN : 0;
    code |= life->peak != 0 ? MPROF_LOG_FL_PEAK : 0;
    code |= life->is_saturated ? MPROF_LOG_FL_SATURATED : 0;
    return (uint16_t)code;
}

void mprt_trail_life(struct mprt_thread *t, uintptr_t p,
                     const struct mprof_block_life *life,
                     const struct mprof_block_rw *rw,
                     const struct mprt_block_end *end)
{
    union mprt_trail_event events[4] = {{.ns = life->dealloc_ns,
                                         .at = p,
                                         .number = life->access_count,
                                         .context = life->peak,
                                         .cpu = life->dealloc_cpu,
                                         .code = code_of(life)}};
    uint32_t n = 1;

    if (life->is_elsewhere)
        events[n++].detail[0] =
            mprof_log_signed(life->dealloc_ns - life->alloc_ns);
    if (end != NULL && end->kind != 0) {
        events[0].code |= MPROF_LOG_FL_ENDED;
        events[n].detail[0] = end->kind;
        events[n].detail[1] = end->other;
        events[n++].detail[2] = end->size;
    }
    if (rw != NULL) {
        events[0].code |=
            (uint16_t)(MPROF_LOG_FL_RW |
                       (rw->is_measured ? MPROF_LOG_FL_RW_MEASURED : 0) |
                       (rw->has_bytes ? MPROF_LOG_FL_RW_BYTES : 0));
        events[n].detail[0] = rw->reads;
        events[n].detail[1] = rw->writes;
        events[n].detail[2] = rw->read_bytes;
        events[n++].detail[3] = rw->write_bytes;
    }
    append(t, events, n);
}

void mprt_trail_most(uint32_t context, uint64_t bytes, uint64_t blocks)
{
    const union mprt_trail_event event = {.at = bytes,
                                          .number = blocks,
                                          .context = context,
                                          .code = MPROF_LOG_EVENT_MOST};

    if (blocks != 0)
        append(mprt_thread_local.state, &event, 1);
}

void mprt_trail_peak(struct mprt_live_peak peak)
{
    const union mprt_trail_event event = {.ns = peak.ns,
                                          .at = peak.bytes,
                                          .context = MPROF_LOG_NOTE_PEAK,
                                          .code = MPROF_LOG_EVENT_NOTE};

    mprt_trail_last_peak = peak;
    append(mprt_thread_local.state, &event, 1);
}

void mprt_trail_end_thread(struct mprt_thread *t)
{
    struct mprt_trail *const trail = t->trail;

    if (!mprt_trail_is_on || trail == NULL || trail->thread == 0)
        return;
    note(trail, mprt_clock_now_ns(), MPROF_LOG_NOTE_END, 0);
    write_events(trail);
    mprt_lock_acquire_brief(&trail->lock);
    trail->thread = 0;
    trail->written = 0;
    atomic_store_explicit(&trail->used, 0, memory_order_relaxed);
    mprt_lock_release_brief(&trail->lock);
}

void mprt_trail_after_fork(bool is_child, bool is_outermost)
{
    (void)is_outermost;
    if (!is_child)
        return;
    mprt_lock_reset(&orphan_lock);
    for (struct mprt_trail *t = mprt_trail_first(); t != NULL; t = t->next) {
        mprt_lock_reset(&t->lock);
        t->thread = 0;
        t->written = 0;
        atomic_store_explicit(&t->used, 0, memory_order_relaxed);
    }
}
