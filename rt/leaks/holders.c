/* holders.c -- finds which leaked blocks hold which others, by call stack.
 *
 * A strongly connected component (SCC) is a set of blocks that can all be
 * reached from each other. Tarjan's algorithm finds them and numbers them so
 * that an SCC points only to SCCs with lower numbers. The search starts at all
 * SCCs of a context and adds up the SCCs that it reaches. Contexts that reach
 * the same SCCs are recognized by a sum of hashes, and one represents them all.
 * Otherwise a large ring, such as the heap of an interpreter, would give a
 * number of rows quadratic in its contexts.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/leaks/holders.h"
#include "rt/base/mapbuf.h"

/* Limits: about a second of work, and 10 MB in the profile. */
#define STEPS_MAX ((uint64_t)1 << 28)
#define ROWS_MAX ((size_t)1 << 18)

struct sum {
    uint64_t blocks;
    uint64_t bytes;
};

struct part {
    uint32_t context;
    struct sum sum;
};

struct class
{
    uint64_t hash;
    uint32_t context; /* representative context, or 0 */
};

/* A list of lists has an array of starts: list i is elements starts[i] to
 * starts[i + 1] - 1. */
static struct {
    const struct mprt_mark_leak *leaks;
    const uint32_t *edges;
    uint32_t leaks_count;
    uint32_t contexts;
    /* Indexed by block. */
    uint32_t *order; /* order of discovery, from 1 */
    uint32_t *low;   /* least order that can be reached */
    uint32_t *scc;   /* number of the SCC, from 1 */
    uint32_t *path;  /* stack of the depth-first search */
    uint32_t *open;  /* stack of blocks that are in no SCC yet */
    uint64_t *next_edge;
    uint32_t *by_scc;     /* blocks in order of their SCC */
    uint32_t *by_context; /* blocks in order of their context */
    /* Indexed by SCC. */
    uint32_t sccs_count;
    uint32_t *scc_starts;
    uint32_t *successor_starts;
    uint32_t *part_starts;
    uint32_t *seen;
    uint32_t *to_do;
    uint32_t *successors;
    struct part *parts;
    /* Indexed by context. */
    uint32_t *context_starts;
    struct sum *totals;
    struct sum *sums;
    uint32_t *touched;
    uint32_t touched_count;
    struct class *classes;
    uint32_t classes_mask;
    uint64_t steps;
} g;

/* -- strongly connected components ----------------------------------------- */

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void come_to(uint32_t v, uint32_t *path_count, uint32_t *open_count,
                    uint32_t number)
{
    g.order[v] = g.low[v] = number;
    g.next_edge[v] = g.leaks[v].first_edge;
    g.path[(*path_count)++] = v;
    g.open[(*open_count)++] = v;
}

static void close_scc(uint32_t v, uint32_t *open_count)
{
    uint32_t w;

    g.sccs_count++;
    do {
        w = g.open[--*open_count];
        g.scc[w] = g.sccs_count;
    } while (w != v);
}

static void find_sccs_from(uint32_t start, uint32_t *number)
{
    uint32_t path_count = 0;
    uint32_t open_count = 0;

    come_to(start, &path_count, &open_count, ++*number);
    while (path_count != 0) {
        const uint32_t v = g.path[path_count - 1];
        if (g.next_edge[v] < g.leaks[v + 1].first_edge) {
            const uint32_t w = g.edges[g.next_edge[v]++];
            if (g.order[w] == 0)
                come_to(w, &path_count, &open_count, ++*number);
            else if (g.scc[w] == 0)
                g.low[v] = least(g.low[v], g.order[w]);
            continue;
        }
        path_count--;
        if (path_count != 0)
            g.low[g.path[path_count - 1]] =
                least(g.low[g.path[path_count - 1]], g.low[v]);
        if (g.low[v] == g.order[v])
            close_scc(v, &open_count);
    }
}

/* Sorts the blocks by group. starts has groups + 1 elements. */
static void sort_by(uint32_t *starts, uint32_t *blocks, uint32_t groups,
                    uint32_t (*group_of)(uint32_t block))
{
    for (uint32_t v = 0; v < g.leaks_count; v++)
        starts[group_of(v)]++;
    for (uint32_t i = 1; i <= groups; i++)
        starts[i] += starts[i - 1];
    for (uint32_t v = g.leaks_count; v-- != 0;)
        blocks[--starts[group_of(v)]] = v;
}

static uint32_t scc_of(uint32_t v)
{
    return g.scc[v] - 1;
}

static uint32_t context_of(uint32_t v)
{
    return g.leaks[v].context;
}

/* -- what SCCs contain and point to ---------------------------------------- */

static void put_successors(uint32_t scc, uint32_t v, uint32_t *count)
{
    const uint64_t end = g.leaks[v + 1].first_edge;

    for (uint64_t i = g.leaks[v].first_edge; i < end; i++) {
        const uint32_t to = scc_of(g.edges[i]);
        if (to == scc || g.seen[to] == scc + 1)
            continue;
        g.seen[to] = scc + 1;
        g.successors[(*count)++] = to;
    }
}

/* Adds a block to the part of its context in an SCC. touched[context] is the
 * index of the context's last part, in this SCC or an earlier one. */
static void put_part(uint32_t scc, uint32_t v, uint32_t *count)
{
    const struct mprt_mark_leak *const leak = &g.leaks[v];
    const uint32_t at = g.touched[leak->context];
    const bool has = at >= g.part_starts[scc] && at < *count &&
                     g.parts[at].context == leak->context;
    struct part *const part = &g.parts[has ? at : *count];

    if (!has) {
        part->context = leak->context;
        g.touched[leak->context] = (*count)++;
    }
    part->sum.blocks += leak->blocks;
    part->sum.bytes += leak->bytes;
    g.totals[leak->context].blocks += leak->blocks;
    g.totals[leak->context].bytes += leak->bytes;
}

static void sum_sccs(void)
{
    uint32_t successors = 0;
    uint32_t parts = 0;

    for (uint32_t scc = 0; scc < g.sccs_count; scc++) {
        g.successor_starts[scc] = successors;
        g.part_starts[scc] = parts;
        for (uint32_t i = g.scc_starts[scc]; i < g.scc_starts[scc + 1]; i++) {
            put_successors(scc, g.by_scc[i], &successors);
            put_part(scc, g.by_scc[i], &parts);
        }
    }
    g.successor_starts[g.sccs_count] = successors;
    g.part_starts[g.sccs_count] = parts;
    for (uint32_t scc = 0; scc < g.sccs_count; scc++)
        g.seen[scc] = 0;
}

/* -- what contexts hold ---------------------------------------------------- */

static uint64_t hash_of(uint64_t n)
{
    n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
    return n ^ n >> 31;
}

/* Returns the class with this hash, or a new one. The table is never full. */
static struct class *class_of(uint64_t hash)
{
    uint32_t i = (uint32_t)hash & g.classes_mask;

    while (g.classes[i].context != 0 && g.classes[i].hash != hash)
        i = (i + 1) & g.classes_mask;
    g.classes[i].hash = hash;
    return &g.classes[i];
}

static void see(uint32_t scc, uint32_t context, uint32_t *count)
{
    if (g.seen[scc] == context)
        return;
    g.seen[scc] = context;
    g.to_do[(*count)++] = scc;
}

static void add_parts(uint32_t scc)
{
    for (uint32_t i = g.part_starts[scc]; i < g.part_starts[scc + 1]; i++) {
        const struct part *const part = &g.parts[i];
        struct sum *const sum = &g.sums[part->context];
        if (sum->blocks == 0)
            g.touched[g.touched_count++] = part->context;
        sum->blocks += part->sum.blocks;
        sum->bytes += part->sum.bytes;
    }
    g.steps += g.part_starts[scc + 1] - g.part_starts[scc];
}

/* Queues the SCCs of a context and returns a hash of them. */
static uint64_t begin_context(uint32_t context, uint32_t *count)
{
    uint64_t hash = 1;

    for (uint32_t i = g.context_starts[context];
         i < g.context_starts[context + 1]; i++)
        see(scc_of(g.by_context[i]), context, count);
    for (uint32_t i = 0; i < *count; i++)
        hash += hash_of((uint64_t)g.to_do[i] << 1 | 1);
    return hash;
}

/* Visits all SCCs that can be reached from the queue and returns a hash of
 * them. */
static uint64_t follow(uint32_t context, uint32_t count)
{
    uint64_t hash = 0;

    while (count != 0 && g.steps < STEPS_MAX) {
        const uint32_t scc = g.to_do[--count];
        const uint32_t end = g.successor_starts[scc + 1];
        hash += hash_of((uint64_t)scc << 1);
        add_parts(scc);
        g.steps += end - g.successor_starts[scc] + 1;
        for (uint32_t i = g.successor_starts[scc]; i < end; i++)
            see(g.successors[i], context, &count);
    }
    return hash;
}

static void put_row(struct mprof_buf *out, uint32_t holder, uint32_t context,
                    struct sum sum)
{
    const struct mprt_mibmap_held row = {.holder = holder,
                                         .context = context,
                                         .blocks = sum.blocks,
                                         .bytes = sum.bytes};

    if (holder != context)
        mprof_buf_bytes(out, &row, sizeof(row));
}

static void put_sums(struct mprof_buf *out, uint32_t holder, bool is_first)
{
    for (uint32_t i = 0; i < g.touched_count; i++) {
        struct sum *const sum = &g.sums[g.touched[i]];
        if (is_first)
            put_row(out, holder, g.touched[i], *sum);
        *sum = (struct sum){0, 0};
    }
    g.touched_count = 0;
}

/* Writes the one row of a context that `first` represents. */
static void join(struct mprof_buf *out, uint32_t context, uint32_t first)
{
    put_row(out, context, first, g.totals[first]);
}

static void follow_context(struct mprof_buf *out, uint32_t context)
{
    uint32_t count = 0;
    struct class *const own = class_of(begin_context(context, &count));

    if (own->context != 0) {
        join(out, context, own->context);
        return;
    }
    own->context = context;
    struct class *const reached = class_of(follow(context, count));
    put_sums(out, context, reached->context == 0);
    if (reached->context != 0)
        join(out, context, reached->context);
    else
        reached->context = context;
}

static bool follow_all(struct mprof_buf *out)
{
    const size_t size_max = ROWS_MAX * sizeof(struct mprt_mibmap_held);

    for (uint32_t c = 0; c < g.contexts; c++) {
        if (g.context_starts[c] != g.context_starts[c + 1])
            follow_context(out, c);
        if (g.steps >= STEPS_MAX || out->size > size_max || out->failed)
            return false;
    }
    return true;
}

/* -- memory ---------------------------------------------------------------- */

/* X(array, number of elements) */
#define ARRAYS(X)                                        \
    X(order, g.leaks_count)                              \
    X(low, g.leaks_count)                                \
    X(scc, g.leaks_count)                                \
    X(path, g.leaks_count)                               \
    X(open, g.leaks_count)                               \
    X(next_edge, g.leaks_count)                          \
    X(by_scc, g.leaks_count)                             \
    X(by_context, g.leaks_count)                         \
    X(scc_starts, g.leaks_count + 1)                     \
    X(successor_starts, g.leaks_count + 1)               \
    X(part_starts, g.leaks_count + 1)                    \
    X(seen, g.leaks_count)                               \
    X(to_do, g.leaks_count)                              \
    X(successors, g.leaks[g.leaks_count].first_edge + 1) \
    X(parts, g.leaks_count)                              \
    X(context_starts, g.contexts + 1)                    \
    X(totals, g.contexts)                                \
    X(sums, g.contexts)                                  \
    X(touched, g.contexts)                               \
    X(classes, g.classes_mask + 1)

static bool take_memory(void)
{
    bool has_all = true;

#define X(array, count)                                                        \
    g.array =                                                                  \
        (__typeof__(g.array))mprt_mapbuf_new_array((count), sizeof(*g.array)); \
    has_all = has_all && g.array != NULL;
    ARRAYS(X)
#undef X
    return has_all;
}

static void give_memory(void)
{
#define X(array, count) \
    mprt_mapbuf_free_array(g.array, (count), sizeof(*g.array));
    ARRAYS(X)
#undef X
}

static bool find(struct mprof_buf *out)
{
    uint32_t number = 0;

    for (uint32_t v = 0; v < g.leaks_count; v++) {
        if (g.order[v] == 0)
            find_sccs_from(v, &number);
    }
    sort_by(g.scc_starts, g.by_scc, g.sccs_count, scc_of);
    sort_by(g.context_starts, g.by_context, g.contexts, context_of);
    sum_sccs();
    return follow_all(out);
}

bool mprt_holders_find(struct mprof_buf *out, uint32_t contexts)
{
    struct mprof_buf leaks;
    struct mprof_buf edges;
    bool is_known = false;

    mprt_mapbuf_init(&leaks);
    mprt_mapbuf_init(&edges);
    g.sccs_count = g.touched_count = 0;
    g.steps = 0;
    if (mprt_mark_graph(&leaks, &edges, contexts)) {
        g.leaks = (const struct mprt_mark_leak *)(const void *)leaks.data;
        g.edges = (const uint32_t *)(const void *)edges.data;
        g.leaks_count = (uint32_t)(leaks.size / sizeof(*g.leaks)) - 1;
        g.contexts = contexts;
        for (g.classes_mask = 1; g.classes_mask < 4 * contexts;)
            g.classes_mask = g.classes_mask << 1 | 1;
        is_known = take_memory() && find(out);
        give_memory();
    }
    if (!is_known)
        out->size = 0;
    mprt_mapbuf_free(&leaks);
    mprt_mapbuf_free(&edges);
    return is_known;
}
