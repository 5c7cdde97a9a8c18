/* profile.c -- the profile's arrays: interning, contexts, views.
 *
 * Every kind of row is a set that kinds[] describes. Ids are row numbers, so
 * equal things have equal ids and later tables compare numbers. Nodes are pairs
 * of numbers; a context is found through its node.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/profile_store.h"
#include "profdata/base/arena.h"
#include "profdata/base/pairs.h"
#include "profdata/model/tagged.h"
#include "profdata/model/runs.h"
#include "profdata/base/set.h"
#include "profdata/base/str.h"
#include "shared/index_format.h"
#include "shared/type_format.h"

#include <stdlib.h>
#include <string.h>

#define ENTRY_LINE_MAX ((UINT32_C(1) << MPROF_PLACE_LINE_BITS) - 1)

/* Owners of nodes are cleared this many ahead. */
#define OWNERS_AT_ONCE 1024

enum kind {
    KIND_STRING,
    KIND_PATH,
    KIND_FUNCTION,
    KIND_ENTRY,
    KIND_BINARY,
    KIND_DETAIL,
    KINDS
};

struct mpdata_profile {
    enum mprof_err status;
    struct mpdata_arena arena; /* bytes of strings */
    struct mpdata_set stores[KINDS];
    struct mpdata_pairs nodes;  /* struct mpdata_node */
    struct mpdata_vec contexts; /* struct mpdata_context */
    struct mpdata_mib_bases mib_bases;
    struct mpdata_vec owners; /* uint32_t: context + 1, by node ref */
    bool has_cells;           /* some contexts own words */
    struct mpdata_tagged_rows tagged_rows;
    struct mpdata_runs runs;
    struct mpdata_vec series; /* struct mpdata_series */
};

#define ALL(type)                  \
    {                              \
        sizeof(type), sizeof(type) \
    }
#define UP_TO(type, member)                        \
    {                                              \
        MPDATA_SET_KEY(type, member), sizeof(type) \
    }
static const struct {
    uint32_t key_bytes;
    uint32_t row_bytes;
} kinds[KINDS] = {
    [KIND_STRING] = {MPDATA_SET_BY_TEXT, sizeof(struct mpdata_str)},
    [KIND_PATH] = ALL(struct mpdata_path),
    [KIND_FUNCTION] = UP_TO(struct mpdata_function, line),
    [KIND_ENTRY] = UP_TO(struct mpdata_frame, binary),
    [KIND_BINARY] = UP_TO(struct mpdata_binary, build_id),
    [KIND_DETAIL] = UP_TO(struct mpdata_detail, key),
};

static void init_store(struct mpdata_profile *profile, int kind)
{
    mpdata_set_init(&profile->stores[kind], kinds[kind].key_bytes,
                    kinds[kind].row_bytes);
}

static void *fail(struct mpdata_profile *profile, enum mprof_err err)
{
    if (profile->status == MPROF_E_OK)
        profile->status = err;
    return NULL;
}

/* Fails because a row could not be added. */
static void *fail_rows(struct mpdata_profile *profile,
                       const struct mpdata_vec *rows)
{
    return fail(profile, rows->count == MPDATA_VEC_ROWS_MAX ? MPROF_E_LIMIT
                                                            : MPROF_E_NOMEM);
}

/* Returns the row that equals key: an existing one or a new copy of *key;
 * *is_new tells which. NULL after a failure. */
static void *intern(struct mpdata_profile *profile, enum kind kind,
                    const void *key, bool *is_new)
{
    struct mpdata_set *store = &profile->stores[kind];
    uint32_t ref;

    *is_new = false;
    if (profile->status != MPROF_E_OK)
        return NULL;
    ref = mpdata_set_add(store, key, is_new);
    if (ref == 0)
        return fail_rows(profile, &store->rows);
    return (uint8_t *)store->rows.data +
           (size_t)(ref - 1) * store->rows.elem_bytes;
}

static mpdata_ref intern_ref(struct mpdata_profile *profile, enum kind kind,
                             const void *key)
{
    bool is_new;
    const uint8_t *row = intern(profile, kind, key, &is_new);
    const struct mpdata_vec *rows = &profile->stores[kind].rows;

    if (row == NULL)
        return 0;
    return (mpdata_ref)((size_t)(row - (const uint8_t *)rows->data) /
                            rows->elem_bytes +
                        1);
}

struct mpdata_profile *mpdata_profile_new(void)
{
    struct mpdata_profile *profile = calloc(1, sizeof(*profile));

    if (profile == NULL)
        return NULL;
    for (int kind = 0; kind < KINDS; kind++)
        init_store(profile, kind);
    mpdata_pairs_init(&profile->nodes);
    mpdata_runs_init(&profile->runs);
    mpdata_series_init(&profile->series);
    profile->contexts.elem_bytes = sizeof(struct mpdata_context);
    profile->owners.elem_bytes = sizeof(uint32_t);
    if (!mpdata_packed_mib_bases_init(&profile->mib_bases))
        fail(profile, MPROF_E_NOMEM);
    if (!mpdata_tagged_rows_init(&profile->tagged_rows))
        fail(profile, MPROF_E_NOMEM);
    mpdata_profile_string(profile, "", 0);
    if (profile->status != MPROF_E_OK) {
        mpdata_profile_free(profile);
        return NULL;
    }
    return profile;
}

static void release(struct mpdata_profile *profile)
{
    struct mpdata_context *const contexts = profile->contexts.data;

    for (uint32_t i = 0; i < profile->contexts.count; i++)
        mpdata_packed_mib_free(&contexts[i].mib);
    for (uint32_t i = 0; profile->has_cells && i < profile->contexts.count; i++)
        free(contexts[i].cells.words);
    for (int kind = 0; kind < KINDS; kind++)
        mpdata_set_fini(&profile->stores[kind]);
    mpdata_pairs_fini(&profile->nodes);
    mpdata_vec_fini(&profile->contexts);
    mpdata_packed_mib_bases_fini(&profile->mib_bases);
    mpdata_vec_fini(&profile->owners);
    mpdata_tagged_rows_fini(&profile->tagged_rows);
    mpdata_runs_fini(&profile->runs);
    mpdata_series_fini(&profile->series);
    mpdata_arena_fini(&profile->arena);
}

void mpdata_profile_free(struct mpdata_profile *profile)
{
    if (profile == NULL)
        return;
    release(profile);
    free(profile);
}

enum mprof_err mpdata_profile_status(const struct mpdata_profile *profile)
{
    return profile->status;
}

struct mpdata_view mpdata_profile_view(const struct mpdata_profile *profile)
{
    const struct mpdata_set *s = profile->stores;

    return (struct mpdata_view){
        .strings = s[KIND_STRING].rows.data,
        .paths = s[KIND_PATH].rows.data,
        .functions = s[KIND_FUNCTION].rows.data,
        .frames = s[KIND_ENTRY].rows.data,
        .nodes = profile->nodes.rows.data,
        .contexts = profile->contexts.data,
        .mib_bases = profile->mib_bases.rows.data,
        .tagged_rows = profile->tagged_rows.set.rows.data,
        .tagged_bases = profile->tagged_rows.bases.rows.data,
        .binaries = s[KIND_BINARY].rows.data,
        .runs = profile->runs.rows.data,
        .details = s[KIND_DETAIL].rows.data,
        .series = profile->series.data,
        .string_count = s[KIND_STRING].rows.count,
        .path_count = s[KIND_PATH].rows.count,
        .function_count = s[KIND_FUNCTION].rows.count,
        .frame_count = s[KIND_ENTRY].rows.count,
        .node_count = profile->nodes.rows.count,
        .context_count = profile->contexts.count,
        .tagged_count = profile->tagged_rows.set.rows.count,
        .binary_count = s[KIND_BINARY].rows.count,
        .run_count = profile->runs.rows.count,
        .detail_count = s[KIND_DETAIL].rows.count,
        .series_count = profile->series.count,
    };
}

uint32_t *mpdata_profile_depths(const struct mpdata_view *view)
{
    uint32_t *const depths =
        mpdata_vec_array(view->node_count + UINT64_C(1), sizeof(*depths));

    /* Parents come before their children. */
    for (uint32_t i = 0; depths != NULL && i < view->node_count; i++)
        depths[i + 1] = depths[view->nodes[i].parent] + 1;
    return depths;
}

struct mprof_mib mpdata_profile_totals(const struct mpdata_view *view)
{
    struct mprof_mib totals = {.AllocCount = 0};

    for (uint32_t i = 0; i < view->context_count; i++) {
        const struct mprof_mib mib = mpdata_view_mib(view, i);

        mprof_mib_merge(&totals, &mib);
    }
    return totals;
}

mpdata_string mpdata_profile_string(struct mpdata_profile *profile,
                                    const void *bytes, size_t size)
{
    struct mpdata_str key = {.bytes = bytes, .size = size};
    struct mpdata_str *row;
    bool is_new;
    char *copy;

    row = intern(profile, KIND_STRING, &key, &is_new);
    if (row == NULL)
        return 0;
    if (is_new) {
        copy = size < SIZE_MAX ? mpdata_arena_alloc(&profile->arena, size + 1)
                               : NULL;
        if (copy == NULL) {
            /* The row stays as an empty string with a wrong hash; after the
             * failure nothing can be added any more. */
            *row = (struct mpdata_str){.bytes = "", .size = 0};
            fail(profile, MPROF_E_NOMEM);
            return 0;
        }
        if (size != 0)
            memcpy(copy, bytes, size);
        copy[size] = '\0';
        row->bytes = copy;
    }
    return (mpdata_string)(row -
                           (struct mpdata_str *)profile->stores[KIND_STRING]
                               .rows.data);
}

mpdata_ref mpdata_profile_path_node(struct mpdata_profile *profile,
                                    const struct mpdata_path *path)
{
    return intern_ref(profile, KIND_PATH, path);
}

mpdata_ref mpdata_profile_path(struct mpdata_profile *profile, const char *path,
                               size_t size)
{
    struct mpdata_path node = {.parent = 0};
    size_t end;

    if (size != 0 && path[0] == '/') {
        node.name = mpdata_profile_string(profile, "/", 1);
        node.parent = mpdata_profile_path_node(profile, &node);
    }
    for (size_t start = 0; start < size; start = end + 1) {
        const char *slash = memchr(path + start, '/', size - start);

        end = slash != NULL ? (size_t)(slash - path) : size;
        if (end == start)
            continue;
        node.name = mpdata_profile_string(profile, path + start, end - start);
        node.parent = mpdata_profile_path_node(profile, &node);
    }
    return profile->status == MPROF_E_OK ? node.parent : 0;
}

mpdata_ref mpdata_profile_function(struct mpdata_profile *profile,
                                   const struct mpdata_function *function)
{
    return intern_ref(profile, KIND_FUNCTION, function);
}

/* Joins a type's fields of two profiles: the known ones, or a mark. */
static mpdata_string join_fields(struct mpdata_profile *profile,
                                 mpdata_string a, mpdata_string b)
{
    if (a == b || b == 0)
        return a;
    return a == 0 ? b
                  : mpdata_profile_string(profile, MPROF_TYPE_FIELDS_SEVERAL,
                                          strlen(MPROF_TYPE_FIELDS_SEVERAL));
}

/* Keeps the type that comes last by name, then by size. */
static void take_type(struct mpdata_profile *profile, mpdata_ref ref,
                      const struct mpdata_frame *frame)
{
    const struct mpdata_str *const strings =
        profile->stores[KIND_STRING].rows.data;
    struct mpdata_frame *const row =
        (struct mpdata_frame *)profile->stores[KIND_ENTRY].rows.data + ref - 1;
    const int order =
        mpdata_str_compare(&strings[frame->type], &strings[row->type]);

    if (order < 0 || (order == 0 && frame->type_bytes < row->type_bytes))
        return;
    row->type_fields =
        order == 0 && frame->type_bytes == row->type_bytes
            ? join_fields(profile, row->type_fields, frame->type_fields)
            : frame->type_fields;
    row->type = frame->type;
    row->type_bytes = frame->type_bytes;
}

mpdata_ref mpdata_profile_frame(struct mpdata_profile *profile,
                                const struct mpdata_frame *frame)
{
    struct mpdata_frame key = *frame;
    mpdata_ref ref;

    /* The file has 24 bits for the line; saturating here makes the frame equal
     * before and after it is written. */
    if (key.line > ENTRY_LINE_MAX)
        key.line = ENTRY_LINE_MAX;
    ref = intern_ref(profile, KIND_ENTRY, &key);
    if (ref != 0 && key.type != 0)
        take_type(profile, ref, &key);
    return ref;
}

mpdata_ref mpdata_profile_node(struct mpdata_profile *profile,
                               mpdata_ref parent, mpdata_ref frame)
{
    uint32_t ref;

    if (frame == 0 || profile->status != MPROF_E_OK)
        return 0;
    ref = mpdata_pairs_add(&profile->nodes, parent, frame - 1);
    if (ref == 0)
        fail_rows(profile, &profile->nodes.rows);
    return ref;
}

mpdata_ref mpdata_profile_binary(struct mpdata_profile *profile,
                                 const struct mpdata_binary *binary)
{
    const mpdata_ref ref = intern_ref(profile, KIND_BINARY, binary);

    if (ref != 0)
        ((struct mpdata_binary *)profile->stores[KIND_BINARY]
             .rows.data)[ref - 1]
            .flags |= binary->flags;
    return ref;
}

void mpdata_profile_run(struct mpdata_profile *profile,
                        const struct mpdata_run *run)
{
    if (profile->status == MPROF_E_OK && !mpdata_runs_add(&profile->runs, run))
        fail(profile, MPROF_E_NOMEM);
}

void mpdata_profile_detail(struct mpdata_profile *profile,
                           const struct mpdata_detail *detail)
{
    struct mpdata_detail *row;
    bool is_new;

    if (detail->count == 0)
        return;
    row = intern(profile, KIND_DETAIL, detail, &is_new);
    if (row == NULL || is_new)
        return;
    row->count = mprof_add_sat_u64(row->count, detail->count);
    row->bytes = mprof_add_sat_u64(row->bytes, detail->bytes);
}

void mpdata_profile_series(struct mpdata_profile *profile,
                           const struct mpdata_series *series)
{
    if (profile->status == MPROF_E_OK &&
        (series->samples == NULL || series->marks == NULL ||
         !mpdata_series_add(&profile->series, series)))
        fail(profile, MPROF_E_NOMEM);
}

/* Adds the bucket that the MIB alone determines for a kind; the merged MIB will
 * not determine it. */
static void add_only(struct mpdata_profile *profile, mpdata_ref node,
                     uint32_t kind, const struct mprof_mib *mib)
{
    const uint32_t bucket = mprof_detail_only(mib, kind);

    if (bucket != MPROF_DETAIL_BUCKETS)
        mpdata_profile_detail(
            profile, &(struct mpdata_detail){.node = node,
                                             .kind = kind,
                                             .key = bucket,
                                             .count = mib->AllocCount});
}

static void add_only_of(struct mpdata_profile *profile, mpdata_ref node,
                        const struct mprof_mib *a, const struct mprof_mib *b)
{
    static const uint32_t bucket_kinds[] = {MPROF_DETAIL_SIZE,
                                            MPROF_DETAIL_LIFETIME};
    struct mprof_mib sum = *a;

    mprof_mib_merge(&sum, b);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(bucket_kinds); i++) {
        if (mprof_detail_only(&sum, bucket_kinds[i]) != MPROF_DETAIL_BUCKETS)
            continue;
        add_only(profile, node, bucket_kinds[i], a);
        add_only(profile, node, bucket_kinds[i], b);
    }
}

/* Adds a histogram of cells after *context's MIB has been merged; had_size is
 * the size of its histogram before. A histogram of only some blocks would
 * mislead, so a size without a histogram removes it for good, which makes
 * merging associative. */
static void add_cells(struct mpdata_profile *profile,
                      struct mpdata_context *context, uint64_t had_size,
                      struct mpdata_cells cells)
{
    struct mpdata_cells sum = MPDATA_CELLS_NONE;

    if (cells.words != NULL && context->cells.words != NULL &&
        mpdata_cells_add_within(context->cells, cells))
        return;
    if (cells.words != NULL && had_size == 0)
        sum = mpdata_cells_copy(cells);
    else if (cells.words != NULL && context->cells.words != NULL)
        sum = mpdata_cells_sum(context->cells, cells);
    else
        cells = MPDATA_CELLS_NONE;
    if (cells.words != NULL && sum.words == NULL)
        fail(profile, MPROF_E_NOMEM);
    free(context->cells.words);
    context->cells = sum;
    profile->has_cells |= sum.words != NULL;
}

/* Makes room for the owner of each node; new nodes have none. An empty list is
 * first filled from the contexts. Memory beyond the rows stays untouched until
 * it is needed. */
static bool reserve_owners(struct mpdata_profile *profile)
{
    struct mpdata_vec *owners = &profile->owners;
    const struct mpdata_context *rows = profile->contexts.data;
    const uint32_t had = owners->count;
    const uint64_t needed = (uint64_t)profile->nodes.rows.count + 1;

    if (had >= needed)
        return true;
    if (needed > owners->capacity &&
        !mpdata_vec_reserve(
            owners,
            (uint32_t)mprof_min_u64(needed + needed / 2, MPDATA_VEC_ROWS_MAX)))
        return false;
    owners->count =
        (uint32_t)mprof_min_u64(needed + OWNERS_AT_ONCE, owners->capacity);
    memset((uint32_t *)owners->data + had, 0,
           (size_t)(owners->count - had) * sizeof(uint32_t));
    for (uint32_t i = 0; had == 0 && i < profile->contexts.count; i++)
        ((uint32_t *)owners->data)[rows[i].node] = i + 1;
    return true;
}

/* Finds or makes the context of a node; NULL after a failure. */
static struct mpdata_context *find_context(struct mpdata_profile *profile,
                                           mpdata_ref node)
{
    struct mpdata_context *row;
    uint32_t *owner;

    if (profile->status != MPROF_E_OK)
        return NULL;
    if (!reserve_owners(profile))
        return fail(profile, MPROF_E_NOMEM);
    owner = (uint32_t *)profile->owners.data + node;
    if (*owner != 0)
        return (struct mpdata_context *)profile->contexts.data + *owner - 1;
    row = mpdata_vec_push(&profile->contexts);
    if (row == NULL)
        return fail_rows(profile, &profile->contexts);
    row->node = node;
    *owner = profile->contexts.count;
    return row;
}

/* Adds more blocks to a context. */
static void add_blocks(struct mpdata_profile *profile,
                       struct mpdata_context *row, const struct mprof_mib *mib,
                       struct mpdata_cells cells)
{
    uint64_t cells_before = 0;

    if (mib->AllocCount == 0)
        return;
    if (!mpdata_packed_mib_is_empty(&row->mib)) {
        const struct mprof_mib before =
            mpdata_packed_mib_get(&row->mib, profile->mib_bases.rows.data);

        add_only_of(profile, row->node, &before, mib);
        cells_before = before.AccessHistogramSize;
    }
    if (!mpdata_packed_mib_merge(&row->mib, &profile->mib_bases, mib))
        fail(profile, MPROF_E_NOMEM);
    if (mib->AccessHistogramSize != 0)
        add_cells(profile, row, cells_before, cells);
}

void mpdata_profile_tagged(struct mpdata_profile *profile,
                           const struct mpdata_tagged *key,
                           const struct mprof_mib *mib)
{
    if (profile->status == MPROF_E_OK && mib->AllocCount != 0 &&
        !mpdata_tagged_rows_add(&profile->tagged_rows, key, mib))
        fail_rows(profile, &profile->tagged_rows.set.rows);
}

void mpdata_profile_context(struct mpdata_profile *profile, mpdata_ref node,
                            uint32_t flags, const struct mprof_mib *mib,
                            struct mpdata_cells cells)
{
    struct mpdata_context *row = find_context(profile, node);

    if (row == NULL)
        return;
    row->flags |= flags;
    add_blocks(profile, row, mib, cells);
}

void mpdata_profile_context_append(struct mpdata_profile *profile,
                                   mpdata_ref node, uint32_t flags,
                                   const struct mprof_mib *mib,
                                   struct mpdata_cells cells)
{
    struct mpdata_context *row;

    if (profile->status != MPROF_E_OK)
        return;
    row = mpdata_vec_push(&profile->contexts);
    if (row == NULL) {
        fail_rows(profile, &profile->contexts);
        return;
    }
    /* The owners are listed again when needed. */
    profile->owners.count = 0;
    row->node = node;
    row->flags = flags;
    add_blocks(profile, row, mib, cells);
}

void mpdata_profile_reserve_nodes(struct mpdata_profile *profile,
                                  uint32_t count)
{
    if (!mpdata_vec_reserve(&profile->nodes.rows, count))
        fail(profile, MPROF_E_NOMEM);
}

mpdata_ref mpdata_profile_node_append(struct mpdata_profile *profile,
                                      mpdata_ref parent, mpdata_ref frame)
{
    const uint32_t ref =
        profile->status == MPROF_E_OK
            ? mpdata_pairs_append(&profile->nodes, parent, frame - 1)
            : 0;

    if (ref == 0)
        fail_rows(profile, &profile->nodes.rows);
    return ref;
}

/* Moves rows[order[i]] to i along cycles; marks finished rows in order[]. */
static void permute(struct mpdata_context *rows, uint32_t *order,
                    uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct mpdata_context first = rows[i];
        uint32_t at = i;

        while (order[at] != i) {
            const uint32_t next = order[at];

            rows[at] = rows[next];
            order[at] = at;
            at = next;
        }
        rows[at] = first;
        order[at] = at;
    }
}

void mpdata_profile_take_contexts(struct mpdata_profile *into,
                                  struct mpdata_profile *from, uint32_t *order,
                                  const mpdata_ref *nodes)
{
    struct mpdata_context *rows;

    if (mpdata_profile_status(from) != MPROF_E_OK)
        fail(into, mpdata_profile_status(from));
    into->contexts = from->contexts;
    from->contexts = (struct mpdata_vec){.elem_bytes = sizeof(*rows)};
    mpdata_packed_mib_bases_fini(&into->mib_bases);
    into->mib_bases = from->mib_bases;
    from->mib_bases = (struct mpdata_mib_bases){.far_count = 0};
    into->has_cells = from->has_cells;
    mpdata_arena_splice(&into->arena, &from->arena);
    rows = into->contexts.data;
    permute(rows, order, into->contexts.count);
    for (uint32_t i = 0; i < into->contexts.count; i++)
        rows[i].node = mpdata_profile_map_ref(nodes, rows[i].node);
}

void mpdata_profile_keep_contexts(struct mpdata_profile *profile,
                                  const uint8_t *keep)
{
    struct mpdata_context *const rows = profile->contexts.data;
    const uint32_t count = profile->contexts.count;

    profile->contexts.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (keep[i]) {
            rows[profile->contexts.count++] = rows[i];
            continue;
        }
        mpdata_packed_mib_free(&rows[i].mib);
        if (profile->has_cells)
            free(rows[i].cells.words);
    }
    mpdata_vec_fini(&profile->owners);
}

void mpdata_profile_keep_tagged(struct mpdata_profile *profile,
                                const uint8_t *keep)
{
    struct mpdata_set *const set = &profile->tagged_rows.set;
    struct mpdata_tagged *const rows = set->rows.data;
    const uint32_t count = set->rows.count;

    set->rows.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (keep[i])
            rows[set->rows.count++] = rows[i];
        else
            mpdata_packed_mib_free(&rows[i].mib);
    }
    mpdata_map_fini(&set->map);
}

void mpdata_profile_drop_details(struct mpdata_profile *profile)
{
    mpdata_set_fini(&profile->stores[KIND_DETAIL]);
    init_store(profile, KIND_DETAIL);
}

int mpdata_profile_compare_details(const void *left, const void *right)
{
    const struct mpdata_detail *a = left;
    const struct mpdata_detail *b = right;

    if (a->node != b->node)
        return mprof_compare_u64(a->node, b->node);
    if (a->kind != b->kind)
        return mprof_compare_u64(a->kind, b->kind);
    return mprof_compare_u64(a->key, b->key);
}

/* Calls `map` for each ref of a call stack. */
static void each_stack(struct mpdata_profile *profile,
                       void (*map)(mpdata_ref *ref, mpdata_ref *refs),
                       mpdata_ref *refs)
{
    struct mpdata_context *const contexts = profile->contexts.data;
    struct mpdata_set *const details = &profile->stores[KIND_DETAIL];
    struct mpdata_tagged *const tagged_rows =
        profile->tagged_rows.set.rows.data;

    for (uint32_t i = 0; i < profile->contexts.count; i++)
        map(&contexts[i].node, refs);
    for (uint32_t i = 0; i < details->rows.count; i++) {
        struct mpdata_detail *const detail =
            (struct mpdata_detail *)details->rows.data + i;

        map(&detail->node, refs);
        if (mprof_detail_is_stack(detail->kind))
            map(&detail->key, refs);
    }
    for (uint32_t i = 0; i < profile->tagged_rows.set.rows.count; i++)
        map(&tagged_rows[i].node, refs);
}

static void map_ref(mpdata_ref *ref, mpdata_ref *refs)
{
    *ref = refs[*ref];
}

static void mark_ref(mpdata_ref *ref, mpdata_ref *refs)
{
    refs[*ref] = 1;
}

bool mpdata_profile_reparent(struct mpdata_profile *profile,
                             mpdata_ref *callers, mpdata_ref *leaves)
{
    struct mpdata_node *const nodes = profile->nodes.rows.data;
    const uint32_t count = profile->nodes.rows.count;
    mpdata_ref *const refs = mpdata_vec_array((size_t)count + 1, sizeof(*refs));
    uint32_t kept = 0;

    if (refs == NULL)
        return false;
    each_stack(profile, map_ref, leaves);
    each_stack(profile, mark_ref, refs);
    for (uint32_t i = 0; i < count; i++)
        nodes[i].parent = callers[nodes[i].parent];
    for (uint32_t i = count; i-- > 0;)
        if (refs[i + 1] != 0)
            refs[nodes[i].parent] = 1;
    refs[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (refs[i + 1] == 0)
            continue;
        nodes[kept].frame = nodes[i].frame;
        nodes[kept].parent = refs[nodes[i].parent];
        refs[i + 1] = ++kept;
    }
    profile->nodes.rows.count = kept;
    each_stack(profile, map_ref, refs);
    free(refs);
    mpdata_profile_seal(profile);
    mpdata_profile_order_details(profile);
    return true;
}

void mpdata_profile_seal(struct mpdata_profile *profile)
{
    for (int kind = 0; kind < KINDS; kind++)
        mpdata_map_fini(&profile->stores[kind].map);
    mpdata_pairs_seal(&profile->nodes);
    mpdata_vec_fini(&profile->owners);
    mpdata_map_fini(&profile->tagged_rows.set.map);
    mpdata_runs_seal(&profile->runs);
}

void mpdata_profile_order_details(struct mpdata_profile *profile)
{
    struct mpdata_set *const details = &profile->stores[KIND_DETAIL];

    mpdata_map_fini(&details->map);
    if (details->rows.count != 0)
        qsort(details->rows.data, details->rows.count,
              sizeof(struct mpdata_detail), mpdata_profile_compare_details);
}

struct mpdata_run *mpdata_profile_take_runs(struct mpdata_profile *into,
                                            struct mpdata_profile *owner)
{
    struct mpdata_runs *const runs = &into->runs;

    mpdata_runs_fini(runs);
    *runs = owner->runs;
    mpdata_runs_init(&owner->runs);
    return mpdata_vec_reserve(&runs->rows, runs->rows.count + 1)
               ? (struct mpdata_run *)runs->rows.data
               : NULL;
}

void mpdata_profile_order_runs(struct mpdata_profile *profile)
{
    mpdata_runs_canonical(&profile->runs);
}

void mpdata_profile_swap(struct mpdata_profile *a, struct mpdata_profile *b)
{
    const struct mpdata_profile was = *a;

    *a = *b;
    *b = was;
}

char *mpdata_profile_path_string(const struct mpdata_profile *profile,
                                 mpdata_ref path, size_t *size_out)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    size_t size = 0;
    size_t bytes;
    char *out;
    char *end;

    for (mpdata_ref p = path; p != 0; p = view.paths[p - 1].parent) {
        const size_t part = view.strings[view.paths[p - 1].name].size + 1;

        if (__builtin_add_overflow(size, part, &size))
            return NULL;
    }
    out = malloc(size + 1);
    if (out == NULL)
        return NULL;
    end = out += size;
    *out = '\0';
    for (mpdata_ref p = path; p != 0; p = view.paths[p - 1].parent) {
        const struct mpdata_str *name = &view.strings[view.paths[p - 1].name];
        const bool is_root = name->size == 1 && name->bytes[0] == '/';

        if (p != path && !is_root)
            *--out = '/';
        out -= name->size;
        memcpy(out, name->bytes, name->size);
        size -= name->size + (p != path && !is_root);
    }
    bytes = (size_t)(end - out);
    if (size_out != NULL)
        *size_out = bytes;
    return memmove(out - size, out, bytes + 1);
}
