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
#include "profdata/base/tree.h"
#include "profdata/base/vec.h"

#include <stdlib.h>
#include <string.h>

/* Kinds of which a profile keeps only what is reached, by one byte per row. */
static const enum mpdata_kind reached[] = {MPDATA_KIND_STRING, MPDATA_KIND_PATH,
                                           MPDATA_KIND_FUNCTION,
                                           MPDATA_KIND_FRAME, MPDATA_KIND_NODE};

static void mark_nodes(const struct mpdata_view *view,
                       uint8_t *const marks[MPDATA_KINDS])
{
    uint8_t *const nodes = marks[MPDATA_KIND_NODE];

    for (uint32_t i = 0; i < view->context_count; i++) {
        if (view->contexts[i].node != 0)
            nodes[view->contexts[i].node - 1] = 1;
    }
    for (uint32_t i = view->node_count; i-- > 0;) {
        if (!nodes[i])
            continue;
        if (view->nodes[i].parent != 0)
            nodes[view->nodes[i].parent - 1] = 1;
        marks[MPDATA_KIND_FRAME][view->nodes[i].frame] = 1;
    }
}

/* Marks all reached rows. False when out of memory; the marks are to be freed
 * in any case. */
static bool mark_all(const struct mpdata_view *view,
                     uint8_t *marks[MPDATA_KINDS])
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(reached); i++) {
        marks[reached[i]] =
            mpdata_vec_array(mpdata_profile_rows_of(view, reached[i]).count, 1);
        if (marks[reached[i]] == NULL)
            return false;
    }
    mpdata_profile_rows_mark(view, MPDATA_KIND_DETAIL, marks);
    mpdata_profile_rows_mark(view, MPDATA_KIND_TAGGED, marks);
    mpdata_profile_rows_mark(view, MPDATA_KIND_RUN, marks);
    mpdata_profile_rows_mark(view, MPDATA_KIND_BINARY, marks);
    mark_nodes(view, marks);
    mpdata_profile_rows_mark(view, MPDATA_KIND_FRAME, marks);
    mpdata_profile_rows_mark(view, MPDATA_KIND_FUNCTION, marks);
    mpdata_profile_rows_mark(view, MPDATA_KIND_PATH, marks);
    marks[MPDATA_KIND_STRING][0] = 1;
    for (uint32_t i = 0; i < view->series_count; i++) {
        const struct mpdata_series *const series = &view->series[i];

        for (uint32_t k = 0; k < series->mark_count; k++)
            marks[MPDATA_KIND_STRING][series->marks[k].name] = 1;
    }
    return true;
}

struct context_key {
    uint64_t total_size;
    uint64_t alloc_count;
    mpdata_ref node; /* of the new profile: in preorder, so nodes compare like
                      * their stacks from the root */
    uint32_t index;
};

MPROF_COMPARATOR(compare_contexts, struct context_key,
                 MPROF_DOWN(total_size) ?: MPROF_DOWN(alloc_count)
                 ?: MPROF_UP(node))

/* Adds the marked rows of a kind, or all without marks, in order, and fills the
 * map. Adding a row again returns its new id and changes nothing. */
static bool add_rows(struct mpdata_profile_map *map, const uint8_t *marks,
                     enum mpdata_kind kind)
{
    const struct mpdata_rows from = mpdata_profile_rows_of(&map->from, kind);
    uint8_t *const rows = mpdata_vec_array(from.count, from.row_bytes);
    union mpdata_row row;
    size_t n = 0;

    if (rows == NULL)
        return false;
    for (uint32_t i = 0; i < from.count; i++) {
        if (marks == NULL || marks[i])
            mpdata_profile_merge_row(map, kind, i, rows + n++ * from.row_bytes);
    }
    qsort_r(rows, n, from.row_bytes, mpdata_profile_rows_compare, &kind);
    for (size_t i = 0; i < n; i++)
        mpdata_profile_add(map->into, kind, rows + i * from.row_bytes);
    for (uint32_t i = 0; i < from.count; i++) {
        if (marks != NULL && !marks[i])
            continue;
        mpdata_profile_merge_row(map, kind, i, &row);
        map->ids[kind][i] = mpdata_profile_add(map->into, kind, &row);
    }
    free(rows);
    return true;
}

static bool add_paths(struct mpdata_profile_map *map, const uint8_t *marks)
{
    const uint32_t *const strings = map->ids[MPDATA_KIND_STRING];
    const uint32_t count = map->from.path_count;
    uint32_t *parents = mpdata_vec_array(count, sizeof(*parents));
    uint32_t *keys = mpdata_vec_array(count, sizeof(*keys));
    uint32_t *order = mpdata_vec_array(count, sizeof(*order));
    uint32_t n = UINT32_MAX;

    if (parents == NULL || keys == NULL || order == NULL)
        goto out;
    for (uint32_t i = 0; i < count; i++) {
        parents[i] = map->from.paths[i].parent;
        keys[i] =
            marks[i] ? strings[map->from.paths[i].name] : MPDATA_TREE_SKIP;
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
        struct mpdata_path path;

        mpdata_profile_merge_row(map, MPDATA_KIND_PATH, order[i], &path);
        map->ids[MPDATA_KIND_PATH][order[i]] =
            mpdata_profile_path_node(map->into, &path);
    }
out:
    free(order);
    free(keys);
    free(parents);
    return n != UINT32_MAX;
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
                          const uint8_t *marks)
{
    const mpdata_ref *const frames = map->ids[MPDATA_KIND_FRAME];
    mpdata_ref last = 0;

    for (uint32_t i = 0; i < map->from.frame_count; i++) {
        if (!marks[i])
            continue;
        if (frames[i] <= last)
            return false;
        last = frames[i];
    }
    return true;
}

static void append_node(struct mpdata_profile_map *map, uint32_t i)
{
    const struct mpdata_node *const node = &map->from.nodes[i];
    mpdata_ref *const ids = map->ids[MPDATA_KIND_NODE];

    ids[i] = mpdata_profile_node_append(
        map->into, mpdata_profile_map_ref(ids, node->parent),
        map->ids[MPDATA_KIND_FRAME][node->frame]);
}

/* A subset of nodes in preorder is in preorder, too. */
static void add_nodes_as_they_are(struct mpdata_profile_map *map,
                                  const uint8_t *marks)
{
    for (uint32_t i = 0; i < map->from.node_count; i++) {
        if (marks[i])
            append_node(map, i);
    }
}

static bool add_nodes(struct mpdata_profile_map *map,
                      uint8_t *const marks[MPDATA_KINDS])
{
    const mpdata_ref *const frames = map->ids[MPDATA_KIND_FRAME];
    const struct mpdata_node *nodes = map->from.nodes;
    const uint32_t count = map->from.node_count;
    uint32_t n = UINT32_MAX;
    uint32_t *keys;
    uint32_t *order;

    if (is_order_kept(map, marks[MPDATA_KIND_FRAME]) &&
        is_preorder(&map->from)) {
        add_nodes_as_they_are(map, marks[MPDATA_KIND_NODE]);
        return true;
    }
    keys = mpdata_vec_array(count, sizeof(*keys));
    order = mpdata_vec_array(count, sizeof(*order));
    if (keys == NULL || order == NULL)
        goto out;
    for (uint32_t i = 0; i < count; i++)
        keys[i] = marks[MPDATA_KIND_NODE][i] ? frames[nodes[i].frame] - 1
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
        rows[i].node =
            mpdata_profile_map_ref(map->ids[MPDATA_KIND_NODE], rows[i].node);
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
    mpdata_profile_take_contexts(map->into, owner, order,
                                 map->ids[MPDATA_KIND_NODE]);
    free(order);
    return true;
}

static void add_rest(struct mpdata_profile_map *map)
{
    for (uint32_t i = 0; i < map->from.detail_count; i++) {
        struct mpdata_detail detail;

        mpdata_profile_merge_row(map, MPDATA_KIND_DETAIL, i, &detail);
        mpdata_profile_detail(map->into, &detail);
    }
    mpdata_profile_order_details(map->into);
    mpdata_profile_merge_series(map);
}

static bool add_tagged_rows(struct mpdata_profile_map *map)
{
    const uint32_t count = map->from.tagged_count;
    struct mpdata_tagged *rows = mpdata_vec_array(count, sizeof(*rows));
    enum mpdata_kind kind = MPDATA_KIND_TAGGED;

    if (rows == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        mpdata_profile_merge_row(map, kind, i, &rows[i]);
    qsort_r(rows, count, sizeof(*rows), mpdata_profile_rows_compare, &kind);
    for (uint32_t i = 0; i < count; i++) {
        const struct mprof_mib mib =
            mpdata_packed_mib_get(&rows[i].mib, map->from.tagged_bases);

        mpdata_profile_tagged(map->into, &rows[i], &mib);
    }
    free(rows);
    return true;
}

/* Moves the runs and sorts them. */
static void add_runs(struct mpdata_profile_map *map,
                     struct mpdata_profile *owner)
{
    struct mpdata_runs *const runs = &map->into->runs;
    struct mpdata_run *rows;

    mpdata_runs_fini(runs);
    *runs = owner->runs;
    mpdata_runs_init(&owner->runs);
    rows = runs->rows.data;
    for (uint32_t i = 0; i < runs->rows.count; i++)
        mpdata_profile_rows_map(map, MPDATA_KIND_RUN, &rows[i]);
    mpdata_runs_canonical(runs);
}

static bool add_all(struct mpdata_profile_map *map,
                    uint8_t *const marks[MPDATA_KINDS],
                    struct mpdata_profile *owner)
{
    if (!add_rows(map, marks[MPDATA_KIND_STRING], MPDATA_KIND_STRING) ||
        !add_paths(map, marks[MPDATA_KIND_PATH]) ||
        !add_rows(map, NULL, MPDATA_KIND_BINARY) ||
        !add_rows(map, marks[MPDATA_KIND_FUNCTION], MPDATA_KIND_FUNCTION) ||
        !add_rows(map, marks[MPDATA_KIND_FRAME], MPDATA_KIND_FRAME) ||
        !add_nodes(map, marks))
        return false;
    add_runs(map, owner);
    if (!add_contexts(map, owner) || !add_tagged_rows(map))
        return false;
    add_rest(map);
    return mpdata_profile_status(map->into) == MPROF_E_OK;
}

/* Takes the contexts and runs from *profile. */
static struct mpdata_profile *make_canonical(struct mpdata_profile *profile,
                                             uint8_t *const marks[MPDATA_KINDS])
{
    struct mpdata_profile *into = mpdata_profile_new();
    struct mpdata_profile_map map = {.into = NULL};
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

/* -- is it canonical already? ---------------------------------------------- */

/* Binaries need not be reached: they are always kept. */
static bool is_all_reached(const struct mpdata_view *view,
                           uint8_t *const marks[MPDATA_KINDS])
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(reached); i++) {
        const uint32_t count = mpdata_profile_rows_of(view, reached[i]).count;

        if (count != 0 && memchr(marks[reached[i]], 0, count) != NULL)
            return false;
    }
    return true;
}

static bool is_ascending(const struct mpdata_view *view, enum mpdata_kind kind)
{
    const struct mpdata_rows rows = mpdata_profile_rows_of(view, kind);
    const uint8_t *row = rows.data;

    for (uint32_t i = 1; i < rows.count; i++, row += rows.row_bytes) {
        if (mpdata_profile_rows_compare(row, row + rows.row_bytes, &kind) >= 0)
            return false;
    }
    return true;
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
                        uint8_t *const marks[MPDATA_KINDS])
{
    bool is_so = is_all_reached(view, marks) && are_contexts_in_order(view) &&
                 is_preorder(view);

    for (int kind = MPDATA_KIND_SETS; kind-- > 0 && is_so;)
        is_so = is_ascending(view, (enum mpdata_kind)kind);
    return is_so;
}

enum mprof_err mpdata_profile_canonical_in_place(struct mpdata_profile *profile)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct mpdata_profile *canonical = NULL;
    uint8_t *marks[MPDATA_KINDS] = {NULL};

    if (mpdata_profile_status(profile) != MPROF_E_OK)
        return mpdata_profile_status(profile);
    bool has_memory = mark_all(&view, marks);
    bool is_done = has_memory && is_in_order(&view, marks);
    if (has_memory && !is_done)
        canonical = make_canonical(profile, marks);
    for (int kind = 0; kind < MPDATA_KINDS; kind++)
        free(marks[kind]);
    if (is_done) {
        mpdata_runs_canonical(&profile->runs);
        return MPROF_E_OK;
    }
    if (canonical == NULL)
        return MPROF_E_NOMEM;
    struct mpdata_profile was = *profile;
    *profile = *canonical;
    *canonical = was;
    mpdata_profile_free(canonical);
    return MPROF_E_OK;
}
