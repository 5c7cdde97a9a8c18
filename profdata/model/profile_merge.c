/* profile_merge.c -- adds all of one profile to another, table by table, with
 * maps from old to new ids for the tables that follow.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/profile_store.h"
#include "profdata/base/vec.h"

#include <stdlib.h>
#include <string.h>

bool mpdata_profile_merge_init(struct mpdata_profile_map *map,
                               const struct mpdata_profile *from,
                               struct mpdata_profile *into)
{
    static const enum mpdata_kind kinds[] = {
        MPDATA_KIND_STRING,   MPDATA_KIND_PATH,  MPDATA_KIND_BINARY,
        MPDATA_KIND_FUNCTION, MPDATA_KIND_FRAME, MPDATA_KIND_NODE};

    *map = (struct mpdata_profile_map){.from = mpdata_profile_view(from),
                                       .into = into};
    for (size_t i = 0; i < MPROF_ARRAY_LEN(kinds); i++) {
        const enum mpdata_kind kind = kinds[i];

        map->ids[kind] = mpdata_vec_array(
            mpdata_profile_rows_of(&map->from, kind).count, sizeof(uint32_t));
        if (map->ids[kind] == NULL)
            return false;
    }
    return true;
}

void mpdata_profile_merge_fini(struct mpdata_profile_map *map)
{
    for (int kind = 0; kind < MPDATA_KINDS; kind++)
        free(map->ids[kind]);
}

void mpdata_profile_merge_row(const struct mpdata_profile_map *map,
                              enum mpdata_kind kind, uint32_t i, void *row)
{
    const struct mpdata_rows rows = mpdata_profile_rows_of(&map->from, kind);

    memcpy(row, (const uint8_t *)rows.data + (size_t)i * rows.row_bytes,
           rows.row_bytes);
    mpdata_profile_rows_map(map, kind, row);
}

static void change_row(const struct mpdata_profile_map *map,
                       enum mpdata_kind kind, void *row)
{
    if (map->change != NULL)
        map->change->row(map->change->context, map->into, kind, row);
}

static void merge_rows(struct mpdata_profile_map *map, enum mpdata_kind kind)
{
    const uint32_t count = mpdata_profile_rows_of(&map->from, kind).count;
    union mpdata_row row;

    for (uint32_t i = 0; i < count; i++) {
        mpdata_profile_merge_row(map, kind, i, &row);
        /* Strings change where they are used. */
        if (kind != MPDATA_KIND_STRING)
            change_row(map, kind, &row);
        map->ids[kind][i] = mpdata_profile_add(map->into, kind, &row);
    }
}

/* An empty profile gets the nodes without look-ups if they are distinct. */
static void merge_nodes(struct mpdata_profile_map *map)
{
    const struct mpdata_node *const nodes = map->from.nodes;
    const bool is_first =
        mpdata_profile_view(map->into).node_count == 0 && !map->has_equal_nodes;
    mpdata_ref *const ids = map->ids[MPDATA_KIND_NODE];

    for (uint32_t i = 0; i < map->from.node_count; i++)
        ids[i] = (is_first ? mpdata_profile_node_append : mpdata_profile_node)(
            map->into, mpdata_profile_map_ref(ids, nodes[i].parent),
            map->ids[MPDATA_KIND_FRAME][nodes[i].frame]);
}

/* -- weights: sums are multiplied ------------------------------------------ */

static void scale_mib(struct mprof_mib *mib, uint64_t weight)
{
    for (size_t i = 0; weight != 1 && i < MPROF_MIB_FIELDS; i++) {
        if (mprof_mib_fields[i].merge == MPROF_MERGE_SUM)
            mprof_mib_set(mib, i,
                          mprof_mul_sat_u64(mprof_mib_get(mib, i), weight));
    }
}

/* A copy with multiplied counts, which the caller frees; without words when out
 * of memory or if there is no histogram. */
static struct mpdata_cells scale_cells(struct mpdata_cells cells,
                                       uint64_t weight)
{
    const struct mpdata_cells copy =
        cells.words != NULL ? mpdata_cells_copy(cells) : MPDATA_CELLS_NONE;
    struct mpdata_cells rest = copy;
    struct mpdata_cells_run run;

    while (rest.words != NULL && mpdata_cells_next_run(&rest, &run)) {
        for (uint64_t i = 0; i < run.count; i++)
            run.counts[i] = mprof_mul_sat_u64(run.counts[i], weight);
    }
    return copy;
}

static enum mprof_err merge_context(struct mpdata_profile_map *map, uint32_t i,
                                    uint64_t weight)
{
    const struct mpdata_context *const c = &map->from.contexts[i];
    struct mprof_mib mib = mpdata_view_mib(&map->from, i);
    struct mpdata_cells cells = c->cells;

    scale_mib(&mib, weight);
    if (weight != 1)
        cells = scale_cells(cells, weight);
    if (cells.words == NULL && c->cells.words != NULL)
        return MPROF_E_NOMEM;
    mpdata_profile_context(
        map->into, mpdata_profile_map_ref(map->ids[MPDATA_KIND_NODE], c->node),
        c->flags, &mib, cells);
    if (weight != 1)
        free(cells.words);
    return MPROF_E_OK;
}

static enum mprof_err merge_contexts(struct mpdata_profile_map *map,
                                     uint64_t weight)
{
    const struct mpdata_view *from = &map->from;

    for (uint32_t i = 0; i < from->context_count; i++) {
        if (merge_context(map, i, weight) != MPROF_E_OK)
            return MPROF_E_NOMEM;
    }
    for (uint32_t i = 0; i < from->detail_count; i++) {
        struct mpdata_detail detail;

        mpdata_profile_merge_row(map, MPDATA_KIND_DETAIL, i, &detail);
        detail.count = mprof_mul_sat_u64(detail.count, weight);
        detail.bytes = mprof_mul_sat_u64(detail.bytes, weight);
        mpdata_profile_detail(map->into, &detail);
    }
    return MPROF_E_OK;
}

static void merge_one_series(const struct mpdata_profile_map *map,
                             const struct mpdata_series *series)
{
    struct mpdata_series mapped = *series;

    mapped.marks = mpdata_vec_array(series->mark_count, sizeof(*mapped.marks));
    for (uint32_t i = 0; mapped.marks != NULL && i < series->mark_count; i++) {
        mapped.marks[i] = series->marks[i];
        mapped.marks[i].name =
            map->ids[MPDATA_KIND_STRING][series->marks[i].name];
        change_row(map, MPDATA_KIND_STRING, &mapped.marks[i].name);
    }
    mpdata_profile_series(map->into, &mapped);
    free(mapped.marks);
}

void mpdata_profile_merge_series(const struct mpdata_profile_map *map)
{
    for (uint32_t i = 0; i < map->from.series_count; i++)
        merge_one_series(map, &map->from.series[i]);
}

static void merge_tagged_rows(struct mpdata_profile_map *map, uint64_t weight)
{
    for (uint32_t i = 0; i < map->from.tagged_count; i++) {
        struct mprof_mib mib = mpdata_view_tagged_mib(&map->from, i);
        struct mpdata_tagged tagged;

        mpdata_profile_merge_row(map, MPDATA_KIND_TAGGED, i, &tagged);
        change_row(map, MPDATA_KIND_TAGGED, &tagged);
        scale_mib(&mib, weight);
        mpdata_profile_tagged(map->into, &tagged, &mib);
    }
}

static void merge_runs(struct mpdata_profile_map *map, uint64_t weight)
{
    for (uint32_t i = 0; i < map->from.run_count; i++) {
        struct mpdata_run mapped;

        mpdata_profile_merge_row(map, MPDATA_KIND_RUN, i, &mapped);
        change_row(map, MPDATA_KIND_RUN, &mapped);
        mapped.count = mprof_mul_sat_u64(mapped.count, weight);
        mpdata_profile_run(map->into, &mapped);
    }
}

static void find_nodes(const struct mpdata_profile_map *map, mpdata_ref *nodes)
{
    for (uint32_t i = 0; i < map->from.context_count; i++)
        nodes[i] = mpdata_profile_map_ref(map->ids[MPDATA_KIND_NODE],
                                          map->from.contexts[i].node);
}

/* How merge() adds. */
struct how {
    uint64_t weight;
    bool has_contexts; /* adds contexts and tagged rows, too */
    mpdata_ref *nodes; /* adds nodes alone; by old context its new node */
    const struct mpdata_profile_change *change;
};

static enum mprof_err merge(struct mpdata_profile *into,
                            const struct mpdata_profile *from,
                            const struct how *how)
{
    struct mpdata_profile_map map;
    enum mprof_err err = mpdata_profile_status(from);

    if (err == MPROF_E_OK && from->has_accessed_cells && how->nodes == NULL)
        err = mpdata_profile_take_cells(into, from->unit_cells);
    if (err != MPROF_E_OK)
        return err;
    if (!mpdata_profile_merge_init(&map, from, into)) {
        mpdata_profile_merge_fini(&map);
        return MPROF_E_NOMEM;
    }
    map.change = how->change;
    map.has_equal_nodes = how->change != NULL || from->has_equal_nodes;
    for (int kind = 0; kind <= MPDATA_KIND_FRAME; kind++)
        merge_rows(&map, (enum mpdata_kind)kind);
    merge_nodes(&map);
    if (how->has_contexts) {
        err = merge_contexts(&map, how->weight);
        merge_tagged_rows(&map, how->weight);
    }
    if (how->nodes != NULL) {
        find_nodes(&map, how->nodes);
    } else {
        merge_runs(&map, how->weight);
        mpdata_profile_merge_series(&map);
    }
    mpdata_profile_merge_fini(&map);
    return err == MPROF_E_OK ? mpdata_profile_status(into) : err;
}

enum mprof_err mpdata_profile_merge_weighted(struct mpdata_profile *into,
                                             const struct mpdata_profile *from,
                                             uint64_t weight)
{
    return merge(into, from,
                 &(struct how){.weight = weight, .has_contexts = true});
}

enum mprof_err mpdata_profile_merge(struct mpdata_profile *into,
                                    const struct mpdata_profile *from)
{
    return mpdata_profile_merge_weighted(into, from, 1);
}

enum mprof_err mpdata_profile_merge_rest(struct mpdata_profile *into,
                                         const struct mpdata_profile *from)
{
    return merge(into, from, &(struct how){.weight = 1});
}

enum mprof_err mpdata_profile_merge_nodes(struct mpdata_profile *into,
                                          const struct mpdata_profile *from,
                                          mpdata_ref *nodes)
{
    return merge(into, from, &(struct how){.weight = 1, .nodes = nodes});
}

enum mprof_err
mpdata_profile_merge_changed(struct mpdata_profile *into,
                             const struct mpdata_profile *from,
                             const struct mpdata_profile_change *change)
{
    return merge(
        into, from,
        &(struct how){.weight = 1, .has_contexts = true, .change = change});
}
