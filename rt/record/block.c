/* block.c -- birth and death of blocks.
 *
 * A block lies in a slot of the heap, at the start of its memory or, where an
 * alignment asks for it, at the first multiple of that; the slot's header says
 * what is known of it. A slot owns whole granules and no header lies in another
 * slot's, so blocks share no counters.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/block.h"
#include "rt/record/block_state.h"
#include "rt/base/clock.h"
#include "rt/base/libc.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/base/overhead.h"
#include "rt/base/pages.h"
#include "rt/base/state.h"
#include "rt/base/textbuf.h"
#include "rt/heap/heap.h"
#include "rt/heap/shadow.h"
#include "rt/record/hooks.h"
#include "rt/record/live.h"
#include "rt/record/mibmap.h"
#include "rt/record/sample.h"
#include "rt/record/named.h"
#include "rt/record/series.h"
#include "rt/stack/depot.h"
#include "rt/stack/call_values.h"

/* About where libc's blocks become mappings of their own. */
#define SEPARATE_BYTES_MIN ((size_t)127 << 10)
/* From here on the system is asked what it would say. */
#define ASKED_BYTES_MIN ((size_t)1 << 30)
/* From here on blocks are copied page by page, as far as they exist. */
#define SPARSE_BYTES_MIN ((size_t)1 << 20)
#define SIZE_MAX_DEFAULT ((size_t)1 << 40)
#define MIB_SHIFT 20
/* Blocks shrink in place down to this part of their slot. */
#define SHRINK_SHIFT 2

_Static_assert(SIZE_MAX_DEFAULT < UINT64_MAX >> STATE_SIZE_SHIFT,
               "each size fits");

bool (*mprt_block_free_other)(void *p);

static size_t size_max = SIZE_MAX_DEFAULT;
static _Atomic uint64_t foreign_frees;
static _Atomic uint64_t dropped_blocks;
static _Atomic uint32_t last_thread;

void mprt_block_init(void)
{
    const int64_t limit_mb = mprt_options.max_allocation_size_mb;

    if (limit_mb > 0 && (uint64_t)limit_mb < SIZE_MAX_DEFAULT >> MIB_SHIFT)
        size_max = (size_t)limit_mb << MIB_SHIFT;
}

/* Numbers come again after 2^19 threads. */
void mprt_block_start_thread(struct mprt_thread *t)
{
    t->cpu_thread = (atomic_fetch_add(&last_thread, 1) + 1)
                    << CPU_THREAD_CPU_BITS;
    t->last = (struct mprt_last_block){NULL, 0};
}

size_t mprt_block_size_max(void)
{
    return size_max;
}

/* -- statistics ------------------------------------------------------------ */

static inline void count_blocks(struct mprt_thread *t, uint64_t size,
                                bool is_birth)
{
    struct mprt_thread_counts *const c =
        t != NULL ? &t->counts : &mprt_thread_orphan_counts;

    mprt_thread_add_count(is_birth ? &c->allocated_blocks : &c->freed_blocks, 1,
                          t == NULL);
    mprt_thread_add_count(is_birth ? &c->allocated_bytes : &c->freed_bytes,
                          size, t == NULL);
}

static void add_counts(struct mprt_block_stats *stats,
                       const struct mprt_thread_counts *c)
{
#define LOAD(counter) atomic_load_explicit(&c->counter, memory_order_relaxed)
    stats->allocated_blocks += LOAD(allocated_blocks);
    stats->allocated_bytes += LOAD(allocated_bytes);
    stats->live_blocks += LOAD(allocated_blocks) - LOAD(freed_blocks);
    stats->live_bytes += LOAD(allocated_bytes) - LOAD(freed_bytes);
#undef LOAD
}

void mprt_block_stats(struct mprt_block_stats *stats)
{
    *stats = (struct mprt_block_stats){0};
    add_counts(stats, &mprt_thread_orphan_counts);
    for (const struct mprt_thread *t = mprt_thread_first(); t != NULL;
         t = t->next_all)
        add_counts(stats, &t->counts);
    stats->foreign_frees =
        atomic_load_explicit(&foreign_frees, memory_order_relaxed);
    stats->dropped_blocks =
        atomic_load_explicit(&dropped_blocks, memory_order_relaxed);
}

/* -- birth ----------------------------------------------------------------- */

static __attribute__((noinline)) void report_full(void)
{
    static uint32_t once;

    atomic_fetch_add_explicit(&dropped_blocks, 1, memory_order_relaxed);
    mprt_log_once(&once, "too many call stacks; further ones are not recorded",
                  NULL);
}

static inline uint32_t cpu_thread_of(const struct mprt_thread *t)
{
    return MPROF_LIKELY(t != NULL)
               ? (mprt_os_cpu_at(t->cpu) & CPU_THREAD_CPU_MASK) | t->cpu_thread
               : mprt_os_cpu() & CPU_THREAD_CPU_MASK;
}

static __attribute__((noinline)) void note_stack(uintptr_t frame)
{
    mprt_block_mark_unseen((const void *)frame);
}

/* Fills in the header and makes the block at p live. align: as in the state.
 * now_ns: the time, or 0 where it is not known yet. is_sampled: it stands for
 * others too. */
static inline MPRT_ALWAYS_INLINE void
begin_block(struct mprt_thread *t, struct header *h, void *p, size_t size,
            uint64_t align, uint64_t now_ns, uintptr_t caller_pc,
            uintptr_t caller_frame, bool is_sampled)
{
    const bool is_first = mprt_state_is_recording() && mprt_thread_enter();
    const uint64_t state = next_state(h, size, align);

    if (is_sampled)
        mprt_shadow_clear_used((uintptr_t)p, size);
    else
        mprt_shadow_begin((uintptr_t)p, size);
    if (MPROF_LIKELY(is_first)) {
        /* Code does not count the accesses to its own stack. */
        if (MPROF_UNLIKELY(mprt_heap_contains((const void *)caller_frame)))
            note_stack(caller_frame);
        h->context = mprt_call_values_context(t, caller_pc, caller_frame);
        if (MPROF_UNLIKELY(h->context == 0))
            report_full();
        h->cpu_thread = cpu_thread_of(t);
        h->birth_ns =
            mprt_live_birth_ns(now_ns != 0 ? now_ns : mprt_clock_now_in(t));
        if (MPROF_LIKELY(h->context != 0))
            mprt_live_begin(t, h->context, size,
                            is_sampled ? weight_at((uintptr_t)p, state) : 1);
        else
            mprt_series_count_unrecorded(1);
        mprt_thread_leave();
    } else {
        h->context = 0;
        h->birth_ns = 0;
        mprt_series_count_unrecorded(1);
    }
    set_live(h, state);
    if (MPROF_LIKELY(t != NULL))
        t->last = (struct mprt_last_block){h, state};
    count_blocks(t, size, true);
}

static __attribute__((noinline)) void
begin_sampled(struct mprt_thread *t, struct header *h, void *p, size_t size,
              uint64_t align, uint64_t now_ns, uintptr_t caller_pc,
              uintptr_t caller_frame)
{
    begin_block(t, h, p, size, align, now_ns, caller_pc, caller_frame, true);
}

/* With sample=N: as begin_block(), or, mostly, nothing is known of the block
 * but that it lives. Its counters are not looked at, so they are cleared when a
 * block is sampled. */
static inline MPRT_ALWAYS_INLINE void
begin_sampling(struct mprt_thread *t, struct header *h, void *p, size_t size,
               uint64_t align, uint64_t now_ns, uintptr_t caller_pc,
               uintptr_t caller_frame)
{
    if (MPROF_UNLIKELY(!mprt_state_is_recording() ||
                       mprt_thread_local.is_inside ||
                       mprt_sample_is_due(t, size))) {
        begin_sampled(t, h, p, size, align, now_ns, caller_pc, caller_frame);
        return;
    }
    h->context = mprt_sample_unsampled;
    h->birth_ns = 0;
    set_live(h, next_state(h, size, align));
    if (MPROF_LIKELY(t != NULL))
        t->last.header = NULL;
    count_blocks(t, size, true);
    mprt_live_begin_unsampled(t, size);
}

static inline bool has_hooks(void)
{
    return atomic_load_explicit(&mprt_hooks_are_set, memory_order_relaxed) &&
           !mprt_thread_local.is_inside;
}

/* A slot for a block of this size and alignment, which the state is to have in
 * *state_align; contents undefined unless *is_zero. */
static struct mprt_heap_slot new_slot(size_t size, size_t align,
                                      uint64_t *state_align, bool *is_zero)
{
    const struct mprt_heap_slot none = {NULL, NULL, 0};

    *state_align = 0;
    if (size > size_max || align > size_max ||
        (size >= ASKED_BYTES_MIN && !mprt_pages_would_map(size)))
        return none;
    if (align <= MPRT_HEAP_ALIGN)
        return mprt_heap_alloc(size, is_zero);
    /* Of whole granules, memory begins with one. */
    if (align > MPROF_GRANULE_BYTES)
        size += align - MPROF_GRANULE_BYTES;
    size = (size_t)mprof_round_up(size, MPROF_GRANULE_BYTES);
    /* Who asks for pages may protect them; libc maps and unmaps such blocks. */
    const struct mprt_heap_slot slot =
        align >= mprt_os_page_bytes() && size >= SEPARATE_BYTES_MIN
            ? mprt_heap_alloc_separate(size, is_zero)
            : mprt_heap_alloc(size, is_zero);
    if ((uintptr_t)slot.memory % align != 0)
        *state_align = (uint64_t)__builtin_ctzll(align) << STATE_ALIGN_SHIFT;
    return slot;
}

/* t may be NULL, where that is a constant. */
static inline MPRT_ALWAYS_INLINE void *
new_block(struct mprt_thread *t, size_t size, size_t align, bool zero,
          uintptr_t caller_pc, uintptr_t caller_frame, bool is_sampling)
{
    uint64_t state_align = 0;
    bool is_zero = false;
    void *h = NULL;
    char *p = NULL;

    if (MPROF_UNLIKELY(size == 0))
        size = 1; /* as LLVM's: a block of its own, never of no bytes */
    if (MPROF_LIKELY(align <= MPRT_HEAP_ALIGN))
        p = mprt_heap_pop(t, size, &h);
    if (MPROF_UNLIKELY(p == NULL)) {
        const struct mprt_heap_slot slot =
            new_slot(size, align, &state_align, &is_zero);
        if (slot.memory == NULL)
            return NULL;
        h = slot.header;
        p = block_in(slot.memory, state_align);
    }
    if (MPROF_UNLIKELY(zero) && !is_zero)
        mprt_libc_memset(p, 0, size);
    if (is_sampling)
        begin_sampling(t, h, p, size, state_align, 0, caller_pc, caller_frame);
    else
        begin_block(t, h, p, size, state_align, 0, caller_pc, caller_frame,
                    false);
    if (MPROF_UNLIKELY(has_hooks()))
        mprt_hooks_malloc(p, size);
    return p;
}

static __attribute__((noinline)) void *
new_sampling(struct mprt_thread *t, size_t size, size_t align, bool zero,
             uintptr_t caller_pc, uintptr_t caller_frame)
{
    return new_block(t, size, align, zero, caller_pc, caller_frame, true);
}

/* For the series: as often as a call is timed. */
static void sample_live(struct mprt_thread *t)
{
    if (!mprt_thread_enter())
        return;
    mprt_live_sample(t);
    mprt_thread_leave();
}

/* Of a thread that has no state (yet), or a call that is timed. */
static __attribute__((noinline)) void *unusual_new(size_t size, size_t align,
                                                   bool zero,
                                                   uintptr_t caller_pc,
                                                   uintptr_t caller_frame)
{
    if (mprt_thread_local.state == NULL) {
        if (mprt_thread_make() == NULL)
            return is_sampling() ? new_sampling(NULL, size, align, zero,
                                                caller_pc, caller_frame)
                                 : new_block(NULL, size, align, zero, caller_pc,
                                             caller_frame, false);
        return mprt_block_new(size, align, zero, caller_pc, caller_frame);
    }
    sample_live(mprt_thread_local.state);
    const struct mprt_timed timed = mprt_overhead_begin();
    void *const p = mprt_block_new(size, align, zero, caller_pc, caller_frame);
    mprt_overhead_end(timed);
    return p;
}

void *mprt_block_new(size_t size, size_t align, bool zero, uintptr_t caller_pc,
                     uintptr_t caller_frame)
{
    struct mprt_thread *const t = mprt_thread_local.state;

    if (MPROF_UNLIKELY(t == NULL || mprt_overhead_is_due(t)))
        return unusual_new(size, align, zero, caller_pc, caller_frame);
    if (MPROF_UNLIKELY(is_sampling()))
        return new_sampling(t, size, align, zero, caller_pc, caller_frame);
    return new_block(t, size, align, zero, caller_pc, caller_frame, false);
}

/* -- death ----------------------------------------------------------------- */

/* As the state is when the block has been taken. */
static inline bool is_temporary(const struct mprt_thread *t,
                                const struct header *h)
{
    return t != NULL && h == t->last.header &&
           is_same_block(atomic_load_explicit(&h->state, memory_order_relaxed),
                         t->last.state ^ STATE_LIVE ^ STATE_FREE);
}

/* Of a block that has been taken. */
static inline bool is_unseen(const struct header *h)
{
    return (atomic_load_explicit(&h->state, memory_order_relaxed) &
            STATE_UNSEEN) != 0;
}

/* Of a block that has been taken. */
static inline struct mprof_block_life life_of(const struct mprt_thread *t,
                                              const struct header *h,
                                              uint64_t access_count,
                                              uint64_t now_ns)
{
    const uint32_t cpu_thread = cpu_thread_of(t);

    return (struct mprof_block_life){
        .size = size_of(h),
        .access_count = access_count,
        .alloc_ns = h->birth_ns,
        .dealloc_ns = now_ns,
        .alloc_cpu = (uint16_t)cpu_in(h->cpu_thread),
        .dealloc_cpu = (uint16_t)cpu_in(cpu_thread),
        .peak = mprt_live_peak_of(h->birth_ns),
        .is_temporary = is_temporary(t, h),
        .is_elsewhere =
            (h->cpu_thread ^ cpu_thread) >> CPU_THREAD_CPU_BITS != 0,
        .is_unseen = is_unseen(h)};
}

static void set_end(struct mprof_block_life *life,
                    const struct mprt_block_end *end)
{
    if (end == NULL || end->kind != MPROF_DETAIL_REALLOC)
        return;
    life->is_replaced = 1;
    life->grown_bytes = mprof_sub_sat_u64(end->size, life->size);
}

/* Of a block with more than a count of accesses: in histogram and RW mode, or
 * of a block that is unseen, whose end is recorded, or that stands for so many
 * (else 0). */
static __attribute__((noinline)) void
record_separately(const struct mprt_thread *t, const struct header *h,
                  uintptr_t p, uint64_t now_ns,
                  const struct mprt_block_end *end, uint32_t weight)
{
    const enum mprt_shadow_mode mode = mprt_shadow_mode;
    const uint64_t size = size_of(h);
    const bool is_named = end != NULL && end->named_at != 0;
    bool is_saturated = false;
    struct mprof_block_rw rw;
    const uint64_t access_count =
        mode == MPRT_SHADOW_RW ? (is_named ? mprt_shadow_sum_rw
                                           : mprt_shadow_take_rw)(p, size, &rw)
        : mode == MPRT_SHADOW_HISTOGRAM || is_named
            ? mprt_shadow_sum(p, size, &is_saturated)
            : mprt_shadow_end(p, size);
    struct mprof_block_life life = life_of(t, h, access_count, now_ns);

    life.is_saturated = is_saturated;
    set_end(&life, end);
    mprt_mibmap_add(h->context, &life, mode == MPRT_SHADOW_HISTOGRAM ? p : 0,
                    mode == MPRT_SHADOW_RW ? &rw : NULL, end, weight);
    if (is_named)
        mprt_shadow_drop(p, size);
}

/* Of a block with nothing but a count of accesses. A call of its own, because
 * the MIB's addition wants all registers. */
static __attribute__((noinline)) void
record_counted(const struct mprt_thread *t, const struct header *h,
               uint64_t access_count, uint64_t now_ns)
{
    const struct mprof_block_life life = life_of(t, h, access_count, now_ns);
    unsigned map;
    struct mprt_context *const row = mprt_mibmap_lock(h->context, &map);

    mprt_mibmap_add_life(row, map, &life);
    mprt_lock_release_brief(&row->lock);
}

/* Adds a life that has ended to its context. Inside the guard. */
static inline MPRT_ALWAYS_INLINE void
record(const struct mprt_thread *t, const struct header *h, uintptr_t p,
       uint32_t context, uint64_t now_ns, const struct mprt_block_end *end)
{
    if (MPROF_UNLIKELY(mprt_shadow_mode != MPRT_SHADOW_NORMAL ||
                       is_unseen(h)) ||
        end != NULL) {
        record_separately(t, h, p, now_ns, end, 0);
        return;
    }
    const uint64_t access_count = mprt_shadow_end(p, size_of(h));
    if (MPROF_LIKELY(context >= mprt_depot_first_id)) /* no parent's */
        record_counted(t, h, access_count, now_ns);
}

static __attribute__((noinline)) void drop_block(struct mprt_thread *t,
                                                 struct header *h, uintptr_t p,
                                                 bool is_counted)
{
    mprt_shadow_drop(p, size_of(h));
    atomic_fetch_add_explicit(&dropped_blocks, 1, memory_order_relaxed);
    if (!is_counted && h->context >= mprt_depot_first_id)
        mprt_live_drop(t, h->context, size_of(h),
                       is_sampling() ? weight_of(h, p) : 1);
}

/* Of a block that was not sampled. */
static inline void end_unsampled(struct mprt_thread *t, uint32_t context,
                                 uint64_t size, bool is_counted)
{
    if (MPROF_UNLIKELY(context != mprt_sample_unsampled))
        mprt_series_count_unrecorded(-1); /* a parent's */
    else if (!is_counted)
        mprt_live_end_unsampled(t, size);
}

/* The time at which the block at p ended, which has been taken, or 0 where that
 * is not recorded. end: how it ends, where that is recorded, or NULL.
 * is_counted: it does not count as alive any more. */
static inline MPRT_ALWAYS_INLINE uint64_t end_block(
    struct mprt_thread *t, struct header *h, uintptr_t p,
    const struct mprt_block_end *end, bool is_counted, bool is_with_sampling)
{
    const uint32_t context = h->context;

    count_blocks(t, size_of(h), false);
    if (is_with_sampling && MPROF_LIKELY(mprt_sample_is_unsampled(context))) {
        end_unsampled(t, context, size_of(h), is_counted);
        return 0;
    }
    if (MPROF_UNLIKELY(context < mprt_depot_first_id))
        mprt_series_count_unrecorded(-1); /* or a parent's */
    if (MPROF_UNLIKELY(context == 0 || !mprt_state_is_running())) {
        mprt_shadow_drop(p, size_of(h));
        return 0;
    }
    if (MPROF_UNLIKELY(!mprt_thread_enter())) {
        /* A signal handler inside the runtime: locks may be held. */
        drop_block(t, h, p, is_counted);
        return 0;
    }
    const uint64_t now_ns = mprt_clock_now_in(t);
    const uint32_t weight = is_with_sampling ? weight_of(h, p) : 1;
    if (!is_counted && MPROF_LIKELY(context >= mprt_depot_first_id))
        mprt_live_end(t, context, size_of(h), weight, now_ns);
    if (is_with_sampling)
        record_separately(t, h, p, now_ns, end, weight);
    else
        record(t, h, p, context, now_ns, end);
    mprt_thread_leave();
    return now_ns;
}

static __attribute__((noinline)) void *report_bad(void *p, const char *what)
{
    static const char *const why[] = {": this block has been freed already",
                                      ": this is no start of a block",
                                      ": this was not allocated here"};
    static uint32_t once[MPROF_ARRAY_LEN(why)];
    uint64_t state;
    const struct header *const h = header_of(p, &state);
    const struct mprt_heap_slot slot = mprt_heap_slot_of(p);
    char digits[20];
    struct mprt_textbuf number = {digits, sizeof(digits), 0};
    /* Headers of large slots are kept where others lie by now. */
    const bool is_free = h != NULL && kind_of(state) == STATE_FREE &&
                         (slot.memory == NULL || slot.header == h);
    const unsigned kind = is_free ? 0 : slot.memory != NULL ? 1 : 2;

    atomic_fetch_add_explicit(&foreign_frees, 1, memory_order_relaxed);
    mprt_textbuf_hex(&number, (uintptr_t)p);
    mprt_log_once(&once[kind], what, " of 0x", digits, why[kind],
                  "; ignored, further ones are only counted", NULL);
    return NULL;
}

/* False where the block of this state is not there any more. */
static bool exchange_state(struct header *h, uint64_t *state, uint64_t freed)
{
    const uint64_t block = *state;

    /* Pairs with itself in another thread that frees the same block. */
    while (!atomic_compare_exchange_strong_explicit(
        &h->state, state, freed, memory_order_acq_rel, memory_order_relaxed)) {
        if (!is_same_block(*state, block))
            return false;
        freed |= *state & STATE_UNSEEN;
    }
    return true;
}

/* From LIVE to FREE; false where another thread was faster. */
static inline bool take_block(struct header *h, uint64_t *state)
{
    const uint64_t freed = (*state & ~STATE_KIND_MASK) | STATE_FREE;

    if (MPROF_LIKELY(mprt_lock_is_alone())) {
        atomic_store_explicit(&h->state, freed, memory_order_relaxed);
        return true;
    }
    return exchange_state(h, state, freed);
}

/* Ends the live block at p for the caller alone, or NULL. */
static inline MPRT_ALWAYS_INLINE struct header *claim(void *p, uint64_t *state)
{
    struct header *const h = live_header(p, state);

    return MPROF_LIKELY(h != NULL && take_block(h, state)) ? h : NULL;
}

static __attribute__((noinline)) void free_bad(void *p)
{
    if (mprt_block_free_other != NULL && mprt_block_free_other(p))
        atomic_fetch_add_explicit(&foreign_frees, 1, memory_order_relaxed);
    else
        report_bad(p, "free");
}

/* t as in new_block(), end as in end_block(): a block that is replaced is
 * counted already. False where it is not freed. */
static inline MPRT_ALWAYS_INLINE bool
free_claimed(struct mprt_thread *t, void *p, const struct mprt_block_end *end,
             bool is_with_sampling)
{
    uint64_t state;

    struct header *const h = claim(p, &state);
    if (MPROF_UNLIKELY(h == NULL)) {
        free_bad(p);
        return false;
    }
    end_block(t, h, (uintptr_t)p, end,
              end != NULL && end->kind == MPROF_DETAIL_REALLOC,
              is_with_sampling);
    if (MPROF_UNLIKELY((state & STATE_ALIGN_MASK) != 0 ||
                       !mprt_heap_push(t, p, h)))
        mprt_heap_free(memory_of(p, state));
    return true;
}

/* Of the live block at p, if there is one. */
static uint32_t context_at(void *p)
{
    uint64_t state;
    const struct header *const h = live_header(p, &state);

    return h != NULL ? h->context : 0;
}

/* The call stack of a call, or 0 where none is recorded. */
static uint32_t context_of_call(struct mprt_thread *t, uintptr_t caller_pc,
                                uintptr_t caller_frame)
{
    uint32_t context = 0;

    if (caller_pc != 0 && mprt_state_is_recording() && mprt_thread_enter()) {
        context = mprt_stack_cache_context(t, caller_pc, caller_frame);
        mprt_thread_leave();
    }
    return context;
}

/* p, where the program named the block there, which ends. */
static uintptr_t named_at(const void *p)
{
    return MPROF_UNLIKELY(has_hooks()) && mprt_named_take((uintptr_t)p)
               ? (uintptr_t)p
               : 0;
}

/* Where the program wants to know of it, or who frees is recorded. False where
 * the program keeps the block. */
static __attribute__((noinline)) bool free_watched(struct mprt_thread *t,
                                                   void *p, uintptr_t caller_pc,
                                                   uintptr_t caller_frame)
{
    if (mprt_hooks_free(p))
        return false;
    struct mprt_block_end end = {.named_at = named_at(p)};
    if (mprt_options.free_sites && !mprt_sample_is_unsampled(context_at(p))) {
        end.kind = MPROF_DETAIL_FREE;
        end.other = context_of_call(t, caller_pc, caller_frame);
    } else if (end.named_at == 0) {
        return free_claimed(t, p, NULL, is_sampling());
    }
    return free_claimed(t, p, &end, is_sampling());
}

static inline MPRT_ALWAYS_INLINE void free_block(struct mprt_thread *t, void *p,
                                                 uintptr_t caller_pc,
                                                 uintptr_t caller_frame)
{
    if (MPROF_UNLIKELY(has_hooks()))
        free_watched(t, p, caller_pc, caller_frame);
    else
        free_claimed(t, p, NULL, false);
}

static __attribute__((noinline)) void free_sampling(struct mprt_thread *t,
                                                    void *p,
                                                    uintptr_t caller_pc,
                                                    uintptr_t caller_frame)
{
    if (MPROF_UNLIKELY(has_hooks()))
        free_watched(t, p, caller_pc, caller_frame);
    else
        free_claimed(t, p, NULL, true);
}

/* As unusual_new(). */
static __attribute__((noinline)) void unusual_free(void *p, uintptr_t caller_pc,
                                                   uintptr_t caller_frame)
{
    if (mprt_thread_local.state == NULL) {
        if (mprt_thread_make() != NULL)
            mprt_block_free(p, caller_pc, caller_frame);
        else if (is_sampling())
            free_sampling(NULL, p, caller_pc, caller_frame);
        else
            free_block(NULL, p, caller_pc, caller_frame);
        return;
    }
    sample_live(mprt_thread_local.state);
    const struct mprt_timed timed = mprt_overhead_begin();
    mprt_block_free(p, caller_pc, caller_frame);
    mprt_overhead_end(timed);
}

void mprt_block_free(void *p, uintptr_t caller_pc, uintptr_t caller_frame)
{
    struct mprt_thread *const t = mprt_thread_local.state;

    if (p == NULL)
        return;
    if (MPROF_UNLIKELY(t == NULL || mprt_overhead_is_due(t)))
        unusual_free(p, caller_pc, caller_frame);
    else if (MPROF_UNLIKELY(is_sampling()))
        free_sampling(t, p, caller_pc, caller_frame);
    else
        free_block(t, p, caller_pc, caller_frame);
}

struct copy {
    char *to;
    const char *from;
};

static void copy_part(void *context, const char *from, const char *to)
{
    const struct copy *const copy = (const struct copy *)context;

    mprt_libc_memcpy(copy->to + (from - copy->from), from, (size_t)(to - from));
}

/* A new block of another size with the old one's bytes, which are not counted.
 * A large one gets room to grow, so that it is copied once a doubling. */
static void *copy_block(const void *p, size_t old_size, size_t size,
                        uintptr_t caller_pc, uintptr_t caller_frame)
{
    const size_t bytes = old_size < size ? old_size : size;
    const bool is_sparse = bytes >= SPARSE_BYTES_MIN;
    void *const q = mprt_block_new(size, 1, is_sparse, caller_pc, caller_frame);

    if (q == NULL)
        return NULL;
    if (!is_sparse) {
        mprt_libc_memcpy(q, p, bytes);
        return q;
    }
    if (size > old_size)
        mprt_heap_resize(q, 2 * size);
    struct copy copy = {(char *)q, (const char *)p};
    mprt_pages_visit(copy.from, copy.from + bytes, copy_part, &copy);
    return q;
}

/* Of a block that is replaced: whether it is there beside the new one for a
 * while is the heap's affair, so it counts as alive until that does. */
static void end_live(struct mprt_thread *t, const struct header *h, uintptr_t p)
{
    const uint32_t weight = is_sampling() ? weight_of(h, p) : 1;

    if (h->context < mprt_depot_first_id)
        return;
    if (mprt_sample_is_unsampled(h->context)) {
        if (h->context == mprt_sample_unsampled)
            mprt_live_end_unsampled(t, size_of(h));
        return;
    }
    if (!mprt_thread_enter()) {
        mprt_live_drop(t, h->context, size_of(h), weight);
        return;
    }
    mprt_live_end(t, h->context, size_of(h), weight, mprt_clock_now_in(t));
    mprt_thread_leave();
}

/* It lives on. */
static void begin_live(struct mprt_thread *t, const struct header *h,
                       uintptr_t p)
{
    const uint32_t weight = is_sampling() ? weight_of(h, p) : 1;

    if (h->context < mprt_depot_first_id)
        return;
    if (mprt_sample_is_unsampled(h->context)) {
        if (h->context == mprt_sample_unsampled)
            mprt_live_begin_unsampled(t, size_of(h));
        return;
    }
    if (!mprt_thread_enter())
        return;
    mprt_live_begin(t, h->context, size_of(h), weight);
    mprt_thread_leave();
}

/* Where the block of this header, which realloc replaces, went on: the context
 * of the new one, which may not have been sampled. */
static uint32_t context_of_next(struct mprt_thread *t, const struct header *h,
                                uint32_t next, uintptr_t caller_pc,
                                uintptr_t caller_frame)
{
    if (!mprt_sample_is_unsampled(next))
        return next;
    return mprt_sample_is_unsampled(h->context)
               ? 0
               : context_of_call(t, caller_pc, caller_frame);
}

/* It is as temporary as it was when realloc was called. */
static __attribute__((noinline)) void *
replace_block(struct mprt_thread *t, struct header *h, void *p, size_t size,
              uintptr_t caller_pc, uintptr_t caller_frame)
{
    const struct mprt_last_block none = {NULL, 0};
    const struct mprt_last_block last_before = t != NULL ? t->last : none;

    end_live(t, h, (uintptr_t)p);
    void *const q = copy_block(p, size_of(h), size, caller_pc, caller_frame);
    if (q == NULL) {
        begin_live(t, h, (uintptr_t)p);
        return NULL;
    }
    const struct mprt_last_block last = t != NULL ? t->last : none;
    if (t != NULL)
        t->last = last_before;
    const struct mprt_block_end end = {
        .kind = MPROF_DETAIL_REALLOC,
        .other = context_of_next(t, h, context_at(q), caller_pc, caller_frame),
        .size = size,
        .named_at = named_at(p)};
    if ((MPROF_UNLIKELY(has_hooks()) && mprt_hooks_free(p)) ||
        !free_claimed(t, p, &end, is_sampling()))
        begin_live(t, h, (uintptr_t)p);
    if (t != NULL)
        t->last = last;
    return q;
}

/* Makes the slot longer where it is. */
static bool grow(void *memory, size_t before, size_t old_size, size_t size)
{
    const size_t more = size - old_size;

    return size <= size_max &&
           (more < ASKED_BYTES_MIN || mprt_pages_would_map(more)) &&
           mprt_heap_resize(memory, before + size);
}

void *mprt_block_resize(void *p, size_t size, uintptr_t caller_pc,
                        uintptr_t caller_frame)
{
    struct mprt_thread *const t = mprt_thread_current();
    uint64_t state;
    struct header *const h = live_header(p, &state);

    if (h == NULL)
        return report_bad(p, "realloc");
    if (size == 0)
        size = 1;
    char *const memory = memory_of(p, state);
    const size_t before = (size_t)((char *)p - memory);
    size_t room = mprt_heap_room(memory) - before;
    if (size > room && grow(memory, before, size_in(state), size))
        room = size;
    const bool is_shrunk = size < size_in(state);
    if (size <= room &&
        (size >= room >> SHRINK_SHIFT || size > MPRT_HEAP_SMALL_BYTES_MAX)) {
        if (MPROF_UNLIKELY(has_hooks()) && mprt_hooks_free(p))
            return copy_block(p, size_in(state), size, caller_pc, caller_frame);
        if (!claim(p, &state))
            return report_bad(p, "realloc");
        const struct mprt_block_end end = {
            .kind = MPROF_DETAIL_REALLOC,
            .other = context_of_next(t, h, mprt_sample_unsampled, caller_pc,
                                     caller_frame),
            .size = size,
            .named_at = named_at(p)};
        const uint64_t now_ns =
            end_block(t, h, (uintptr_t)p, &end, false, is_sampling());
        if (is_shrunk)
            mprt_heap_resize(memory, before + size);
        if (is_sampling())
            begin_sampling(t, h, p, size, state & STATE_ALIGN_MASK, now_ns,
                           caller_pc, caller_frame);
        else
            begin_block(t, h, p, size, state & STATE_ALIGN_MASK, now_ns,
                        caller_pc, caller_frame, false);
        if (MPROF_UNLIKELY(has_hooks()))
            mprt_hooks_malloc(p, size);
        return p;
    }
    return replace_block(t, h, p, size, caller_pc, caller_frame);
}
