/* diff_json.c -- writes the differences of two profiles as JSON (docs/diff.md).
 * Omits metrics that a profile does not have. Values are the profile's own
 * sums; `change` is the difference after division by the runs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/frame_json.h"
#include "profdata/view/views.h"
#include "shared/index_format.h"

#include <stdlib.h>
#include <string.h>

#define OLD MPDATA_DIFF_OLD
#define NEW MPDATA_DIFF_NEW

struct writer {
    struct mpdata_json_out json;
    const struct mpdata_diff *diff;
    const struct diff_options *options;
    struct mpdata_frame_json from[MPDATA_DIFF_SIDES];
    bool failed;
};

static const char *const side_keys[] = {[OLD] = "old", [NEW] = "new"};

static void change_member(struct writer *w, const char *key,
                          enum mpdata_metric metric,
                          const uint64_t values[MPDATA_DIFF_SIDES])
{
    const struct mpdata_diff_change change =
        mpdata_diff_change(w->diff, metric, values[OLD], values[NEW]);

    mpdata_json_out_key(&w->json, key);
    mpdata_json_out_signed(&w->json, change.is_less, change.amount);
}

/* -- profiles -------------------------------------------------------------------- */

/* Writes all measured metrics. `flags`: of the contexts. */
static void put_metrics(struct writer *w, int side, const struct mprof_mib *mib,
                        uint32_t flags)
{
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++) {
        if (w->diff->sides[side].held[m] &&
            (m != MPDATA_METRIC_ACCESSES ||
             (flags & MPROF_CONTEXT_FL_NOT_MEASURED) == 0))
            mpdata_json_out_number_of(
                &w->json, mpdata_metrics[m].name,
                mpdata_metrics_get(mib, (enum mpdata_metric)m));
    }
}

static void put_per_block(struct writer *w, int side,
                          const struct mprof_mib *mib, uint32_t flags)
{
    static const enum mpdata_metric metrics[] = {
        MPDATA_METRIC_BYTES, MPDATA_METRIC_ACCESSES, MPDATA_METRIC_LIFETIME};

    mpdata_json_out_map_of(&w->json, "per_block");
    for (size_t i = 0; i < MPROF_ARRAY_LEN(metrics); i++) {
        const enum mpdata_metric m = metrics[i];

        if (!w->diff->sides[side].held[m] ||
            (m == MPDATA_METRIC_ACCESSES &&
             (flags & MPROF_CONTEXT_FL_NOT_MEASURED) != 0))
            continue;
        mpdata_json_out_key(&w->json, mpdata_metrics[m].name);
        mpdata_json_out_ratio(&w->json, mpdata_metrics_get(mib, m),
                              mib->AllocCount);
    }
    mpdata_json_out_close_map(&w->json);
}

static void put_side(struct writer *w, int side)
{
    const struct mpdata_diff_side *const s = &w->diff->sides[side];

    mpdata_json_out_line(&w->json);
    mpdata_json_out_map_of(&w->json, side_keys[side]);
    mpdata_json_out_text_of(&w->json, "input", w->options->names[side]);
    mpdata_json_out_known_number(&w->json, "runs", s->runs.runs);
    mpdata_diff_divisors(s, &w->json);
    mpdata_json_out_number_of(&w->json, "stacks", s->view.context_count);
    mpdata_json_out_known_number(&w->json, "sampled_runs",
                                 s->runs.sampled_runs);
    mpdata_json_out_map_of(&w->json, "totals");
    put_metrics(w, side, &s->totals, 0);
    mpdata_json_out_close_map(&w->json);
    mpdata_json_out_close_map(&w->json);
}

static void put_changes(struct writer *w)
{
    const struct mpdata_diff_side *const sides = w->diff->sides;

    mpdata_json_out_line(&w->json);
    mpdata_json_out_map_of(&w->json, "change");
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++) {
        const uint64_t values[] = {
            mpdata_metrics_get(&sides[OLD].totals, (enum mpdata_metric)m),
            mpdata_metrics_get(&sides[NEW].totals, (enum mpdata_metric)m)};

        if (sides[OLD].held[m] && sides[NEW].held[m])
            change_member(w, mpdata_metrics[m].name, (enum mpdata_metric)m,
                          values);
    }
    mpdata_json_out_close_map(&w->json);
}

/* -- rows -------------------------------------------------------------------------- */

/* Writes the type, thread or pool; null if it is unknown. */
static void put_name(struct writer *w, int side, mpdata_string name)
{
    const struct mpdata_str *const text =
        &w->diff->sides[side].view.strings[name];

    mpdata_json_out_key(&w->json, mpdata_by_name(w->diff->by));
    if (name != 0)
        mpdata_json_out_text(&w->json, text->bytes, text->size);
    else
        mpdata_json_out_null(&w->json);
}

static void put_binary(struct writer *w, int side, uint32_t frame)
{
    const struct mpdata_diff_side *const s = &w->diff->sides[side];
    const uint32_t binary = s->view.frames[frame].binary;
    char *const path = mpdata_profile_path_string(
        s->profile, binary != 0 ? s->view.binaries[binary - 1].path : 0, NULL);

    mpdata_json_out_key(&w->json, "binary");
    if (path != NULL && path[0] != '\0')
        mpdata_json_out_text(&w->json, path, strlen(path));
    else
        mpdata_json_out_null(&w->json);
    w->failed |= path == NULL;
    free(path);
}

static void put_row_side(struct writer *w, const struct mpdata_diff_row *row,
                         int side)
{
    struct mprof_mib mib;
    uint32_t flags;

    if (row->first[side] == 0)
        return;
    mpdata_json_out_map_of(&w->json, side_keys[side]);
    if (w->diff->by == MPDATA_BY_STACK) {
        mpdata_diff_mib(w->diff, row, side, &mib, &flags);
        put_metrics(w, side, &mib, flags);
        if (mib.AllocCount != 0)
            put_per_block(w, side, &mib, flags);
    } else {
        mpdata_json_out_number_of(&w->json, "self", row->self[side]);
        if (!mpdata_by_is_name(w->diff->by))
            mpdata_json_out_number_of(&w->json, "total", row->total[side]);
    }
    mpdata_json_out_close_map(&w->json);
}

static void put_row(struct writer *w, const struct mpdata_diff_row *row)
{
    const int side = row->first[NEW] != 0 ? NEW : OLD;

    mpdata_json_out_row(&w->json);
    mpdata_json_out_text_of(
        &w->json, "kind",
        mpdata_diff_kind_name(mpdata_diff_kind(w->diff, row)));
    change_member(w, "change", w->diff->metric, row->self);
    if (w->diff->by != MPDATA_BY_STACK && !mpdata_by_is_name(w->diff->by))
        change_member(w, "change_total", w->diff->metric, row->total);
    for (int i = 0; i < MPDATA_DIFF_SIDES; i++)
        put_row_side(w, row, i);
    if (w->diff->by == MPDATA_BY_STACK) {
        mpdata_frame_json_stack(
            &w->from[side], &w->json,
            w->from[side].view.contexts[row->first[side] - 1].node);
    } else if (mpdata_by_is_name(w->diff->by)) {
        put_name(w, side, row->first[side] - 1);
    } else if (w->diff->by == MPDATA_BY_BINARY) {
        put_binary(w, side, row->first[side] - 1);
    } else {
        mpdata_json_out_map_of(&w->json, "frame");
        mpdata_frame_json_members(&w->from[side], &w->json,
                                  row->first[side] - 1, MPDATA_BY_STACK);
        mpdata_json_out_close_map(&w->json);
    }
    mpdata_json_out_close_map(&w->json);
}

static void put_counts(struct writer *w)
{
    mpdata_json_out_line(&w->json);
    mpdata_json_out_map_of(&w->json, "counts");
    for (int i = 0; i < MPDATA_DIFF_KIND_COUNT; i++)
        mpdata_json_out_number_of(
            &w->json, mpdata_diff_kind_name((enum mpdata_diff_kind)i),
            w->diff->kinds[i]);
    mpdata_json_out_known_number(&w->json, "not_measured", w->diff->unmeasured);
    mpdata_json_out_close_map(&w->json);
}

static void put_document(struct writer *w)
{
    const uint32_t count =
        (uint32_t)mprof_min_u64(w->diff->count, w->options->show.top);
    const struct mpdata_metric_row *const metric =
        &mpdata_metrics[w->diff->metric];

    mpdata_json_out_open_map(&w->json);
    mpdata_json_out_number_of(&w->json, "memprofdata-diff", DIFF_JSON_VERSION);
    mpdata_json_out_text_of(&w->json, "metric", metric->name);
    mpdata_json_out_text_of(&w->json, "unit",
                            mprof_mib_fields[metric->field].unit);
    mpdata_json_out_text_of(&w->json, "by", mpdata_by_name(w->diff->by));
    mpdata_json_out_bool_of(&w->json, "per_run", w->diff->is_per_run);
    for (int side = 0; side < MPDATA_DIFF_SIDES; side++)
        put_side(w, side);
    put_changes(w);
    if (w->diff->is_held) {
        put_counts(w);
        mpdata_json_out_line(&w->json);
        mpdata_json_out_array_of(&w->json, "rows");
        for (uint32_t i = 0; i < count; i++)
            put_row(w, &w->diff->rows[i]);
        mpdata_json_out_close_array(&w->json);
    }
    mpdata_json_out_close_map(&w->json);
    mpdata_json_out_line(&w->json);
}

enum mprof_err diff_json(struct mpdata_sink *out,
                         const struct mpdata_diff *diff,
                         const struct diff_options *options)
{
    struct writer w = {.diff = diff, .options = options};

    for (int side = 0; side < MPDATA_DIFF_SIDES; side++) {
        const struct mpdata_diff_side *const d = &diff->sides[side];

        w.from[side] = (struct mpdata_frame_json){
            .profile = d->profile,
            .view = d->view,
            .names =
                mpdata_frame_names_new(d->profile, options->show.demangler)};
        w.failed |= w.from[side].names == NULL;
    }
    if (!mpdata_json_out_init(&w.json, out))
        w.failed = true;
    else if (!w.failed)
        put_document(&w);
    mpdata_json_out_fini(&w.json);
    for (int side = 0; side < MPDATA_DIFF_SIDES; side++) {
        struct mpdata_frame_names *const names = w.from[side].names;

        w.failed |= w.from[side].failed ||
                    (names != NULL && mpdata_frame_names_failed(names));
        mpdata_frame_names_free(names);
    }
    return w.failed || out->failed ? MPROF_E_NOMEM : MPROF_E_OK;
}
