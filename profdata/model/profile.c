/* profile.c -- the profile's arrays: interning, views.
 *
 * Every kind of row is a set that kinds[] describes. Ids are row numbers, so
 * equal things have equal ids and later tables compare numbers. Nodes are pairs
 * of numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/profile_store.h"
#include "shared/index_format.h"
#include "shared/type_format.h"

#include <stdlib.h>
#include <string.h>

#define ENTRY_LINE_MAX ((UINT32_C(1) << MPROF_PLACE_LINE_BITS) - 1)

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
} kinds[MPDATA_KIND_SETS] = {
    [MPDATA_KIND_STRING] = {MPDATA_SET_BY_TEXT, sizeof(struct mpdata_str)},
    [MPDATA_KIND_PATH] = ALL(struct mpdata_path),
    [MPDATA_KIND_FUNCTION] = UP_TO(struct mpdata_function, line),
    [MPDATA_KIND_FRAME] = UP_TO(struct mpdata_frame, binary),
    [MPDATA_KIND_BINARY] = UP_TO(struct mpdata_binary, build_id),
    [MPDATA_KIND_DETAIL] = UP_TO(struct mpdata_detail, key),
    [MPDATA_KIND_TAGGED] = UP_TO(struct mpdata_tagged, node),
};

void *mpdata_profile_fail(struct mpdata_profile *profile, enum mprof_err err)
{
    if (profile->status == MPROF_E_OK)
        profile->status = err;
    return NULL;
}

void *mpdata_profile_fail_rows(struct mpdata_profile *profile,
                               const struct mpdata_vec *rows)
{
    return mpdata_profile_fail(profile, rows->count == MPDATA_VEC_ROWS_MAX
                                            ? MPROF_E_LIMIT
                                            : MPROF_E_NOMEM);
}

static void init_store(struct mpdata_profile *profile, int kind)
{
    mpdata_set_init(&profile->sets[kind], kinds[kind].key_bytes,
                    kinds[kind].row_bytes);
}

/* Returns the ref of the row that equals key: an existing one or a new copy of
 * *key; *is_new (may be NULL) tells which. 0 after a failure. */
static mpdata_ref intern(struct mpdata_profile *profile, enum mpdata_kind kind,
                         const void *key, bool *is_new)
{
    struct mpdata_set *store = &profile->sets[kind];

    if (profile->status != MPROF_E_OK)
        return 0;
    const mpdata_ref ref = mpdata_set_add(store, key, is_new);
    if (ref == 0)
        mpdata_profile_fail_rows(profile, &store->rows);
    return ref;
}

static void *row_at(const struct mpdata_profile *profile, enum mpdata_kind kind,
                    mpdata_ref ref)
{
    const struct mpdata_vec *const rows = &profile->sets[kind].rows;

    return (uint8_t *)rows->data + (size_t)(ref - 1) * rows->elem_bytes;
}

struct mpdata_profile *mpdata_profile_new(void)
{
    struct mpdata_profile *profile = calloc(1, sizeof(*profile));

    if (profile == NULL)
        return NULL;
    for (int kind = 0; kind < MPDATA_KIND_SETS; kind++)
        init_store(profile, kind);
    mpdata_pairs_init(&profile->nodes);
    mpdata_runs_init(&profile->runs);
    mpdata_series_init(&profile->series);
    profile->contexts.elem_bytes = sizeof(struct mpdata_context);
    profile->owners.elem_bytes = sizeof(uint32_t);
    if (!mpdata_packed_mib_bases_init(&profile->mib_bases) ||
        !mpdata_packed_mib_bases_init(&profile->tagged_bases))
        mpdata_profile_fail(profile, MPROF_E_NOMEM);
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
    struct mpdata_vec *const tagged = &profile->sets[MPDATA_KIND_TAGGED].rows;

    for (uint32_t i = 0; i < tagged->count; i++)
        mpdata_packed_mib_free(&((struct mpdata_tagged *)tagged->data)[i].mib);
    for (uint32_t i = 0; i < profile->contexts.count; i++)
        mpdata_packed_mib_free(&contexts[i].mib);
    for (uint32_t i = 0; profile->has_cells && i < profile->contexts.count; i++)
        free(contexts[i].cells.words);
    for (int kind = 0; kind < MPDATA_KIND_SETS; kind++)
        mpdata_set_fini(&profile->sets[kind]);
    mpdata_pairs_fini(&profile->nodes);
    mpdata_vec_fini(&profile->contexts);
    mpdata_packed_mib_bases_fini(&profile->mib_bases);
    mpdata_vec_fini(&profile->owners);
    mpdata_packed_mib_bases_fini(&profile->tagged_bases);
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
    const struct mpdata_set *s = profile->sets;

    return (struct mpdata_view){
        .strings = s[MPDATA_KIND_STRING].rows.data,
        .paths = s[MPDATA_KIND_PATH].rows.data,
        .functions = s[MPDATA_KIND_FUNCTION].rows.data,
        .frames = s[MPDATA_KIND_FRAME].rows.data,
        .nodes = profile->nodes.rows.data,
        .contexts = profile->contexts.data,
        .mib_bases = profile->mib_bases.rows.data,
        .tagged_rows = profile->sets[MPDATA_KIND_TAGGED].rows.data,
        .tagged_bases = profile->tagged_bases.rows.data,
        .binaries = s[MPDATA_KIND_BINARY].rows.data,
        .runs = profile->runs.rows.data,
        .details = s[MPDATA_KIND_DETAIL].rows.data,
        .series = profile->series.data,
        .string_count = s[MPDATA_KIND_STRING].rows.count,
        .path_count = s[MPDATA_KIND_PATH].rows.count,
        .function_count = s[MPDATA_KIND_FUNCTION].rows.count,
        .frame_count = s[MPDATA_KIND_FRAME].rows.count,
        .node_count = profile->nodes.rows.count,
        .context_count = profile->contexts.count,
        .tagged_count = profile->sets[MPDATA_KIND_TAGGED].rows.count,
        .binary_count = s[MPDATA_KIND_BINARY].rows.count,
        .run_count = profile->runs.rows.count,
        .detail_count = s[MPDATA_KIND_DETAIL].rows.count,
        .series_count = profile->series.count,
        .unit_cells = profile->has_accessed_cells ? profile->unit_cells : 0,
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
        const struct mprof_mib mib = mpdata_view_mib_of_8_bytes(view, i);

        mprof_mib_merge(&totals, &mib);
    }
    return totals;
}

mpdata_string mpdata_profile_string(struct mpdata_profile *profile,
                                    const void *bytes, size_t size)
{
    const struct mpdata_str key = {.bytes = bytes, .size = size};
    bool is_new;
    const mpdata_ref ref = intern(profile, MPDATA_KIND_STRING, &key, &is_new);

    if (ref == 0)
        return 0;
    if (is_new) {
        struct mpdata_str *const row = row_at(profile, MPDATA_KIND_STRING, ref);
        char *const copy = size < SIZE_MAX
                               ? mpdata_arena_alloc(&profile->arena, size + 1)
                               : NULL;

        /* If memory is out, the row stays as an empty string with a wrong hash;
         * after the failure nothing can be added any more. */
        *row = (struct mpdata_str){.bytes = ""};
        if (copy == NULL) {
            mpdata_profile_fail(profile, MPROF_E_NOMEM);
            return 0;
        }
        if (size != 0)
            memcpy(copy, bytes, size);
        copy[size] = '\0';
        *row = (struct mpdata_str){.bytes = copy, .size = size};
    }
    return ref - 1;
}

mpdata_ref mpdata_profile_path_node(struct mpdata_profile *profile,
                                    const struct mpdata_path *path)
{
    return intern(profile, MPDATA_KIND_PATH, path, NULL);
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
    const mpdata_ref ref =
        intern(profile, MPDATA_KIND_FUNCTION, function, NULL);

    if (ref != 0) {
        struct mpdata_function *const row =
            row_at(profile, MPDATA_KIND_FUNCTION, ref);

        row->newest_ns = mprof_max_u64(row->newest_ns, function->newest_ns);
    }
    return ref;
}

/* A type's fields without their types: "0+4 n:int;4+4 k" as "0+4 n;4+4 k". */
static mpdata_string plain_fields(struct mpdata_profile *profile,
                                  mpdata_string fields)
{
    const struct mpdata_str text =
        ((const struct mpdata_str *)profile->sets[MPDATA_KIND_STRING]
             .rows.data)[fields];
    char plain[MPROF_TYPE_FIELDS_BYTES_MAX];
    bool is_type = false;
    size_t size = 0;

    if (text.size > sizeof(plain))
        return fields;
    for (size_t i = 0; i < text.size; i++) {
        is_type = text.bytes[i] != MPROF_TYPE_FIELD_END &&
                  (is_type || text.bytes[i] == MPROF_TYPE_FIELD_TYPE);
        if (!is_type)
            plain[size++] = text.bytes[i];
    }
    return mpdata_profile_string(profile, plain, size);
}

/* Joins a type's fields of two profiles: the known ones, or a mark. Types of
 * members may be spelled differently, or missing: then there are none. */
static mpdata_string join_fields(struct mpdata_profile *profile,
                                 mpdata_string a, mpdata_string b)
{
    if (a == b || b == 0)
        return a;
    if (a == 0)
        return b;
    mpdata_string plain = plain_fields(profile, a);
    return plain == plain_fields(profile, b)
               ? plain
               : mpdata_profile_string(profile, MPROF_TYPE_FIELDS_SEVERAL,
                                       strlen(MPROF_TYPE_FIELDS_SEVERAL));
}

/* Keeps the type that comes last by name, then by size. */
static void take_type(struct mpdata_profile *profile, mpdata_ref ref,
                      const struct mpdata_frame *frame)
{
    const struct mpdata_str *const strings =
        profile->sets[MPDATA_KIND_STRING].rows.data;
    struct mpdata_frame *const row = row_at(profile, MPDATA_KIND_FRAME, ref);
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

    /* The file has 24 bits for the line; saturating here makes the frame equal
     * before and after it is written. */
    if (key.line > ENTRY_LINE_MAX)
        key.line = ENTRY_LINE_MAX;
    mpdata_ref ref = intern(profile, MPDATA_KIND_FRAME, &key, NULL);
    if (ref != 0 && key.type != 0)
        take_type(profile, ref, &key);
    return ref;
}

mpdata_ref mpdata_profile_node(struct mpdata_profile *profile,
                               mpdata_ref parent, mpdata_ref frame)
{
    if (frame == 0 || profile->status != MPROF_E_OK)
        return 0;
    uint32_t ref = mpdata_pairs_add(&profile->nodes, parent, frame - 1);
    if (ref == 0)
        mpdata_profile_fail_rows(profile, &profile->nodes.rows);
    return ref;
}

mpdata_ref mpdata_profile_binary(struct mpdata_profile *profile,
                                 const struct mpdata_binary *binary)
{
    const mpdata_ref ref = intern(profile, MPDATA_KIND_BINARY, binary, NULL);

    if (ref != 0) {
        struct mpdata_binary *const row =
            row_at(profile, MPDATA_KIND_BINARY, ref);

        row->flags |= binary->flags;
    }
    return ref;
}

uint32_t mpdata_profile_add(struct mpdata_profile *profile,
                            enum mpdata_kind kind, const void *row)
{
    const struct mpdata_str *const string = row;

    switch (kind) {
    case MPDATA_KIND_STRING:
        return mpdata_profile_string(profile, string->bytes, string->size);
    case MPDATA_KIND_BINARY:
        return mpdata_profile_binary(profile, row);
    case MPDATA_KIND_FUNCTION:
        return mpdata_profile_function(profile, row);
    case MPDATA_KIND_FRAME:
        return mpdata_profile_frame(profile, row);
    default:
        return intern(profile, kind, row, NULL);
    }
}

void mpdata_profile_run(struct mpdata_profile *profile,
                        const struct mpdata_run *run)
{
    if (profile->status == MPROF_E_OK && !mpdata_runs_add(&profile->runs, run))
        mpdata_profile_fail(profile, MPROF_E_NOMEM);
}

enum mprof_err mpdata_profile_take_cells(struct mpdata_profile *profile,
                                         unsigned unit_cells)
{
    if (profile->has_accessed_cells && profile->unit_cells != unit_cells)
        return MPROF_E_CELLS;
    profile->unit_cells = unit_cells;
    return MPROF_E_OK;
}

void mpdata_profile_detail(struct mpdata_profile *profile,
                           const struct mpdata_detail *detail)
{
    bool is_new;

    if (detail->count == 0)
        return;
    const mpdata_ref ref = intern(profile, MPDATA_KIND_DETAIL, detail, &is_new);
    if (ref == 0 || is_new)
        return;
    struct mpdata_detail *row = row_at(profile, MPDATA_KIND_DETAIL, ref);
    row->count = mprof_add_sat_u64(row->count, detail->count);
    row->bytes = mprof_add_sat_u64(row->bytes, detail->bytes);
}

void mpdata_profile_series(struct mpdata_profile *profile,
                           const struct mpdata_series *series)
{
    if (profile->status == MPROF_E_OK &&
        (series->samples == NULL || series->marks == NULL ||
         !mpdata_series_add(&profile->series, series)))
        mpdata_profile_fail(profile, MPROF_E_NOMEM);
}

void mpdata_profile_tagged(struct mpdata_profile *profile,
                           const struct mpdata_tagged *key,
                           const struct mprof_mib *mib)
{
    struct mpdata_tagged new_row = *key;

    if (mib->AllocCount == 0)
        return;
    new_row.mib = (struct mpdata_packed_mib){.base = 0};
    const mpdata_ref ref = intern(profile, MPDATA_KIND_TAGGED, &new_row, NULL);
    if (ref == 0)
        return;
    struct mpdata_tagged *row = row_at(profile, MPDATA_KIND_TAGGED, ref);
    row->flags |= key->flags;
    if (!mpdata_packed_mib_merge(&row->mib, &profile->tagged_bases, mib))
        mpdata_profile_fail(profile, MPROF_E_NOMEM);
}

void mpdata_profile_reserve_nodes(struct mpdata_profile *profile,
                                  uint32_t count)
{
    if (!mpdata_vec_reserve(&profile->nodes.rows, count))
        mpdata_profile_fail(profile, MPROF_E_NOMEM);
}

mpdata_ref mpdata_profile_node_append(struct mpdata_profile *profile,
                                      mpdata_ref parent, mpdata_ref frame)
{
    const uint32_t ref =
        profile->status == MPROF_E_OK
            ? mpdata_pairs_append(&profile->nodes, parent, frame - 1)
            : 0;

    if (ref == 0)
        mpdata_profile_fail_rows(profile, &profile->nodes.rows);
    return ref;
}

void mpdata_profile_keep_tagged(struct mpdata_profile *profile,
                                const uint8_t *keep)
{
    struct mpdata_set *const set = &profile->sets[MPDATA_KIND_TAGGED];
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
    mpdata_set_fini(&profile->sets[MPDATA_KIND_DETAIL]);
    init_store(profile, MPDATA_KIND_DETAIL);
}

void mpdata_profile_seal(struct mpdata_profile *profile)
{
    for (int kind = 0; kind < MPDATA_KIND_SETS; kind++)
        mpdata_map_fini(&profile->sets[kind].map);
    mpdata_pairs_seal(&profile->nodes);
    mpdata_vec_fini(&profile->owners);
    mpdata_runs_seal(&profile->runs);
}

void mpdata_profile_order_details(struct mpdata_profile *profile)
{
    struct mpdata_set *const details = &profile->sets[MPDATA_KIND_DETAIL];
    enum mpdata_kind kind = MPDATA_KIND_DETAIL;

    mpdata_map_fini(&details->map);
    if (details->rows.count != 0)
        qsort_r(details->rows.data, details->rows.count,
                sizeof(struct mpdata_detail), mpdata_profile_rows_compare,
                &kind);
}

char *mpdata_profile_path_string(const struct mpdata_profile *profile,
                                 mpdata_ref path, size_t *size_out)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    size_t size = 0;

    for (mpdata_ref p = path; p != 0; p = view.paths[p - 1].parent) {
        const size_t part = view.strings[view.paths[p - 1].name].size + 1;

        if (__builtin_add_overflow(size, part, &size))
            return NULL;
    }
    char *out = malloc(size + 1);
    if (out == NULL)
        return NULL;
    char *end = out += size;
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
    size_t bytes = (size_t)(end - out);
    if (size_out != NULL)
        *size_out = bytes;
    return memmove(out - size, out, bytes + 1);
}
