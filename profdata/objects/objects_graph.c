/* objects_graph.c -- shortest ways and dominators of a graph of objects.
 *
 * Dominators: T. Lengauer, R. E. Tarjan: A Fast Algorithm for Finding
 * Dominators in a Flowgraph (1979), the version in O(m log n). Vertices are
 * numbers in the order of a depth-first search.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/objects/objects.h"

#include <stdlib.h>
#include <string.h>

#define NONE MPDATA_OBJECTS_NONE

/* Columns of one allocation, by vertex unless said otherwise. */
struct work {
    const struct mpdata_objects *objects;
    uint32_t count;   /* of vertices */
    uint32_t *vertex; /* by object; NONE: not reached */
    uint32_t *object;
    uint32_t *parent; /* in the tree of the search */
    uint32_t *semi;
    uint32_t *dom;
    uint32_t *ancestor;
    uint32_t *label;
    uint32_t *bucket; /* first vertex whose semidominator it is */
    uint32_t *next;   /* in its bucket; during the search: next reference */
    uint32_t *stack;
    uint32_t *sources; /* where the vertex's row in `source` begins */
    uint32_t *source;  /* by strong reference: vertices that refer */
};
#define COLUMNS 11u

static bool make_work(struct work *w, const struct mpdata_objects *objects)
{
    const size_t rows = (size_t)objects->rows.count + 2;
    uint32_t **const columns[COLUMNS] = {
        &w->vertex, &w->object, &w->parent, &w->semi,  &w->dom,    &w->ancestor,
        &w->label,  &w->bucket, &w->next,   &w->stack, &w->sources};
    uint32_t *at;

    *w = (struct work){.objects = objects};
    at = mpdata_vec_array(COLUMNS * rows + objects->refs.count, sizeof(*at));
    if (at == NULL)
        return false;
    for (size_t i = 0; i < COLUMNS; i++, at += rows)
        *columns[i] = at;
    w->source = at;
    memset(w->vertex, 0xff, rows * sizeof(*w->vertex));
    memset(w->ancestor, 0xff, rows * sizeof(*w->ancestor));
    memset(w->bucket, 0xff, rows * sizeof(*w->bucket));
    return true;
}

/* -- search ---------------------------------------------------------------- */

static void visit(struct work *w, uint32_t object, uint32_t parent)
{
    const uint32_t v = w->count++;

    w->vertex[object] = v;
    w->object[v] = object;
    w->parent[v] = parent;
    w->semi[v] = w->label[v] = v;
}

/* Numbers the objects with a strong way. */
static void search(struct work *w)
{
    uint32_t depth = 0;

    visit(w, 0, 0);
    w->stack[depth++] = 0;
    while (depth != 0) {
        const uint32_t v = w->stack[depth - 1];
        const struct mpdata_object *const o =
            mpdata_objects_at(w->objects, w->object[v]);
        const struct mpdata_object_ref *const ref =
            mpdata_objects_refs(w->objects, o) + w->next[v];

        if (w->next[v]++ == o->count) {
            depth--;
        } else if (!ref->is_weak && w->vertex[ref->target] == NONE) {
            w->stack[depth++] = w->count;
            visit(w, ref->target, v);
        }
    }
}

/* Lists the vertices that refer to each vertex: counts them, then fills. */
static void turn_around(struct work *w)
{
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t v = 0; v < w->count; v++) {
            const struct mpdata_object *const o =
                mpdata_objects_at(w->objects, w->object[v]);
            const struct mpdata_object_ref *const refs =
                mpdata_objects_refs(w->objects, o);

            for (uint32_t i = 0; i < o->count; i++) {
                if (refs[i].is_weak)
                    continue;
                const uint32_t to = w->vertex[refs[i].target];
                if (pass == 0)
                    w->sources[to + 2]++;
                else
                    w->source[w->sources[to + 1]++] = v;
            }
        }
        for (uint32_t v = 0; pass == 0 && v < w->count; v++)
            w->sources[v + 1] += w->sources[v];
    }
}

/* -- dominators ------------------------------------------------------------ */

/* The vertex with the smallest semidominator between v and the root of its tree
 * in the forest, whose path becomes short. */
static uint32_t evaluate(struct work *w, uint32_t v)
{
    uint32_t depth = 0;

    if (w->ancestor[v] == NONE)
        return v;
    for (uint32_t at = v; w->ancestor[w->ancestor[at]] != NONE;
         at = w->ancestor[at])
        w->stack[depth++] = at;
    while (depth != 0) {
        const uint32_t at = w->stack[--depth];
        const uint32_t above = w->ancestor[at];

        if (w->semi[w->label[above]] < w->semi[w->label[at]])
            w->label[at] = w->label[above];
        w->ancestor[at] = w->ancestor[above];
    }
    return w->label[v];
}

static void empty_bucket(struct work *w, uint32_t of)
{
    for (uint32_t v = w->bucket[of]; v != NONE; v = w->next[v]) {
        const uint32_t u = evaluate(w, v);

        w->dom[v] = w->semi[u] < w->semi[v] ? u : of;
    }
    w->bucket[of] = NONE;
}

static void find_dominators(struct work *w)
{
    for (uint32_t v = w->count - 1; v != 0; v--) {
        for (uint32_t i = w->sources[v]; i < w->sources[v + 1]; i++) {
            const uint32_t u = evaluate(w, w->source[i]);

            if (w->semi[u] < w->semi[v])
                w->semi[v] = w->semi[u];
        }
        w->next[v] = w->bucket[w->semi[v]];
        w->bucket[w->semi[v]] = v;
        w->ancestor[v] = w->parent[v];
        empty_bucket(w, w->parent[v]);
    }
    for (uint32_t v = 1; v < w->count; v++) {
        if (w->dom[v] != w->semi[v])
            w->dom[v] = w->dom[w->dom[v]];
    }
}

static void fill(struct mpdata_objects_graph *g, const struct work *w)
{
    g->strong_count = w->count;
    for (uint32_t v = w->count - 1; v != 0; v--) {
        const uint32_t object = w->object[v];
        const uint32_t dominator = w->object[w->dom[v]];

        g->dominator[object] = dominator;
        g->retained[dominator] =
            mprof_add_sat_u64(g->retained[dominator], g->retained[object]);
    }
}

/* -- shortest ways --------------------------------------------------------- */

/* Goes on from queue[0..end), breadth first. Returns the new end. */
static uint32_t spread(struct mpdata_objects_graph *g,
                       const struct mpdata_objects *objects, uint32_t *queue,
                       uint32_t end, bool is_weak_too)
{
    for (uint32_t i = 0; i < end; i++) {
        const struct mpdata_object *const o =
            mpdata_objects_at(objects, queue[i]);
        const struct mpdata_object_ref *const refs =
            mpdata_objects_refs(objects, o);

        for (uint32_t k = 0; k < o->count; k++) {
            const uint32_t to = refs[k].target;

            if (to == 0 || g->before[to] != NONE ||
                (refs[k].is_weak && !is_weak_too))
                continue;
            g->before[to] = queue[i];
            g->by[to] = o->first + k;
            queue[end++] = to;
        }
    }
    return end;
}

enum mprof_err mpdata_objects_graph(struct mpdata_objects_graph *graph,
                                    const struct mpdata_objects *objects)
{
    const uint32_t count = objects->rows.count;
    struct work w;
    const bool is_made = make_work(&w, objects);

    *graph = (struct mpdata_objects_graph){
        .before = mpdata_vec_array(count, sizeof(uint32_t)),
        .by = mpdata_vec_array(count, sizeof(uint32_t)),
        .dominator = mpdata_vec_array(count, sizeof(uint32_t)),
        .retained = mpdata_vec_array(count, sizeof(uint64_t))};
    if (!is_made || graph->before == NULL || graph->by == NULL ||
        graph->dominator == NULL || graph->retained == NULL) {
        free(w.vertex);
        return MPROF_E_NOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        graph->before[i] = graph->dominator[i] = NONE;
        graph->retained[i] = mpdata_objects_at(objects, i)->bytes;
    }
    w.stack[0] = 0;
    spread(graph, objects, w.stack, spread(graph, objects, w.stack, 1, false),
           true);
    search(&w);
    turn_around(&w);
    find_dominators(&w);
    fill(graph, &w);
    free(w.vertex);
    return MPROF_E_OK;
}

void mpdata_objects_graph_fini(struct mpdata_objects_graph *graph)
{
    free(graph->before);
    free(graph->by);
    free(graph->dominator);
    free(graph->retained);
}
