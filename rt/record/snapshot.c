/* snapshot.c -- the MIBs of all contexts at one moment: the rows of a map, and
 * the live blocks.
 *
 * A snapshot takes the rows first and then visits the live blocks. A block that
 * ends in between is in neither, but the current map has it for the next dump.
 * So nothing is lost or counted twice.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/snapshot.h"
#include "rt/base/clock.h"
#include "rt/base/lock.h"
#include "rt/base/options.h"
#include "rt/base/memory.h"
#include "rt/base/os.h"
#include "rt/heap/bursts.h"
#include "rt/heap/shadow.h"
#include "rt/record/block.h"
#include "rt/record/duplicates.h"
#include "rt/record/ended.h"
#include "rt/record/last_access.h"
#include "rt/record/links.h"
#include "rt/record/mapping.h"
#include "rt/record/named.h"
#include "rt/record/pool.h"
#include "rt/record/sample.h"
#include "rt/record/spread.h"
#include "rt/record/trail.h"
#include "rt/stack/depot.h"

/* How long a dying program waits for another snapshot, which can only be one
 * for printing: dumps have a lock of their own. */
#define PATIENCE_NS UINT64_C(1000000000)
/* Time in which running threads change to another value of accesses=. */
#define CHANGE_NS UINT64_C(20000000)

static struct mprt_lock lock;
static struct mprt_snapshot the_snapshot; /* in use while the lock is held */
/* For a dying program that does not get the lock. Never freed. */
static struct mprt_snapshot last_snapshot;

static struct mprt_snapshot *choose_snapshot(void)
{
    if (mprt_lock_try_while_bounded(&lock, PATIENCE_NS))
        return &the_snapshot;
    /* the other snapshot is a copy, so no records are missing */
    return &last_snapshot;
}

/* Contexts that are newer than the snapshot are left for the next dump.
 * Contexts before the first are a parent's, or "not recorded". */
static void add_live_block(void *context, const struct mprt_live_block *live)
{
    const struct mprt_snapshot *const s = context;
    struct mprof_block_life life = live->life;
    const uint32_t weight = live->weight != 0 ? live->weight : 1;
    struct mprt_last_access last;

    if (life.alloc_ns <= s->peak.ns)
        life.peak = s->peak.number;
    if (mprt_trail_takes_snapshot && live->context >= s->taken.first)
        mprt_trail_life(mprt_thread_local.state, live->p, &life,
                        mprt_shadow_has_rw() ? &live->rw : NULL, NULL);
    mprt_mibmap_add_live(&s->taken, live->context, live->p, &life, &live->rw,
                         live->weight);
    if (MPROF_UNLIKELY(mprt_named_has(live->p)))
        mprt_mibmap_add_live_places(&s->taken, live->context, live->p,
                                    life.size, weight);
    if (mprt_last_access_of(live, &last))
        mprt_mibmap_add_live_detail(&s->taken, live->context, last.kind,
                                    last.bucket, weight,
                                    mprof_mul_sat_u64(life.size, weight));
    mprt_duplicates_add_live(&s->taken, live);
}

/* If nothing changed while the rows were visited, the sum of PeakBytes is the
 * peak. */
static void finalize(const struct mprt_snapshot *s, uint32_t id)
{
    const struct mprt_live_most most = mprt_live_most(id);

    mprt_mibmap_finalize(&s->taken, id,
                         mprt_depot_is_tagged(id) ? s->mapped_peak
                                                  : s->peak.number,
                         most.bytes, most.blocks);
    if (mprt_trail_takes_snapshot)
        mprt_trail_most(id, most.bytes, most.blocks);
}

/* Records were taken or forgotten: a snapshot is not of the whole run. */
static bool was_emptied;

/* Sum over blocks of the heap. */
static uint64_t sum_of(const struct mprt_snapshot *s,
                       const struct mprt_context *rows, size_t field)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < s->count; i++) {
        if (!mprt_depot_is_tagged(s->ids[i]))
            sum = mprof_add_sat_u64(sum,
                                    mprt_context_get(&rows[s->ids[i]], field));
    }
    return sum;
}

/* A burst counts at most this many times as many accesses as an average one. */
#define BURST_FACTOR 4

/* Number of bursts before the records began. */
static uint64_t bursts_before;

/* Few bursts say little of a call stack that they hardly saw. By the rule of
 * three, it may have been accessed in up to 3 N windows if no burst saw it. So
 * each variance gets one burst in which an average call stack was accessed,
 * which makes three standard errors that large. */
static void finish_bursts(const struct mprt_snapshot *s)
{
    uint64_t counted = sum_of(s, s->rows, MPROF_MIB_INDEX_TotalAccessCount);
    uint64_t sum = 0;
    uint64_t seen = 0;

    if (!mprt_bursts_are_on() || s->bursts == 0)
        return;
    if (s->live != NULL)
        counted = mprof_add_sat_u64(
            counted, sum_of(s, s->live, MPROF_MIB_INDEX_TotalAccessCount));
    counted = counted / mprt_bursts_period / s->bursts + 1;
    for (uint32_t i = 0; i < s->count; i++) {
        const uint64_t burst = mprt_mibmap_join_bursts(
            &s->taken, s->ids[i], mprof_mul_sat_u64(counted, BURST_FACTOR));

        sum = mprof_add_sat_u64(sum, burst);
        seen += burst != 0;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        if (!mprt_depot_is_tagged(s->ids[i]))
            mprt_mibmap_miss_burst(&s->taken, s->ids[i], sum / (seen + 1) + 1);
    }
}

/* Other threads allocate while blocks are visited. If the live blocks are more
 * than the last peak, they become the peak. Blocks of pools are not in it. What
 * threads had not published at the peak is in the rows. */
static void take_as_peak(struct mprt_snapshot *s)
{
    const uint64_t live = sum_of(s, s->live, MPROF_MIB_INDEX_LiveBytes);
    const uint64_t rows =
        mprof_add_sat_u64(sum_of(s, s->rows, MPROF_MIB_INDEX_PeakBytes),
                          sum_of(s, s->live, MPROF_MIB_INDEX_PeakBytes));

    if (mprt_sample_period == 0) /* with sampling, these are estimates */
        s->peak.bytes = mprof_max_u64(s->peak.bytes, mprof_max_u64(live, rows));
    if (live <= rows)
        return;
    for (uint32_t i = 0; i < s->count; i++) {
        if (!mprt_depot_is_tagged(s->ids[i]))
            mprt_mibmap_move_peak(&s->taken, s->ids[i]);
    }
    s->peak.ns = mprt_clock_now_ns();
}

struct mprt_snapshot *mprt_snapshot_make(bool take, bool separate)
{
    struct mprt_snapshot *const s = choose_snapshot();

    /* Room for contexts that are added meanwhile. */
    s->ids_room =
        mprt_depot_count() - (mprt_depot_first_id - 1) + MPRT_THREADS_SLACK;
    s->ids = mprt_memory_map(s->ids_room * sizeof(*s->ids));
    s->count = 0;
    if (s->ids == NULL) {
        if (s == &the_snapshot)
            mprt_lock_release(&lock);
        return NULL;
    }
    mprt_live_note_now();
    mprt_ended_add_all();
    if (mprt_options.links)
        mprt_links_search_all();
    mprt_spread_sweep();
    if (take)
        mprt_mibmap_take(&s->taken);
    else
        mprt_mibmap_copy(&s->taken);
    mprt_mibmap_part(&s->taken, separate);
    s->peak = mprt_live_last_peak();
    if (separate)
        mprt_duplicates_begin_live();
    mprt_block_walk(add_live_block, s);
    mprt_pool_add_live(&s->taken);
    s->mapped_peak = mprt_mapping_add_live(&s->taken);
    s->rows = s->taken.rows;
    s->live = separate ? s->taken.live : NULL;
    for (uint32_t id = s->taken.first;
         id <= s->taken.last && s->count < s->ids_room; id++) {
        /* With free_sites=1, a call stack may only have freed blocks. */
        if ((separate && mprt_options.free_sites) ||
            mprt_context_has_blocks(&s->rows[id]) ||
            (separate && mprt_context_has_blocks(&s->live[id])))
            s->ids[s->count++] = id;
        finalize(s, id);
    }
    s->bursts = mprof_sub_sat_u64(mprt_bursts_number(), bursts_before);
    finish_bursts(s);
    if (separate)
        take_as_peak(s);
    if (mprt_trail_takes_snapshot) {
        mprt_trail_peak(s->peak);
        if (!was_emptied)
            mprt_trail_snapshot(s);
    }
    was_emptied |= take;
    if (take) {
        mprt_live_restart(s->taken.last);
        mprt_mapping_restart_peak();
        mprt_spread_restart();
        bursts_before = mprt_bursts_number();
    }
    return s;
}

void mprt_snapshot_free(struct mprt_snapshot *snapshot)
{
    if (snapshot == NULL || snapshot == &last_snapshot)
        return;
    mprt_memory_unmap(snapshot->ids,
                      snapshot->ids_room * sizeof(*snapshot->ids));
    mprt_mibmap_drop(&snapshot->taken);
    mprt_lock_release(&lock);
}

void mprt_snapshot_reset(void)
{
    struct mprt_mibmap_taken taken;

    mprt_lock_acquire(&lock);
    mprt_ended_add_all();
    mprt_mibmap_take(&taken);
    mprt_mibmap_part(&taken, false);
    mprt_mibmap_drop(&taken);
    mprt_lock_release(&lock);
    mprt_block_restart_all();
    mprt_pool_restart_all();
    mprt_mapping_restart_all();
    mprt_live_restart(taken.last);
    mprt_spread_restart();
    bursts_before = mprt_bursts_number();
    was_emptied = true;
}

/* The reset forgets what a thread counted before it changed. A thread that
 * sleeps changes when it wakes up. */
void mprt_snapshot_reset_accesses(void)
{
    _Atomic uint32_t nothing = 0;

    mprt_bursts_change();
    mprt_shadow_update();
    mprt_os_sleep_privately(&nothing, 0, CHANGE_NS);
    mprt_shadow_clear_heap();
    mprt_snapshot_reset();
}

void mprt_snapshot_in_child(void)
{
    mprt_lock_reset(&lock);
    bursts_before = 0;
    was_emptied = false;
}
