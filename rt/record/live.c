/* live.c -- live bytes and blocks.
 *
 * Each thread counts allocated minus freed bytes and adds its change to the
 * global sum when the change exceeds the slack. We look for a peak before a
 * block ends, by what this thread knows (with one thread, everything), and with
 * several threads also when a portion is published. No function here waits,
 * because signal handlers and the helper call them, too.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/live.h"
#include "rt/base/clock.h"
#include "rt/base/libc.h"
#include "rt/base/memory.h"
#include "rt/base/pages.h"
#include "rt/record/series.h"
#include "rt/stack/depot.h"

/* Number of table entries up to the last that mprt_live_at() can return. */
#define CONTEXTS (MPRT_CONTEXTS_MAX + (size_t)2 * MPRT_LIVE_HALF)

struct mprt_live_context *mprt_live_contexts;
struct mprt_live_last mprt_live_last;

/* Live bytes as published by the threads, and their maximum. */
static _Atomic int64_t live_bytes;
static _Atomic int64_t peak_bytes;

void mprt_live_init(void)
{
    mprt_live_contexts =
        mprt_memory_reserve(CONTEXTS * sizeof(*mprt_live_contexts));
    if (mprt_live_contexts == NULL)
        mprt_memory_give_up("call stacks");
}

/* Stores the number last: a thread that reads the number first finds a time
 * that is not earlier. */
static void note_peak(int64_t bytes, uint64_t now_ns)
{
    int64_t before = atomic_load(&peak_bytes);
    uint64_t ns = atomic_load(&mprt_live_last.ns);

    while (bytes > before &&
           !atomic_compare_exchange_weak(&peak_bytes, &before, bytes))
        ;
    if (bytes <= before)
        return;
    while (!atomic_compare_exchange_weak(&mprt_live_last.ns, &ns,
                                         now_ns > ns ? now_ns : ns + 1))
        ;
    atomic_fetch_add(&mprt_live_last.number, 1);
}

/* Sets the thread's limit for the next peak. sum: published bytes, with all of
 * this thread's. */
static void set_peak_high(struct mprt_thread *t, int64_t sum)
{
    MPRT_STORE(t->live.peak_high,
               t->live.published + atomic_load(&peak_bytes) - sum);
}

/* For the series. With one thread the value is exact. It may exceed the
 * recorded peak, but must not be recorded as a peak here: realloc may have
 * counted the old block's end already without recording it; the next end of a
 * block will record the peak. With several threads the peak has been recorded.
 * more: the change since the last sample; the memory of a block that ends is
 * still resident. */
static void sample_live(int64_t bytes, int64_t more, uint64_t now_ns)
{
    mprt_series_sample(bytes > 0 ? (uint64_t)bytes : 0,
                       more < 0 ? (uint64_t)-more : 0, now_ns);
}

static void raise_to(_Atomic uint64_t *max, uint64_t n)
{
    uint64_t before = MPRT_LOAD(*max);

    while (n > (before & ~MPRT_LIVE_HAS_RESERVES) &&
           !MPRT_CAS(*max, &before, n | (before & MPRT_LIVE_HAS_RESERVES)))
        ;
}

void mprt_live_raise_both(struct mprt_live_context *c, uint64_t bytes,
                          uint64_t blocks)
{
    raise_to(&c->max_bytes, bytes);
    raise_to(&c->max_blocks, blocks);
}

void mprt_live_publish(struct mprt_thread *t)
{
    const int64_t bytes = mprt_live_of(t);
    const int64_t more = bytes - t->live.published;

    t->live.published = bytes;
    t->live.low = bytes - MPRT_LIVE_SLACK_BYTES;
    t->live.high = bytes + MPRT_LIVE_SLACK_BYTES;
    const int64_t sum = atomic_fetch_add(&live_bytes, more) + more;
    const uint64_t now_ns = mprt_clock_now_in(t);
    if (!mprt_lock_is_alone() && sum > atomic_load(&peak_bytes))
        note_peak(sum, now_ns);
    set_peak_high(t, sum);
    sample_live(sum, more, now_ns);
}

void mprt_live_check_peak(struct mprt_thread *t, uint64_t now_ns)
{
    const int64_t sum = atomic_load(&live_bytes);

    note_peak(sum + mprt_live_of(t) - t->live.published, now_ns);
    set_peak_high(t, sum);
}

void mprt_live_sample(struct mprt_thread *t)
{
    const uint64_t now_ns = mprt_clock_now_in(t);

    if (!mprt_lock_is_alone())
        mprt_live_check_peak(t, now_ns);
    sample_live(atomic_load(&live_bytes) + mprt_live_of(t) - t->live.published,
                0, now_ns);
}

void mprt_live_add_orphan(int64_t bytes, uint64_t now_ns)
{
    const int64_t before = atomic_fetch_add(&live_bytes, bytes);

    if (bytes < 0)
        note_peak(before, now_ns);
}

static void take_bytes(struct mprt_thread *t, uint64_t size)
{
    if (t == NULL)
        atomic_fetch_sub(&live_bytes, (int64_t)size);
    else
        mprt_live_add_own(&t->live.bytes, -(int64_t)size);
}

/* -- a context's live bytes among threads ---------------------------------- */

/* Threads that use one context would wait for its cache line at each birth and
 * end. So the end of a block moves it to a reserve of the thread instead of
 * subtracting it, and a birth takes from the reserve if it can. The context's
 * sum, which includes all reserves, is an upper bound of what lives. While it
 * is at most the recorded maximum, nothing that the threads do with their
 * reserves can be a new maximum. If the sum is higher when a block ends, the
 * reserves are subtracted from it, which makes it exact, and the maximum is
 * updated. So the maximum is exact, except for the order of calls that overlap
 * in time. Reserves of ended threads stay until they are subtracted. */
struct mprt_live_reserve {
    struct mprt_lock lock;
    uint32_t context;
    uint64_t bytes;
    uint64_t blocks;
};

/* A context's place in the table of each thread. */
#define RESERVES 128
#define RESERVE_OF(context) ((context) % RESERVES)
/* A birth that finds no reserve takes this part of what is left until the
 * maximum, for later births. */
#define SHARE 4
#define TRIES_MAX 10

static void add_to(struct mprt_live_context *c, uint64_t bytes, uint64_t blocks)
{
    atomic_fetch_add(&c->bytes, bytes);
    atomic_fetch_add(&c->blocks, blocks);
}

static void take_from(struct mprt_live_context *c, uint64_t bytes,
                      uint64_t blocks)
{
    atomic_fetch_sub(&c->bytes, bytes);
    atomic_fetch_sub(&c->blocks, blocks);
}

static struct mprt_live_most limits_of(struct mprt_live_context *c)
{
    return (struct mprt_live_most){atomic_load(&c->max_bytes),
                                   atomic_load(&c->max_blocks) &
                                       ~MPRT_LIVE_HAS_RESERVES};
}

static bool has_reserves(struct mprt_live_context *c)
{
    return (atomic_load(&c->max_blocks) & MPRT_LIVE_HAS_RESERVES) != 0;
}

/* The caller holds the lock. */
static void give_back(struct mprt_live_reserve *r)
{
    if ((r->bytes | r->blocks) != 0)
        take_from(mprt_live_at(r->context), r->bytes, r->blocks);
    r->bytes = r->blocks = 0;
}

/* Locks this thread's reserve of the context. NULL without memory. */
static struct mprt_live_reserve *lock_reserve(struct mprt_thread *t,
                                              uint32_t context)
{
    struct mprt_live_reserve *all =
        t != NULL ? atomic_load(&t->reserves) : NULL;

    if (MPROF_UNLIKELY(all == NULL)) {
        if (t != NULL)
            all = mprt_memory_map(RESERVES * sizeof(*all));
        if (all == NULL)
            return NULL;
        atomic_store(&t->reserves, all);
    }
    struct mprt_live_reserve *const r = &all[RESERVE_OF(context)];
    mprt_lock_acquire_brief(&r->lock);
    if (MPROF_UNLIKELY(r->context != context)) {
        give_back(r);
        r->context = context;
    }
    return r;
}

/* Before something is added to a reserve whose lock this thread holds: a thread
 * that removes the mark before looks at the reserve waits for the lock. */
static void mark_reserves(struct mprt_live_context *c)
{
    if (!has_reserves(c))
        atomic_fetch_or(&c->max_blocks, MPRT_LIVE_HAS_RESERVES);
}

/* Held while reserves are given back, before a reserve's lock: a thread that
 * finds no mark must not take the sum before all of them are subtracted. */
static struct mprt_lock returning;

static void return_reserves(struct mprt_live_context *c, uint32_t context)
{
    atomic_fetch_and(&c->max_blocks, ~MPRT_LIVE_HAS_RESERVES);
    MPRT_EACH_THREAD(t) {
        struct mprt_live_reserve *const all = atomic_load(&t->reserves);
        struct mprt_live_reserve *const r =
            all != NULL ? &all[RESERVE_OF(context)] : NULL;

        if (r == NULL)
            continue;
        mprt_lock_acquire_brief(&r->lock);
        if (r->context == context)
            give_back(r);
        mprt_lock_release_brief(&r->lock);
    }
}

/* Makes the sum exact. */
static void give_all_back(struct mprt_live_context *c, uint32_t context)
{
    mprt_lock_acquire_brief(&returning);
    if (has_reserves(c))
        return_reserves(c, context);
    mprt_lock_release_brief(&returning);
}

static struct mprt_live_most sum_of(const struct mprt_live_context *c)
{
    return (struct mprt_live_most){atomic_load(&c->bytes),
                                   atomic_load(&c->blocks)};
}

static bool is_above_limits(struct mprt_live_context *c)
{
    const struct mprt_live_most most = limits_of(c);
    const struct mprt_live_most sum = sum_of(c);

    return sum.bytes > most.bytes || sum.blocks > most.blocks;
}

/* Before a block ends. False if no maximum was reached. */
static bool update_limits(struct mprt_live_context *c, uint32_t context)
{
    struct mprt_live_most sum;
    unsigned tries = 0;

    if (MPROF_LIKELY(!is_above_limits(c)))
        return false;
    /* Other threads may take reserves meanwhile. */
    do {
        give_all_back(c, context);
        sum = sum_of(c);
    } while (has_reserves(c) && ++tries < TRIES_MAX);
    mprt_live_raise_both(c, sum.bytes, sum.blocks);
    return true;
}

static uint64_t share_of(uint64_t limit, uint64_t sum)
{
    return limit > sum ? (limit - sum) / SHARE : 0;
}

void mprt_live_add_among_threads(struct mprt_thread *t, uint32_t context,
                                 uint64_t bytes, uint64_t blocks)
{
    struct mprt_live_context *const c = mprt_live_at(context);
    struct mprt_live_reserve *const r = lock_reserve(t, context);

    if (r == NULL) {
        add_to(c, bytes, blocks);
        return;
    }
    if (MPROF_LIKELY(r->bytes >= bytes && r->blocks >= blocks)) {
        r->bytes -= bytes;
        r->blocks -= blocks;
    } else {
        const struct mprt_live_most most = limits_of(c);
        const struct mprt_live_most sum = sum_of(c);
        const uint64_t more_bytes = share_of(most.bytes, sum.bytes + bytes);
        const uint64_t more_blocks = share_of(most.blocks, sum.blocks + blocks);
        if ((more_bytes | more_blocks) != 0)
            mark_reserves(c);
        add_to(c, bytes + more_bytes, blocks + more_blocks);
        r->bytes += more_bytes;
        r->blocks += more_blocks;
    }
    mprt_lock_release_brief(&r->lock);
}

void mprt_live_take_among_threads(struct mprt_thread *t, uint32_t context,
                                  uint64_t bytes, uint64_t blocks)
{
    struct mprt_live_context *const c = mprt_live_at(context);
    /* At a maximum a reserve would soon be given back. */
    struct mprt_live_reserve *const r =
        update_limits(c, context) ? NULL : lock_reserve(t, context);

    if (r == NULL) {
        take_from(c, bytes, blocks);
        return;
    }
    mark_reserves(c);
    r->bytes += bytes;
    r->blocks += blocks;
    mprt_lock_release_brief(&r->lock);
}

struct mprt_live_most mprt_live_most(uint32_t context)
{
    struct mprt_live_context *const c = mprt_live_at(context);

    update_limits(c, context);
    return limits_of(c);
}

/* -------------------------------------------------------------------------- */

/* This thread may hold the lock of a reserve. */
void mprt_live_drop(struct mprt_thread *t, uint32_t context, uint64_t size,
                    uint32_t weight)
{
    struct mprt_live_context *const c = mprt_live_at(context);
    const struct mprt_live_most sum = sum_of(c);

    if (!has_reserves(c))
        mprt_live_raise_both(c, sum.bytes, sum.blocks);
    take_from(c, size * weight, weight);
    take_bytes(t, size * weight);
}

static int64_t sum_up(void)
{
    int64_t bytes = atomic_load(&live_bytes);

    MPRT_EACH_THREAD(t)
        bytes += mprt_live_of(t) - t->live.published;
    return bytes;
}

void mprt_live_note_now(void)
{
    const int64_t bytes = sum_up();
    const uint64_t now_ns = mprt_clock_now_ns();

    note_peak(bytes, now_ns);
    sample_live(bytes, 0, now_ns);
}

void mprt_live_mark(uint32_t kind, const char *name)
{
    const int64_t bytes = sum_up();

    mprt_live_note_now();
    mprt_series_mark(kind, name, bytes > 0 ? (uint64_t)bytes : 0,
                     mprt_clock_now_ns());
}

struct mprt_live_peak mprt_live_last_peak(void)
{
    const uint32_t number = atomic_load(&mprt_live_last.number);

    return (struct mprt_live_peak){.bytes = (uint64_t)atomic_load(&peak_bytes),
                                   .ns = atomic_load(&mprt_live_last.ns),
                                   .number = number};
}

uint64_t mprt_live_memory_bytes(void)
{
    return (uint64_t)mprt_depot_count() * sizeof(*mprt_live_contexts);
}

uint64_t mprt_live_bytes(void)
{
    const int64_t bytes = atomic_load(&live_bytes);

    return bytes > 0 ? (uint64_t)bytes : 0;
}

/* -- restart --------------------------------------------------------------- */

/* Makes each thread look for a peak at its next end of a block. */
static void forget_peak(void)
{
    atomic_store(&peak_bytes, 0);
    MPRT_EACH_THREAD(t)
        MPRT_STORE(t->live.peak_high, INT64_MIN);
}

void mprt_live_restart(uint32_t last_context)
{
    uint64_t ns = atomic_load(&mprt_live_last.ns);
    const uint64_t now_ns = mprt_clock_now_ns();

    for (uint32_t id = 1; id <= last_context; id++) {
        struct mprt_live_context *const c = mprt_live_at(id);

        give_all_back(c, id);
        atomic_store(&c->max_bytes, atomic_load(&c->bytes));
        atomic_fetch_and(&c->max_blocks, MPRT_LIVE_HAS_RESERVES);
        raise_to(&c->max_blocks, atomic_load(&c->blocks));
    }
    /* Live blocks count as born now at the latest, so the next peak must be
     * later. */
    while (now_ns > ns &&
           !atomic_compare_exchange_weak(&mprt_live_last.ns, &ns, now_ns))
        ;
    forget_peak();
}

void mprt_live_in_child(void)
{
    mprt_lock_reset(&returning);
    /* The table of the parent, which is not read again. */
    mprt_pages_clear(mprt_live_contexts,
                     CONTEXTS * sizeof(*mprt_live_contexts));
    atomic_store(&live_bytes, 0);
    MPRT_EACH_THREAD(t) {
        struct mprt_live_reserve *const all = atomic_load(&t->reserves);

        t->live = (struct mprt_thread_live){.bytes = 0};
        if (all != NULL)
            mprt_libc_memset(all, 0, RESERVES * sizeof(*all));
    }
    forget_peak();
}
