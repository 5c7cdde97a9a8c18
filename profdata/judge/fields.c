/* fields.c -- finds the types whose members and histograms are known.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/fields.h"
#include "profdata/base/vec.h"
#include "profdata/query/histogram.h"
#include "profdata/query/left_out.h"
#include "profdata/query/metrics.h"
#include "profdata/query/frames.h"
#include "shared/abi.h"
#include "shared/index_format.h"
#include "shared/type_format.h"
#include "shared/raw_format.h"

#include <stdlib.h>

/* -- types ----------------------------------------------------------------- */

/* A context, and what tells its type from others. */
struct entry {
    const char *text;
    mpdata_string name;
    uint32_t bytes;
    uint32_t context;
    uint64_t accesses;
    bool is_open;
};

static int compare_types(const struct entry *a, const struct entry *b)
{
    if (a->name != b->name)
        return mprof_compare_u64(a->name, b->name);
    if (a->bytes != b->bytes)
        return mprof_compare_u64(a->bytes, b->bytes);
    if (a->is_open != b->is_open)
        return a->is_open ? 1 : -1;
    return a->text == b->text ? 0 : strcmp(a->text, b->text);
}

MPROF_COMPARATOR(compare_entries, struct entry,
                 compare_types(a, b) ?: MPROF_DOWN(accesses)
                 ?: MPROF_UP(context))

MPROF_COMPARATOR(compare_accesses, struct mpdata_fields_type,
                 MPROF_DOWN(accesses) ?: MPROF_UP(first))

static uint32_t cell_bytes_of(const struct mpdata_view *view)
{
    return view->unit_cells != 0 ? MPROF_FIELDS_BYTES
                                 : MPDATA_HISTOGRAM_CELL_BYTES;
}

/* A function of an allocator may put a header in front of the blocks that it
 * returns, and then all blocks are larger than their types. Returns by frame,
 * for those below the call with the type: 1 if all blocks of one object have
 * its size, -1 if some have not, 0 if there are none. NULL when out of memory.
 */
static int8_t *judge_allocators(const struct mpdata_view *view)
{
    int8_t *const verdicts =
        mpdata_vec_array(view->frame_count, sizeof(*verdicts));

    for (uint32_t i = 0; verdicts != NULL && i < view->context_count; i++) {
        const mpdata_ref leaf = view->contexts[i].node;
        const mpdata_ref end = mpdata_types_node(view, leaf);
        const struct mpdata_members members = mpdata_members_of(view, i);

        if (!mpdata_members_is_single(view, leaf) || members.is_open)
            continue;
        for (mpdata_ref n = leaf; n != end; n = view->nodes[n - 1].parent) {
            int8_t *const verdict = &verdicts[view->nodes[n - 1].frame];

            *verdict = members.text == NULL || *verdict < 0 ? -1 : 1;
        }
    }
    return verdicts;
}

/* Does no function between malloc and the call with the type add a header? */
static bool is_passed_on(const struct mpdata_view *view, const int8_t *verdicts,
                         mpdata_ref leaf)
{
    const mpdata_ref end = mpdata_types_node(view, leaf);
    bool is_known = end != 0;

    for (mpdata_ref n = leaf; is_known && n != end;
         n = view->nodes[n - 1].parent)
        is_known = verdicts[view->nodes[n - 1].frame] > 0;
    return is_known;
}

/* Makes *entry, or returns the reason why the context is left out. */
static enum mpdata_fields_reason judge(const struct mpdata_view *view,
                                       const int8_t *allocators,
                                       uint32_t context, struct entry *entry)
{
    const mpdata_ref leaf = view->contexts[context].node;
    const struct mpdata_str *const text =
        &view->strings[mpdata_types_fields(view, leaf)];
    const struct mpdata_members members =
        is_passed_on(view, allocators, leaf)
            ? mpdata_members_through(view, context)
            : mpdata_members_of(view, context);

    *entry =
        (struct entry){.text = members.text,
                       .is_open = members.is_open,
                       .name = mpdata_types_of(view, leaf),
                       .bytes = mpdata_types_bytes(view, leaf),
                       .context = context,
                       .accesses = mpdata_view_mib_field(
                           view, context, MPROF_MIB_INDEX_TotalAccessCount)};
    if (view->contexts[context].cells.words == NULL)
        return MPDATA_FIELDS_NO_CELLS;
    if (entry->name == 0)
        return MPDATA_FIELDS_NO_TYPE;
    if (text->size == 0 || text->size > MPROF_TYPE_FIELDS_BYTES_MAX ||
        strcmp(text->bytes, MPROF_TYPE_FIELDS_SEVERAL) == 0)
        return MPDATA_FIELDS_NO_MEMBERS;
    if (members.text == NULL)
        return MPDATA_FIELDS_OTHER_SIZE;
    if (entry->bytes % cell_bytes_of(view) != 0 && !members.is_open &&
        mpdata_view_mib_field(view, context, MPROF_MIB_INDEX_MaxSize) >
            entry->bytes)
        return MPDATA_FIELDS_SHARED_CELLS;
    return MPDATA_FIELDS_REASON_COUNT;
}

static void leave_out(struct mpdata_fields *f, const struct mpdata_view *view,
                      uint32_t context, enum mpdata_fields_reason reason)
{
    struct mpdata_fields_left_out *const row = &f->left_out[reason];

    row->contexts++;
    row->accesses = mprof_add_sat_u64(
        row->accesses,
        mpdata_view_mib_field(view, context, MPROF_MIB_INDEX_TotalAccessCount));
}

uint64_t mpdata_fields_counted(const struct mpdata_view *view, uint32_t context)
{
    struct mpdata_cells_cursor cell =
        MPDATA_VIEW_CELLS(view, &view->contexts[context]);
    uint64_t counted = 0;

    while (mpdata_cells_next(&cell))
        counted = mprof_add_sat_u64(counted, cell.count);
    return counted;
}

static void add_context(struct mpdata_fields_type *type,
                        const struct mpdata_view *view, uint32_t context)
{
    const struct mprof_mib mib = mpdata_view_mib(view, context);
    const uint64_t counted = mpdata_fields_counted(view, context);

    type->count++;
    type->has_arrays |= !type->is_open && mib.MaxSize > type->bytes;
    type->is_at_least |= mib.SaturatedCount + mib.UnseenCount != 0;
    type->blocks = mprof_add_sat_u64(type->blocks, mib.AllocCount);
    type->is_doubtful |=
        (view->contexts[context].flags & MPROF_CONTEXT_UNSEEN_MASK) != 0 ||
        mib.MeasuredRw < mib.AllocCount || mib.ReallocCount != 0;
    type->objects = mprof_add_sat_u64(
        type->objects,
        type->is_open ? mib.AllocCount : mib.TotalSize / type->bytes);
    type->peak_bytes = mprof_add_sat_u64(type->peak_bytes, mib.PeakBytes);
    type->accesses = mprof_add_sat_u64(type->accesses, counted);
    /* Runs without histograms may have added blocks. */
    type->is_at_least |= counted < mib.TotalAccessCount;
}

/* Makes the types of sorted entries, except those with a malformed list of
 * members. */
static void add_types(struct mpdata_fields *f, const struct mpdata_view *view,
                      const struct entry *entries, uint32_t count)
{
    struct mpdata_fields_type *type = NULL;
    bool is_known = false;

    for (uint32_t i = 0; i < count; i++) {
        const struct entry *const e = &entries[i];

        f->contexts[i] = e->context;
        if (i == 0 || compare_types(e, e - 1) != 0) {
            is_known =
                mpdata_fields_layout_members(e->text, e->bytes, NULL) != 0;
            type = &f->types[f->count];
            f->count += is_known;
            *type = (struct mpdata_fields_type){.name = e->name,
                                                .bytes = e->bytes,
                                                .text = e->text,
                                                .is_open = e->is_open,
                                                .first = i};
        }
        if (is_known)
            add_context(type, view, e->context);
        else
            leave_out(f, view, e->context, MPDATA_FIELDS_NO_MEMBERS);
    }
}

/* Whether a count of 0 may not mean that there was no access. */
static enum mprof_err find_doubt(bool *is_doubtful,
                                 const struct mpdata_profile *profile)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct mpdata_uninstrumented without;
    struct mpdata_run_totals runs;
    enum mprof_err err = mpdata_uninstrumented_find(&without, profile);

    if (err == MPROF_E_OK)
        err = mpdata_run_totals(&view, &runs);
    if (err == MPROF_E_OK)
        *is_doubtful = without.count != 0 || runs.burst_runs != 0 ||
                       runs.sampled_runs != 0 || runs.handler_jumps != 0;
    mpdata_uninstrumented_fini(&without);
    return err;
}

enum mprof_err mpdata_fields_make(struct mpdata_fields *fields,
                                  const struct mpdata_profile *profile)
{
    return mpdata_fields_make_of(fields, profile, NULL);
}

enum mprof_err mpdata_fields_make_of(struct mpdata_fields *fields,
                                     const struct mpdata_profile *profile,
                                     const uint8_t *chosen)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct entry *const entries =
        mpdata_vec_array(view.context_count, sizeof(*entries));
    int8_t *const allocators = judge_allocators(&view);
    bool held[MPDATA_METRIC_COUNT];
    enum mprof_err err = mpdata_metrics_held(profile, held);
    uint32_t count = 0;

    *fields = (struct mpdata_fields){
        .cell_bytes = cell_bytes_of(&view),
        .has_rw = view.unit_cells == MPROF_RAW_CELLS_FIELDS,
        /* One more for a type that turns out to be malformed. */
        .types = mpdata_vec_array((size_t)view.context_count + 1,
                                  sizeof(*fields->types)),
        .contexts =
            mpdata_vec_array(view.context_count, sizeof(*fields->contexts))};
    if (entries == NULL || allocators == NULL || fields->types == NULL ||
        fields->contexts == NULL)
        err = MPROF_E_NOMEM;
    if (err == MPROF_E_OK)
        err = find_doubt(&fields->is_doubtful, profile);
    for (uint32_t i = 0; err == MPROF_E_OK && i < view.context_count; i++) {
        if (chosen != NULL && chosen[i] == 0)
            continue;
        const enum mpdata_fields_reason reason =
            judge(&view, allocators, i, &entries[count]);

        if (reason == MPDATA_FIELDS_REASON_COUNT)
            count++;
        else
            leave_out(fields, &view, i, reason);
    }
    if (err == MPROF_E_OK) {
        fields->has_peak = held[MPDATA_METRIC_PEAK];
        qsort(entries, count, sizeof(*entries), compare_entries);
        add_types(fields, &view, entries, count);
        qsort(fields->types, fields->count, sizeof(*fields->types),
              compare_accesses);
    }
    free(allocators);
    free(entries);
    return err;
}

void mpdata_fields_fini(struct mpdata_fields *fields)
{
    free(fields->types);
    free(fields->contexts);
    *fields = (struct mpdata_fields){.types = NULL};
}
