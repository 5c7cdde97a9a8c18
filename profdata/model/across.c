/* across.c -- makes frames of several builds equal that differ only in where
 * their function begins.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/transforms.h"
#include "profdata/model/profile_store.h"
#include "shared/index_format.h"

#include <stdlib.h>

struct across {
    struct mpdata_view view;
    mpdata_ref *latest; /* by function: the one that stands for it */
};

static int compare_places(const void *left, const void *right, void *view)
{
    const struct mpdata_function *const all =
        ((const struct mpdata_view *)view)->functions;
    const struct mpdata_function *const a = &all[*(const mpdata_ref *)left - 1];
    const struct mpdata_function *const b =
        &all[*(const mpdata_ref *)right - 1];

    return mprof_compare_u64_pair(a->guid, b->guid, a->path, b->path);
}

/* Functions are in canonical order, so of two in a line the second one has the
 * name that is larger as bytes. */
static int compare(const void *left, const void *right, void *view)
{
    const struct mpdata_function *const all =
        ((const struct mpdata_view *)view)->functions;
    const mpdata_ref a = *(const mpdata_ref *)left;
    const mpdata_ref b = *(const mpdata_ref *)right;
    const int place = compare_places(left, right, view);

    if (place != 0)
        return place;
    if (all[a - 1].newest_ns != all[b - 1].newest_ns)
        return mprof_compare_u64(all[a - 1].newest_ns, all[b - 1].newest_ns);
    return all[a - 1].line != all[b - 1].line
               ? mprof_compare_u64(all[a - 1].line, all[b - 1].line)
               : mprof_compare_u64(a, b);
}

/* Finds the functions of equal GUID and file. Returns false when out of memory;
 * *is_needed: are there two? */
static bool find_latest(struct across *a, bool *is_needed)
{
    struct mpdata_view *const v = &a->view;
    mpdata_ref *const order =
        mpdata_vec_array(v->function_count, sizeof(*order));
    mpdata_ref latest = 0;
    uint32_t count = 0;

    a->latest = mpdata_vec_array(v->function_count, sizeof(*a->latest));
    if (order == NULL || a->latest == NULL) {
        free(order);
        return false;
    }
    for (mpdata_ref i = 1; i <= v->function_count; i++) {
        a->latest[i - 1] = i;
        /* Lines are relative to the first one only if it is known. */
        if (v->functions[i - 1].line != 0 && v->functions[i - 1].path != 0)
            order[count++] = i;
    }
    qsort_r(order, count, sizeof(*order), compare, v);
    for (uint32_t i = count; i-- > 0;) {
        if (i + 1 == count || compare_places(&order[i], &order[i + 1], v) != 0)
            latest = order[i];
        *is_needed |= latest != order[i];
        a->latest[order[i] - 1] = latest;
    }
    free(order);
    return true;
}

/* Moves a frame that has lines to the latest function. The new profile has the
 * functions of the old one with the same refs: it was empty, and no other rows
 * change. */
static void move_frame(const void *context, struct mpdata_profile *into,
                       enum mpdata_kind kind, void *row)
{
    const struct across *const a = context;
    struct mpdata_frame *const frame = row;
    mpdata_ref latest;

    (void)into;
    if (kind != MPDATA_KIND_FRAME || frame->function == 0 ||
        (frame->flags & MPROF_ENTRY_FL_NO_LINES) != 0)
        return;
    const struct mpdata_function *from =
        &a->view.functions[frame->function - 1];
    latest = a->latest[frame->function - 1];
    if (frame->path == from->path && frame->line >= from->line) {
        const uint64_t line = (uint64_t)frame->line - from->line +
                              a->view.functions[latest - 1].line;

        if (line >> MPROF_PLACE_LINE_BITS != 0)
            return;
        frame->line = (uint32_t)line;
    } else if (frame->line != 0) {
        return;
    }
    frame->function = latest;
}

enum mprof_err mpdata_across_builds(struct mpdata_profile **profile)
{
    struct across across = {.view = mpdata_profile_view(*profile)};
    const struct mpdata_profile_change change = {.row = move_frame,
                                                 .context = &across};
    struct mpdata_profile *moved = NULL;
    enum mprof_err err = MPROF_E_NOMEM;
    bool is_needed = false;

    if (find_latest(&across, &is_needed))
        err = MPROF_E_OK;
    if (err == MPROF_E_OK && is_needed) {
        moved = mpdata_profile_new();
        err = moved != NULL
                  ? mpdata_profile_merge_changed(moved, *profile, &change)
                  : MPROF_E_NOMEM;
        if (err == MPROF_E_OK)
            err = mpdata_profile_canonical_in_place(moved);
    }
    free(across.latest);
    if (err == MPROF_E_OK && is_needed) {
        struct mpdata_profile *const was = *profile;

        *profile = moved;
        moved = was;
    }
    mpdata_profile_free(moved);
    return err;
}
