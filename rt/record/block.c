/* block.c -- birth and death of blocks.
 *
 *   slot                     p
 *   | header (32 bytes)      | the program's bytes ...
 *
 * A header lies directly in front of every block. Where an alignment moves the
 * block away from its slot's start, the slot begins with a header of state
 * MOVED that says how far. A slot owns whole granules and a header's granule
 * belongs to its own slot, so blocks share no counters.
 *
 * `state` says whether a header is one at all: it holds a check value of the
 * header's address that no other memory has by chance. Whoever changes it from
 * LIVE to FREE ends the block: of two threads that free one block, one wins and
 * the other is reported. It also counts the blocks that lived here, so that a
 * dump that reads a header sees whether it was still the same block at the end.
 *
 * The first word is the heap's while the slot is free; `state` is not.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/block.h"
#include "rt/base/clock.h"
#include "rt/base/libc.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/base/overhead.h"
#include "rt/base/state.h"
#include "rt/base/textbuf.h"
#include "rt/heap/heap.h"
#include "rt/heap/shadow.h"
#include "rt/record/hooks.h"
#include "rt/record/live.h"
#include "rt/record/mibmap.h"
#include "rt/stack/depot.h"
#include "rt/stack/stack_cache.h"

#define HEADER_BYTES 32
#define SIZE_MAX_DEFAULT ((size_t)1 << 40)
#define MIB_SHIFT 20
/* Whatever is larger asks the heap in any case. */
#define POP_BYTES_MAX ((size_t)MPROF_GRANULE_BYTES * MPRT_HEAP_STEPS)
/* Blocks shrink in place down to this part of their slot. */
#define SHRINK_SHIFT 2

struct header {
    uint64_t size; /* MOVED: bytes from here to the block's header */
    uint64_t birth_ns;
    uint32_t context; /* 0: not recorded */
    uint32_t place;
    _Atomic uint64_t state;
};

_Static_assert(sizeof(struct header) == HEADER_BYTES, "as drawn above");

/* A place is a CPU, of which Linux has no more, and a thread. */
#define PLACE_CPU_BITS 13
#define PLACE_CPU_MASK ((UINT32_C(1) << PLACE_CPU_BITS) - 1)

/* Parts of the state, from the top: check value, count of blocks, flag, kind.
 */
#define STATE_CHECK_SHIFT 24
#define STATE_COUNT ((uint64_t)8)
#define STATE_COUNT_MASK (((UINT64_C(1) << STATE_CHECK_SHIFT) - 1) & ~7)
#define STATE_FL_ALIGNED ((uint64_t)4) /* the slot begins earlier */
#define STATE_KIND_MASK ((uint64_t)3)
#define STATE_FREE ((uint64_t)1)
#define STATE_LIVE ((uint64_t)2)
#define STATE_MOVED ((uint64_t)3)

static uint64_t secret;
static size_t size_max = SIZE_MAX_DEFAULT;
static _Atomic uint64_t foreign_frees;
static _Atomic uint64_t dropped_blocks;
static _Atomic uint32_t last_thread;

void mprt_block_init(void)
{
    const int64_t limit_mb = mprt_options.max_allocation_size_mb;

    secret = mprt_os_random();
    if (limit_mb > 0 && (uint64_t)limit_mb < SIZE_MAX_DEFAULT >> MIB_SHIFT)
        size_max = (size_t)limit_mb << MIB_SHIFT;
}

/* Numbers come again after 2^19 threads. */
void mprt_block_start_thread(struct mprt_thread *t)
{
    t->place = (atomic_fetch_add(&last_thread, 1) + 1) << PLACE_CPU_BITS;
    t->last_block = 0;
}

size_t mprt_block_size_max(void)
{
    return size_max;
}

/* -- states ---------------------------------------------------------------- */

static inline uint64_t check_of(const struct header *h)
{
    return ((secret ^ (uintptr_t)h) * UINT64_C(0x9e3779b97f4a7c15)) >>
           STATE_CHECK_SHIFT << STATE_CHECK_SHIFT;
}

static inline bool is_kind(const struct header *h, uint64_t state,
                           uint64_t kind)
{
    return ((state ^ check_of(h)) & ~(STATE_COUNT_MASK | STATE_FL_ALIGNED)) ==
           kind;
}

static inline uint64_t load_state(const struct header *h)
{
    /* Pairs with the release in set_state(): then the header is filled in. */
    return atomic_load_explicit(&h->state, memory_order_acquire);
}

/* Returns the state, which no other block has had for a long time. */
static inline uint64_t set_state(struct header *h, uint64_t kind_and_flags)
{
    const uint64_t before =
        atomic_load_explicit(&h->state, memory_order_relaxed);
    const uint64_t state = check_of(h) |
                           ((before + STATE_COUNT) & STATE_COUNT_MASK) |
                           kind_and_flags;

    atomic_store_explicit(&h->state, state, memory_order_release);
    return state;
}

static inline struct header *header_of(const void *p)
{
    return (struct header *)((uintptr_t)p - HEADER_BYTES);
}

static inline void *block_of(struct header *h)
{
    return (char *)h + HEADER_BYTES;
}

/* Whether there can be a header in front of p, whatever its state. */
static inline bool may_be_block(const void *p)
{
    return ((uintptr_t)p & (HEADER_BYTES - 1)) == 0 &&
           mprt_heap_contains(header_of(p));
}

static inline bool is_live(const void *p, uint64_t *state)
{
    const struct header *const h = header_of(p);

    if (MPROF_UNLIKELY(!may_be_block(p)))
        return false;
    *state = load_state(h);
    return is_kind(h, *state, STATE_LIVE);
}

static inline struct header *live_header(const void *p, uint64_t *state)
{
    return is_live(p, state) ? header_of(p) : NULL;
}

/* The header of the block in a slot, live or not; NULL where there was none. */
static struct header *header_in_slot(void *slot, size_t bytes)
{
    struct header *const h = slot;
    const uint64_t state = load_state(h);

    if (!is_kind(h, state, STATE_MOVED))
        return h;
    const uint64_t distance = h->size;
    if (distance >= bytes || distance % HEADER_BYTES != 0)
        return NULL; /* being changed */
    return (struct header *)(void *)((char *)slot + distance);
}

static void *slot_of(struct header *h, uint64_t state)
{
    size_t bytes;

    return (state & STATE_FL_ALIGNED) != 0 ? mprt_heap_slot_of(h, &bytes) : h;
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

static inline uint32_t place_of(const struct mprt_thread *t)
{
    return MPROF_LIKELY(t != NULL)
               ? (mprt_os_cpu_at(t->cpu) & PLACE_CPU_MASK) | t->place
               : mprt_os_cpu() & PLACE_CPU_MASK;
}

static inline uint32_t cpu_in(uint32_t place)
{
    return place & PLACE_CPU_MASK;
}

/* Fills in the header and makes the block live. now_ns: the time, or 0 where it
 * is not known yet. */
static inline MPRT_ALWAYS_INLINE void
begin_block(struct mprt_thread *t, struct header *h, size_t size,
            uint64_t flags, uint64_t now_ns, uintptr_t caller_pc,
            uintptr_t caller_frame)
{
    const bool is_first = mprt_state_is_recording() && mprt_thread_enter();

    mprt_shadow_begin((uintptr_t)block_of(h), size);
    h->size = size;
    if (MPROF_LIKELY(is_first)) {
        h->context = mprt_stack_cache_context(t, caller_pc, caller_frame);
        if (MPROF_UNLIKELY(h->context == 0))
            report_full();
        h->place = place_of(t);
        h->birth_ns =
            mprt_live_birth_ns(now_ns != 0 ? now_ns : mprt_clock_now_in(t));
        if (MPROF_LIKELY(h->context != 0))
            mprt_live_begin(t, h->context, size);
        mprt_thread_leave();
    } else {
        h->context = 0;
        h->birth_ns = 0;
    }
    const uint64_t state = set_state(h, STATE_LIVE | flags);
    if (MPROF_LIKELY(t != NULL))
        t->last_block = state;
    count_blocks(t, size, true);
}

static inline bool has_hooks(void)
{
    return atomic_load_explicit(&mprt_hooks_are_set, memory_order_relaxed) &&
           !mprt_thread_local.is_inside;
}

/* The header for a block of this size and alignment; contents undefined unless
 * *is_zero. */
static struct header *new_header(size_t size, size_t align, uint64_t *flags,
                                 bool *is_zero)
{
    *flags = 0;
    if (size > size_max || align > size_max)
        return NULL;
    if (align <= HEADER_BYTES)
        return mprt_heap_alloc(HEADER_BYTES + size, is_zero);
    if (align < MPROF_GRANULE_BYTES)
        align = MPROF_GRANULE_BYTES;
    struct header *const slot = mprt_heap_alloc(align + size, is_zero);
    if (slot == NULL)
        return NULL;
    struct header *const h = header_of((void *)(uintptr_t)mprof_round_up(
        (uintptr_t)slot + MPROF_GRANULE_BYTES, align));
    slot->size = (uintptr_t)h - (uintptr_t)slot;
    set_state(slot, STATE_MOVED);
    *flags = STATE_FL_ALIGNED;
    return h;
}

/* t may be NULL, where that is a constant. */
static inline MPRT_ALWAYS_INLINE void *new_block(struct mprt_thread *t,
                                                 size_t size, size_t align,
                                                 bool zero, uintptr_t caller_pc,
                                                 uintptr_t caller_frame)
{
    uint64_t flags = 0;
    bool is_zero = false;
    struct header *h = NULL;

    if (MPROF_UNLIKELY(size == 0))
        size = 1; /* as LLVM's: a block of its own, never of no bytes */
    if (MPROF_LIKELY(align <= HEADER_BYTES && size <= POP_BYTES_MAX))
        h = mprt_heap_pop(t, HEADER_BYTES + size);
    if (MPROF_UNLIKELY(h == NULL)) {
        h = new_header(size, align, &flags, &is_zero);
        if (h == NULL)
            return NULL;
    }
    void *const p = block_of(h);
    if (MPROF_UNLIKELY(zero) && !is_zero)
        mprt_libc_memset(p, 0, size);
    begin_block(t, h, size, flags, 0, caller_pc, caller_frame);
    if (MPROF_UNLIKELY(has_hooks()))
        mprt_hooks_malloc(p, size);
    return p;
}

/* Of a thread that has no state (yet), or a call that is timed. */
static __attribute__((noinline)) void *unusual_new(size_t size, size_t align,
                                                   bool zero,
                                                   uintptr_t caller_pc,
                                                   uintptr_t caller_frame)
{
    if (mprt_thread_local.state == NULL) {
        if (mprt_thread_make() == NULL)
            return new_block(NULL, size, align, zero, caller_pc, caller_frame);
        return mprt_block_new(size, align, zero, caller_pc, caller_frame);
    }
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
    return new_block(t, size, align, zero, caller_pc, caller_frame);
}

/* -- death ----------------------------------------------------------------- */

/* As the state is when the block has been taken. */
static inline bool is_temporary(const struct mprt_thread *t,
                                const struct header *h)
{
    return t != NULL && atomic_load_explicit(&h->state, memory_order_relaxed) ==
                            (t->last_block ^ STATE_LIVE ^ STATE_FREE);
}

/* Of a block that has been taken. */
static inline struct mprof_block_life life_of(const struct mprt_thread *t,
                                              const struct header *h,
                                              uint64_t access_count,
                                              uint64_t now_ns)
{
    const uint32_t place = place_of(t);

    return (struct mprof_block_life){
        .size = h->size,
        .access_count = access_count,
        .alloc_ns = h->birth_ns,
        .dealloc_ns = now_ns,
        .alloc_cpu = (uint16_t)cpu_in(h->place),
        .dealloc_cpu = (uint16_t)cpu_in(place),
        .peak = mprt_live_peak_of(h->birth_ns),
        .is_temporary = is_temporary(t, h),
        .is_elsewhere = (h->place ^ place) >> PLACE_CPU_BITS != 0};
}

static void set_replaced(struct mprof_block_life *life, uint64_t new_size)
{
    life->is_replaced = 1;
    life->grown_bytes = mprof_sub_sat_u64(new_size, life->size);
}

/* In histogram mode, or of a block that is replaced. */
static __attribute__((noinline)) void record_apart(const struct mprt_thread *t,
                                                   const struct header *h,
                                                   uint64_t now_ns,
                                                   uint64_t new_size)
{
    const enum mprt_shadow_mode mode = mprt_shadow_mode;
    const uintptr_t p = (uintptr_t)h + HEADER_BYTES;
    bool is_saturated = false;
    struct mprof_block_rw rw;
    const uint64_t access_count =
        mode == MPRT_SHADOW_HISTOGRAM
            ? mprt_shadow_sum(p, h->size, &is_saturated)
        : mode == MPRT_SHADOW_RW ? mprt_shadow_take_rw(p, h->size, &rw)
                                 : mprt_shadow_end(p, h->size);
    struct mprof_block_life life = life_of(t, h, access_count, now_ns);

    life.is_saturated = is_saturated;
    if (new_size != 0)
        set_replaced(&life, new_size);
    mprt_mibmap_add(h->context, &life, mode == MPRT_SHADOW_HISTOGRAM ? p : 0,
                    mode == MPRT_SHADOW_RW ? &rw : NULL);
}

/* Anything but a brief life. The row is locked. */
static __attribute__((noinline)) void
record_other(struct mprt_context *row, unsigned map,
             const struct mprt_thread *t, const struct header *h,
             uint64_t access_count, uint64_t now_ns,
             const struct mprof_block_rw *rw)
{
    const struct mprof_block_life life = life_of(t, h, access_count, now_ns);

    mprt_mibmap_add_locked(row, map, &life, 0, rw);
}

/* Adds a life to a context that the process itself recorded. rw: NULL where
 * reads and writes are not counted apart. */
static inline MPRT_ALWAYS_INLINE void
record_in(const struct mprt_thread *t, const struct header *h, uint32_t context,
          uint64_t access_count, uint64_t now_ns,
          const struct mprof_block_rw *rw)
{
    const uint32_t place = place_of(t);
    unsigned map;
    struct mprt_context *const row = mprt_mibmap_lock(context, &map);

    if (MPROF_LIKELY(row->entry != NULL && h->place == place &&
                     mprt_live_peak_of(h->birth_ns) == 0 &&
                     mprof_mib_add_brief(&row->entry->mib, h->size,
                                         access_count, h->birth_ns, now_ns,
                                         cpu_in(place), cpu_in(place),
                                         is_temporary(t, h)))) {
        if (rw != NULL)
            mprof_mib_add_rw(&row->entry->mib, rw);
        mprt_lock_release_brief(&row->lock);
    } else {
        record_other(row, map, t, h, access_count, now_ns, rw);
    }
}

static __attribute__((noinline)) void record_rw(const struct mprt_thread *t,
                                                const struct header *h,
                                                uint32_t context,
                                                uint64_t now_ns)
{
    struct mprof_block_rw rw;
    const uint64_t access_count =
        mprt_shadow_take_rw((uintptr_t)h + HEADER_BYTES, h->size, &rw);

    if (MPROF_LIKELY(context >= mprt_depot_first_id))
        record_in(t, h, context, access_count, now_ns, &rw);
}

/* Adds a life that has ended to its context. Inside the guard. */
static inline MPRT_ALWAYS_INLINE void record(const struct mprt_thread *t,
                                             const struct header *h,
                                             uint32_t context, uint64_t now_ns,
                                             uint64_t new_size)
{
    const uintptr_t p = (uintptr_t)h + HEADER_BYTES;

    if (MPROF_UNLIKELY(mprt_shadow_mode != MPRT_SHADOW_NORMAL) ||
        new_size != 0) {
        if (mprt_shadow_mode == MPRT_SHADOW_RW && new_size == 0)
            record_rw(t, h, context, now_ns);
        else
            record_apart(t, h, now_ns, new_size);
        return;
    }
    const uint64_t access_count = mprt_shadow_end(p, h->size);
    if (MPROF_UNLIKELY(context < mprt_depot_first_id))
        return; /* a block of the parent's */
    record_in(t, h, context, access_count, now_ns, NULL);
}

static __attribute__((noinline)) void
drop_block(struct mprt_thread *t, struct header *h, bool is_counted)
{
    mprt_shadow_drop((uintptr_t)block_of(h), h->size);
    atomic_fetch_add_explicit(&dropped_blocks, 1, memory_order_relaxed);
    if (!is_counted && h->context >= mprt_depot_first_id)
        mprt_live_drop(t, h->context, h->size);
}

/* The time at which the block ended, which has been taken, or 0 where that is
 * not recorded. new_size: of the one that replaces it, or 0. is_counted: it
 * does not count as alive any more. */
static inline MPRT_ALWAYS_INLINE uint64_t end_block(struct mprt_thread *t,
                                                    struct header *h,
                                                    uint64_t new_size,
                                                    bool is_counted)
{
    const uint32_t context = h->context;

    count_blocks(t, h->size, false);
    if (MPROF_UNLIKELY(context == 0 || !mprt_state_is_running())) {
        mprt_shadow_drop((uintptr_t)block_of(h), h->size);
        return 0;
    }
    if (MPROF_UNLIKELY(!mprt_thread_enter())) {
        /* A signal handler inside the runtime: locks may be held. */
        drop_block(t, h, is_counted);
        return 0;
    }
    const uint64_t now_ns = mprt_clock_now_in(t);
    if (!is_counted && MPROF_LIKELY(context >= mprt_depot_first_id))
        mprt_live_end(t, context, h->size, now_ns);
    record(t, h, context, now_ns, new_size);
    mprt_thread_leave();
    return now_ns;
}

static __attribute__((noinline)) void report_bad(const void *p,
                                                 const char *what)
{
    static uint32_t once[3];
    const struct header *const h = may_be_block(p) ? header_of(p) : NULL;
    size_t bytes;
    unsigned kind;
    const char *why;
    char digits[20];
    struct mprt_textbuf number = {digits, sizeof(digits), 0};

    if (h != NULL && is_kind(h, load_state(h), STATE_FREE)) {
        kind = 0;
        why = ": this block has been freed already";
    } else if (mprt_heap_slot_of(p, &bytes) != NULL) {
        kind = 1;
        why = ": this is no start of a block";
    } else {
        kind = 2;
        why = ": this was not allocated here";
    }
    atomic_fetch_add_explicit(&foreign_frees, 1, memory_order_relaxed);
    mprt_textbuf_hex(&number, (uintptr_t)p);
    mprt_log_once(&once[kind], what, " of 0x", digits, why,
                  "; ignored, further ones are only counted", NULL);
}

/* From LIVE to FREE; false where another thread was faster. */
static inline bool take_block(struct header *h, uint64_t *state)
{
    const uint64_t freed = (*state & ~STATE_KIND_MASK) | STATE_FREE;

    if (MPROF_LIKELY(mprt_lock_is_alone())) {
        atomic_store_explicit(&h->state, freed, memory_order_relaxed);
        return true;
    }
    /* Pairs with itself in another thread that frees the same block. */
    return atomic_compare_exchange_strong_explicit(
        &h->state, state, freed, memory_order_acq_rel, memory_order_relaxed);
}

/* Ends the live block at p for the caller alone, or false after a report. */
static inline bool claim(void *p, uint64_t *state, const char *what)
{
    if (MPROF_UNLIKELY(!is_live(p, state) ||
                       !take_block(header_of(p), state))) {
        report_bad(p, what);
        return false;
    }
    return true;
}

/* t as in new_block(), new_size as in end_block(): a block that is replaced is
 * counted already. False where it is not freed. */
static inline MPRT_ALWAYS_INLINE bool free_block(struct mprt_thread *t, void *p,
                                                 uint64_t new_size)
{
    uint64_t state;

    if (MPROF_UNLIKELY(has_hooks()) && mprt_hooks_free(p))
        return false; /* the program keeps it */
    if (MPROF_UNLIKELY(!claim(p, &state, "free")))
        return false;
    struct header *const h = header_of(p);
    end_block(t, h, new_size, new_size != 0);
    if (MPROF_UNLIKELY((state & STATE_FL_ALIGNED) != 0 ||
                       !mprt_heap_push(t, h)))
        mprt_heap_free(slot_of(h, state));
    return true;
}

/* As unusual_new(). */
static __attribute__((noinline)) void unusual_free(void *p)
{
    if (mprt_thread_local.state == NULL) {
        if (mprt_thread_make() == NULL)
            free_block(NULL, p, 0);
        else
            mprt_block_free(p);
        return;
    }
    const struct mprt_timed timed = mprt_overhead_begin();
    mprt_block_free(p);
    mprt_overhead_end(timed);
}

void mprt_block_free(void *p)
{
    struct mprt_thread *const t = mprt_thread_local.state;

    if (p == NULL)
        return;
    if (MPROF_UNLIKELY(t == NULL || mprt_overhead_is_due(t)))
        unusual_free(p);
    else
        free_block(t, p, 0);
}

/* A new block of another size with the old one's bytes, which are not counted.
 */
static void *copy_block(struct header *h, size_t size, uintptr_t caller_pc,
                        uintptr_t caller_frame)
{
    void *const q = mprt_block_new(size, 1, false, caller_pc, caller_frame);

    if (q != NULL)
        mprt_libc_memcpy(q, block_of(h), h->size < size ? h->size : size);
    return q;
}

/* Of a block that is replaced: whether it is there beside the new one for a
 * while is the heap's affair, so it counts as alive until that does. */
static void end_live(struct mprt_thread *t, const struct header *h)
{
    if (h->context < mprt_depot_first_id)
        return;
    if (!mprt_thread_enter()) {
        mprt_live_drop(t, h->context, h->size);
        return;
    }
    mprt_live_end(t, h->context, h->size, mprt_clock_now_in(t));
    mprt_thread_leave();
}

/* It lives on. */
static void begin_live(struct mprt_thread *t, const struct header *h)
{
    if (h->context < mprt_depot_first_id || !mprt_thread_enter())
        return;
    mprt_live_begin(t, h->context, h->size);
    mprt_thread_leave();
}

/* It is as temporary as it was when realloc was called. */
static __attribute__((noinline)) void *
replace_block(struct mprt_thread *t, struct header *h, size_t size,
              uintptr_t caller_pc, uintptr_t caller_frame)
{
    const uint64_t last_before = t != NULL ? t->last_block : 0;

    end_live(t, h);
    void *const q = copy_block(h, size, caller_pc, caller_frame);
    if (q == NULL) {
        begin_live(t, h);
        return NULL;
    }
    const uint64_t last = t != NULL ? t->last_block : 0;
    if (t != NULL)
        t->last_block = last_before;
    if (!free_block(t, block_of(h), size))
        begin_live(t, h);
    if (t != NULL)
        t->last_block = last;
    return q;
}

void *mprt_block_resize(void *p, size_t size, uintptr_t caller_pc,
                        uintptr_t caller_frame)
{
    struct mprt_thread *const t = mprt_thread_current();
    uint64_t state;
    struct header *const h = live_header(p, &state);

    if (h == NULL) {
        report_bad(p, "realloc");
        return NULL;
    }
    if (size == 0)
        size = 1;
    char *const slot = slot_of(h, state);
    const size_t room = mprt_heap_slot_bytes(slot) - (size_t)((char *)p - slot);
    if (size <= room && size >= room >> SHRINK_SHIFT) {
        if (MPROF_UNLIKELY(has_hooks()) && mprt_hooks_free(p))
            return copy_block(h, size, caller_pc, caller_frame);
        if (!claim(p, &state, "realloc"))
            return NULL;
        const uint64_t now_ns = end_block(t, h, size, false);
        begin_block(t, h, size, state & STATE_FL_ALIGNED, now_ns, caller_pc,
                    caller_frame);
        if (MPROF_UNLIKELY(has_hooks()))
            mprt_hooks_malloc(p, size);
        return p;
    }
    return replace_block(t, h, size, caller_pc, caller_frame);
}

/* -- questions ------------------------------------------------------------- */

bool mprt_block_find(const void *p, size_t *size)
{
    uint64_t state;
    const struct header *const h = live_header(p, &state);

    if (h == NULL)
        return false;
    *size = h->size;
    return true;
}

void *mprt_block_holding(const void *p, size_t *size)
{
    size_t bytes;
    void *const slot = mprt_heap_slot_of(p, &bytes);
    struct header *const h = slot != NULL ? header_in_slot(slot, bytes) : NULL;

    if (h == NULL || !is_kind(h, load_state(h), STATE_LIVE))
        return NULL;
    const size_t block_bytes = h->size;
    if ((uintptr_t)p - (uintptr_t)block_of(h) >= block_bytes)
        return NULL;
    *size = block_bytes;
    return block_of(h);
}

struct walk {
    void (*visit)(void *context, const struct mprt_live_block *block);
    void *context;
    uint64_t now_ns;
    uint32_t cpu;
};

static void visit_slot(void *context, void *slot, size_t bytes)
{
    const struct walk *const walk = context;
    struct mprt_live_block live;
    bool is_saturated = false;
    struct header *const h = header_in_slot(slot, bytes);

    if (h == NULL)
        return;
    const uint64_t state = load_state(h);
    if (!is_kind(h, state, STATE_LIVE))
        return;
    live = (struct mprt_live_block){
        .p = (uintptr_t)block_of(h),
        .context = h->context,
        .life = {.size = h->size,
                 .alloc_ns = h->birth_ns,
                 .alloc_cpu = (uint16_t)cpu_in(h->place),
                 .dealloc_ns = walk->now_ns,
                 .dealloc_cpu = (uint16_t)cpu_in(walk->cpu),
                 .is_live = true},
    };
    if (live.life.size > bytes)
        return; /* the block ended meanwhile */
    live.life.access_count =
        mprt_shadow_mode == MPRT_SHADOW_RW
            ? mprt_shadow_sum_rw(live.p, live.life.size, &live.rw)
            : mprt_shadow_sum(live.p, live.life.size, &is_saturated);
    live.life.is_saturated = is_saturated;
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&h->state, memory_order_relaxed) == state)
        walk->visit(walk->context, &live);
}

void mprt_block_walk(void (*visit)(void *context,
                                   const struct mprt_live_block *block),
                     void *context)
{
    struct walk walk = {visit, context, mprt_clock_now_ns(), mprt_os_cpu()};

    mprt_heap_walk(visit_slot, &walk);
}

static struct mprt_held_block describe(struct header *h, uint64_t state)
{
    return (struct mprt_held_block){.p = (uintptr_t)block_of(h),
                                    .size = h->size,
                                    .context = h->context,
                                    .state = state};
}

struct held_walk {
    void (*visit)(void *context, const struct mprt_held_block *block);
    void *context;
};

static void visit_held_slot(void *context, void *slot, size_t bytes)
{
    const struct held_walk *const walk = (const struct held_walk *)context;
    struct header *const h = header_in_slot(slot, bytes);

    const uint64_t state = h != NULL ? load_state(h) : 0;
    if (h == NULL || !is_kind(h, state, STATE_LIVE))
        return;
    const struct mprt_held_block block = describe(h, state);
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
    struct header *const h = live_header((const void *)p, &state);

    if (h != NULL)
        *block = describe(h, state);
    return h != NULL;
}

/* The block may end meanwhile, and the slot hold others, even with their bytes
 * where the header was. So size and time count only where the state was the
 * same after they were read. Then the counters are those of the slot; if they
 * are another block's by now, that was born during the reset. The time is
 * replaced only where it is still there: what else lies in its place by now
 * does not look like it. (A block that is not recorded has none.) */
static void restart_slot(void *context, void *slot, size_t bytes)
{
    struct header *const h = header_in_slot(slot, bytes);

    (void)context;
    if (h == NULL)
        return;
    const uint64_t state = load_state(h);
    if (!is_kind(h, state, STATE_LIVE))
        return;
    const uint64_t size = h->size;
    uint64_t birth_ns = h->birth_ns;
    if (size > bytes)
        return;
    /* Pairs with the exchange in take_block(). */
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&h->state, memory_order_relaxed) != state)
        return;
    mprt_shadow_clear((uintptr_t)block_of(h), size);
    if (birth_ns != 0)
        __atomic_compare_exchange_n(&h->birth_ns, &birth_ns,
                                    mprt_clock_now_ns(), false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void mprt_block_restart_all(void)
{
    mprt_heap_walk(restart_slot, NULL);
}
