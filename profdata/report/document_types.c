/* document_types.c -- writes the members of types with their accesses.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/reorder.h"
#include "profdata/report/document_parts.h"

#include <stdlib.h>

/* Of a type: call stacks whose counts the page has apart. */
#define STACKS_MAX 64u

static void put_use(struct mpdata_json_out *json, const char *use)
{
    if (use != NULL)
        mpdata_json_out_text_of(json, "use", use);
}

struct type {
    const struct mpdata_fields *fields;
    const struct mpdata_fields_type *type;
    const struct mpdata_fields_layout *layout;
};

/* Members of one group have one count, which its first member has here. */
static void put_row(struct mpdata_json_parts *parts, const struct type *t,
                    uint32_t i, const struct mpdata_reorder_row *moved)
{
    const struct mpdata_fields_layout *const layout = t->layout;
    const struct mpdata_fields_row *const row = &layout->rows[i];
    const struct mpdata_fields_group *const group = &layout->groups[row->group];
    struct mpdata_json_out *const json = &parts->json;

    mpdata_json_out_row(json);
    mpdata_json_out_number_of(json, "from", row->member.from);
    mpdata_json_out_number_of(json, "to", row->member.to);
    if (row->is_hole) {
        mpdata_json_out_known_number(&parts->json, "accesses",
                                     row->own.accesses);
        mpdata_json_out_known_number(&parts->json, "writes", row->own.writes);
    } else {
        mpdata_json_out_string_of(json, "name", &row->member.name);
        mpdata_json_out_string_of(json, "type", &row->member.type);
        mpdata_json_out_number_of(json, "group", row->group);
        if (i == group->first) {
            mpdata_json_out_number_of(json, "accesses", group->all.accesses);
            mpdata_json_out_known_number(json, "writes", group->all.writes);
        }
        put_use(json,
                mpdata_fields_layout_use(t->fields, t->type, layout, group));
        if (group->count > 1)
            mpdata_json_out_known_number(&parts->json, "own_accesses",
                                         row->own.accesses);
    }
    if (moved != NULL) {
        mpdata_json_out_number_of(json, "proposed", moved->from);
        mpdata_json_out_known_flag(&parts->json, "cold", moved->is_cold);
    }
    mpdata_json_out_close_map(json);
}

static void put_proposal(struct mpdata_json_parts *parts,
                         const struct mpdata_reorder *r)
{
    struct mpdata_json_out *const json = &parts->json;

    mpdata_json_out_map_of(json, "proposal");
    mpdata_json_out_number_of(json, "bytes", r->bytes);
    mpdata_json_out_real_of(json, "lines_before", r->lines_before);
    mpdata_json_out_real_of(json, "lines", r->lines_after);
    if (r->has_split) {
        mpdata_json_out_number_of(json, "hot_bytes", r->hot_bytes);
        mpdata_json_out_number_of(json, "cold_bytes", r->cold_bytes);
    }
    mpdata_json_out_close_map(json);
}

/* Returns false when out of memory. */
static bool put_rows(struct mpdata_json_parts *parts, const struct type *t,
                     const struct mpdata_reorder *r)
{
    const struct mpdata_fields_layout *const layout = t->layout;
    const struct mpdata_reorder_row **const moved = mpdata_vec_array(
        layout->row_count, sizeof(struct mpdata_reorder_row *));

    if (moved == NULL)
        return false;
    if (r->is_better || r->has_split) {
        for (uint32_t i = 0; i < r->count; i++)
            moved[r->rows[i].row] = &r->rows[i];
        put_proposal(parts, r);
    }
    mpdata_json_out_array_of(&parts->json, "rows");
    for (uint32_t i = 0; i < layout->row_count; i++)
        put_row(parts, t, i, moved[i]);
    mpdata_json_out_close_array(&parts->json);
    free(moved);
    return true;
}

static void put_behind(struct mpdata_json_out *json,
                       const struct mpdata_fields *fields,
                       const struct mpdata_fields_layout *layout)
{
    mpdata_json_out_map_of(json, "behind");
    mpdata_json_out_number_of(json, "accesses", layout->behind.accesses);
    if (fields->has_rw)
        mpdata_json_out_number_of(json, "writes", layout->behind.writes);
    mpdata_json_out_close_map(json);
}

static void put_counts(struct mpdata_json_out *json, const char *key,
                       const struct mpdata_fields_layout *layout,
                       bool are_writes)
{
    mpdata_json_out_array_of(json, key);
    for (uint32_t i = 0; i < layout->row_count; i++) {
        const struct mpdata_fields_row *const row = &layout->rows[i];
        const struct mpdata_fields_count *const count =
            row->is_hole ? &row->own : &layout->groups[row->group].all;

        mpdata_json_out_number(json,
                               are_writes ? count->writes : count->accesses);
    }
    mpdata_json_out_close_array(json);
}

/* Writes the counts of one of the type's call stacks: of each row, its group's.
 * Returns false when out of memory. */
static bool put_stack(struct mpdata_json_parts *parts,
                      const struct mpdata_profile *profile,
                      const struct mpdata_fields *fields,
                      const struct mpdata_fields_type *type, uint32_t stack)
{
    struct mpdata_fields_type one = *type;
    struct mpdata_fields of_one = *fields;
    struct mpdata_fields_layout layout;
    struct mpdata_json_out *const json = &parts->json;

    one.first += stack;
    one.count = 1;
    of_one.types = &one;
    const bool is_made =
        mpdata_fields_layout_make(&layout, &of_one, 0, profile) == MPROF_E_OK;
    if (is_made) {
        mpdata_json_out_row(json);
        mpdata_json_out_number_of(
            json, "counted",
            mpdata_fields_counted(&parts->view, fields->contexts[one.first]));
        put_counts(json, "accesses", &layout, false);
        if (fields->has_rw)
            put_counts(json, "writes", &layout, true);
        if (type->is_open)
            put_behind(json, fields, &layout);
        mpdata_json_out_close_map(json);
    }
    mpdata_fields_layout_fini(&layout);
    return is_made;
}

/* Likewise of all call stacks that have counts of their own in the page. */
static bool put_stacks(struct mpdata_json_parts *parts,
                       const struct mpdata_profile *profile,
                       const struct mpdata_fields *fields,
                       const struct mpdata_fields_type *type)
{
    struct mpdata_json_out *const json = &parts->json;
    bool is_made = true;

    if (type->count == 1)
        return true;
    mpdata_json_out_array_of(json, "stacks");
    for (uint32_t c = 0; c < type->count && c < STACKS_MAX && is_made; c++)
        is_made = put_stack(parts, profile, fields, type, c);
    mpdata_json_out_close_array(json);
    return is_made;
}

/* Returns false when out of memory. */
static bool put_type(struct mpdata_json_parts *parts,
                     const struct mpdata_profile *profile,
                     const struct mpdata_fields *fields, uint32_t i)
{
    const struct mpdata_fields_type *const type = &fields->types[i];
    struct mpdata_json_out *const json = &parts->json;
    struct mpdata_reorder r = {.rows = NULL};
    struct mpdata_fields_layout layout;
    bool is_made =
        mpdata_fields_layout_make(&layout, fields, i, profile) == MPROF_E_OK &&
        mpdata_reorder_make(&r, type, &layout) == MPROF_E_OK;

    if (is_made) {
        mpdata_json_out_row(json);
        mpdata_json_out_string_of(json, "name",
                                  &parts->view.strings[type->name]);
        mpdata_json_out_number_of(json, "bytes", type->bytes);
        mpdata_json_out_known_flag(&parts->json, "arrays", type->has_arrays);
        mpdata_json_out_known_flag(&parts->json, "open", type->is_open);
        mpdata_json_out_known_flag(&parts->json, "at_least", type->is_at_least);
        mpdata_json_out_number_of(json, "blocks", type->blocks);
        mpdata_json_out_number_of(json, "accesses", type->accesses);
        mpdata_json_out_known_flag(json, "rw", fields->has_rw);
        mpdata_json_out_array_of(json, "contexts");
        for (uint32_t c = 0; c < type->count; c++)
            mpdata_json_out_number(json, fields->contexts[type->first + c]);
        mpdata_json_out_close_array(json);
        if (type->is_open)
            put_behind(json, fields, &layout);
        is_made = put_stacks(parts, profile, fields, type) &&
                  put_rows(parts, &(struct type){fields, type, &layout}, &r);
        mpdata_json_out_close_map(json);
    }
    mpdata_reorder_fini(&r);
    mpdata_fields_layout_fini(&layout);
    return is_made;
}

bool mpdata_document_types_put(struct mpdata_json_parts *parts)
{
    const struct mpdata_profile *const profile = parts->what->profile;
    struct mpdata_fields fields;
    bool is_done = mpdata_fields_make(&fields, profile) == MPROF_E_OK;

    if (is_done && fields.count != 0) {
        mpdata_json_parts_open_array(parts, "types");
        for (uint32_t i = 0; i < fields.count && is_done; i++)
            is_done = put_type(parts, profile, &fields, i);
        mpdata_json_out_close_array(&parts->json);
    }
    mpdata_fields_fini(&fields);
    return is_done;
}
