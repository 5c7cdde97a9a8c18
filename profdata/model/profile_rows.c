/* profile_rows.c -- the members of a profile's rows: which rows they refer to,
 * and by which of them the rows of a table are sorted.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/member.h"
#include "profdata/model/profile_store.h"
#include "profdata/model/run_columns.h"
#include "shared/index_format.h"

/* What a member counts for when rows are sorted. */
enum order {
    WHOLE,
    LOW,  /* the bits of a discriminator that are packed into a place */
    HIGH, /* its other bits */
    NONE
};

struct member {
    struct mpdata_member at;
    uint8_t target; /* enum mpdata_kind of the rows it refers to; KINDS: none */
    uint8_t order;
};

#define MEMBER(type, member, target, order)        \
    {                                              \
        MPDATA_MEMBER(type, member), target, order \
    }
#define NUMBER(type, member) MEMBER(type, member, MPDATA_KINDS, WHOLE)
#define TEXT(type, member) MEMBER(type, member, MPDATA_KIND_STRING, WHOLE)
#define REF(type, member, kind) MEMBER(type, member, MPDATA_KIND_##kind, WHOLE)

static const struct member path_members[] = {
    REF(mpdata_path, parent, PATH),
    TEXT(mpdata_path, name),
};
static const struct member binary_members[] = {
    REF(mpdata_binary, path, PATH),
    TEXT(mpdata_binary, build_id),
};
static const struct member function_members[] = {
    TEXT(mpdata_function, name),
    NUMBER(mpdata_function, guid),
    REF(mpdata_function, path, PATH),
    NUMBER(mpdata_function, line),
};
static const struct member frame_members[] = {
    REF(mpdata_frame, path, PATH),
    NUMBER(mpdata_frame, line),
    MEMBER(mpdata_frame, discriminator, MPDATA_KINDS, LOW),
    REF(mpdata_frame, function, FUNCTION),
    NUMBER(mpdata_frame, column),
    MEMBER(mpdata_frame, discriminator, MPDATA_KINDS, HIGH),
    NUMBER(mpdata_frame, flags),
    REF(mpdata_frame, binary, BINARY),
    NUMBER(mpdata_frame, address),
    MEMBER(mpdata_frame, type, MPDATA_KIND_STRING, NONE),
    MEMBER(mpdata_frame, type_fields, MPDATA_KIND_STRING, NONE),
};
static const struct member detail_members[] = {
    REF(mpdata_detail, node, NODE), NUMBER(mpdata_detail, kind),
    REF(mpdata_detail, key, NODE), /* only of some kinds: refers() */
};
static const struct member tagged_members[] = {
    NUMBER(mpdata_tagged, kind),
    TEXT(mpdata_tagged, name),
    REF(mpdata_tagged, node, NODE),
};
/* runs.c sorts runs. */
static const struct member run_members[] = {
#define TARGET_PATH MPDATA_KIND_PATH
#define TARGET_STRING MPDATA_KIND_STRING
#define TARGET_NUMBER MPDATA_KINDS
#define TARGET_ID MPDATA_KINDS
#define TARGET_BIT MPDATA_KINDS
#define TARGET_KIND MPDATA_KINDS
#define X(column, member, kind) MEMBER(mpdata_run, member, TARGET_##kind, NONE),
    MPDATA_INDEX_RUN_COLUMNS(X)
#undef X
};

#define MEMBERS(list)                \
    {                                \
        list, MPROF_ARRAY_LEN(list), \
    }
static const struct {
    const struct member *members;
    size_t count;
} kinds[MPDATA_KINDS] = {
    [MPDATA_KIND_PATH] = MEMBERS(path_members),
    [MPDATA_KIND_BINARY] = MEMBERS(binary_members),
    [MPDATA_KIND_FUNCTION] = MEMBERS(function_members),
    [MPDATA_KIND_FRAME] = MEMBERS(frame_members),
    [MPDATA_KIND_DETAIL] = MEMBERS(detail_members),
    [MPDATA_KIND_TAGGED] = MEMBERS(tagged_members),
    [MPDATA_KIND_RUN] = MEMBERS(run_members),
};

static bool refers(enum mpdata_kind kind, const struct member *member,
                   const void *row)
{
    return member->target != MPDATA_KINDS &&
           (kind != MPDATA_KIND_DETAIL ||
            member->at.offset != offsetof(struct mpdata_detail, key) ||
            mprof_detail_is_stack(((const struct mpdata_detail *)row)->kind));
}

struct mpdata_rows mpdata_profile_rows_of(const struct mpdata_view *v,
                                          enum mpdata_kind kind)
{
    const struct mpdata_rows rows[] = {
#define ROWS(array, count) {v->array, v->count, sizeof(*v->array)}
        [MPDATA_KIND_STRING] = ROWS(strings, string_count),
        [MPDATA_KIND_PATH] = ROWS(paths, path_count),
        [MPDATA_KIND_BINARY] = ROWS(binaries, binary_count),
        [MPDATA_KIND_FUNCTION] = ROWS(functions, function_count),
        [MPDATA_KIND_FRAME] = ROWS(frames, frame_count),
        [MPDATA_KIND_DETAIL] = ROWS(details, detail_count),
        [MPDATA_KIND_TAGGED] = ROWS(tagged_rows, tagged_count),
        [MPDATA_KIND_NODE] = ROWS(nodes, node_count),
        [MPDATA_KIND_RUN] = ROWS(runs, run_count),
#undef ROWS
    };

    return rows[kind];
}

void mpdata_profile_rows_mark(const struct mpdata_view *view,
                              enum mpdata_kind kind,
                              uint8_t *const marks[MPDATA_KINDS])
{
    const struct mpdata_rows rows = mpdata_profile_rows_of(view, kind);

    for (uint32_t i = rows.count; i-- > 0;) {
        const uint8_t *const row =
            (const uint8_t *)rows.data + (size_t)i * rows.row_bytes;

        if (marks[kind] != NULL && !marks[kind][i])
            continue;
        for (size_t k = 0; k < kinds[kind].count; k++) {
            const struct member *const member = &kinds[kind].members[k];

            if (!refers(kind, member, row) || marks[member->target] == NULL)
                continue;
            uint64_t value = mpdata_member_get(member->at, row);
            if (member->target == MPDATA_KIND_STRING)
                marks[member->target][value] = 1;
            else if (value != 0)
                marks[member->target][value - 1] = 1;
        }
    }
}

void mpdata_profile_rows_map(const struct mpdata_profile_map *map,
                             enum mpdata_kind kind, void *row)
{
    for (size_t k = 0; k < kinds[kind].count; k++) {
        const struct member *const member = &kinds[kind].members[k];

        if (!refers(kind, member, row))
            continue;
        uint32_t id = (uint32_t)mpdata_member_get(member->at, row);
        id = member->target == MPDATA_KIND_STRING
                 ? map->ids[MPDATA_KIND_STRING][id]
                 : mpdata_profile_map_ref(map->ids[member->target], id);
        mpdata_member_set(member->at, row, id);
    }
}

static uint64_t get_in_order(const struct member *member, const void *row)
{
    const uint64_t value = mpdata_member_get(member->at, row);

    switch (member->order) {
    case LOW:
        return value & ((UINT32_C(1) << MPROF_PLACE_DISCRIMINATOR_BITS) - 1);
    case HIGH:
        return value >> MPROF_PLACE_DISCRIMINATOR_BITS;
    default:
        return value;
    }
}

int mpdata_profile_rows_compare(const void *left, const void *right,
                                void *context)
{
    const enum mpdata_kind kind = *(const enum mpdata_kind *)context;

    if (kind == MPDATA_KIND_STRING)
        return mpdata_str_compare(left, right);
    for (size_t k = 0; k < kinds[kind].count; k++) {
        const struct member *const member = &kinds[kind].members[k];

        if (member->order == NONE)
            break;
        uint64_t a = get_in_order(member, left);
        uint64_t b = get_in_order(member, right);
        if (a != b)
            return mprof_compare_u64(a, b);
    }
    return 0;
}
