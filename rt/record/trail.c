/* trail.c -- the events of blocks on their way to the log.
 *
 * A thread appends its events to its buffer as they are in the log. Only the
 * thread appends, and empties the buffer. Any thread may read what is in it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/trail.h"
#include "rt/base/clock.h"
#include "rt/base/lock.h"
#include "rt/base/memory.h"
#include "rt/base/state.h"
#include "rt/base/thread.h"
#include "rt/record/block_state.h"
#include "rt/stack/depot.h"

#define SET_BYTES (MPRT_CONTEXTS_MAX / 8)
/* Two numbers of state may precede an event. */
#define ROOM (MPROF_LOG_EVENT_BYTES_MAX + 2 * (MPROF_LOG_INTEGER_BYTES_MAX + 1))

bool mprt_trail_is_on;
bool mprt_trail_takes_snapshot;
_Atomic uint64_t mprt_trail_due_ns;
struct mprt_live_peak mprt_trail_last_peak;

static const struct mprt_trail_log *the_log;
static uint64_t start_ns;
static _Atomic uint32_t generation; /* number of the log */
static _Atomic uint8_t *stacks;     /* a bit for each context */
static _Atomic(struct mprt_trail *) all;
/* For threads without a state; the lock is held while one appends. */
static struct mprt_lock orphan_lock;
static struct mprt_trail *orphan;

/* -- buffers --------------------------------------------------------------- */

bool mprt_trail_start(const struct mprt_trail_log *log, uint64_t from_ns)
{
    the_log = log;
    start_ns = from_ns;
    atomic_fetch_add(&generation, 1);
    if (stacks == NULL)
        stacks = mprt_memory_map(SET_BYTES);
    if (stacks != NULL)
        mprt_state_set(MPRT_STATE_LOG);
    mprt_trail_is_on = stacks != NULL;
    return mprt_trail_is_on;
}

struct mprt_trail *mprt_trail_first(void)
{
    /* Pairs with the release in new_trail(). */
    return MPRT_LOAD_ACQUIRE(all);
}

static void copy_state(struct mprt_trail_state *to,
                       const struct mprt_trail_state *from)
{
    MPRT_STORE(to->ns, MPRT_LOAD(from->ns));
    MPRT_STORE(to->at, MPRT_LOAD(from->at));
    MPRT_STORE(to->cpu, MPRT_LOAD(from->cpu));
    MPRT_STORE(to->peak, MPRT_LOAD(from->peak));
}

void mprt_trail_empty(struct mprt_trail *trail)
{
    struct mprt_trail_state *const first = &trail->states[0];

    MPRT_STORE(first->ns,
               MPRT_LOAD(trail->states[MPRT_LOAD(trail->position) & 1].ns));
    MPRT_STORE(first->at, 0);
    MPRT_STORE(first->cpu, UINT32_MAX);
    MPRT_STORE(first->peak, 0);
    copy_state(&trail->last, first);
    trail->written = 0;
    MPRT_STORE(trail->position, 0);
}

struct mprt_trail_part mprt_trail_read(struct mprt_trail *trail)
{
    struct mprt_trail_part part = {.bytes = trail->bytes + trail->written,
                                   .is_first = trail->written == 0};
    uint32_t position;
    uint32_t seen;

    /* Pairs with begin_log(). */
    if (atomic_load(&trail->generation) != MPRT_LOAD(generation))
        return part;
    copy_state(&part.from, &trail->last);
    position = atomic_load(&trail->position);
    do {
        seen = position;
        copy_state(&trail->last, &trail->states[seen & 1]);
        atomic_thread_fence(memory_order_acquire);
        position = atomic_load(&trail->position);
    } while (position != seen);
    part.size = seen / 2 - trail->written;
    trail->written = seen / 2;
    return part;
}

bool mprt_trail_has_news(void)
{
    const struct mprt_trail *t = mprt_trail_first();

    while (t != NULL && (MPRT_LOAD(t->generation) != MPRT_LOAD(generation) ||
                         MPRT_LOAD(t->position) / 2 == t->written))
        t = t->next;
    return t != NULL;
}

static struct mprt_trail *new_trail(void)
{
    struct mprt_trail *const trail = mprt_memory_map(sizeof(*trail));

    if (trail == NULL)
        return NULL;
    mprt_trail_empty(trail);
    trail->next = MPRT_LOAD(all);
    while (!atomic_compare_exchange_weak_explicit(
        &all, &trail->next, trail, memory_order_release, memory_order_relaxed))
        ;
    return trail;
}

/* -- call stacks ----------------------------------------------------------- */

bool mprt_trail_add_stack(uint32_t context)
{
    const uint8_t bit = (uint8_t)(1u << context % 8);

    return (atomic_fetch_or(&stacks[context / 8], bit) & bit) == 0;
}

void mprt_trail_forget_stacks(void)
{
    for (size_t i = 0; stacks != NULL && i < SET_BYTES; i++) {
        if (MPRT_LOAD(stacks[i]) != 0)
            MPRT_STORE(stacks[i], 0);
    }
}

/* Pairs with mprt_trail_add_stack() in another thread. */
static inline void need_stack(uint32_t context)
{
    if (MPROF_UNLIKELY(
            (MPRT_LOAD_ACQUIRE(stacks[context / 8]) & 1u << context % 8) == 0))
        the_log->add_stack(context);
}

/* -- appending ------------------------------------------------------------- */

/* Appends one event. trail: NULL if the event is lost. */
struct pen {
    struct mprt_trail *trail;
    uint8_t *to;
    uint64_t ns;
    uint64_t at;
    uint32_t cpu;
    uint32_t peak;
    uint32_t state; /* the next one */
};

/* Makes room if there is none, or writes what is older than a second. False if
 * there is no room, because the log has ended. */
static MPRT_NOINLINE bool make_room(struct mprt_trail *trail)
{
    if (MPRT_LOAD(trail->position) / 2 <= MPRT_TRAIL_BYTES - ROOM) {
        the_log->write(NULL);
        return true;
    }
    the_log->write(trail);
    return MPRT_LOAD(trail->position) / 2 <= MPRT_TRAIL_BYTES - ROOM;
}

/* now_ns: time of the event, or 0. */
static inline struct pen pen_in(struct mprt_trail *trail, uint64_t now_ns)
{
    if (MPROF_UNLIKELY(MPRT_LOAD(trail->position) / 2 >
                           MPRT_TRAIL_BYTES - ROOM ||
                       now_ns >= MPRT_LOAD(mprt_trail_due_ns)) &&
        !make_room(trail))
        return (struct pen){.trail = NULL};
    const uint32_t position = MPRT_LOAD(trail->position);
    const struct mprt_trail_state *const s = &trail->states[position & 1];
    return (struct pen){.trail = trail,
                        .to = trail->bytes + position / 2,
                        .ns = MPRT_LOAD(s->ns),
                        .at = MPRT_LOAD(s->at),
                        .cpu = MPRT_LOAD(s->cpu),
                        .peak = MPRT_LOAD(s->peak),
                        .state = ~position & 1};
}

static inline void commit(const struct pen *pen)
{
    struct mprt_trail *const trail = pen->trail;
    struct mprt_trail_state *const s = &trail->states[pen->state];

    MPRT_STORE(s->ns, pen->ns);
    MPRT_STORE(s->at, pen->at);
    MPRT_STORE(s->cpu, pen->cpu);
    MPRT_STORE(s->peak, pen->peak);
    /* Pairs with mprt_trail_read(). */
    MPRT_STORE_RELEASE(trail->position,
                       (uint32_t)(pen->to - trail->bytes) * 2 + pen->state);
}

static inline void put(struct pen *pen, uint64_t n)
{
    pen->to = mprof_log_put(pen->to, n);
}

static inline void put_cpu(struct pen *pen, uint32_t cpu)
{
    if (MPROF_LIKELY(cpu == pen->cpu))
        return;
    pen->cpu = cpu;
    *pen->to++ = MPROF_LOG_EVENT_CPU;
    put(pen, cpu);
}

static inline void put_time(struct pen *pen, uint64_t ns)
{
    put(pen, mprof_log_signed(ns - pen->ns));
    pen->ns = ns;
}

/* The fields of all events of a block. */
static inline void put_block(struct pen *pen, uintptr_t p, uint64_t ns)
{
    const int64_t step =
        (int64_t)(p - pen->at) / (int64_t)MPROF_LOG_ADDRESS_UNIT;

    put(pen, mprof_log_signed((uint64_t)step));
    pen->at = p;
    put_time(pen, ns);
}

static void note(struct mprt_trail *trail, uint64_t ns, uint32_t what,
                 uint64_t value)
{
    struct pen pen = pen_in(trail, ns);

    if (pen.trail == NULL)
        return;
    *pen.to++ = MPROF_LOG_EVENT_NOTE;
    put(&pen, what);
    put_time(&pen, ns);
    put(&pen, value);
    commit(&pen);
}

static bool is_of_log(const struct mprt_trail *trail)
{
    return MPRT_LOAD(trail->generation) == MPRT_LOAD(generation);
}

/* Forgets events of an earlier log. */
static void begin_log(struct mprt_trail *trail)
{
    mprt_trail_empty(trail);
    atomic_store(&trail->generation, MPRT_LOAD(generation));
}

/* The thread's buffer, which may be an earlier thread's, or NULL. */
static MPRT_NOINLINE struct mprt_trail *begin_trail(struct mprt_thread *t,
                                                    uint64_t ns)
{
    if (t->trail == NULL)
        t->trail = new_trail();
    if (t->trail == NULL)
        return NULL;
    t->trail->thread = t->cpu_thread >> CPU_THREAD_CPU_BITS;
    begin_log(t->trail);
    note(t->trail, ns, MPROF_LOG_NOTE_BEGIN, 0);
    return t->trail;
}

static MPRT_NOINLINE struct mprt_trail *take_orphan(void)
{
    mprt_lock_acquire(&orphan_lock);
    if (orphan == NULL)
        orphan = new_trail();
    if (orphan == NULL)
        mprt_lock_release(&orphan_lock);
    else if (!is_of_log(orphan))
        begin_log(orphan);
    return orphan;
}

/* The buffer for an event; give_back() follows unless it is NULL. */
static inline struct mprt_trail *take_trail(struct mprt_thread *t, uint64_t ns)
{
    struct mprt_trail *trail = t != NULL ? t->trail : NULL;

    if (MPROF_UNLIKELY(t != NULL && (trail == NULL || !is_of_log(trail))))
        trail = begin_trail(t, ns);
    return MPROF_LIKELY(trail != NULL) ? trail : take_orphan();
}

static inline void give_back(const struct mprt_trail *trail)
{
    if (MPROF_UNLIKELY(trail == orphan))
        mprt_lock_release(&orphan_lock);
}

void mprt_trail_birth(struct mprt_thread *t, uintptr_t p, uint64_t size,
                      uint32_t context, uint32_t weight, uint32_t cpu,
                      uint64_t ns)
{
    struct mprt_trail *const trail = take_trail(t, ns);
    const bool has_weight = is_sampling(); /* another thread may change it */

    if (MPROF_UNLIKELY(trail == NULL))
        return;
    need_stack(context);
    struct pen pen = pen_in(trail, ns);
    if (MPROF_LIKELY(pen.trail != NULL)) {
        put_cpu(&pen, cpu);
        *pen.to++ =
            MPROF_LOG_EVENT_ALLOC | (has_weight ? MPROF_LOG_FL_WEIGHT : 0);
        put_block(&pen, p, ns);
        put(&pen, size);
        put(&pen, context);
        if (has_weight)
            put(&pen, weight);
        commit(&pen);
    }
    give_back(trail);
}

static uint32_t code_of(const struct mprof_block_life *life,
                        const struct mprof_block_rw *rw, bool is_ended)
{
    uint32_t code = life->is_live ? MPROF_LOG_EVENT_LIVE : MPROF_LOG_EVENT_FREE;

    code |= life->is_temporary ? MPROF_LOG_FL_TEMPORARY : 0;
    code |= life->is_elsewhere ? MPROF_LOG_FL_ELSEWHERE : 0;
    code |= life->is_unseen ? MPROF_LOG_FL_UNSEEN : 0;
    code |= life->peak != 0 ? MPROF_LOG_FL_PEAK : 0;
    code |= life->is_saturated ? MPROF_LOG_FL_SATURATED : 0;
    code |= is_ended ? MPROF_LOG_FL_ENDED : 0;
    if (rw != NULL)
        code |= MPROF_LOG_FL_RW |
                (rw->is_measured ? MPROF_LOG_FL_RW_MEASURED : 0) |
                (rw->has_bytes ? MPROF_LOG_FL_RW_BYTES : 0);
    return code;
}

static inline void put_code(struct pen *pen, uint32_t code, uint32_t peak)
{
    if (MPROF_UNLIKELY(peak != 0) && peak != pen->peak) {
        pen->peak = peak;
        *pen->to++ = MPROF_LOG_EVENT_PEAK;
        put(pen, peak);
    }
    *pen->to++ = (uint8_t)(code | (code > UINT8_MAX ? MPROF_LOG_FL_MORE : 0));
    if (code > UINT8_MAX)
        *pen->to++ = (uint8_t)(code >> 8);
}

/* Fields by flags. */
static inline void put_details(struct pen *pen, const struct mprt_trail_end *e,
                               const struct mprof_block_rw *rw,
                               const struct mprt_block_end *end)
{
    if ((e->code & MPROF_LOG_FL_ELSEWHERE) != 0)
        put(pen, mprof_log_signed(e->ns - e->birth_ns));
    if (end != NULL) {
        put(pen, end->kind);
        put(pen, end->other);
        put(pen, end->size);
    }
    if (rw != NULL) {
        put(pen, rw->reads);
        put(pen, rw->writes);
        put(pen, rw->read_bytes);
        put(pen, rw->write_bytes);
    }
}

static inline MPRT_ALWAYS_INLINE void
put_end(struct mprt_thread *t, uintptr_t p, const struct mprt_trail_end *e,
        const struct mprof_block_rw *rw, const struct mprt_block_end *end)
{
    struct mprt_trail *const trail =
        e->birth_ns >= start_ns ? take_trail(t, e->ns) : NULL;

    if (MPROF_UNLIKELY(trail == NULL))
        return;
    if (end != NULL && end->other != 0)
        need_stack(end->other);
    struct pen pen = pen_in(trail, e->ns);
    if (MPROF_LIKELY(pen.trail != NULL)) {
        put_cpu(&pen, e->cpu);
        put_code(&pen, e->code, e->peak);
        put_block(&pen, p, e->ns);
        put(&pen, e->access_count);
        put_details(&pen, e, rw, end);
        commit(&pen);
    }
    give_back(trail);
}

void mprt_trail_end(struct mprt_thread *t, uintptr_t p,
                    const struct mprt_trail_end *e)
{
    put_end(t, p, e, NULL, NULL);
}

void mprt_trail_life(struct mprt_thread *t, uintptr_t p,
                     const struct mprof_block_life *life,
                     const struct mprof_block_rw *rw,
                     const struct mprt_block_end *end)
{
    const bool is_ended = end != NULL && end->kind != 0;
    const struct mprt_trail_end e = {.ns = life->dealloc_ns,
                                     .birth_ns = life->alloc_ns,
                                     .access_count = life->access_count,
                                     .cpu = life->dealloc_cpu,
                                     .peak = life->peak,
                                     .code = code_of(life, rw, is_ended)};

    put_end(t, p, &e, rw, is_ended ? end : NULL);
}

void mprt_trail_event(struct mprt_thread *t, uint32_t context, uint64_t weight)
{
    const uint64_t ns = mprt_clock_now_ns();
    struct mprt_trail *const trail = take_trail(t, ns);

    if (trail == NULL)
        return;
    need_stack(context);
    note(trail, ns, MPROF_LOG_NOTE_EVENT + context, weight);
    give_back(trail);
}

/* The runtime knows the most of the whole run only. */
void mprt_trail_most(uint32_t context, uint64_t bytes, uint64_t blocks)
{
    struct mprt_trail *const trail =
        blocks != 0 && start_ns == 0
            ? take_trail(mprt_thread_local.state, mprt_clock_now_ns())
            : NULL;

    if (trail == NULL)
        return;
    struct pen pen = pen_in(trail, 0);
    if (pen.trail != NULL) {
        *pen.to++ = MPROF_LOG_EVENT_MOST;
        put(&pen, context);
        put(&pen, bytes);
        put(&pen, blocks);
        commit(&pen);
    }
    give_back(trail);
}

void mprt_trail_peak(struct mprt_live_peak peak)
{
    struct mprt_trail *const trail =
        start_ns == 0 ? take_trail(mprt_thread_local.state, peak.ns) : NULL;

    mprt_trail_last_peak = peak;
    if (trail == NULL)
        return;
    note(trail, peak.ns, MPROF_LOG_NOTE_PEAK, peak.bytes);
    give_back(trail);
}

void mprt_trail_snapshot(const struct mprt_snapshot *snapshot)
{
    the_log->add_snapshot(snapshot, start_ns == 0);
}

void mprt_trail_end_thread(struct mprt_thread *t)
{
    struct mprt_trail *const trail = t->trail;

    if (!mprt_trail_is_on || trail == NULL || !is_of_log(trail))
        return;
    note(trail, mprt_clock_now_ns(), MPROF_LOG_NOTE_END, 0);
    the_log->write(trail);
    MPRT_STORE(trail->generation, 0);
}

void mprt_trail_in_child(void)
{
    mprt_lock_reset(&orphan_lock);
    for (struct mprt_trail *t = mprt_trail_first(); t != NULL; t = t->next) {
        mprt_trail_empty(t);
        MPRT_STORE(t->generation, 0);
    }
}
