/* spread.c -- how the accesses of a context spread over bursts.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/spread.h"
#include "rt/base/clock.h"
#include "rt/base/lock.h"
#include "rt/base/memory.h"
#include "rt/base/sandbox.h"
#include "rt/base/state.h"
#include "rt/base/thread.h"
#include "rt/heap/bursts.h"
#include "rt/record/block.h"
#include "rt/stack/depot.h"

/* Sweeps take at most one of so many parts of the run. The time in which the
 * program reads its data into the caches again comes on top. */
#define SHARE 512
/* Time between sweeps at least; less at the start, a part of the run so far. */
#define PAUSE_NS UINT64_C(16000000)
#define PAUSE_SHARE 16
/* How long a sweep waits for another one. */
#define PATIENCE_NS UINT64_C(10000000)
/* Bits of the fraction of a mean, and limits so that products fit. */
#define MEAN_BITS 8
#define MEAN_MAX (UINT64_C(1) << 48)
#define BURSTS_MAX (UINT64_C(1) << 15)

struct row {
    _Atomic uint64_t ended; /* counted accesses of ended blocks */
    uint64_t live;          /* of live ones, during a sweep */
    uint64_t last;          /* of both at the last sweep */
    uint64_t mean;          /* of the interval before, for each burst */
    uint64_t squares;       /* sum over all intervals */
};

static struct row *rows;
static struct mprt_lock lock;
static uint64_t bursts_last;   /* number at the last sweep */
static uint64_t bursts_before; /* bursts of the interval before */
static _Atomic uint64_t next_ns;

static void sweep_if_due(uint64_t now_ns)
{
    /* Visiting the heap takes system calls. */
    if (now_ns < MPRT_LOAD(next_ns) || mprt_sandbox_is_there() ||
        !mprt_state_is_running() || !mprt_thread_enter())
        return;
    mprt_spread_sweep();
    mprt_thread_leave();
}

bool mprt_spread_prepare(void)
{
    if (rows == NULL)
        rows = mprt_memory_reserve((MPRT_CONTEXTS_MAX + (size_t)1) *
                                   sizeof(*rows));
    if (rows != NULL)
        mprt_bursts_ended = sweep_if_due;
    return rows != NULL;
}

void mprt_spread_init(void)
{
    if (mprt_bursts_are_on() && !mprt_spread_prepare())
        mprt_memory_give_up("call stacks");
}

void mprt_spread_in_child(void)
{
    mprt_lock_reset(&lock);
    bursts_last = bursts_before = 0;
}

void mprt_spread_add(uint32_t context, uint64_t counted)
{
    _Atomic uint64_t *const ended = &rows[context].ended;

    MPRT_STORE(*ended, MPRT_LOAD(*ended) + counted);
}

static void add_live(void *context, const struct mprt_live_block *block)
{
    const uint32_t last = *(const uint32_t *)context;
    const uint64_t blocks = block->weight != 0 ? block->weight : 1;

    if (block->context >= mprt_depot_first_id && block->context <= last &&
        mprt_bursts_were_several_since(block->life.alloc_ns))
        rows[block->context].live +=
            block->life.access_count / mprt_bursts_period * blocks;
}

/* Sum of squares of an interval with `bursts` bursts that counted `counted`
 * accesses, behind one with `before` bursts. */
static uint64_t squares_of(uint64_t counted, uint64_t mean,
                           uint64_t mean_before, uint64_t bursts,
                           uint64_t before)
{
    const uint64_t difference =
        mean > mean_before ? mean - mean_before : mean_before - mean;
    /* An interval before that is short says little of this one. */
    const uint64_t others = before < bursts / 2 ? bursts : before;
    const uint64_t weight =
        before != 0 ? (bursts - 1) * (bursts * others) / (bursts + others) : 0;
    const unsigned __int128 within =
        (unsigned __int128)mprof_min_u64(difference, MEAN_MAX) *
            mprof_min_u64(difference, MEAN_MAX) * weight >>
        2 * MEAN_BITS;
    /* Without an interval before, all accesses may be of one burst. */
    const uint64_t between =
        mprof_mul_sat_u64(counted, before != 0 ? mean >> MEAN_BITS : counted);

    return mprof_add_sat_u64(mprof_max_u64(between, counted),
                             within > UINT64_MAX ? UINT64_MAX
                                                 : (uint64_t)within);
}

/* Ends the sum over the live blocks, and returns that over all. */
static uint64_t take_sum(struct row *row)
{
    const uint64_t all = MPRT_LOAD(row->ended) + row->live;

    row->live = 0;
    return all;
}

static void end_interval(struct row *row, uint64_t bursts)
{
    const uint64_t all = take_sum(row);
    const uint64_t counted = mprof_sub_sat_u64(all, row->last);
    const uint64_t mean = mprof_mul_sat_u64(counted, 1u << MEAN_BITS) / bursts;

    if (counted == 0 && row->mean == 0)
        return;
    row->last = all;
    row->squares =
        mprof_add_sat_u64(row->squares, squares_of(counted, mean, row->mean,
                                                   bursts, bursts_before));
    row->mean = mean;
}

void mprt_spread_sweep(void)
{
    const uint64_t start_ns = mprt_clock_now_ns();
    uint32_t last = mprt_depot_count();

    if (rows == NULL || !mprt_bursts_are_on() ||
        !mprt_lock_try(&lock, PATIENCE_NS))
        return;
    const uint64_t bursts = mprof_min_u64(
        mprof_max_u64(mprof_sub_sat_u64(mprt_bursts_number(), bursts_last), 1),
        BURSTS_MAX);
    mprt_block_walk(add_live, &last);
    for (uint32_t id = mprt_depot_first_id; id <= last; id++)
        end_interval(&rows[id], bursts);
    bursts_last = mprt_bursts_number();
    bursts_before = bursts;
    const uint64_t now_ns = mprt_clock_now_ns();
    MPRT_STORE(
        next_ns,
        now_ns + mprof_max_u64((now_ns - start_ns) * SHARE,
                               mprof_min_u64(now_ns / PAUSE_SHARE, PAUSE_NS)));
    mprt_lock_release(&lock);
}

struct mprt_spread_sums mprt_spread_sums(uint32_t context)
{
    const struct row *const row = &rows[context];

    return (struct mprt_spread_sums){row->squares, row->last};
}

/* The share of the squares that is due to the live blocks is at most their
 * share of the accesses, if all accesses were of one burst. */
static void restart(struct row *row)
{
    const uint64_t all = row->last;

    MPRT_STORE(row->ended, 0);
    row->last = take_sum(row);
    if (row->last < all)
        row->squares = row->squares / all * row->last;
}

void mprt_spread_restart(void)
{
    uint32_t last = mprt_depot_count();

    if (rows == NULL || !mprt_lock_try(&lock, PATIENCE_NS))
        return;
    mprt_block_walk(add_live, &last);
    for (uint32_t id = mprt_depot_first_id; id <= last; id++)
        restart(&rows[id]);
    mprt_lock_release(&lock);
}
