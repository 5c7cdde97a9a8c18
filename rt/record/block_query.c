/* block_query.c -- queries about live blocks, walks over them, totals.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/block_internal.h"
#include "rt/base/clock.h"
#include "rt/record/stack_memory.h"

_Atomic uint64_t mprt_block_foreign_frees;
_Atomic uint64_t mprt_block_dropped;

bool mprt_block_find(const void *p, size_t *size)
{
    uint64_t state;

    if (live_header((void *)(uintptr_t)p, &state) == NULL)
        return false;
    *size = size_in(state);
    return true;
}

void *mprt_block_holding(const void *p, size_t *size)
{
    const struct mprt_heap_slot slot = mprt_heap_slot_of(p);
    const uint64_t state = slot.memory != NULL ? load_state(slot.header) : 0;

    if (kind_of(state) != STATE_LIVE)
        return NULL;
    char *const start = block_in(slot.memory, state);
    if ((uintptr_t)p - (uintptr_t)start >= size_in(state))
        return NULL;
    *size = size_in(state);
    return start;
}

/* Whether a live block in the slot contains p. */
static bool holds(const struct mprt_heap_slot *slot, uint64_t state,
                  const void *p)
{
    return kind_of(state) == STATE_LIVE &&
           (uintptr_t)p - (uintptr_t)block_in(slot->memory, state) <
               size_in(state);
}

bool mprt_block_mark_unseen(const void *p)
{
    const struct mprt_heap_slot slot =
        mprt_heap_contains(p) ? mprt_heap_slot_of(p)
                              : (struct mprt_heap_slot){.memory = NULL};
    struct header *const h = slot.header;
    uint64_t state = slot.memory != NULL ? load_state(h) : 0;

    while (holds(&slot, state, p) && (state & STATE_UNSEEN) == 0 &&
           !MPRT_CAS(h->state, &state, state | STATE_UNSEEN)) {
    }
    return holds(&slot, state, p);
}

/* Describes the slot's live block in *live, as of now_ns. False if there is
 * none, or if it ends meanwhile. */
static bool read_life(const struct mprt_heap_slot *slot, uint64_t now_ns,
                      uint32_t cpu, struct mprt_live_block *live)
{
    bool is_saturated = false;
    const struct header *const h = slot->header;
    const uint64_t state = load_state(h);

    if (kind_of(state) != STATE_LIVE)
        return false;
    *live = (struct mprt_live_block){
        .p = (uintptr_t)block_in(slot->memory, state),
        .context = h->context,
        .life = {.size = size_in(state),
                 .alloc_ns = h->birth_ns,
                 .alloc_cpu = (uint16_t)cpu_in(h->cpu_thread),
                 .dealloc_ns = now_ns,
                 .dealloc_cpu = (uint16_t)cpu_in(cpu),
                 .is_live = true,
                 .is_unseen = is_unseen_in(state)},
    };
    live->life.access_count =
        mprt_shadow_has_rw()
            ? mprt_shadow_sum_rw(live->p, live->life.size, &is_saturated,
                                 &live->rw)
            : mprt_shadow_sum(live->p, live->life.size, &is_saturated);
    live->life.is_saturated = is_saturated;
    scale_accesses(&live->life, &live->rw);
    set_handed(h, &live->rw);
    if (is_sampling())
        live->weight = weight_at(live->p, state);
    atomic_thread_fence(memory_order_acquire);
    return is_same_block(MPRT_LOAD(h->state), state);
}

bool mprt_block_look(uintptr_t p, struct mprt_live_block *live)
{
    const struct mprt_heap_slot slot =
        mprt_heap_contains((const void *)p)
            ? mprt_heap_slot_of((const void *)p)
            : (struct mprt_heap_slot){.memory = NULL};

    return slot.memory != NULL && read_life(&slot, 0, 0, live) &&
           p - live->p < live->life.size;
}

struct walk {
    void (*visit)(void *context, const struct mprt_live_block *block);
    void *context;
    uint64_t now_ns;
    uint32_t cpu;
};

static void visit_slot(void *context, const struct mprt_heap_slot *slot)
{
    const struct walk *const walk = context;
    struct mprt_live_block live;

    if (!read_life(slot, walk->now_ns, walk->cpu, &live))
        return;
    live.life.is_unseen |= mprt_stack_memory_is(
        live.context, live.p, live.life.size, live.life.access_count);
    walk->visit(walk->context, &live);
}

void mprt_block_walk(void (*visit)(void *context,
                                   const struct mprt_live_block *block),
                     void *context)
{
    struct walk walk = {visit, context, mprt_clock_now_ns(), mprt_os_cpu()};

    mprt_heap_walk(visit_slot, &walk);
}

static struct mprt_held_block describe(const struct header *h, uintptr_t p,
                                       uint64_t state)
{
    return (struct mprt_held_block){.p = p,
                                    .size = size_in(state),
                                    .context = h->context,
                                    .weight =
                                        is_sampling() ? weight_at(p, state) : 1,
                                    .state = state & ~STATE_UNSEEN,
                                    .birth_ns = h->birth_ns};
}

struct held_walk {
    void (*visit)(void *context, const struct mprt_held_block *block);
    void *context;
};

static void visit_held_slot(void *context, const struct mprt_heap_slot *slot)
{
    const struct held_walk *const walk = context;
    const uint64_t state = load_state(slot->header);

    if (kind_of(state) != STATE_LIVE)
        return;
    const struct mprt_held_block block =
        describe(slot->header, (uintptr_t)block_in(slot->memory, state), state);
    walk->visit(walk->context, &block);
}

void mprt_block_walk_held(void (*visit)(void *context,
                                        const struct mprt_held_block *block),
                          void *context)
{
    struct held_walk walk = {visit, context};

    mprt_heap_walk_held(visit_held_slot, &walk);
}

bool mprt_block_describe(uintptr_t p, struct mprt_held_block *block)
{
    uint64_t state;
    const struct header *const h = live_header((void *)p, &state);

    if (h != NULL)
        *block = describe(h, p, state);
    return h != NULL;
}

/* Makes the slot's block look newborn. The block may end meanwhile, and the
 * slot may hold other blocks. Then another block's counters are cleared, which
 * was born during the reset. The time is replaced only if the word still holds
 * it; whatever else lies there by then looks different. A block that is not
 * recorded has no time. */
static void restart_slot(void *context, const struct mprt_heap_slot *slot)
{
    struct header *const h = slot->header;
    const uint64_t state = load_state(h);
    uint64_t birth_ns = h->birth_ns;

    (void)context;
    if (kind_of(state) != STATE_LIVE)
        return;
    /* Pairs with the exchange in take_block(). */
    atomic_thread_fence(memory_order_acquire);
    if (!is_same_block(MPRT_LOAD(h->state), state))
        return;
    mprt_shadow_clear((uintptr_t)block_in(slot->memory, state), size_in(state));
    if (birth_ns != 0)
        __atomic_compare_exchange_n(&h->birth_ns, &birth_ns,
                                    mprt_clock_now_ns(), false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void mprt_block_restart_all(void)
{
    mprt_heap_walk(restart_slot, NULL);
}

static void add_counts(struct mprt_block_stats *stats,
                       const struct mprt_thread_counts *c)
{
    stats->allocated_blocks += MPRT_LOAD(c->allocated_blocks);
    stats->allocated_bytes += MPRT_LOAD(c->allocated_bytes);
    stats->live_blocks +=
        MPRT_LOAD(c->allocated_blocks) - MPRT_LOAD(c->freed_blocks);
    stats->live_bytes +=
        MPRT_LOAD(c->allocated_bytes) - MPRT_LOAD(c->freed_bytes);
}

void mprt_block_stats(struct mprt_block_stats *stats)
{
    *stats = (struct mprt_block_stats){0};
    add_counts(stats, &mprt_thread_orphan_counts);
    MPRT_EACH_THREAD(t)
        add_counts(stats, &t->counts);
    stats->foreign_frees = MPRT_LOAD(mprt_block_foreign_frees);
    stats->dropped_blocks = MPRT_LOAD(mprt_block_dropped);
}
