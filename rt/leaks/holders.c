/* holders.c -- finds which leaked blocks hold which others, by call stack: one
 * search for each context, from all its leaked blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/leaks/search.h"
#include "rt/base/mapbuf.h"

/* Limits: about a second of work, and 10 MB in the profile. */
#define STEPS_MAX ((uint64_t)1 << 27)
#define ROWS_MAX ((size_t)1 << 18)

static struct {
    const struct mprt_mark_leak *leaks;
    const uint32_t *edges;
    uint32_t leaks_count;
    uint32_t contexts;
    /* Indexed by block. */
    uint32_t *seen;       /* the last context whose blocks reach it */
    uint32_t *to_do;      /* reached, but not yet followed */
    uint32_t *by_context; /* blocks in order of their context */
    /* Indexed by context. */
    uint32_t *starts;              /* of its blocks in by_context */
    struct mprt_mibmap_held *held; /* what of it was reached */
    uint32_t *touched;             /* contexts of which something was reached */
    uint32_t to_do_count;
    uint32_t touched_count;
    uint64_t steps;
} g;

/* Counting sort; the last start is the number of blocks. */
static void sort_by_context(void)
{
    for (uint32_t v = 0; v < g.leaks_count; v++)
        g.starts[g.leaks[v].context]++;
    for (uint32_t c = 1; c <= g.contexts; c++)
        g.starts[c] += g.starts[c - 1];
    for (uint32_t v = g.leaks_count; v-- != 0;)
        g.by_context[--g.starts[g.leaks[v].context]] = v;
}

static void see(uint32_t v, uint32_t holder)
{
    const struct mprt_mark_leak *const leak = &g.leaks[v];
    struct mprt_mibmap_held *const held = &g.held[leak->context];

    if (g.seen[v] == holder)
        return;
    g.seen[v] = holder;
    g.to_do[g.to_do_count++] = v;
    if (held->blocks == 0)
        g.touched[g.touched_count++] = leak->context;
    held->blocks += leak->blocks;
    held->bytes += leak->bytes;
}

/* Sums up the blocks that can be reached from those of a context. */
static void follow(uint32_t holder)
{
    for (uint32_t i = g.starts[holder]; i < g.starts[holder + 1]; i++)
        see(g.by_context[i], holder);
    while (g.to_do_count != 0 && g.steps < STEPS_MAX) {
        const uint32_t v = g.to_do[--g.to_do_count];
        const uint64_t end = g.leaks[v + 1].first_edge;

        g.steps += end - g.leaks[v].first_edge + 1;
        for (uint64_t i = g.leaks[v].first_edge; i < end; i++)
            see(g.edges[i], holder);
    }
}

static void put_rows(struct mprof_buf *out, uint32_t holder)
{
    for (uint32_t i = 0; i < g.touched_count; i++) {
        struct mprt_mibmap_held *const held = &g.held[g.touched[i]];

        held->holder = holder;
        held->context = g.touched[i];
        if (holder != held->context)
            mprof_buf_bytes(out, held, sizeof(*held));
        held->blocks = held->bytes = 0;
    }
    g.touched_count = 0;
}

static bool follow_all(struct mprof_buf *out)
{
    sort_by_context();
    for (uint32_t c = 0; c < g.contexts; c++) {
        follow(c);
        put_rows(out, c);
        if (g.steps >= STEPS_MAX || out->failed ||
            out->size > ROWS_MAX * sizeof(struct mprt_mibmap_held))
            return false;
    }
    return true;
}

/* X(array, number of elements) */
#define ARRAYS(X)                \
    X(seen, g.leaks_count)       \
    X(to_do, g.leaks_count)      \
    X(by_context, g.leaks_count) \
    X(starts, g.contexts + 1)    \
    X(held, g.contexts)          \
    X(touched, g.contexts)

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

bool mprt_holders_find(struct mprof_buf *out, uint32_t contexts)
{
    struct mprof_buf leaks;
    struct mprof_buf edges;
    bool is_known = false;

    mprt_mapbuf_init(&leaks);
    mprt_mapbuf_init(&edges);
    g.to_do_count = g.touched_count = 0;
    g.steps = 0;
    if (mprt_mark_graph(&leaks, &edges, contexts)) {
        g.leaks = (const struct mprt_mark_leak *)(const void *)leaks.data;
        g.edges = (const uint32_t *)(const void *)edges.data;
        g.leaks_count = (uint32_t)(leaks.size / sizeof(*g.leaks)) - 1;
        g.contexts = contexts;
        is_known = take_memory() && follow_all(out);
        give_memory();
    }
    if (!is_known)
        out->size = 0;
    mprt_mapbuf_free(&leaks);
    mprt_mapbuf_free(&edges);
    return is_known;
}
