/* cells.c -- histograms as trees: nodes of 128 bytes, the lowest with counts,
 * the others with pointers. The number of levels depends on the highest
 * accessed cell.
 *
 * Memory and time of a histogram depend on the number of accessed cells, not on
 * the block's size. If all cells were accessed, the tree takes a fifteenth more
 * memory than the counts.
 *
 * A dying program may read a histogram that is being changed, so each store
 * leaves a tree that can be walked.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/cells.h"
#include "rt/base/log.h"
#include "rt/base/memory.h"

#include <stdatomic.h>

typedef union mprt_cells_node node;

/* Enough for fully accessed cells of 32 GiB. */
#define NODES_MAX ((uint32_t)1 << 28)
/* Nodes are aligned to their size, which leaves these bits for the number of
 * levels. */
#define LEVELS_MASK ((uintptr_t)sizeof(node) - 1)
/* Levels for cell numbers of 64 bits. */
#define LEVELS_MAX 16u

_Static_assert((sizeof(node) & (sizeof(node) - 1)) == 0, "a power of two");

bool mprt_cells_pool_init(struct mprt_cells_pool *pool)
{
    pool->nodes = mprt_memory_reserve(NODES_MAX * sizeof(node));
    return pool->nodes != NULL;
}

size_t mprt_cells_pool_bytes(const struct mprt_cells_pool *pool)
{
    const uint32_t used = MPRT_LOAD(pool->used);

    return used * sizeof(node);
}

/* Takes a zeroed node, or returns NULL. */
static node *take_node(struct mprt_cells_pool *pool)
{
    uint32_t used = MPRT_LOAD(pool->used);

    do {
        if (used == NODES_MAX)
            return NULL;
    } while (!MPRT_CAS(pool->used, &used, used + 1));
    return &pool->nodes[used];
}

/* -- levels ---------------------------------------------------------------- */

static node *root_of(struct mprt_cells cells)
{
    return (node *)(cells.root & ~LEVELS_MASK);
}

/* Number of levels with pointers; 0: the root has counts. */
static unsigned levels_of(struct mprt_cells cells)
{
    return (unsigned)(cells.root & LEVELS_MASK);
}

/* Whether a node with this many levels below it contains the cell. */
static bool is_held(uint64_t cell, unsigned levels)
{
    return levels + 1 >= LEVELS_MAX ||
           cell >> (MPRT_CELLS_FANOUT_SHIFT * (levels + 1)) == 0;
}

static unsigned slot_of(uint64_t cell, unsigned level)
{
    return (unsigned)(cell >> (MPRT_CELLS_FANOUT_SHIFT * level)) &
           (MPRT_CELLS_FANOUT - 1);
}

/* -- adding ---------------------------------------------------------------- */

/* Adds nodes on top until the root contains the cell. False without memory. */
static bool grow(struct mprt_cells_pool *pool, struct mprt_cells *cells,
                 uint64_t cell)
{
    unsigned levels = cells->root != 0 ? levels_of(*cells) + 1 : 0;

    while (cells->root == 0 || !is_held(cell, levels_of(*cells))) {
        while (cells->root == 0 && !is_held(cell, levels))
            levels++;
        node *const top = take_node(pool);
        if (top == NULL)
            return false;
        if (cells->root != 0)
            top->children[0] = root_of(*cells);
        atomic_signal_fence(memory_order_seq_cst);
        cells->root = (uintptr_t)top | levels++;
    }
    return true;
}

/* Counts of the node that contains the cell, made if needed; NULL without
 * memory. */
static uint64_t *make_counts(struct mprt_cells_pool *pool,
                             struct mprt_cells *cells, uint64_t cell)
{
    if (!grow(pool, cells, cell))
        return NULL;
    node *at = root_of(*cells);
    for (unsigned level = levels_of(*cells); level > 0; level--) {
        node **const child = &at->children[slot_of(cell, level)];

        if (*child == NULL)
            *child = take_node(pool);
        if (*child == NULL)
            return NULL;
        at = *child;
    }
    return at->counts;
}

/* Counts of the cells of one node, from cell `first` on, or NULL. */
static uint64_t *counts_for(struct mprt_cells_adder *a, uint64_t first)
{
    uint64_t *const counts = make_counts(a->pool, a->cells, first);

    a->failed = a->failed || counts == NULL;
    return counts != NULL ? counts + first % MPRT_CELLS_FANOUT : NULL;
}

static inline MPRT_ALWAYS_INLINE void
add_counts(uint64_t *out, const uint32_t *counts, unsigned n, uint32_t weight)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = mprof_add_sat_u64(out[i], counts[i] * (uint64_t)weight);
}

void mprt_cells_add_block(void *to, uint64_t first, const uint32_t *counts,
                          unsigned n)
{
    struct mprt_cells_adder *const adder = to;
    uint64_t *const out = counts_for(adder, first);

    if (out == NULL)
        return;
    if (MPROF_LIKELY(n == MPRT_CELLS_FANOUT))
        add_counts(out, counts, MPRT_CELLS_FANOUT, adder->weight);
    else
        add_counts(out, counts, n, adder->weight);
}

/* -- reading --------------------------------------------------------------- */

/* The node with the cell's count. NULL if there is none; *cell is then the next
 * cell that may have one, or UINT64_MAX. */
static const node *find_counts(struct mprt_cells cells, uint64_t *cell)
{
    const node *at = root_of(cells);
    unsigned level = levels_of(cells);

    if (at == NULL || !is_held(*cell, level)) {
        *cell = UINT64_MAX;
        return NULL;
    }
    for (; level > 0; level--) {
        const node *const child = at->children[slot_of(*cell, level)];
        const unsigned shift = MPRT_CELLS_FANOUT_SHIFT * level;

        if (child == NULL) {
            *cell = ((*cell >> shift) + 1) << shift;
            return NULL;
        }
        at = child;
    }
    return at;
}

/* Moves the reader to the cell's node. False as in find_counts(). */
static bool go_to(struct mprt_cells_reader *r, uint64_t *cell)
{
    const uint64_t first = mprof_round_down(*cell, MPRT_CELLS_FANOUT);

    if (r->counts != NULL && r->first == first)
        return true;
    const node *const at = find_counts(r->cells, cell);
    if (at == NULL)
        return false;
    r->counts = at->counts;
    r->first = first;
    return true;
}

uint64_t mprt_cells_get(struct mprt_cells_reader *r, uint64_t cell)
{
    uint64_t at = cell;

    return go_to(r, &at) ? r->counts[cell - r->first] : 0;
}

uint64_t mprt_cells_next(struct mprt_cells_reader *r, uint64_t *cell)
{
    uint64_t at = *cell;
    uint64_t count = 0;

    while (count == 0 && at != UINT64_MAX) {
        if (!go_to(r, &at))
            continue;
        for (; at - r->first < MPRT_CELLS_FANOUT; at++) {
            count = r->counts[at - r->first];
            if (count != 0)
                break;
        }
    }
    *cell = at;
    return count;
}

void mprt_cells_add_all(struct mprt_cells_adder *a, struct mprt_cells cells)
{
    struct mprt_cells_reader r = {.cells = cells};
    uint64_t cell = 0;

    while (mprt_cells_next(&r, &cell) != 0) {
        uint64_t *const out = counts_for(a, r.first);

        for (unsigned i = 0; out != NULL && i < MPRT_CELLS_FANOUT; i++)
            out[i] = mprof_add_sat_u64(out[i], r.counts[i]);
        cell = r.first + MPRT_CELLS_FANOUT;
    }
}

void mprt_cells_say_left_out(void)
{
    if (mprt_shadow_has_fields)
        MPRT_LOG_ONCE("logs and raw_format=llvm leave out the accesses to "
                      "members, which -memprof-access=fields counts; profiles "
                      "in the default format have them");
}
