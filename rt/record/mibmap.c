/* mibmap.c -- what is known of each context's ended blocks: an array by depot
 * id, each row with a lock of its own, and the snapshot that a dump writes.
 *
 * There are two such maps. One is current; a snapshot that takes everything
 * makes the other, empty one current and is the old one itself, so that nothing
 * is copied. Who adds a life looks again which map is current when it holds the
 * row's lock; the snapshot goes through all locks of the old map after it has
 * changed that. A snapshot that leaves everything is a copy in the other map.
 *
 * A snapshot takes the rows first and looks at the live blocks afterwards. A
 * block that ends in between is found in neither, but in the map, for the next
 * dump: nothing is lost and nothing stands twice.
 *
 * In a forked child all that is before the depot's first id is the parent's, as
 * are the rooms in use then: they may be in any state, and nobody looks at
 * them.
 *
 * Locks: the snapshot's, a row's, then those of own.c.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/mibmap.h"
#include "rt/record/block.h"
#include "rt/stack/depot.h"
#include "rt/base/internal_alloc.h"

#define ROWS (MPRT_CONTEXTS_MAX + (size_t)1)
/* How long a dying program waits for a row. */
#define ROW_PATIENCE_NS UINT64_C(200000000)
/* And for a snapshot, which only prints: dumps have a lock of their own. */
#define SNAPSHOT_PATIENCE_NS UINT64_C(1000000000)

/* With continuous=1 the copy's memory stays where it is no more than this: to
 * get it anew each second takes longer than to clear it. */
#define KEPT_BYTES_MAX ((size_t)16 << 20)

struct map {
    struct mprt_context *rows; /* mprt_mibmap_rows[] */
    struct mprt_more *mores;   /* a row has at most one */
    _Atomic uint32_t mores_used;
    uint32_t mores_first; /* those before it are a parent's */
};

static struct map maps[2];
struct mprt_context *mprt_mibmap_rows[2];
_Atomic uint64_t mprt_mibmap_generation;
static struct mprt_lock snapshot_lock;
static struct mprt_snapshot the_snapshot; /* its lock is held while in use */
/* Of a dying program that does not get the lock. Never freed. */
static struct mprt_snapshot last_snapshot;

bool mprt_mibmap_init(void)
{
    for (size_t i = 0; i < 2; i++) {
        maps[i].rows = mprt_sys_reserve(ROWS * sizeof(*maps[i].rows));
        mprt_mibmap_rows[i] = maps[i].rows;
        maps[i].mores = mprt_sys_reserve(ROWS * sizeof(*maps[i].mores));
        if (maps[i].rows == NULL || maps[i].mores == NULL)
            return false;
    }
    return true;
}

/* -- cells ----------------------------------------------------------------- */

/* A buffer of zeros with room for at least n, and the contents of the old one.
 */
static bool grow_cells(uint64_t **cells, uint32_t *room, uint32_t n)
{
    if (n <= *room)
        return true;
    const uint32_t wanted = n > UINT32_MAX / 2 ? n
                            : n > *room * 2    ? n
                                               : *room * 2;
    uint64_t *const bigger = mprt_own_calloc(wanted, sizeof(*bigger));
    if (bigger == NULL)
        return false;
    if (*room != 0)
        mprt_memcpy(bigger, *cells, *room * sizeof(*bigger));
    /* In this order: if this thread dies in between, its dump reads cells that
     * are there. */
    uint64_t *const old = *cells;
    *cells = bigger;
    *room = wanted;
    atomic_signal_fence(memory_order_seq_cst);
    mprt_own_free(old);
    return true;
}

/* Adds n cells; what is zero stays untouched memory. False without memory. */
static bool add_cells(uint64_t **into, uint32_t *room, const uint64_t *cells,
                      uint32_t n)
{
    static uint32_t once;

    if (!grow_cells(into, room, n)) {
        mprt_log_once(&once, "no memory for access histograms", NULL);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (cells[i] != 0)
            (*into)[i] = mprof_add_sat_u64((*into)[i], cells[i]);
    }
    return true;
}

/* -- adding ---------------------------------------------------------------- */

static struct mprt_more *more_of(struct map *m, struct mprt_context *c)
{
    if (MPROF_LIKELY(c->more != NULL))
        return c->more;
    struct mprt_more *const more = &m->mores[atomic_fetch_add_explicit(
        &m->mores_used, 1, memory_order_relaxed)];
    if (c->has_only)
        mprof_mib_from_block(&more->mib, &c->only);
    /* If this thread dies here, its dump finds one or the other. */
    atomic_signal_fence(memory_order_seq_cst);
    c->more = more;
    return more;
}

static inline void add_life(struct map *m, struct mprt_context *c,
                            const struct mprof_block_life *life)
{
    if (MPROF_UNLIKELY(c->more == NULL && !c->has_only)) {
        c->only = *life;
        c->has_only = true;
        return;
    }
    mprof_mib_add_life(&more_of(m, c)->mib, life);
}

static bool has_blocks(const struct mprt_context *c)
{
    return c->more != NULL ? c->more->mib.AllocCount != 0 : c->has_only;
}

/* n more cells than none: the histogram is as large as the largest block's. */
static void set_cells(struct mprt_more *more, uint32_t n)
{
    more->mib.AccessHistogramSize =
        mprof_max_u64(more->mib.AccessHistogramSize, n);
}

void mprt_mibmap_add_locked(struct mprt_context *c, unsigned map,
                            const struct mprof_block_life *life,
                            const uint64_t *cells, uint32_t cell_count)
{
    struct map *const m = &maps[map];

    add_life(m, c, life);
    if (MPROF_UNLIKELY(cells != NULL)) {
        struct mprt_more *const more = more_of(m, c);
        if (add_cells(&more->cells, &more->cells_room, cells, cell_count))
            set_cells(more, cell_count);
    }
    mprt_lock_release_brief(&c->lock);
}

void mprt_mibmap_add(uint32_t context, const struct mprof_block_life *life,
                     const uint64_t *cells, uint32_t cell_count)
{
    struct mprt_context *c;
    unsigned map;

    if (context < mprt_depot_first_id)
        return;
    c = mprt_mibmap_lock(context, &map);
    mprt_mibmap_add_locked(c, map, life, cells, cell_count);
}

/* -- snapshots ------------------------------------------------------------- */

struct building {
    struct map *map;
    uint32_t first; /* context */
    uint32_t last;
};

/* False where a dying program does not get the row: whoever holds it, perhaps
 * this very thread further out, will not go on, and what the row has counts
 * more than the block that is being added. */
static bool lock_row(struct mprt_context *c)
{
    if (mprt_lock_bail != NULL)
        return mprt_lock_try(&c->lock, ROW_PATIENCE_NS);
    mprt_lock_acquire_brief(&c->lock);
    return true;
}

/* Makes the other map current; the old one is nobody else's afterwards. */
static void take_all(struct building *b)
{
    const uint64_t now = atomic_load(&mprt_mibmap_generation);

    b->map = &maps[now % 2];
    /* Sequentially consistent, as are the counting of contexts and the locks:
     * who still adds to the old map has a context that is counted here. */
    atomic_store(&mprt_mibmap_generation, now + 1);
    b->first = mprt_depot_first_id;
    b->last = mprt_depot_count();
    for (uint32_t id = b->first; id <= b->last; id++) {
        if (lock_row(&b->map->rows[id]))
            mprt_lock_release_brief(&b->map->rows[id].lock);
    }
}

static void copy_row(struct map *to, struct mprt_context *out,
                     const struct mprt_context *c)
{
    if (c->more == NULL) {
        out->only = c->only;
        out->has_only = c->has_only;
        return;
    }
    struct mprt_more *const more = more_of(to, out);
    const uint32_t n = (uint32_t)c->more->mib.AccessHistogramSize;
    more->mib = c->more->mib;
    if (n != 0 && add_cells(&more->cells, &more->cells_room, c->more->cells, n))
        return;
    more->mib.AccessHistogramSize = 0;
}

static void copy_all(struct building *b)
{
    const uint64_t now = atomic_load(&mprt_mibmap_generation);
    struct map *const from = &maps[now % 2];

    b->map = &maps[(now + 1) % 2];
    b->first = mprt_depot_first_id;
    b->last = mprt_depot_count();
    for (uint32_t id = b->first; id <= b->last; id++) {
        struct mprt_context *const c = &from->rows[id];
        const bool is_locked = lock_row(c);
        copy_row(b->map, &b->map->rows[id], c);
        if (is_locked)
            mprt_lock_release_brief(&c->lock);
    }
}

static void add_live_block(void *context, const struct mprt_live_block *live)
{
    const struct building *const b = context;

    /* Contexts that came up since the dump began are for the next one; those
     * before the first are a parent's, or "not recorded". */
    if (live->context < b->first || live->context > b->last)
        return;
    struct mprt_context *const out = &b->map->rows[live->context];
    add_life(b->map, out, &live->life);
    const uint32_t n = mprt_shadow_mode == MPRT_SHADOW_HISTOGRAM
                           ? mprt_block_cell_count(live->life.size)
                           : 0;
    if (n != 0) {
        struct mprt_more *const more = more_of(b->map, out);
        if (grow_cells(&more->cells, &more->cells_room, n)) {
            mprt_shadow_add_cells(live->p, live->life.size, more->cells);
            set_cells(more, n);
        }
    }
}

/* In a forked child the memory may be the parent's, to be copied when touched.
 */
static bool is_kept(const struct map *m, size_t bytes)
{
    return mprt_options.continuous && mprt_depot_first_id == 1 &&
           m->mores_first == 0 && bytes <= KEPT_BYTES_MAX;
}

static void drop_map(struct map *m, uint32_t count)
{
    const size_t page = mprt_sys_page_bytes();
    const size_t mores_bytes = m->mores_used * sizeof(*m->mores);
    const size_t rows_bytes = (count + (size_t)1) * sizeof(*m->rows);

    /* A parent's cells may have been on their way when it forked. */
    for (uint32_t i = m->mores_first; i < m->mores_used; i++)
        mprt_own_free(m->mores[i].cells);
    if (is_kept(m, mores_bytes + rows_bytes)) {
        mprt_memset(m->mores, 0, mores_bytes);
        mprt_memset(m->rows, 0, rows_bytes);
    } else {
        mprt_sys_discard(m->mores, mprof_round_up(mores_bytes, page));
        mprt_sys_discard(m->rows, mprof_round_up(rows_bytes, page));
    }
    m->mores_used = 0;
    m->mores_first = 0;
}

struct mprt_snapshot *mprt_mibmap_snapshot(bool take)
{
    struct mprt_snapshot *s = &the_snapshot;
    struct building b;

    if (mprt_lock_bail == NULL)
        mprt_lock_acquire(&snapshot_lock);
    else if (!mprt_lock_try(&snapshot_lock, SNAPSHOT_PATIENCE_NS))
        s = &last_snapshot; /* the other is a copy: nothing is missing */
    /* Room for contexts that come up meanwhile. */
    s->ids_room =
        mprt_depot_count() - (mprt_depot_first_id - 1) + MPRT_THREADS_SLACK;
    s->ids = mprt_sys_map(s->ids_room * sizeof(*s->ids));
    s->count = 0;
    if (s->ids == NULL) {
        if (s == &the_snapshot)
            mprt_lock_release(&snapshot_lock);
        return NULL;
    }
    if (take)
        take_all(&b);
    else
        copy_all(&b);
    mprt_block_walk(add_live_block, &b);
    s->rows = b.map->rows;
    s->rows_count = b.last;
    for (uint32_t id = b.first; id <= b.last && s->count < s->ids_room; id++) {
        if (has_blocks(&s->rows[id]))
            s->ids[s->count++] = id;
    }
    return s;
}

void mprt_mibmap_free_snapshot(struct mprt_snapshot *snapshot)
{
    if (snapshot == NULL || snapshot == &last_snapshot)
        return;
    mprt_sys_unmap(snapshot->ids, snapshot->ids_room * sizeof(*snapshot->ids));
    drop_map(snapshot->rows == maps[0].rows ? &maps[0] : &maps[1],
             snapshot->rows_count);
    mprt_lock_release(&snapshot_lock);
}

void mprt_mibmap_reset(void)
{
    struct building b;

    mprt_lock_acquire(&snapshot_lock);
    take_all(&b);
    drop_map(b.map, b.last);
    mprt_lock_release(&snapshot_lock);
    mprt_block_restart_all();
}

void mprt_mibmap_after_fork(void)
{
    /* Rows have no locks to reset: the child's own were never touched, and a
     * snapshot that the parent was making has only rows of the parent's. */
    for (size_t i = 0; i < 2; i++)
        maps[i].mores_first = maps[i].mores_used;
    mprt_lock_reset(&snapshot_lock);
}

uint64_t mprt_own_memory_bytes(void)
{
    return mprt_own_mapped_bytes() + mprt_depot_memory_bytes() +
           (uint64_t)mprt_depot_count() * sizeof(struct mprt_context) +
           (uint64_t)(maps[0].mores_used + maps[1].mores_used) *
               sizeof(struct mprt_more);
}
