/* fields_json.c -- writes the members of types with their accesses as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/json_out.h"
#include "profdata/view/fields.h"

struct type {
    const struct mpdata_fields *fields;
    const struct mpdata_fields_type *type;
    const struct mpdata_fields_layout *layout;
};

static void put_place(struct mpdata_json_out *json,
                      const struct mpdata_fields_row *row)
{
    mpdata_json_out_open_map(json);
    mpdata_json_out_number_of(json, "offset", row->member.from);
    mpdata_json_out_number_of(json, "bytes", row->member.to - row->member.from);
}

/* Writes a count, whose names begin with `own`, and of what it consists if the
 * profile says so. */
static void put_count(struct mpdata_json_out *json,
                      const struct mpdata_fields *fields, const char *accesses,
                      const char *reads, const char *writes,
                      struct mpdata_fields_count count)
{
    mpdata_json_out_number_of(json, accesses, count.accesses);
    if (!fields->has_rw)
        return;
    mpdata_json_out_number_of(json, reads, count.accesses - count.writes);
    mpdata_json_out_number_of(json, writes, count.writes);
}

static void put_group(struct mpdata_json_out *json, const struct type *t,
                      const struct mpdata_fields_group *group)
{
    const struct mpdata_fields_layout *const layout = t->layout;
    const char *const use =
        mpdata_fields_layout_use(t->fields, t->type, layout, group);

    mpdata_json_out_row(json);
    put_count(json, t->fields, "accesses", "reads", "writes", group->all);
    if (use != NULL)
        mpdata_json_out_text_of(json, "use", use);
    mpdata_json_out_array_of(json, "members");
    for (uint32_t i = group->first; i <= group->last; i++) {
        const struct mpdata_fields_row *const row = &layout->rows[i];

        if (row->is_hole)
            continue;
        put_place(json, row);
        mpdata_json_out_string_of(json, "name", &row->member.name);
        if (row->member.type.size != 0)
            mpdata_json_out_string_of(json, "type", &row->member.type);
        mpdata_json_out_number_of(json, "own_bytes", row->own_bytes);
        put_count(json, t->fields, "own_accesses", "own_reads", "own_writes",
                  row->own);
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
    mpdata_json_out_close_map(json);
}

static void put_layout(struct mpdata_json_out *json, const struct type *t)
{
    const struct mpdata_fields_layout *const layout = t->layout;

    mpdata_json_out_array_of(json, "groups");
    for (uint32_t i = 0; i < layout->group_count; i++)
        put_group(json, t, &layout->groups[i]);
    mpdata_json_out_close_array(json);
    mpdata_json_out_array_of(json, "holes");
    for (uint32_t i = 0; i < layout->row_count; i++) {
        if (!layout->rows[i].is_hole)
            continue;
        put_place(json, &layout->rows[i]);
        put_count(json, t->fields, "accesses", "reads", "writes",
                  layout->rows[i].own);
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
    if (!t->type->is_open)
        return;
    mpdata_json_out_map_of(json, "behind");
    put_count(json, t->fields, "accesses", "reads", "writes", layout->behind);
    mpdata_json_out_close_map(json);
}

static void put_order(struct mpdata_json_out *json,
                      const struct mpdata_fields_layout *layout,
                      const struct mpdata_reorder *r)
{
    mpdata_json_out_array_of(json, "order");
    for (uint32_t i = 0; i < r->count; i++) {
        mpdata_json_out_row(json);
        mpdata_json_out_number_of(json, "offset", r->rows[i].from);
        mpdata_json_out_string_of(json, "name",
                                  &layout->rows[r->rows[i].row].member.name);
        mpdata_json_out_real_of(json, "heat", r->rows[i].heat);
        mpdata_json_out_bool_of(json, "cold", r->rows[i].is_cold);
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
}

/* Returns false when out of memory. */
static bool put_proposal(struct mpdata_json_out *json,
                         const struct mpdata_fields_type *type,
                         const struct mpdata_fields_layout *layout,
                         bool has_peak)
{
    struct mpdata_reorder r;
    const bool is_made = mpdata_reorder_make(&r, type, layout) == MPROF_E_OK;

    if (is_made && (r.is_better || r.has_split)) {
        mpdata_json_out_map_of(json, "proposal");
        mpdata_json_out_number_of(json, "bytes", r.bytes);
        mpdata_json_out_real_of(json, "lines_before", r.lines_before);
        mpdata_json_out_real_of(json, "lines", r.lines_after);
        if (has_peak) {
            mpdata_json_out_number_of(json, "peak_bytes_before", r.peak_before);
            mpdata_json_out_number_of(json, "peak_bytes", r.peak_after);
        }
        put_order(json, layout, &r);
        if (r.has_split) {
            mpdata_json_out_map_of(json, "split");
            mpdata_json_out_number_of(json, "bytes", r.hot_bytes);
            mpdata_json_out_number_of(json, "cold_bytes", r.cold_bytes);
            mpdata_json_out_real_of(json, "lines", r.lines_split);
            if (has_peak)
                mpdata_json_out_number_of(json, "peak_bytes", r.peak_split);
            mpdata_json_out_close_map(json);
        }
        mpdata_json_out_close_map(json);
    }
    mpdata_reorder_fini(&r);
    return is_made;
}

/* Returns false when out of memory. */
static bool put_type(struct mpdata_json_out *json,
                     const struct mpdata_profile *profile,
                     const struct mpdata_fields *fields, uint32_t i)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    const struct mpdata_fields_type *const type = &fields->types[i];
    struct mpdata_fields_layout layout;
    bool is_made =
        mpdata_fields_layout_make(&layout, fields, i, profile) == MPROF_E_OK;

    if (is_made) {
        mpdata_json_out_row(json);
        mpdata_json_out_string_of(json, "type", &view.strings[type->name]);
        mpdata_json_out_number_of(json, "bytes", type->bytes);
        mpdata_json_out_bool_of(json, "arrays", type->has_arrays);
        mpdata_json_out_number_of(json, "call_stacks", type->count);
        mpdata_json_out_number_of(json, "blocks", type->blocks);
        if (fields->has_peak)
            mpdata_json_out_number_of(json, "peak_bytes", type->peak_bytes);
        mpdata_json_out_number_of(json, "accesses", type->accesses);
        mpdata_json_out_bool_of(json, "at_least", type->is_at_least);
        put_layout(json, &(struct type){fields, type, &layout});
        is_made = put_proposal(json, type, &layout, fields->has_peak);
        mpdata_json_out_close_map(json);
    }
    mpdata_fields_layout_fini(&layout);
    return is_made;
}

static void put_left_out(struct mpdata_json_out *json,
                         const struct mpdata_fields *fields)
{
    static const char *const names[] = {
#define X(id, name, sentence) name,
        MPDATA_FIELDS_REASONS(X)
#undef X
    };

    mpdata_json_out_map_of(json, "left_out");
    for (size_t i = 0; i < MPDATA_FIELDS_REASON_COUNT; i++) {
        mpdata_json_out_map_of(json, names[i]);
        mpdata_json_out_number_of(json, "call_stacks",
                                  fields->left_out[i].contexts);
        mpdata_json_out_number_of(json, "accesses",
                                  fields->left_out[i].accesses);
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_map(json);
}

enum mprof_err fields_json(struct mpdata_sink *sink,
                           const struct mpdata_profile *profile,
                           const struct mpdata_fields *fields,
                           const char *notes,
                           const struct show_options *options)
{
    const uint32_t shown = (uint32_t)mprof_min_u64(fields->count, options->top);
    struct mpdata_json_out json;
    bool is_done = mpdata_json_out_init(&json, sink);

    if (is_done) {
        mpdata_json_out_open_map(&json);
        mpdata_json_out_number_of(&json, "memprofdata-fields",
                                  FIELDS_JSON_VERSION);
        mpdata_json_out_known_lines(&json, "notes", notes);
        put_left_out(&json, fields);
        mpdata_json_out_number_of(&json, "cell_bytes", fields->cell_bytes);
        mpdata_json_out_number_of(&json, "all_types", fields->count);
        mpdata_json_out_array_of(&json, "types");
        for (uint32_t i = 0; i < shown && is_done; i++)
            is_done = put_type(&json, profile, fields, i);
        mpdata_json_out_close_array(&json);
        mpdata_json_out_close_map(&json);
        mpdata_json_out_line(&json);
    }
    mpdata_json_out_fini(&json);
    return is_done && !sink->failed ? MPROF_E_OK : MPROF_E_NOMEM;
}
