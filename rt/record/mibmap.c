/* mibmap.c -- what is known of each context's ended blocks: an array by depot
 * id, each row with a lock of its own.
 *
 * There are two such maps. One is current; a snapshot that takes everything
 * makes the other, empty one current and is the old one itself, so that nothing
 * is copied. Who adds a life looks again which map is current when it holds the
 * row's lock; taking goes through all locks of the old map after it has changed
 * that. A snapshot that leaves everything is a copy in the other map. Live
 * blocks of a snapshot may have rows of their own, in a third map.
 *
 * In a forked child all that is before the depot's first id is the parent's, as
 * are the rooms in use then: they may be in any state, and nobody looks at
 * them.
 *
 * Locks: a row's, then that of internal_alloc.c.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/mibmap.h"
#include "rt/base/internal_alloc.h"
#include "rt/base/libc.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/heap/shadow.h"
#include "rt/stack/depot.h"

#define ROWS (MPRT_CONTEXTS_MAX + (size_t)1)
/* How long a dying program waits for a row. */
#define ROW_PATIENCE_NS UINT64_C(200000000)

/* With continuous=1 the copy's memory stays where it is no more than this: to
 * get it anew each second takes longer than to clear it. */
#define KEPT_BYTES_MAX ((size_t)16 << 20)

struct map {
    struct mprt_context *rows;      /* mprt_mibmap_rows[] */
    struct mprt_mib_entry *entries; /* a row has at most one */
    _Atomic uint32_t entries_used;
    uint32_t entries_first; /* those before it are a parent's */
    uint32_t lent_to;       /* last context while a snapshot has it, else 0 */
};

/* The two, and that of live blocks. */
enum { LIVE = 2, MAPS };
static struct map maps[MAPS];
struct mprt_context *mprt_mibmap_rows[2];
_Atomic uint64_t mprt_mibmap_generation;

void mprt_mibmap_init(void)
{
    for (size_t i = 0; i < MAPS; i++) {
        maps[i].rows = mprt_os_reserve(ROWS * sizeof(*maps[i].rows));
        if (i < MPROF_ARRAY_LEN(mprt_mibmap_rows))
            mprt_mibmap_rows[i] = maps[i].rows;
        maps[i].entries = mprt_os_reserve(ROWS * sizeof(*maps[i].entries));
        if (maps[i].rows == NULL || maps[i].entries == NULL)
            mprt_log_give_up("call stacks");
    }
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
    uint64_t *const bigger =
        mprt_internal_alloc_calloc(wanted, sizeof(*bigger));
    if (bigger == NULL)
        return false;
    if (*room != 0)
        mprt_libc_memcpy(bigger, *cells, *room * sizeof(*bigger));
    /* In this order: if this thread dies in between, its dump reads cells that
     * are there. */
    uint64_t *const old = *cells;
    *cells = bigger;
    *room = wanted;
    atomic_signal_fence(memory_order_seq_cst);
    mprt_internal_alloc_free(old);
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

static struct mprt_mib_entry *entry_of(struct map *m, struct mprt_context *c)
{
    if (MPROF_LIKELY(c->entry != NULL))
        return c->entry;
    struct mprt_mib_entry *const entry = &m->entries[atomic_fetch_add_explicit(
        &m->entries_used, 1, memory_order_relaxed)];
    if (c->has_only)
        mprof_mib_from_block(&entry->mib, &c->only);
    /* If this thread dies here, its dump finds one or the other. */
    atomic_signal_fence(memory_order_seq_cst);
    c->entry = entry;
    return entry;
}

static inline void add_life(struct map *m, struct mprt_context *c,
                            const struct mprof_block_life *life)
{
    if (MPROF_UNLIKELY(c->entry == NULL && !c->has_only)) {
        c->only = *life;
        c->has_only = true;
        return;
    }
    mprof_mib_add_life(&entry_of(m, c)->mib, life);
}

/* n more cells than none: the histogram is as large as the largest block's. */
static void set_cells(struct mprt_mib_entry *entry, uint32_t n)
{
    entry->mib.AccessHistogramSize =
        mprof_max_u64(entry->mib.AccessHistogramSize, n);
}

void mprt_mibmap_add_locked(struct mprt_context *c, unsigned map,
                            const struct mprof_block_life *life,
                            const uint64_t *cells, uint32_t cell_count)
{
    struct map *const m = &maps[map];

    add_life(m, c, life);
    if (MPROF_UNLIKELY(cells != NULL)) {
        struct mprt_mib_entry *const entry = entry_of(m, c);
        if (add_cells(&entry->cells, &entry->cells_room, cells, cell_count))
            set_cells(entry, cell_count);
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

/* -- all of them ----------------------------------------------------------- */

static void drop_map(struct map *m);

/* A snapshot that was not freed, because who made it was killed, is lost. A
 * dying program changes nothing of another thread's. */
static void lend(struct map *m, uint32_t last)
{
    if (m->lent_to != 0 && mprt_lock_bail == NULL)
        drop_map(m);
    m->lent_to = last;
}

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

void mprt_mibmap_take(struct mprt_mibmap_taken *taken)
{
    const uint64_t now = atomic_load(&mprt_mibmap_generation);

    lend(&maps[(now + 1) % 2], 0);
    taken->map = now % 2;
    taken->rows = maps[taken->map].rows;
    /* Sequentially consistent, as are the counting of contexts and the locks:
     * who still adds to the old map has a context that is counted here. */
    atomic_store(&mprt_mibmap_generation, now + 1);
    taken->first = mprt_depot_first_id;
    taken->last = mprt_depot_count();
    for (uint32_t id = taken->first; id <= taken->last; id++) {
        if (lock_row(&taken->rows[id]))
            mprt_lock_release_brief(&taken->rows[id].lock);
    }
    maps[taken->map].lent_to = taken->last;
}

static void copy_row(struct map *to, struct mprt_context *out,
                     const struct mprt_context *c)
{
    if (c->entry == NULL) {
        out->only = c->only;
        out->has_only = c->has_only;
        return;
    }
    struct mprt_mib_entry *const entry = entry_of(to, out);
    const uint32_t n = (uint32_t)c->entry->mib.AccessHistogramSize;
    entry->mib = c->entry->mib;
    if (n != 0 &&
        add_cells(&entry->cells, &entry->cells_room, c->entry->cells, n))
        return;
    entry->mib.AccessHistogramSize = 0;
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
        const bool is_locked = lock_row(c);
        copy_row(&maps[taken->map], &taken->rows[id], c);
        if (is_locked)
            mprt_lock_release_brief(&c->lock);
    }
}

void mprt_mibmap_add_live(const struct mprt_mibmap_taken *taken,
                          uint32_t context, uintptr_t p,
                          const struct mprof_block_life *life)
{
    struct map *const m =
        taken->live == maps[LIVE].rows ? &maps[LIVE] : &maps[taken->map];

    if (context < taken->first || context > taken->last)
        return;
    struct mprt_context *const out = &taken->live[context];
    add_life(m, out, life);
    const uint32_t n = mprt_shadow_mode == MPRT_SHADOW_HISTOGRAM
                           ? mprt_shadow_cell_count(life->size)
                           : 0;
    if (n != 0) {
        struct mprt_mib_entry *const entry = entry_of(m, out);
        if (grow_cells(&entry->cells, &entry->cells_room, n)) {
            mprt_shadow_add_cells(p, life->size, entry->cells);
            set_cells(entry, n);
        }
    }
}

/* In a forked child the memory may be the parent's, to be copied when touched.
 */
static bool is_kept(const struct map *m, size_t bytes)
{
    return mprt_options.continuous && mprt_depot_first_id == 1 &&
           m->entries_first == 0 && bytes <= KEPT_BYTES_MAX;
}

static void drop_map(struct map *m)
{
    const size_t page = mprt_os_page_bytes();
    const size_t entries_bytes = m->entries_used * sizeof(*m->entries);
    const size_t rows_bytes = (m->lent_to + (size_t)1) * sizeof(*m->rows);

    /* A parent's cells may have been on their way when it forked. */
    for (uint32_t i = m->entries_first; i < m->entries_used; i++)
        mprt_internal_alloc_free(m->entries[i].cells);
    if (is_kept(m, entries_bytes + rows_bytes)) {
        mprt_libc_memset(m->entries, 0, entries_bytes);
        mprt_libc_memset(m->rows, 0, rows_bytes);
    } else {
        mprt_os_discard(m->entries, mprof_round_up(entries_bytes, page));
        mprt_os_discard(m->rows, mprof_round_up(rows_bytes, page));
    }
    m->entries_used = 0;
    m->entries_first = 0;
    m->lent_to = 0;
}

void mprt_mibmap_drop(const struct mprt_mibmap_taken *taken)
{
    drop_map(&maps[taken->map]);
    if (taken->live == maps[LIVE].rows)
        drop_map(&maps[LIVE]);
}

void mprt_mibmap_part(struct mprt_mibmap_taken *taken, bool apart)
{
    taken->live = apart ? maps[LIVE].rows : taken->rows;
    if (apart)
        lend(&maps[LIVE], taken->last);
}

/* -- the rest -------------------------------------------------------------- */

/* Rows have no locks to reset: the child's own were never touched, and a
 * snapshot that the parent was making has only rows of the parent's. */
void mprt_mibmap_after_fork(bool is_child, bool is_outermost)
{
    (void)is_outermost;
    for (size_t i = 0; is_child && i < MAPS; i++)
        maps[i].entries_first = maps[i].entries_used;
}

uint64_t mprt_mibmap_memory_bytes(void)
{
    return (uint64_t)mprt_depot_count() * sizeof(struct mprt_context) +
           (uint64_t)(maps[0].entries_used + maps[1].entries_used +
                      maps[LIVE].entries_used) *
               sizeof(struct mprt_mib_entry);
}
