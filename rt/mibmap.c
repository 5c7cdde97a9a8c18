/* mibmap.c -- what is known of each context's ended blocks: an array of MIBs by
 * depot id, each with a lock of its own, and the snapshot that a dump writes.
 *
 * A snapshot takes the MIBs first and looks at the live blocks afterwards. A
 * block that ends in between is found in neither, but in the map, for the next
 * dump: nothing is lost and nothing stands twice.
 *
 * Locks: a context's, then those of own.c.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/mibmap.h"
#include "rt/block.h"
#include "rt/depot.h"
#include "rt/own.h"

#define CONTEXT_PATIENCE_NS UINT64_C(200000000)

struct context {
    struct mprt_lock lock;
    uint32_t cells_room;
    uint64_t *cells; /* owned; mib.AccessHistogramSize of them count */
    struct mprof_mib mib;
};

static struct context *contexts; /* by depot id */

bool mprt_mibmap_init(void)
{
    contexts =
        mprt_sys_reserve((MPRT_CONTEXTS_MAX + (size_t)1) * sizeof(*contexts));
    return contexts != NULL;
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
    mprt_own_free(*cells);
    *cells = bigger;
    *room = wanted;
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

void mprt_mibmap_add(uint32_t context, const struct mprof_block_life *life,
                     const uint64_t *cells, uint32_t cell_count)
{
    struct context *const c = &contexts[context];
    struct mprof_mib block;

    /* A block of the parent's. Its context's lock may be in any state. */
    if (MPROF_UNLIKELY(context < mprt_depot_first_id))
        return;
    mprof_mib_from_block(&block, life);
    mprt_lock_acquire(&c->lock);
    if (cells != NULL &&
        add_cells(&c->cells, &c->cells_room, cells, cell_count))
        block.AccessHistogramSize = cell_count;
    mprof_mib_append(&c->mib, &block);
    mprt_lock_release(&c->lock);
}

/* -- snapshots ------------------------------------------------------------- */

/* The cells' room is not part of struct mprt_context. */
struct building {
    struct mprt_snapshot *snapshot;
    struct mprt_context *contexts; /* by id - first */
    uint32_t *rooms;
    uint32_t first;
    uint32_t count;
};

static void take_context(struct building *b, uint32_t id, bool take)
{
    struct context *const c = &contexts[id];
    struct mprt_context *const out = &b->contexts[id - b->first];
    uint64_t *copy = NULL;

    out->id = id;
    /* A thread that dies while it adds a block to this context, further out,
     * will not go on: the rest of the context counts more than that block. */
    if (mprt_lock_bail == NULL)
        mprt_lock_acquire(&c->lock);
    else
        mprt_lock_try(&c->lock, CONTEXT_PATIENCE_NS);
    const uint32_t n = (uint32_t)c->mib.AccessHistogramSize;
    out->mib = c->mib;
    if (take) {
        out->cells = c->cells;
        b->rooms[id - b->first] = c->cells_room;
        c->cells = NULL;
        c->cells_room = 0;
        c->mib = (struct mprof_mib){0};
    } else if (n != 0) {
        copy = mprt_own_malloc(n * sizeof(*copy));
        if (copy != NULL)
            mprt_memcpy(copy, c->cells, n * sizeof(*copy));
        else
            out->mib.AccessHistogramSize = 0;
        out->cells = copy;
        b->rooms[id - b->first] = copy != NULL ? n : 0;
    }
    mprt_lock_release(&c->lock);
}

static void add_live_block(void *context, const struct mprt_live_block *live)
{
    const struct building *const b = context;
    struct mprof_mib mib;

    /* Contexts that came up since the dump began are for the next one; those
     * before the first are a parent's, or "not recorded". */
    if (live->context < b->first || live->context - b->first >= b->count)
        return;
    const uint32_t index = live->context - b->first;
    struct mprt_context *const out = &b->contexts[index];
    mprof_mib_from_block(&mib, &live->life);
    const uint32_t n = mprt_shadow_mode == MPRT_SHADOW_HISTOGRAM
                           ? mprt_block_cell_count(live->life.size)
                           : 0;
    if (n != 0) {
        uint64_t *cells = (uint64_t *)(uintptr_t)out->cells;
        if (grow_cells(&cells, &b->rooms[index], n)) {
            mprt_shadow_add_cells(live->p, live->life.size, cells);
            mib.AccessHistogramSize = n;
        }
        out->cells = cells;
    }
    mprof_mib_append(&out->mib, &mib);
}

/* Moves contexts with blocks to the front. */
static void compact(struct building *b)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < b->count; i++) {
        struct mprt_context *const from = &b->contexts[i];
        if (from->mib.AllocCount == 0) {
            mprt_own_free((void *)(uintptr_t)from->cells);
            from->cells = NULL;
            continue;
        }
        if (from->mib.AccessHistogramSize == 0) {
            mprt_own_free((void *)(uintptr_t)from->cells);
            from->cells = NULL;
        }
        if (n != i)
            b->contexts[n] = *from;
        n++;
    }
    b->snapshot->count = n;
}

struct mprt_snapshot *mprt_mibmap_snapshot(bool take)
{
    const uint32_t first = mprt_depot_first_id;
    const uint32_t count = mprt_depot_count() - (first - 1);
    const size_t contexts_off =
        mprof_round_up(sizeof(struct mprt_snapshot), 64);
    const size_t rooms_off =
        contexts_off + (size_t)count * sizeof(struct mprt_context);
    const size_t bytes = rooms_off + (size_t)count * sizeof(uint32_t);
    char *const map = mprt_sys_map(bytes);

    if (map == NULL)
        return NULL;
    struct building b = {
        .snapshot = (struct mprt_snapshot *)(void *)map,
        .contexts = (struct mprt_context *)(void *)(map + contexts_off),
        .rooms = (uint32_t *)(void *)(map + rooms_off),
        .first = first,
        .count = count,
    };
    b.snapshot->contexts = b.contexts;
    b.snapshot->map_bytes = bytes;
    for (uint32_t i = 0; i < count; i++)
        take_context(&b, first + i, take);
    mprt_block_walk(add_live_block, &b);
    compact(&b);
    return b.snapshot;
}

void mprt_mibmap_free_snapshot(struct mprt_snapshot *snapshot)
{
    if (snapshot == NULL)
        return;
    for (uint32_t i = 0; i < snapshot->count; i++)
        mprt_own_free((void *)(uintptr_t)snapshot->contexts[i].cells);
    mprt_sys_unmap(snapshot, snapshot->map_bytes);
}

void mprt_mibmap_reset(void)
{
    const uint32_t count = mprt_depot_count();

    for (uint32_t id = mprt_depot_first_id; id <= count; id++) {
        struct context *const c = &contexts[id];
        mprt_lock_acquire(&c->lock);
        mprt_own_free(c->cells);
        c->cells = NULL;
        c->cells_room = 0;
        c->mib = (struct mprof_mib){0};
        mprt_lock_release(&c->lock);
    }
    mprt_block_restart_all();
}

uint64_t mprt_own_memory_bytes(void)
{
    return mprt_own_mapped_bytes() + mprt_depot_memory_bytes() +
           (uint64_t)mprt_depot_count() * sizeof(struct context);
}
