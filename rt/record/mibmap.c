/* mibmap.c -- the MIBs of all contexts: an array of rows by depot id, each with
 * a lock.
 *
 * There are two such maps, of which one is current. A snapshot that takes
 * everything makes the other, empty map current and uses the old one, so
 * nothing is copied. A thread that adds a life checks again which map is
 * current when it holds the row's lock; the snapshot goes through all locks of
 * the old map after the switch. A snapshot that leaves the records in place
 * copies them into the other map. Live blocks of a snapshot may have rows of
 * their own, in a third map.
 *
 * In a forked child, all contexts before mprt_depot_first_id belong to the
 * parent, and so do the entries in use at the fork. They may be in any state,
 * and the child does not read them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/mibmap.h"
#include "rt/base/libc.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/memory.h"
#include "rt/base/os.h"
#include "rt/base/pages.h"
#include "rt/heap/shadow.h"
#include "rt/record/spread.h"
#include "rt/stack/depot.h"

#define ROWS (MPRT_CONTEXTS_MAX + (size_t)1)
/* With continuous=1 the copy's memory is kept up to this size: mapping it anew
 * each second takes longer than clearing it. */
#define KEPT_BYTES_MAX ((size_t)16 << 20)

struct map {
    struct mprt_context *rows;      /* mprt_mibmap_rows[] */
    struct mprt_mib_entry *entries; /* at most one per row */
    _Atomic uint32_t entries_used;
    struct mprt_cells_pool cells; /* of the histograms */
    struct mprt_log2_counts_pool log2_counts;
    bool is_parents; /* entries in use are a parent's */
    /* last context of the snapshot that uses the map; 0: none */
    uint32_t lent_to;
};

#define LIVE (MPRT_MIBMAPS - 1)
static struct map maps[MPRT_MIBMAPS];
struct mprt_context *mprt_mibmap_rows[MPRT_MIBMAPS];
union mprt_log2_counts_node *mprt_mibmap_nodes[MPRT_MIBMAPS];
_Atomic uint64_t mprt_mibmap_generation;

void mprt_mibmap_init(void)
{
    for (size_t i = 0; i < MPRT_MIBMAPS; i++) {
        maps[i].rows = mprt_memory_reserve(ROWS * sizeof(*maps[i].rows));
        mprt_mibmap_rows[i] = maps[i].rows;
        maps[i].entries = mprt_memory_reserve(ROWS * sizeof(*maps[i].entries));
        if (maps[i].rows == NULL || maps[i].entries == NULL ||
            !mprt_cells_pool_init(&maps[i].cells) ||
            !mprt_log2_counts_pool_init(&maps[i].log2_counts))
            mprt_memory_give_up("call stacks");
        mprt_mibmap_nodes[i] = maps[i].log2_counts.nodes;
    }
}

/* -- adding ---------------------------------------------------------------- */

/* The row's entry, made if needed. The row keeps it until the map is dropped.
 */
static struct mprt_mib_entry *entry_of(struct map *m, struct mprt_context *c)
{
    if (c->entry == NULL)
        c->entry = &m->entries[MPRT_ADD(m->entries_used, 1)];
    return c->entry;
}

static void check_log2_counts(bool added)
{
    if (MPROF_UNLIKELY(!added))
        MPRT_LOG_ONCE("no memory for distributions of call stacks");
}

void mprt_mibmap_count_separate(struct mprt_context *c, unsigned map,
                                uint32_t kind, uint8_t bucket)
{
    check_log2_counts(mprt_log2_counts_add_separate(
        &maps[map].log2_counts, &c->entry->log2_counts, kind, bucket, 1));
}

/* If this thread dies here, its dump may or may not contain the block. */
void mprt_mibmap_add_any(struct mprt_context *c, unsigned map,
                         const struct mprof_block_life *life)
{
    if (mprt_context_has_blocks(c)) {
        mprt_mibmap_add_life(c, map, life);
        return;
    }
    struct mprt_mib_entry *const entry = entry_of(&maps[map], c);

    c->common_buckets = mprt_mibmap_buckets(life);
    entry->peak = life->peak;
    mprof_mib_from_block(&entry->mib, life);
}

static void add_sampled(struct map *m, struct mprt_context *c,
                        const struct mprof_block_life *life, uint32_t weight)
{
    const struct mprt_log2_counts_buckets own = mprt_mibmap_buckets(life);
    const bool is_first = !mprt_context_has_blocks(c);
    struct mprt_mib_entry *const entry = entry_of(m, c);

    mprt_mibmap_begin_peak(entry, life->peak);
    mprof_mib_add_sampled(&entry->mib, life, weight);
    if (is_first)
        c->common_buckets = own;
    else
        check_log2_counts(
            mprt_log2_counts_add_many(&m->log2_counts, &entry->log2_counts,
                                      c->common_buckets, own, weight));
}

static MPRT_NOINLINE void add_end(struct map *m, struct mprt_context *c,
                                  uint64_t size,
                                  const struct mprt_block_end *end,
                                  uint32_t weight)
{
    const uint64_t bytes = end->kind == MPROF_DETAIL_REALLOC
                               ? mprof_sub_sat_u64(end->size, size)
                               : size;

    check_log2_counts(
        mprt_log2_counts_add_link(&m->log2_counts, &entry_of(m, c)->log2_counts,
                                  end->kind, end->other, bytes, weight));
}

static void check_added(const struct mprt_cells_adder *adder)
{
    if (adder->failed)
        MPRT_LOG_ONCE("no memory for access histograms");
}

/* Number of accesses that a counted access to a block stands for. */
static uint32_t access_weight(uint32_t blocks)
{
    return mprt_bursts_are_on()
               ? (uint32_t)mprof_min_u64((uint64_t)blocks * mprt_bursts_period,
                                         UINT32_MAX)
               : blocks;
}

/* The histogram is as large as the largest block's. */
static void add_block_cells(struct map *m, struct mprt_context *c, uintptr_t p,
                            uint64_t size, uint32_t weight)
{
    struct mprt_mib_entry *const entry = entry_of(m, c);
    struct mprt_cells_adder adder = {.pool = &m->cells,
                                     .cells = &entry->cells,
                                     .weight = access_weight(weight)};

    mprt_shadow_visit_cells(p, size, mprt_cells_add_block, &adder);
    entry->mib.AccessHistogramSize = mprof_max_u64(
        entry->mib.AccessHistogramSize, mprt_shadow_cell_count(size));
    check_added(&adder);
}

static void add_places(struct map *m, struct mprt_context *c, uintptr_t p,
                       uint64_t size, uint32_t weight)
{
    struct mprt_cells_adder adder = {.pool = &m->cells,
                                     .cells = &entry_of(m, c)->cells,
                                     .weight = access_weight(weight)};

    mprt_shadow_visit_places(p, size, mprt_cells_add_block, &adder);
    check_added(&adder);
}

/* Accesses to a block that lived through one burst belong to it; the burst of
 * others is not known. A sweep adds those of live blocks. */
static void add_bursts(struct mprt_mib_entry *entry, uint32_t context,
                       const struct mprof_block_life *life, uint32_t blocks)
{
    const uint64_t counted =
        mprof_mul_sat_u64(life->access_count / mprt_bursts_period, blocks);

    if (mprt_bursts_were_several_since(life->alloc_ns)) {
        if (!life->is_live)
            mprt_spread_add(context, counted);
        return;
    }
    const uint64_t burst = mprt_bursts_number();
    if (burst != entry->burst) {
        entry->burst = burst;
        entry->burst_sum = 0;
    }
    mprof_mib_add_bursts(&entry->mib, counted, &entry->burst_sum,
                         mprt_bursts_period);
}

/* weight: as in mprt_mibmap_add(). */
static void add_block(unsigned map, struct mprt_context *c,
                      const struct mprof_block_life *life, uintptr_t p,
                      const struct mprof_block_rw *rw,
                      const struct mprt_block_end *end, uint32_t weight)
{
    struct map *const m = &maps[map];
    const uint32_t blocks = weight != 0 ? weight : 1;

    if (weight != 0)
        add_sampled(m, c, life, weight);
    else
        mprt_mibmap_add_any(c, map, life);
    if (mprt_bursts_are_on() && life->access_count != 0)
        add_bursts(c->entry, (uint32_t)(c - m->rows), life, blocks);
    if (rw != NULL)
        mprof_mib_add_rw(&c->entry->mib, rw, blocks);
    if (end != NULL && end->kind != 0)
        add_end(m, c, life->size, end, blocks);
    if (end != NULL && end->named_at != 0)
        add_places(m, c, end->named_at, life->size, blocks);
    if (p != 0)
        add_block_cells(m, c, p, life->size, blocks);
}

void mprt_mibmap_add(uint32_t context, const struct mprof_block_life *life,
                     uintptr_t p, const struct mprof_block_rw *rw,
                     const struct mprt_block_end *end, uint32_t weight)
{
    struct mprof_block_life own = *life;
    unsigned map;

    if (context < mprt_depot_first_id)
        return;
    struct mprt_context *const c = mprt_mibmap_lock(context, &map);
    mprt_mibmap_forget_peak(c, &own); /* another thread's may be later */
    add_block(map, c, &own, p, rw, end, weight);
    mprt_lock_release_brief(&c->lock);
}

void mprt_mibmap_add_link(uint32_t context, uint32_t kind, uint32_t other,
                          uint64_t bytes, uint32_t weight)
{
    unsigned map;
    struct mprt_context *const c = mprt_mibmap_lock(context, &map);

    check_log2_counts(mprt_log2_counts_add_link(
        &maps[map].log2_counts, &entry_of(&maps[map], c)->log2_counts, kind,
        other, bytes, weight));
    mprt_lock_release_brief(&c->lock);
}

/* -- all contexts ---------------------------------------------------------- */

static void drop_map(struct map *m);

/* Reserves the map for a snapshot. If the process with the last snapshot was
 * killed, its map is dropped. A dying program does not change other threads'
 * data. */
static void lend(struct map *m, uint32_t last)
{
    if (m->lent_to != 0 && !mprt_lock_is_bounded())
        drop_map(m);
    m->lent_to = last;
}

void mprt_mibmap_take(struct mprt_mibmap_taken *taken)
{
    const uint64_t now = atomic_load(&mprt_mibmap_generation);

    lend(&maps[(now + 1) % 2], 0);
    taken->map = now % 2;
    taken->rows = maps[taken->map].rows;
    /* Sequentially consistent, as are the count of contexts and the locks, so a
     * thread that still adds to the old map has a context that is included
     * here. */
    atomic_store(&mprt_mibmap_generation, now + 1);
    taken->first = mprt_depot_first_id;
    taken->last = mprt_depot_count();
    for (uint32_t id = taken->first; id <= taken->last; id++) {
        mprt_lock_acquire_brief(&taken->rows[id].lock);
        mprt_lock_release_brief(&taken->rows[id].lock);
    }
    maps[taken->map].lent_to = taken->last;
}

static void copy_row(struct map *to, struct mprt_context *out,
                     const struct map *from, const struct mprt_context *c)
{
    if (c->entry == NULL)
        return;
    struct mprt_mib_entry *const entry = entry_of(to, out);
    struct mprt_cells_adder adder = {.pool = &to->cells,
                                     .cells = &entry->cells};
    out->common_buckets = c->common_buckets;
    entry->mib = c->entry->mib;
    entry->peak = c->entry->peak;
    entry->burst = c->entry->burst;
    entry->burst_sum = c->entry->burst_sum;
    mprt_cells_add_all(&adder, c->entry->cells);
    check_added(&adder);
    check_log2_counts(
        mprt_log2_counts_copy(&to->log2_counts, &entry->log2_counts,
                              &from->log2_counts, c->entry->log2_counts));
}

void mprt_mibmap_copy(struct mprt_mibmap_taken *taken)
{
    const uint64_t now = atomic_load(&mprt_mibmap_generation);
    struct map *const from = &maps[now % 2];

    taken->map = (now + 1) % 2;
    taken->rows = maps[taken->map].rows;
    taken->first = mprt_depot_first_id;
    taken->last = mprt_depot_count();
    lend(&maps[taken->map], taken->last);
    for (uint32_t id = taken->first; id <= taken->last; id++) {
        struct mprt_context *const c = &from->rows[id];

        mprt_lock_acquire_brief(&c->lock);
        copy_row(&maps[taken->map], &taken->rows[id], from, c);
        mprt_lock_release_brief(&c->lock);
    }
}

static unsigned live_map(const struct mprt_mibmap_taken *taken)
{
    return taken->live == maps[LIVE].rows ? LIVE : taken->map;
}

static bool is_taken(const struct mprt_mibmap_taken *taken, uint32_t context)
{
    return context >= taken->first && context <= taken->last;
}

void mprt_mibmap_add_live(const struct mprt_mibmap_taken *taken,
                          uint32_t context, uintptr_t p,
                          const struct mprof_block_life *life,
                          const struct mprof_block_rw *rw, uint32_t weight)
{
    if (is_taken(taken, context))
        add_block(live_map(taken), &taken->live[context], life,
                  mprt_shadow_mode == MPRT_SHADOW_HISTOGRAM ? p : 0,
                  mprt_shadow_has_rw() ? rw : NULL, NULL, weight);
}

void mprt_mibmap_add_live_places(const struct mprt_mibmap_taken *taken,
                                 uint32_t context, uintptr_t p, uint64_t size,
                                 uint32_t weight)
{
    if (is_taken(taken, context))
        add_places(&maps[live_map(taken)], &taken->live[context], p, size,
                   weight);
}

/* At some time at least the context's largest block was alive. For pools
 * nothing else is known. */
static void finalize(const struct mprt_context *c, uint32_t peak,
                     uint64_t max_bytes, uint64_t max_blocks)
{
    if (!mprt_context_has_blocks(c))
        return;
    struct mprof_mib *const mib = &c->entry->mib;
    if (c->entry->peak != peak)
        mib->PeakCount = mib->PeakBytes = mib->PeakBytesVariance = 0;
    mib->MeasuredCount = mib->AllocCount;
    mib->MaxLiveBytes = mprof_max_u64(max_bytes, mib->MaxSize);
    mib->MaxLiveCount = mprof_max_u64(max_blocks, 1);
}

void mprt_mibmap_finalize(const struct mprt_mibmap_taken *taken,
                          uint32_t context, uint32_t peak, uint64_t max_bytes,
                          uint64_t max_blocks)
{
    finalize(&taken->rows[context], peak, max_bytes, max_blocks);
    if (taken->live != taken->rows)
        finalize(&taken->live[context], peak, max_bytes, max_blocks);
}

/* Adds the variance of a burst that counted `missed` accesses. */
static void add_missed(struct mprof_mib *mib, uint64_t missed)
{
    uint64_t sum = 0;

    mprof_mib_add_bursts(mib, missed, &sum, mprt_bursts_period);
}

/* The row that has the variance of a context's accesses to all blocks. */
static struct mprof_mib *bursts_of(const struct mprt_mibmap_taken *taken,
                                   uint32_t context)
{
    const struct mprt_context *const ended = &taken->rows[context];
    const struct mprt_context *const live = &taken->live[context];

    return mprt_context_has_blocks(ended)  ? &ended->entry->mib
           : mprt_context_has_blocks(live) ? &live->entry->mib
                                           : NULL;
}

uint64_t mprt_mibmap_join_bursts(const struct mprt_mibmap_taken *taken,
                                 uint32_t context, uint64_t most)
{
    const struct mprt_spread_sums sums = mprt_spread_sums(context);
    const struct mprt_context *const live = &taken->live[context];
    struct mprof_mib *const mib = bursts_of(taken, context);

    if (mib == NULL)
        return 0;
    uint64_t accesses = mib->TotalAccessCount;
    if (mprt_context_has_blocks(live) && mib != &live->entry->mib) {
        accesses =
            mprof_add_sat_u64(accesses, live->entry->mib.TotalAccessCount);
        mprof_mib_move_bursts(mib, &live->entry->mib);
    }
    mprof_mib_join_bursts(
        mib, mprof_min_u64(sums.squares, mprof_mul_sat_u64(sums.counted, most)),
        mprt_bursts_period);
    if (accesses == 0)
        return 0;
    /* sum of x^2 over sum of x, for bursts that counted x accesses */
    const uint64_t burst = mib->BurstVariance /
                           mprof_mul_sat_u64(accesses, mprt_bursts_period - 1);
    add_missed(mib, burst);
    return burst;
}

void mprt_mibmap_miss_burst(const struct mprt_mibmap_taken *taken,
                            uint32_t context, uint64_t missed)
{
    struct mprof_mib *const mib = bursts_of(taken, context);

    if (mib != NULL)
        add_missed(mib, missed);
}

/* Sets the peak values to those of the live blocks. */
static void move_peak(const struct mprt_context *c, bool is_live)
{
    if (!mprt_context_has_blocks(c))
        return;
    struct mprof_mib *const mib = &c->entry->mib;
    mib->PeakCount = is_live ? mib->LiveCount : 0;
    mib->PeakBytes = is_live ? mib->LiveBytes : 0;
    mib->PeakBytesVariance = is_live ? mib->LiveBytesVariance : 0;
    mib->MaxLiveCount = mprof_max_u64(mib->MaxLiveCount, mib->PeakCount);
    mib->MaxLiveBytes = mprof_max_u64(mib->MaxLiveBytes, mib->PeakBytes);
}

void mprt_mibmap_move_peak(const struct mprt_mibmap_taken *taken,
                           uint32_t context)
{
    move_peak(&taken->rows[context], false);
    move_peak(&taken->live[context], true);
}

/* A leaked block is alive, because nobody can free it. So ended blocks count as
 * checked. */
void mprt_mibmap_add_leaks(const struct mprt_mibmap_taken *taken,
                           uint32_t context,
                           const struct mprt_mibmap_leaks *leaks)
{
    const struct mprt_context *const ended = &taken->rows[context];
    const struct mprt_context *const live = &taken->live[context];

    if (mprt_context_has_blocks(ended))
        ended->entry->mib.LeakCheckedCount = ended->entry->mib.AllocCount;
    if (!mprt_context_has_blocks(live))
        return;
    struct mprof_mib *const mib = &live->entry->mib;
    mib->LeakCheckedCount = mib->AllocCount;
    mib->LeakedCount = leaks->blocks;
    mib->LeakedBytes = leaks->bytes;
    mib->IndirectLeakedCount = leaks->indirect_blocks;
    mib->IndirectLeakedBytes = leaks->indirect_bytes;
}

/* Does nothing if live blocks share rows with the ended ones, because they are
 * written without distributions then. */
void mprt_mibmap_add_live_detail(const struct mprt_mibmap_taken *taken,
                                 uint32_t context, uint32_t kind, uint32_t key,
                                 uint64_t blocks, uint64_t bytes)
{
    struct mprt_context *const live = &taken->live[context];

    if (taken->live != maps[LIVE].rows || !is_taken(taken, context) ||
        live->entry == NULL)
        return;
    check_log2_counts(mprt_log2_counts_add_link_sum(&maps[LIVE].log2_counts,
                                                    &live->entry->log2_counts,
                                                    kind, key, blocks, bytes));
}

/* In a forked child the memory may be shared with the parent, so clearing would
 * copy it. */
static bool is_kept(const struct map *m, size_t bytes)
{
    return mprt_options.continuous && mprt_depot_first_id == 1 &&
           !m->is_parents && bytes <= KEPT_BYTES_MAX;
}

static void empty(void *memory, size_t bytes, bool kept)
{
    if (kept)
        mprt_libc_memset(memory, 0, bytes);
    else
        mprt_pages_clear(memory, mprof_round_up(bytes, mprt_os_page_bytes()));
}

static void drop_map(struct map *m)
{
    const size_t entries_bytes = m->entries_used * sizeof(*m->entries);
    const size_t rows_bytes = (m->lent_to + (size_t)1) * sizeof(*m->rows);

    const size_t cells_bytes = mprt_cells_pool_bytes(&m->cells);
    const size_t log2_counts_bytes =
        mprt_log2_counts_pool_bytes(&m->log2_counts);
    const bool kept = is_kept(m, entries_bytes + rows_bytes + cells_bytes +
                                     log2_counts_bytes);

    empty(m->entries, entries_bytes, kept);
    empty(m->rows, rows_bytes, kept);
    empty(m->cells.nodes, cells_bytes, kept);
    empty(m->log2_counts.nodes, log2_counts_bytes, kept);
    m->entries_used = 0;
    m->cells.used = 0;
    m->log2_counts.used = 0;
    m->is_parents = false;
    m->lent_to = 0;
}

void mprt_mibmap_drop(const struct mprt_mibmap_taken *taken)
{
    drop_map(&maps[taken->map]);
    if (taken->live == maps[LIVE].rows)
        drop_map(&maps[LIVE]);
}

void mprt_mibmap_part(struct mprt_mibmap_taken *taken, bool separate)
{
    taken->live = separate ? maps[LIVE].rows : taken->rows;
    if (separate)
        lend(&maps[LIVE], taken->last);
}

const struct mprt_log2_counts_pool *
mprt_mibmap_counts(const struct mprt_mibmap_taken *taken, bool live)
{
    const bool is_separate = live && taken->live == maps[LIVE].rows;

    return &maps[is_separate ? LIVE : taken->map].log2_counts;
}

/* -- fork and statistics --------------------------------------------------- */

/* No locks need a reset: the child has not touched its own rows, and a snapshot
 * of the parent has only rows of the parent. */
void mprt_mibmap_in_child(void)
{
    for (size_t i = 0; i < MPRT_MIBMAPS; i++)
        maps[i].is_parents = maps[i].entries_used != 0;
}

uint64_t mprt_mibmap_memory_bytes(void)
{
    uint64_t bytes = (uint64_t)mprt_depot_count() * sizeof(struct mprt_context);

    for (size_t i = 0; i < MPRT_MIBMAPS; i++)
        bytes += maps[i].entries_used * sizeof(struct mprt_mib_entry) +
                 mprt_cells_pool_bytes(&maps[i].cells) +
                 mprt_log2_counts_pool_bytes(&maps[i].log2_counts);
    return bytes;
}
