/* profile_merge.c -- adds all of one profile to another, table by table, with
 * maps from old to new ids for the tables that follow.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/profile_store.h"
#include "profdata/model/run_columns.h"
#include "profdata/base/vec.h"

#include <stdlib.h>

bool mpdata_profile_merge_init(struct mpdata_profile_map *map,
                               const struct mpdata_profile *from,
                               struct mpdata_profile *into)
{
    const struct mpdata_view view = mpdata_profile_view(from);

    *map = (struct mpdata_profile_map){
        .from = view,
        .into = into,
        .strings = mpdata_vec_array(view.string_count, sizeof(uint32_t)),
        .paths = mpdata_vec_array(view.path_count, sizeof(uint32_t)),
        .binaries = mpdata_vec_array(view.binary_count, sizeof(uint32_t)),
        .functions = mpdata_vec_array(view.function_count, sizeof(uint32_t)),
        .frames = mpdata_vec_array(view.frame_count, sizeof(uint32_t)),
        .nodes = mpdata_vec_array(view.node_count, sizeof(uint32_t)),
    };
    return map->strings != NULL && map->paths != NULL &&
           map->binaries != NULL && map->functions != NULL &&
           map->frames != NULL && map->nodes != NULL;
}

void mpdata_profile_merge_fini(struct mpdata_profile_map *map)
{
    free(map->strings);
    free(map->paths);
    free(map->binaries);
    free(map->functions);
    free(map->frames);
    free(map->nodes);
}

struct mpdata_path
mpdata_profile_merge_path(const struct mpdata_profile_map *map, uint32_t i)
{
    struct mpdata_path path = map->from.paths[i];

    path.parent = mpdata_profile_map_ref(map->paths, path.parent);
    path.name = map->strings[path.name];
    return path;
}

struct mpdata_binary
mpdata_profile_merge_binary(const struct mpdata_profile_map *map, uint32_t i)
{
    struct mpdata_binary binary = map->from.binaries[i];

    binary.path = mpdata_profile_map_ref(map->paths, binary.path);
    binary.build_id = map->strings[binary.build_id];
    return binary;
}

struct mpdata_function
mpdata_profile_merge_function(const struct mpdata_profile_map *map, uint32_t i)
{
    struct mpdata_function function = map->from.functions[i];

    function.name = map->strings[function.name];
    function.path = mpdata_profile_map_ref(map->paths, function.path);
    return function;
}

struct mpdata_frame
mpdata_profile_merge_frame(const struct mpdata_profile_map *map, uint32_t i)
{
    struct mpdata_frame frame = map->from.frames[i];

    frame.function = mpdata_profile_map_ref(map->functions, frame.function);
    frame.path = mpdata_profile_map_ref(map->paths, frame.path);
    frame.binary = mpdata_profile_map_ref(map->binaries, frame.binary);
    frame.type = map->strings[frame.type];
    frame.type_fields = map->strings[frame.type_fields];
    return frame;
}

struct mpdata_run mpdata_profile_merge_run(const struct mpdata_profile_map *map,
                                           const struct mpdata_run *run)
{
    struct mpdata_run mapped = *run;

    mapped.executable = mpdata_profile_map_ref(map->paths, run->executable);
#define X(column, member) mapped.member = map->strings[run->member];
    MPDATA_INDEX_RUN_STRINGS(X)
#undef X
    return mapped;
}

struct mpdata_detail
mpdata_profile_merge_detail(const struct mpdata_profile_map *map, uint32_t i)
{
    struct mpdata_detail detail = map->from.details[i];

    detail.node = mpdata_profile_map_ref(map->nodes, detail.node);
    if (mprof_detail_is_stack(detail.kind))
        detail.key = mpdata_profile_map_ref(map->nodes, detail.key);
    return detail;
}

static void merge_names(struct mpdata_profile_map *map)
{
    const struct mpdata_view *from = &map->from;

    for (uint32_t i = 0; i < from->string_count; i++)
        map->strings[i] = mpdata_profile_string(
            map->into, from->strings[i].bytes, from->strings[i].size);
    for (uint32_t i = 0; i < from->path_count; i++) {
        const struct mpdata_path path = mpdata_profile_merge_path(map, i);

        map->paths[i] = mpdata_profile_path_node(map->into, &path);
    }
    for (uint32_t i = 0; i < from->binary_count; i++) {
        const struct mpdata_binary binary = mpdata_profile_merge_binary(map, i);

        map->binaries[i] = mpdata_profile_binary(map->into, &binary);
    }
    for (uint32_t i = 0; i < from->function_count; i++) {
        const struct mpdata_function function =
            mpdata_profile_merge_function(map, i);

        map->functions[i] = mpdata_profile_function(map->into, &function);
    }
}

/* An empty profile gets the nodes without look-ups: they are distinct. */
static void merge_stacks(struct mpdata_profile_map *map)
{
    const struct mpdata_view *from = &map->from;
    const bool is_first = mpdata_profile_view(map->into).node_count == 0;

    for (uint32_t i = 0; i < from->frame_count; i++) {
        const struct mpdata_frame frame = mpdata_profile_merge_frame(map, i);

        map->frames[i] = mpdata_profile_frame(map->into, &frame);
    }
    for (uint32_t i = 0; i < from->node_count; i++)
        map->nodes[i] =
            (is_first ? mpdata_profile_node_append : mpdata_profile_node)(
                map->into,
                mpdata_profile_map_ref(map->nodes, from->nodes[i].parent),
                map->frames[from->nodes[i].frame]);
}

/* -- weights: sums are multiplied
 * --------------------------------------------- */

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
    mpdata_profile_context(map->into,
                           mpdata_profile_map_ref(map->nodes, c->node),
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
        struct mpdata_detail detail = mpdata_profile_merge_detail(map, i);

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
        mapped.marks[i].name = map->strings[series->marks[i].name];
    }
    mpdata_profile_series(map->into, &mapped);
    free(mapped.marks);
}

void mpdata_profile_merge_series(const struct mpdata_profile_map *map)
{
    for (uint32_t i = 0; i < map->from.series_count; i++)
        merge_one_series(map, &map->from.series[i]);
}

struct mpdata_tagged
mpdata_profile_merge_tagged(const struct mpdata_profile_map *map, uint32_t i)
{
    struct mpdata_tagged tagged = map->from.tagged_rows[i];

    tagged.name = map->strings[tagged.name];
    tagged.node = mpdata_profile_map_ref(map->nodes, tagged.node);
    return tagged;
}

static void merge_tagged_rows(struct mpdata_profile_map *map, uint64_t weight)
{
    for (uint32_t i = 0; i < map->from.tagged_count; i++) {
        const struct mpdata_tagged tagged = mpdata_profile_merge_tagged(map, i);
        struct mprof_mib mib = mpdata_view_tagged_mib(&map->from, i);

        scale_mib(&mib, weight);
        mpdata_profile_tagged(map->into, &tagged, &mib);
    }
}

static void merge_runs(struct mpdata_profile_map *map, uint64_t weight)
{
    for (uint32_t i = 0; i < map->from.run_count; i++) {
        struct mpdata_run mapped =
            mpdata_profile_merge_run(map, &map->from.runs[i]);

        mapped.count = mprof_mul_sat_u64(mapped.count, weight);
        mpdata_profile_run(map->into, &mapped);
    }
}

static enum mprof_err merge(struct mpdata_profile *into,
                            const struct mpdata_profile *from,
                            bool with_contexts, uint64_t weight)
{
    struct mpdata_profile_map map;
    enum mprof_err err = mpdata_profile_status(from);

    if (err != MPROF_E_OK)
        return err;
    if (!mpdata_profile_merge_init(&map, from, into)) {
        mpdata_profile_merge_fini(&map);
        return MPROF_E_NOMEM;
    }
    merge_names(&map);
    merge_stacks(&map);
    if (with_contexts) {
        err = merge_contexts(&map, weight);
        merge_tagged_rows(&map, weight);
    }
    merge_runs(&map, weight);
    mpdata_profile_merge_series(&map);
    mpdata_profile_merge_fini(&map);
    return err == MPROF_E_OK ? mpdata_profile_status(into) : err;
}

enum mprof_err mpdata_profile_merge_weighted(struct mpdata_profile *into,
                                             const struct mpdata_profile *from,
                                             uint64_t weight)
{
    return merge(into, from, true, weight);
}

enum mprof_err mpdata_profile_merge(struct mpdata_profile *into,
                                    const struct mpdata_profile *from)
{
    return merge(into, from, true, 1);
}

enum mprof_err mpdata_profile_merge_rest(struct mpdata_profile *into,
                                         const struct mpdata_profile *from)
{
    return merge(into, from, false, 1);
}
