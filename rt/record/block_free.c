/* block_free.c -- death of blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/block_internal.h"
#include "rt/base/clock.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/overhead.h"
#include "rt/record/duplicates.h"
#include "rt/record/ended.h"
#include "rt/record/stack_memory.h"
#include "rt/record/trail.h"
#include "rt/stack/stack_cache.h"
#include "rt/stack/vm.h"

bool (*mprt_block_free_other)(void *p);

/* Whether the claimed block was the thread's last allocation. */
static inline bool is_temporary(const struct mprt_thread *t,
                                const struct header *h, uint64_t state)
{
    return t != NULL && h == t->last.header &&
           is_same_block(state, t->last.state ^ STATE_LIVE ^ STATE_FREE);
}

/* The life of a claimed block with this state, without is_unseen. */
static inline struct mprof_block_life
life_of(const struct mprt_thread *t, const struct header *h, uint64_t state,
        uint64_t access_count, uint64_t now_ns)
{
    const uint32_t cpu_thread = cpu_thread_of(t);

    return (struct mprof_block_life){
        .size = size_in(state),
        .access_count = access_count,
        .alloc_ns = h->birth_ns,
        .dealloc_ns = now_ns,
        .alloc_cpu = (uint16_t)cpu_in(h->cpu_thread),
        .dealloc_cpu = (uint16_t)cpu_in(cpu_thread),
        .peak = mprt_live_peak_of(h->birth_ns),
        .is_temporary = is_temporary(t, h, state),
        .is_elsewhere =
            (h->cpu_thread ^ cpu_thread) >> CPU_THREAD_CPU_BITS != 0};
}

static void set_end(struct mprof_block_life *life,
                    const struct mprt_block_end *end)
{
    if (end == NULL || end->kind != MPROF_DETAIL_REALLOC)
        return;
    life->is_replaced = 1;
    life->grown_bytes = mprof_sub_sat_u64(end->size, life->size);
}

/* Records a block with more than a count of accesses: in histogram or RW mode,
 * with accesses=1/N, an unseen or sampled block, or one whose way of ending is
 * recorded. weight: number of blocks it stands for, or 0. */
static MPRT_NOINLINE void record_separately(struct mprt_thread *t,
                                            const struct header *h, uintptr_t p,
                                            uint64_t now_ns,
                                            const struct mprt_block_end *end,
                                            uint32_t weight)
{
    const enum mprt_shadow_mode mode = mprt_shadow_mode;
    const uint64_t state = MPRT_LOAD(h->state);
    const uint64_t size = size_in(state);
    const bool is_named = end != NULL && end->named_at != 0;
    bool is_saturated = false;
    struct mprof_block_rw rw = {.reads = 0};
    const bool has_rw = mprt_shadow_has_rw();
    const uint64_t access_count =
        has_rw ? (is_named ? mprt_shadow_sum_rw
                           : mprt_shadow_take_rw)(p, size, &is_saturated, &rw)
        : mode == MPRT_SHADOW_HISTOGRAM || is_named
            ? mprt_shadow_sum(p, size, &is_saturated)
            : mprt_shadow_end(p, size);
    struct mprof_block_life life = life_of(t, h, state, access_count, now_ns);

    life.is_saturated = is_saturated;
    life.is_unseen = is_unseen_in(state) ||
                     mprt_stack_memory_is(h->context, p, size, access_count);
    scale_accesses(&life, &rw);
    set_handed(h, &rw);
    set_end(&life, end);
    if (MPROF_UNLIKELY(mprt_trail_is_on))
        mprt_trail_life(t, p, &life, has_rw ? &rw : NULL, end);
    mprt_mibmap_add(h->context, &life, mode == MPRT_SHADOW_HISTOGRAM ? p : 0,
                    has_rw ? &rw : NULL, end, weight);
    if (is_named)
        mprt_shadow_drop(p, size);
    if (mprt_options.duplicates && end != NULL &&
        end->kind != MPROF_DETAIL_REALLOC)
        mprt_duplicates_add_freed(h->context, p, size);
}

/* record_counted() for the context's first block. */
static MPRT_NOINLINE uint32_t
record_first(struct mprt_context *row, unsigned map,
             const struct mprt_thread *t, const struct header *h,
             uint64_t state, uint64_t access_count, uint64_t now_ns)
{
    const struct mprof_block_life life =
        life_of(t, h, state, access_count, now_ns);

    mprt_mibmap_add_any(row, map, &life);
    return life.dealloc_cpu;
}

/* Records a block with a count of accesses only. Returns the CPU that ended it.
 * A separate function, because adding to the MIB needs all registers. */
static __attribute__((noinline, nonnull)) uint32_t
record_counted(const struct mprt_thread *t, const struct header *h,
               uint64_t state, uint64_t access_count, uint64_t now_ns)
{
    unsigned map;
    struct mprt_context *const row = mprt_mibmap_lock(h->context, &map);
    uint32_t cpu;

    if (MPROF_UNLIKELY(!mprt_context_has_blocks(row))) {
        cpu = record_first(row, map, t, h, state, access_count, now_ns);
    } else {
        const struct mprof_block_life life =
            life_of(t, h, state, access_count, now_ns);
        mprt_mibmap_add_life(row, map, &life);
        cpu = life.dealloc_cpu;
    }
    mprt_lock_release_brief(&row->lock);
    return cpu;
}

/* The same while the process has several threads. */
static MPRT_NOINLINE void
record_among_threads(struct mprt_thread *t, const struct header *h,
                     uint64_t state, uint64_t access_count, uint64_t now_ns)
{
    const struct mprof_block_life life =
        life_of(t, h, state, access_count, now_ns);

    mprt_ended_add(t, h->context, &life);
}

/* Either, and the log gets the same life. */
static MPRT_NOINLINE void record_and_log(struct mprt_thread *t,
                                         const struct header *h, uintptr_t p,
                                         uint64_t state, uint64_t access_count,
                                         uint64_t now_ns)
{
    /* Another thread may find a new peak. */
    if (t == NULL || !mprt_lock_is_alone()) {
        const struct mprof_block_life life =
            life_of(t, h, state, access_count, now_ns);

        mprt_trail_life(t, p, &life, NULL, NULL);
        mprt_ended_add(t, h->context, &life);
        return;
    }
    /* The thread may go to another CPU at any time. */
    const uint32_t cpu = record_counted(t, h, state, access_count, now_ns);
    const uint32_t peak = mprt_live_peak_of(h->birth_ns);
    const bool is_elsewhere =
        (h->cpu_thread ^ t->cpu_thread) >> CPU_THREAD_CPU_BITS != 0;
    mprt_trail_end(
        t, p,
        &(struct mprt_trail_end){
            .ns = now_ns,
            .birth_ns = h->birth_ns,
            .access_count = access_count,
            .cpu = cpu,
            .peak = peak,
            .code = MPROF_LOG_EVENT_FREE |
                    (is_temporary(t, h, state) ? MPROF_LOG_FL_TEMPORARY : 0) |
                    (is_elsewhere ? MPROF_LOG_FL_ELSEWHERE : 0) |
                    (peak != 0 ? MPROF_LOG_FL_PEAK : 0)});
}

/* The same for a block that was a stack. */
static MPRT_NOINLINE void record_stack(struct mprt_thread *t,
                                       const struct header *h, uintptr_t p,
                                       uint64_t state, uint64_t access_count,
                                       uint64_t now_ns)
{
    struct mprof_block_life life = life_of(t, h, state, access_count, now_ns);

    life.is_unseen = true;
    if (mprt_trail_is_on)
        mprt_trail_life(t, p, &life, NULL, NULL);
    mprt_mibmap_add(h->context, &life, 0, NULL, NULL, 0);
}

/* How a block ends: what the compiler knows, for each caller. */
struct how {
    const struct mprt_block_end *end; /* or NULL if that is not recorded */
    bool is_counted; /* the block is no longer counted as live */
    bool is_with_sampling;
    bool is_usual; /* mprt_state_get() is 0 */
};

/* Adds the life of a claimed block to its context. Inside the guard. */
static inline MPRT_ALWAYS_INLINE void
record(struct mprt_thread *t, const struct header *h, uintptr_t p,
       uint64_t state, uint64_t now_ns, struct how how, bool is_alone)
{
    if (MPROF_UNLIKELY(
            (state & STATE_UNSEEN) != 0 ||
            (!how.is_usual && (mprt_shadow_mode != MPRT_SHADOW_NORMAL ||
                               mprt_bursts_are_on() || is_unseen_in(state)))) ||
        how.end != NULL) {
        record_separately(t, h, p, now_ns, how.end, 0);
        return;
    }
    const uint64_t access_count = mprt_shadow_end(p, size_in(state));
    if (mprt_stack_memory_is(h->context, p, size_in(state), access_count))
        record_stack(t, h, p, state, access_count, now_ns);
    else if (!how.is_usual && MPROF_UNLIKELY(mprt_trail_is_on))
        record_and_log(t, h, p, state, access_count, now_ns);
    else if (MPROF_LIKELY(t != NULL && is_alone))
        (void)record_counted(t, h, state, access_count, now_ns);
    else
        record_among_threads(t, h, state, access_count, now_ns);
}

static MPRT_NOINLINE void drop_block(struct mprt_thread *t, struct header *h,
                                     uintptr_t p, bool is_counted)
{
    mprt_shadow_drop(p, size_of(h));
    MPRT_ADD(mprt_block_dropped, 1);
    if (!is_counted)
        mprt_live_drop(t, h->context, size_of(h),
                       is_sampling() ? weight_of(h, p) : 1);
}

/* Ends the block at p, which was claimed with this state. Returns the time, or
 * 0 if the end is not recorded. */
static inline MPRT_ALWAYS_INLINE uint64_t end_block(struct mprt_thread *t,
                                                    struct header *h,
                                                    uintptr_t p, uint64_t state,
                                                    struct how how,
                                                    bool is_alone)
{
    const uint32_t context = h->context;
    const uint32_t weight = how.is_with_sampling ? weight_of(h, p) : 1;
    const bool is_own = context >= mprt_depot_first_id;

    count_blocks(t, state, MPROF_LIKELY(is_own) ? weight : 0, false);
    /* Not recorded, or a parent's. */
    if (MPROF_UNLIKELY(!is_own ||
                       (!how.is_usual && !mprt_state_is_running()))) {
        mprt_shadow_drop(p, size_in(state));
        return 0;
    }
    if (MPROF_UNLIKELY(!mprt_thread_enter())) {
        /* In a signal handler that interrupted the runtime; locks may be held.
         */
        drop_block(t, h, p, how.is_counted);
        return 0;
    }
    const uint64_t now_ns = mprt_clock_now_in(t);
    if (!how.is_counted)
        mprt_live_end(t, context, size_in(state), weight, now_ns, is_alone);
    if (how.is_with_sampling)
        record_separately(t, h, p, now_ns, how.end, weight);
    else
        record(t, h, p, state, now_ns, how, is_alone);
    mprt_thread_leave();
    return now_ns;
}

uint64_t mprt_block_end(struct mprt_thread *t, struct header *h, uintptr_t p,
                        const struct mprt_block_end *end)
{
    return end_block(
        t, h, p, MPRT_LOAD(h->state),
        (struct how){.end = end, .is_with_sampling = is_sampling()},
        mprt_lock_is_alone());
}

void *mprt_block_report_bad(void *p, const char *what)
{
    static const char *const why[] = {": this block has been freed already",
                                      ": this is no start of a block",
                                      ": this was not allocated here"};
    static uint32_t once[MPROF_ARRAY_LEN(why)];
    uint64_t state;
    const struct header *const h = header_of(p, &state);
    const struct mprt_heap_slot slot = mprt_heap_slot_of(p);
    /* The header of a freed large slot may be kept where another slot lies now.
     */
    const bool is_free = h != NULL && kind_of(state) == STATE_FREE &&
                         (slot.memory == NULL || slot.header == h);
    const unsigned kind = is_free ? 0 : slot.memory != NULL ? 1 : 2;

    MPRT_ADD(mprt_block_foreign_frees, 1);
    mprt_log_once(&once[kind], what, " of 0x", MPRT_HEX((uintptr_t)p),
                  why[kind], "; ignored, further ones are only counted", NULL);
    return NULL;
}

/* False if the block with this state has ended. */
static MPRT_NOINLINE bool exchange_state(struct header *h, uint64_t *state,
                                         uint64_t freed)
{
    const uint64_t block = *state;

    /* Pairs with the same exchange in another thread that frees the block. */
    while (!atomic_compare_exchange_strong_explicit(
        &h->state, state, freed, memory_order_acq_rel, memory_order_relaxed)) {
        if (!is_same_block(*state, block))
            return false;
        freed |= *state & STATE_UNSEEN;
    }
    *state = freed;
    return true;
}

/* Changes the state from LIVE to FREE. False if another thread was faster. */
static inline bool take_block(struct header *h, uint64_t *state, bool is_alone)
{
    const uint64_t freed = *state ^ STATE_LIVE ^ STATE_FREE;

    if (MPROF_LIKELY(is_alone)) {
        MPRT_STORE(h->state, freed);
        *state = freed;
        return true;
    }
    uint64_t other = *state;
    const bool is_taken = exchange_state(h, &other, freed);
    *state = other;
    return is_taken;
}

/* mprt_block_claim(), inlined. */
static inline MPRT_ALWAYS_INLINE struct header *
claim(void *p, uint64_t *state, uint32_t *small, bool is_alone)
{
    struct header *const h = live_header_in(p, state, small);

    return MPROF_LIKELY(h != NULL && take_block(h, state, is_alone)) ? h : NULL;
}

struct header *mprt_block_claim(void *p, uint64_t *state)
{
    uint32_t small;

    return claim(p, state, &small, mprt_lock_is_alone());
}

static MPRT_NOINLINE void free_bad(void *p)
{
    if (mprt_block_free_other != NULL && mprt_block_free_other(p))
        MPRT_ADD(mprt_block_foreign_frees, 1);
    else
        mprt_block_report_bad(p, "free");
}

/* mprt_block_free_with(), inlined. t as in new_block(). */
static inline MPRT_ALWAYS_INLINE bool free_claimed(struct mprt_thread *t,
                                                   void *p, struct how how)
{
    const bool is_alone = mprt_lock_is_alone();
    uint64_t state;
    uint32_t small;

    struct header *const h = claim(p, &state, &small, is_alone);
    if (MPROF_UNLIKELY(h == NULL)) {
        free_bad(p);
        return false;
    }
    const uint64_t now_ns = end_block(t, h, (uintptr_t)p, state, how, is_alone);
    if (MPROF_UNLIKELY((state & STATE_ALIGN_MASK) != 0 ||
                       !mprt_heap_push(t, p, h, small)))
        mprt_heap_free(memory_of(p, state));
    if (!how.is_usual)
        mprt_block_check_due(now_ns);
    return true;
}

bool mprt_block_free_with(struct mprt_thread *t, void *p,
                          const struct mprt_block_end *end)
{
    return free_claimed(
        t, p,
        (struct how){.end = end,
                     .is_counted =
                         end != NULL && end->kind == MPROF_DETAIL_REALLOC,
                     .is_with_sampling = is_sampling()});
}

uint32_t mprt_block_call_context(struct mprt_thread *t,
                                 struct mprt_caller caller)
{
    uint32_t context = 0;

    if (caller.pc != 0 && mprt_state_is_recording() && mprt_thread_enter()) {
        context = mprt_vm_context(t, mprt_stack_cache_context(t, caller));
        mprt_thread_leave();
    }
    return context;
}

/* Frees a block if the program has hooks or names, or if call sites of free or
 * duplicates are recorded. False if the program keeps the block. */
static MPRT_NOINLINE bool free_watched(struct mprt_thread *t, void *p,
                                       struct mprt_caller caller)
{
    if (mprt_hooks_free(p))
        return false;
    struct mprt_block_end end = {.named_at = take_name(p)};
    if (mprt_options.free_sites) {
        end.kind = MPROF_DETAIL_FREE;
        end.other = mprt_block_call_context(t, caller);
    } else if (end.named_at == 0 && !mprt_options.duplicates) {
        return mprt_block_free_with(t, p, NULL);
    }
    return mprt_block_free_with(t, p, &end);
}

static inline MPRT_ALWAYS_INLINE void free_block(struct mprt_thread *t, void *p,
                                                 struct mprt_caller caller)
{
    if (MPROF_UNLIKELY(mprt_hooks_are_set()))
        free_watched(t, p, caller);
    else
        free_claimed(t, p, (struct how){.end = NULL});
}

static MPRT_NOINLINE void free_sampling(struct mprt_thread *t, void *p,
                                        struct mprt_caller caller)
{
    if (MPROF_UNLIKELY(mprt_hooks_are_set()))
        free_watched(t, p, caller);
    else
        free_claimed(t, p, (struct how){.is_with_sampling = true});
}

/* Frees for a thread without a state, or in a call that is timed. */
static MPRT_NOINLINE void unusual_free(void *p, struct mprt_caller caller)
{
    if (mprt_thread_local.state == NULL) {
        if (mprt_thread_make() != NULL)
            mprt_block_free(p, caller);
        else if (is_sampling())
            free_sampling(NULL, p, caller);
        else
            free_block(NULL, p, caller);
        return;
    }
    sample_live(mprt_thread_local.state);
    const struct mprt_timed timed = mprt_overhead_begin();
    mprt_block_free(p, caller);
    mprt_overhead_end(timed);
}

void mprt_block_free(void *p, struct mprt_caller caller)
{
    struct mprt_thread *const t = mprt_thread_local.state;

    if (p == NULL)
        return;
    if (MPROF_UNLIKELY(t == NULL || mprt_overhead_is_due(t)))
        unusual_free(p, caller);
    else if (MPROF_UNLIKELY(is_sampling()))
        free_sampling(t, p, caller);
    else
        free_block(t, p, caller);
}

void mprt_block_free_usual(void *p, struct mprt_caller caller)
{
    struct mprt_thread *const t = mprt_thread_local.state;

    if (p == NULL)
        return;
    if (MPROF_UNLIKELY(t == NULL || mprt_overhead_is_due(t)))
        unusual_free(p, caller);
    else
        free_claimed(t, p, (struct how){.is_usual = true});
}
