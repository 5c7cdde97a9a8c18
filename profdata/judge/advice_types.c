/* advice_types.c -- types of which a large part is hardly accessed.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/advice_rules.h"
#include "profdata/base/vec.h"
#include "profdata/judge/reorder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes the names of the first cold members, and the number of the rest. */
static void put_members(struct mpdata_advice_type *type,
                        const struct mpdata_reorder *reorder,
                        const struct mpdata_fields_layout *layout)
{
    size_t end = 0;
    uint32_t left = 0;

    for (uint32_t i = 0; i < reorder->count; i++) {
        const struct mpdata_reorder_row *const row = &reorder->rows[i];
        const struct mpdata_str *const name =
            &layout->rows[row->row].member.name;

        if (!row->is_cold)
            continue;
        if (left != 0 ||
            end + name->size + sizeof(", ") > sizeof(type->members) / 2) {
            left++;
            continue;
        }
        end += (size_t)snprintf(
            type->members + end, sizeof(type->members) - end, "%s%.*s",
            end != 0 ? ", " : "", (int)name->size, name->bytes);
    }
    if (left != 0)
        snprintf(type->members + end, sizeof(type->members) - end,
                 end != 0 ? " and %" PRIu32 " more" : "%" PRIu32 " members",
                 left);
}

/* Call stacks with accesses by the name of their type, or NULL without
 * memory. */
static uint32_t *count_accessed(const struct mpdata_view *view)
{
    uint32_t *const accessed =
        mpdata_vec_array(view->string_count, sizeof(*accessed));

    for (uint32_t i = 0; accessed != NULL && i < view->context_count; i++) {
        if (mpdata_view_mib_field(view, i, MPROF_MIB_INDEX_TotalAccessCount) !=
            0)
            accessed[mpdata_types_of(view, view->contexts[i].node)]++;
    }
    return accessed;
}

/* Are all blocks of the type among those whose accesses are known by member? */
static bool is_whole(const struct mpdata_advice_rules *r,
                     const struct mpdata_fields *fields,
                     const struct mpdata_fields_type *type,
                     const uint32_t *accessed)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < type->count; i++) {
        const uint32_t context = fields->contexts[type->first + i];
        const struct mprof_mib mib = mpdata_view_mib(&r->view, context);

        if (!mpdata_advice_rules_has_accesses(r, context, &mib))
            return false;
        count += mib.TotalAccessCount != 0;
    }
    return count == accessed[type->name];
}

static enum mprof_err judge_type(struct mpdata_advice_rules *r,
                                 const struct mpdata_profile *profile,
                                 const struct mpdata_fields *fields,
                                 uint32_t index, const uint32_t *accessed)
{
    const struct mpdata_fields_type *const type = &fields->types[index];
    struct mpdata_fields_layout layout;
    struct mpdata_reorder reorder = {.rows = NULL};
    enum mprof_err err =
        mpdata_fields_layout_make(&layout, fields, index, profile);

    if (err == MPROF_E_OK)
        err = mpdata_reorder_make(&reorder, type, &layout);
    if (err == MPROF_E_OK && reorder.has_split && !type->is_at_least &&
        is_whole(r, fields, type, accessed)) {
        r->types[index] = (struct mpdata_advice_type){
            .name = r->view.strings[type->name].bytes,
            .bytes = type->bytes,
            .hot_bytes = reorder.hot_bytes,
            .cold_bytes = reorder.cold_bytes,
            .lines_before = reorder.lines_before,
            .lines_split = reorder.lines_split};
        put_members(&r->types[index], &reorder, &layout);
    }
    mpdata_reorder_fini(&reorder);
    mpdata_fields_layout_fini(&layout);
    return err;
}

enum mprof_err mpdata_advice_types_make(struct mpdata_advice_rules *r,
                                        const struct mpdata_profile *profile)
{
    struct mpdata_fields fields;
    enum mprof_err err = mpdata_fields_make(&fields, profile);
    uint32_t *const accessed = count_accessed(&r->view);

    r->types = calloc((size_t)fields.count + 1, sizeof(*r->types));
    r->type_of = calloc((size_t)r->view.context_count + 1, sizeof(uint32_t));
    if (r->types == NULL || r->type_of == NULL || accessed == NULL)
        err = MPROF_E_NOMEM;
    for (uint32_t t = 0; err == MPROF_E_OK && t < fields.count; t++) {
        for (uint32_t i = 0; i < fields.types[t].count; i++)
            r->type_of[fields.contexts[fields.types[t].first + i]] = t + 1;
    }
    for (uint32_t t = 0; err == MPROF_E_OK && t < fields.count; t++)
        err = judge_type(r, profile, &fields, t, accessed);
    free(accessed);
    mpdata_fields_fini(&fields);
    return err;
}
