/* profile_canonical.c -- the canonical order of a profile
 * (shared/index_format.h).
 *
 * First everything that contexts, runs and binaries reach is marked, from the
 * leaves down to the strings. Then each table is sorted and added to a new
 * profile, strings first: once they are sorted, tables that refer to them can
 * be sorted by number, and so on up to the contexts. Rows are distinct and
 * sorted by all columns, so the order is unique.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/profile_store.h"
#include "profdata/model/run_columns.h"
#include "profdata/base/tree.h"
#include "profdata/model/tagged.h"
#include "profdata/base/vec.h"
#include "profdata/base/str.h"
#include "shared/index_format.h"

#include <stdlib.h>
#include <string.h>

/* One byte per row: is it reached? Owned. */
struct marks {
    uint8_t *strings;
    uint8_t *paths;
    uint8_t *functions;
    uint8_t *frames;
    uint8_t *nodes;
};

static bool marks_init(struct marks *marks, const struct mpdata_view *view)
{
    *marks = (struct marks){
        .strings = mpdata_vec_array(view->string_count, 1),
        .paths = mpdata_vec_array(view->path_count, 1),
        .functions = mpdata_vec_array(view->function_count, 1),
        .frames = mpdata_vec_array(view->frame_count, 1),
        .nodes = mpdata_vec_array(view->node_count, 1),
    };
    return marks->strings != NULL && marks->paths != NULL &&
           marks->functions != NULL && marks->frames != NULL &&
           marks->nodes != NULL;
}

static void marks_fini(struct marks *marks)
{
    free(marks->strings);
    free(marks->paths);
    free(marks->functions);
    free(marks->frames);
    free(marks->nodes);
}

/* A marked row is either in a table that is walked later, or an earlier row of
 * a table that is walked backwards. */
static void mark_ref(uint8_t *marks, mpdata_ref ref)
{
    if (ref != 0)
        marks[ref - 1] = 1;
}

static void mark_stacks(struct marks *marks, const struct mpdata_view *view)
{
    for (uint32_t i = 0; i < view->context_count; i++)
        mark_ref(marks->nodes, view->contexts[i].node);
    for (uint32_t i = 0; i < view->detail_count; i++) {
        mark_ref(marks->nodes, view->details[i].node);
        if (mprof_detail_is_stack(view->details[i].kind))
            mark_ref(marks->nodes, view->details[i].key);
    }
    for (uint32_t i = 0; i < view->tagged_count; i++)
        mark_ref(marks->nodes, view->tagged_rows[i].node);
    for (uint32_t i = view->node_count; i-- > 0;) {
        if (marks->nodes[i]) {
            mark_ref(marks->nodes, view->nodes[i].parent);
            marks->frames[view->nodes[i].frame] = 1;
        }
    }
    for (uint32_t i = 0; i < view->frame_count; i++) {
        if (marks->frames[i]) {
            mark_ref(marks->functions, view->frames[i].function);
            marks->strings[view->frames[i].type] = 1;
            marks->strings[view->frames[i].type_fields] = 1;
            mark_ref(marks->paths, view->frames[i].path);
        }
    }
}

static void mark_names(struct marks *marks, const struct mpdata_view *view)
{
    marks->strings[0] = 1;
    for (uint32_t i = 0; i < view->function_count; i++) {
        if (marks->functions[i]) {
            marks->strings[view->functions[i].name] = 1;
            mark_ref(marks->paths, view->functions[i].path);
        }
    }
    for (uint32_t i = 0; i < view->tagged_count; i++)
        marks->strings[view->tagged_rows[i].name] = 1;
    for (uint32_t i = 0; i < view->run_count; i++) {
        const struct mpdata_run *const run = &view->runs[i];

        mark_ref(marks->paths, run->executable);
#define X(column, member) marks->strings[run->member] = 1;
        MPDATA_INDEX_RUN_STRINGS(X)
#undef X
    }
    for (uint32_t i = 0; i < view->series_count; i++) {
        const struct mpdata_series *const series = &view->series[i];

        for (uint32_t k = 0; k < series->mark_count; k++)
            marks->strings[series->marks[k].name] = 1;
    }
    for (uint32_t i = 0; i < view->binary_count; i++) {
        mark_ref(marks->paths, view->binaries[i].path);
        marks->strings[view->binaries[i].build_id] = 1;
    }
    for (uint32_t i = view->path_count; i-- > 0;) {
        if (marks->paths[i]) {
            mark_ref(marks->paths, view->paths[i].parent);
            marks->strings[view->paths[i].name] = 1;
        }
    }
}

/* Marks all reached rows. False when out of memory; fini is always due. */
static bool mark_all(struct marks *marks, const struct mpdata_view *view)
{
    if (!marks_init(marks, view))
        return false;
    mark_stacks(marks, view);
    mark_names(marks, view);
    return true;
}

/* Compares columns, the most significant first. */
static int compare_columns(const uint64_t *a, const uint64_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i])
            return mprof_compare_u64(a[i], b[i]);
    }
    return 0;
}

static int compare_binaries(const void *left, const void *right)
{
    const struct mpdata_binary *a = left;
    const struct mpdata_binary *b = right;

    return compare_columns((const uint64_t[]){a->path, a->build_id},
                           (const uint64_t[]){b->path, b->build_id}, 2);
}

static int compare_functions(const void *left, const void *right)
{
    const struct mpdata_function *a = left;
    const struct mpdata_function *b = right;

    return compare_columns(
        (const uint64_t[]){a->name, a->guid, a->path, a->line},
        (const uint64_t[]){b->name, b->guid, b->path, b->line}, 4);
}

#define ENTRY_COLUMNS 9

static void frame_columns(const struct mpdata_frame *e,
                          uint64_t columns[ENTRY_COLUMNS])
{
    const uint32_t low_bits = MPROF_PLACE_DISCRIMINATOR_BITS;

    columns[0] = e->path;
    columns[1] = e->line;
    columns[2] = e->discriminator & ((UINT32_C(1) << low_bits) - 1);
    columns[3] = e->function;
    columns[4] = e->column;
    columns[5] = e->discriminator >> low_bits;
    columns[6] = e->flags;
    columns[7] = e->binary;
    columns[8] = e->address;
}

static int compare_frames(const void *left, const void *right)
{
    uint64_t a[ENTRY_COLUMNS];
    uint64_t b[ENTRY_COLUMNS];

    frame_columns(left, a);
    frame_columns(right, b);
    return compare_columns(a, b, ENTRY_COLUMNS);
}

struct context_key {
    uint64_t total_size;
    uint64_t alloc_count;
    mpdata_ref node; /* of the new profile: in preorder, so nodes compare like
                      * their stacks from the root */
    uint32_t index;
};

static int compare_contexts(const void *left, const void *right)
{
    const struct context_key *a = left;
    const struct context_key *b = right;

    if (a->total_size != b->total_size)
        return mprof_compare_u64(b->total_size, a->total_size);
    if (a->alloc_count != b->alloc_count)
        return mprof_compare_u64(b->alloc_count, a->alloc_count);
    return mprof_compare_u64(a->node, b->node);
}

/* Each add_ function adds one table in order and fills its map. Adding a row
 * again returns its new id and changes nothing. */
static bool add_strings(struct mpdata_profile_map *map,
                        const struct marks *marks)
{
    const struct mpdata_view *from = &map->from;
    struct mpdata_str *rows =
        mpdata_vec_array(from->string_count, sizeof(*rows));
    uint32_t n = 0;

    if (rows == NULL)
        return false;
    for (uint32_t i = 0; i < from->string_count; i++) {
        if (marks->strings[i])
            rows[n++] = from->strings[i];
    }
    qsort(rows, n, sizeof(*rows), mpdata_str_compare);
    for (uint32_t i = 0; i < n; i++)
        mpdata_profile_string(map->into, rows[i].bytes, rows[i].size);
    for (uint32_t i = 0; i < from->string_count; i++) {
        if (marks->strings[i])
            map->strings[i] = mpdata_profile_string(
                map->into, from->strings[i].bytes, from->strings[i].size);
    }
    free(rows);
    return true;
}

static bool add_paths(struct mpdata_profile_map *map, const struct marks *marks)
{
    const uint32_t count = map->from.path_count;
    uint32_t *parents = mpdata_vec_array(count, sizeof(*parents));
    uint32_t *keys = mpdata_vec_array(count, sizeof(*keys));
    uint32_t *order = mpdata_vec_array(count, sizeof(*order));
    uint32_t n = UINT32_MAX;

    if (parents == NULL || keys == NULL || order == NULL)
        goto out;
    for (uint32_t i = 0; i < count; i++) {
        parents[i] = map->from.paths[i].parent;
        keys[i] = marks->paths[i] ? map->strings[map->from.paths[i].name]
                                  : MPDATA_TREE_SKIP;
    }
    n = mpdata_tree_levels(
        &(struct mpdata_tree){.parents = {parents, 1},
                              .keys = {keys, 1},
                              .count = count,
                              .key_count =
                                  mpdata_profile_view(map->into).string_count},
        order);
    if (n == UINT32_MAX)
        goto out;
    for (uint32_t i = 0; i < n; i++) {
        const struct mpdata_path path =
            mpdata_profile_merge_path(map, order[i]);

        map->paths[order[i]] = mpdata_profile_path_node(map->into, &path);
    }
out:
    free(order);
    free(keys);
    free(parents);
    return n != UINT32_MAX;
}

static bool add_binaries(struct mpdata_profile_map *map)
{
    const uint32_t count = map->from.binary_count;
    struct mpdata_binary *rows = mpdata_vec_array(count, sizeof(*rows));

    if (rows == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        rows[i] = mpdata_profile_merge_binary(map, i);
    qsort(rows, count, sizeof(*rows), compare_binaries);
    for (uint32_t i = 0; i < count; i++)
        mpdata_profile_binary(map->into, &rows[i]);
    for (uint32_t i = 0; i < count; i++) {
        const struct mpdata_binary binary = mpdata_profile_merge_binary(map, i);

        map->binaries[i] = mpdata_profile_binary(map->into, &binary);
    }
    free(rows);
    return true;
}

static bool add_functions(struct mpdata_profile_map *map,
                          const struct marks *marks)
{
    const uint32_t count = map->from.function_count;
    struct mpdata_function *rows = mpdata_vec_array(count, sizeof(*rows));
    uint32_t n = 0;

    if (rows == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (marks->functions[i])
            rows[n++] = mpdata_profile_merge_function(map, i);
    }
    qsort(rows, n, sizeof(*rows), compare_functions);
    for (uint32_t i = 0; i < n; i++)
        mpdata_profile_function(map->into, &rows[i]);
    for (uint32_t i = 0; i < count; i++) {
        const struct mpdata_function function =
            mpdata_profile_merge_function(map, i);

        if (marks->functions[i])
            map->functions[i] = mpdata_profile_function(map->into, &function);
    }
    free(rows);
    return true;
}

static bool add_frames(struct mpdata_profile_map *map,
                       const struct marks *marks)
{
    const uint32_t count = map->from.frame_count;
    struct mpdata_frame *rows = mpdata_vec_array(count, sizeof(*rows));
    uint32_t n = 0;

    if (rows == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (marks->frames[i])
            rows[n++] = mpdata_profile_merge_frame(map, i);
    }
    qsort(rows, n, sizeof(*rows), compare_frames);
    for (uint32_t i = 0; i < n; i++)
        mpdata_profile_frame(map->into, &rows[i]);
    for (uint32_t i = 0; i < count; i++) {
        const struct mpdata_frame frame = mpdata_profile_merge_frame(map, i);

        if (marks->frames[i])
            map->frames[i] = mpdata_profile_frame(map->into, &frame);
    }
    free(rows);
    return true;
}

/* Preorder with ascending siblings: the parent of each node is the node before
 * or one of its callers, and the previous child of this parent is smaller. Each
 * step up leaves a subtree for good, so there are at most as many steps as
 * nodes. */
static bool is_preorder(const struct mpdata_view *view)
{
    for (uint32_t i = 0; i < view->node_count; i++) {
        mpdata_ref child = 0;
        mpdata_ref at = i; /* ref of the node before */

        while (at > view->nodes[i].parent) {
            child = at;
            at = view->nodes[at - 1].parent;
        }
        if (at != view->nodes[i].parent ||
            (child != 0 &&
             view->nodes[child - 1].frame >= view->nodes[i].frame))
            return false;
    }
    return true;
}

/* Are the marked frames still in order? */
static bool is_order_kept(const struct mpdata_profile_map *map,
                          const struct marks *marks)
{
    mpdata_ref last = 0;

    for (uint32_t i = 0; i < map->from.frame_count; i++) {
        if (!marks->frames[i])
            continue;
        if (map->frames[i] <= last)
            return false;
        last = map->frames[i];
    }
    return true;
}

static void append_node(struct mpdata_profile_map *map, uint32_t i)
{
    const struct mpdata_node *const node = &map->from.nodes[i];

    map->nodes[i] = mpdata_profile_node_append(
        map->into, mpdata_profile_map_ref(map->nodes, node->parent),
        map->frames[node->frame]);
}

/* A subset of nodes in preorder is in preorder, too. */
static void add_nodes_as_they_are(struct mpdata_profile_map *map,
                                  const struct marks *marks)
{
    for (uint32_t i = 0; i < map->from.node_count; i++) {
        if (marks->nodes[i])
            append_node(map, i);
    }
}

static bool add_nodes(struct mpdata_profile_map *map, const struct marks *marks)
{
    const struct mpdata_node *nodes = map->from.nodes;
    const uint32_t count = map->from.node_count;
    uint32_t n = UINT32_MAX;
    uint32_t *keys;
    uint32_t *order;

    if (is_order_kept(map, marks) && is_preorder(&map->from)) {
        add_nodes_as_they_are(map, marks);
        return true;
    }
    keys = mpdata_vec_array(count, sizeof(*keys));
    order = mpdata_vec_array(count, sizeof(*order));
    if (keys == NULL || order == NULL)
        goto out;
    for (uint32_t i = 0; i < count; i++)
        keys[i] = marks->nodes[i] ? map->frames[nodes[i].frame] - 1
                                  : MPDATA_TREE_SKIP;
    n = mpdata_tree_preorder(
        &(struct mpdata_tree){.parents = mpdata_numbers_of_pairs(nodes, 0),
                              .keys = {keys, 1},
                              .count = count,
                              .key_count =
                                  mpdata_profile_view(map->into).frame_count},
        order);
    if (n == UINT32_MAX)
        goto out;
    for (uint32_t i = 0; i < n; i++)
        append_node(map, order[i]);
out:
    free(order);
    free(keys);
    return n != UINT32_MAX;
}

static struct context_key key_of(const struct mpdata_view *view, uint32_t i)
{
    return (struct context_key){
        .total_size = mpdata_view_mib_field(view, i, MPROF_MIB_INDEX_TotalSize),
        .alloc_count =
            mpdata_view_mib_field(view, i, MPROF_MIB_INDEX_AllocCount),
        .node = view->contexts[i].node,
        .index = i};
}

/* The contexts' old indices in the new order; NULL when out of memory. */
static uint32_t *order_contexts(const struct mpdata_profile_map *map)
{
    const uint32_t count = map->from.context_count;
    struct context_key *rows = mpdata_vec_array(count, sizeof(*rows));
    uint32_t *order = NULL;
    bool is_sorted = true; /* true for a filtered canonical profile */

    if (rows == NULL)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = key_of(&map->from, i);
        rows[i].node = mpdata_profile_map_ref(map->nodes, rows[i].node);
        is_sorted &= i == 0 || compare_contexts(&rows[i - 1], &rows[i]) < 0;
    }
    if (!is_sorted)
        qsort(rows, count, sizeof(*rows), compare_contexts);
    order = mpdata_vec_array(count, sizeof(*order));
    for (uint32_t i = 0; order != NULL && i < count; i++)
        order[i] = rows[i].index;
    free(rows);
    return order;
}

/* Moves the contexts from a profile that is no longer needed. */
static bool add_contexts(struct mpdata_profile_map *map,
                         struct mpdata_profile *owner)
{
    uint32_t *order = order_contexts(map);

    if (order == NULL)
        return false;
    mpdata_profile_take_contexts(map->into, owner, order, map->nodes);
    free(order);
    return true;
}

static bool add_rest(struct mpdata_profile_map *map)
{
    for (uint32_t i = 0; i < map->from.detail_count; i++) {
        const struct mpdata_detail detail = mpdata_profile_merge_detail(map, i);

        mpdata_profile_detail(map->into, &detail);
    }
    mpdata_profile_order_details(map->into);
    mpdata_profile_merge_series(map);
    return true;
}

static bool add_tagged_rows(struct mpdata_profile_map *map)
{
    const uint32_t count = map->from.tagged_count;
    struct mpdata_tagged *rows = mpdata_vec_array(count, sizeof(*rows));

    if (rows == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        rows[i] = mpdata_profile_merge_tagged(map, i);
    qsort(rows, count, sizeof(*rows), mpdata_tagged_rows_compare);
    for (uint32_t i = 0; i < count; i++) {
        const struct mprof_mib mib =
            mpdata_packed_mib_get(&rows[i].mib, map->from.tagged_bases);

        mpdata_profile_tagged(map->into, &rows[i], &mib);
    }
    free(rows);
    return true;
}

/* Moves the runs and sorts them. */
static bool add_runs(struct mpdata_profile_map *map,
                     struct mpdata_profile *owner)
{
    struct mpdata_run *const rows = mpdata_profile_take_runs(map->into, owner);

    for (uint32_t i = 0; rows != NULL && i < map->from.run_count; i++)
        rows[i] = mpdata_profile_merge_run(map, &rows[i]);
    if (rows != NULL)
        mpdata_profile_order_runs(map->into);
    return rows != NULL;
}

static bool add_all(struct mpdata_profile_map *map, const struct marks *marks,
                    struct mpdata_profile *owner)
{
    return add_strings(map, marks) && add_paths(map, marks) &&
           add_binaries(map) && add_functions(map, marks) &&
           add_frames(map, marks) && add_nodes(map, marks) &&
           add_runs(map, owner) && add_contexts(map, owner) &&
           add_tagged_rows(map) && add_rest(map) &&
           mpdata_profile_status(map->into) == MPROF_E_OK;
}

/* Takes the contexts and runs from *profile. */
static struct mpdata_profile *make_canonical(struct mpdata_profile *profile,
                                             const struct marks *marks)
{
    struct mpdata_profile *into = mpdata_profile_new();
    struct mpdata_profile_map map = {.strings = NULL};
    bool is_done = false;

    if (into == NULL)
        goto out;
    mpdata_profile_seal(profile);
    if (!mpdata_profile_merge_init(&map, profile, into))
        goto out;
    is_done = add_all(&map, marks, profile);
out:
    mpdata_profile_merge_fini(&map);
    if (!is_done) {
        mpdata_profile_free(into);
        return NULL;
    }
    return into;
}

/* -- is it canonical already?
 * --------------------------------------------------- */

static bool is_all_marked(const uint8_t *marks, uint32_t count)
{
    return count == 0 || memchr(marks, 0, count) == NULL;
}

/* Binaries need not be reached: they are always kept. */
static bool is_all_reached(const struct mpdata_view *view,
                           const struct marks *marks)
{
    return is_all_marked(marks->strings, view->string_count) &&
           is_all_marked(marks->paths, view->path_count) &&
           is_all_marked(marks->functions, view->function_count) &&
           is_all_marked(marks->frames, view->frame_count) &&
           is_all_marked(marks->nodes, view->node_count);
}

static bool is_ascending(const void *rows, uint32_t count, size_t row_bytes,
                         int (*compare)(const void *left, const void *right))
{
    const uint8_t *const bytes = rows;

    for (uint32_t i = 1; i < count; i++) {
        if (compare(bytes + (i - 1) * row_bytes, bytes + i * row_bytes) >= 0)
            return false;
    }
    return true;
}

/* By parent, then by name. */
static int compare_paths(const void *left, const void *right)
{
    const struct mpdata_path *a = left;
    const struct mpdata_path *b = right;

    return compare_columns((const uint64_t[]){a->parent, a->name},
                           (const uint64_t[]){b->parent, b->name}, 2);
}

static bool are_contexts_in_order(const struct mpdata_view *view)
{
    struct context_key last = {.index = 0};

    for (uint32_t i = 0; i < view->context_count; i++) {
        const struct context_key key = key_of(view, i);

        if (i != 0 && compare_contexts(&last, &key) >= 0)
            return false;
        last = key;
    }
    return true;
}

/* Checks all but runs and series: series are always in order. A profile from a
 * single indexed file is in order, and checking it takes a tenth of the time of
 * sorting. The tables that a filter changes come first. */
static bool is_in_order(const struct mpdata_view *view,
                        const struct marks *marks)
{
    return is_all_reached(view, marks) && are_contexts_in_order(view) &&
           is_preorder(view) &&
           is_ascending(view->frames, view->frame_count, sizeof(*view->frames),
                        compare_frames) &&
           is_ascending(view->functions, view->function_count,
                        sizeof(*view->functions), compare_functions) &&
           is_ascending(view->binaries, view->binary_count,
                        sizeof(*view->binaries), compare_binaries) &&
           is_ascending(view->paths, view->path_count, sizeof(*view->paths),
                        compare_paths) &&
           is_ascending(view->strings, view->string_count,
                        sizeof(*view->strings), mpdata_str_compare) &&
           is_ascending(view->tagged_rows, view->tagged_count,
                        sizeof(*view->tagged_rows),
                        mpdata_tagged_rows_compare) &&
           is_ascending(view->details, view->detail_count,
                        sizeof(*view->details), mpdata_profile_compare_details);
}

enum mprof_err mpdata_profile_canonical_in_place(struct mpdata_profile *profile)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct mpdata_profile *canonical = NULL;
    struct marks marks;
    bool has_memory;
    bool is_done;

    if (mpdata_profile_status(profile) != MPROF_E_OK)
        return mpdata_profile_status(profile);
    has_memory = mark_all(&marks, &view);
    is_done = has_memory && is_in_order(&view, &marks);
    if (has_memory && !is_done)
        canonical = make_canonical(profile, &marks);
    marks_fini(&marks);
    if (is_done) {
        mpdata_profile_order_runs(profile);
        return MPROF_E_OK;
    }
    if (canonical == NULL)
        return MPROF_E_NOMEM;
    mpdata_profile_swap(profile, canonical);
    mpdata_profile_free(canonical);
    return MPROF_E_OK;
}
