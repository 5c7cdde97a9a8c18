/* show_json.c -- writes the views as JSON, with the same rows as on a terminal
 * (docs/show.md describes it). Each row is a line.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/json_out.h"
#include "profdata/base/vec.h"
#include "profdata/model/details.h"
#include "profdata/query/event_list.h"
#include "profdata/query/frame_json.h"
#include "profdata/query/call_tree.h"
#include "profdata/query/resident.h"
#include "profdata/view/show.h"
#include "shared/index_format.h"

#include <stdlib.h>
#include <string.h>

struct writer {
    struct mpdata_json_out json;
    struct mpdata_frame_json from;
    const struct show_options *options;
    const struct mpdata_top_list *list;
    /* Metrics that the profile has; the one of options->sort first. */
    enum mpdata_metric metrics[MPDATA_METRIC_COUNT];
    size_t metric_count;
};

/* -- scalars ----------------------------------------------------------------- */

static bool write_to_file(void *context, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, (FILE *)context) == size;
}

/* -- values ---------------------------------------------------------------- */

/* Writes values[i] of w->metrics[i]. */
static void values_member(struct writer *w, const char *key,
                          const uint64_t *values)
{
    mpdata_json_out_map_of(&w->json, key);
    for (size_t i = 0; i < w->metric_count; i++) {
        mpdata_json_out_number_of(&w->json, mpdata_metrics[w->metrics[i]].name,
                                  values[i]);
    }
    mpdata_json_out_close_map(&w->json);
}

static void mib_member(struct writer *w, const char *key,
                       const struct mprof_mib *mib)
{
    uint64_t values[MPDATA_METRIC_COUNT];

    for (size_t i = 0; i < w->metric_count; i++)
        values[i] = mpdata_metrics_get(mib, w->metrics[i]);
    values_member(w, key, values);
}

/* Writes the number of sampled blocks and the standard errors of sums. */
static void sampled_members(struct writer *w, const struct mprof_mib *mib)
{
    uint64_t error;

    if (mib->SampledCount == 0 && mib->TotalAccessCountVariance == 0)
        return;
    mpdata_json_out_known_number(&w->json, "sampled_blocks", mib->SampledCount);
    mpdata_json_out_map_of(&w->json, "standard_errors");
    for (size_t i = 0; i < w->metric_count; i++) {
        if (!mpdata_metrics_error(mib, w->metrics[i], &error))
            continue;
        mpdata_json_out_number_of(&w->json, mpdata_metrics[w->metrics[i]].name,
                                  error);
    }
    mpdata_json_out_close_map(&w->json);
}

static void frame_members(struct writer *w, uint32_t frame, enum mpdata_by by)
{
    mpdata_frame_json_members(&w->from, &w->json, frame, by);
}

/* -- the summary ----------------------------------------------------------- */

/* Writes the programs of the runs, without duplicates. */
static void programs_member(struct writer *w)
{
    uint8_t *is_known =
        mpdata_vec_array((size_t)w->from.view.path_count + 1, 1);

    mpdata_json_out_array_of(&w->json, "programs");
    w->from.failed |= is_known == NULL;
    for (uint32_t i = 0; is_known != NULL && i < w->from.view.run_count; i++) {
        const mpdata_ref path = w->from.view.runs[i].executable;

        if (path == 0 || is_known[path])
            continue;
        is_known[path] = 1;
        char *text = mpdata_profile_path_string(w->from.profile, path, NULL);
        w->from.failed |= text == NULL;
        mpdata_json_out_text(&w->json, text, text != NULL ? strlen(text) : 0);
        free(text);
    }
    mpdata_json_out_close_array(&w->json);
    free(is_known);
}

/* As in the summary of the text. */
static void notes_member(struct writer *w)
{
    struct mprof_buf lines;

    mpdata_heapbuf_init(&lines);
    mpdata_notes_unknown(&w->list->runs, &lines);
    mprof_buf_bytes(&lines, "", 1);
    w->from.failed |= lines.failed;
    if (!lines.failed)
        mpdata_json_out_known_lines(&w->json, "notes",
                                    (const char *)lines.data);
    mpdata_heapbuf_fini(&lines);
}

/* What was chosen from a log; of several runs, only their number. */
static void moment_members(struct writer *w)
{
    const struct mpdata_run_totals *const runs = &w->list->runs;

    mpdata_json_out_known_number(&w->json, "moment_runs", runs->moment_runs);
    if (runs->moment_runs != 1)
        return;
    mpdata_json_out_number_of(
        &w->json, runs->are_moments_counts ? "alive_event" : "alive_ns",
        runs->alive_ns - 1);
    if (runs->after_ns != 0)
        mpdata_json_out_number_of(
            &w->json, runs->are_moments_counts ? "after_event" : "after_ns",
            runs->after_ns - 1);
}

static void resident_member(struct writer *w, const char *key,
                            struct mpdata_resident resident)
{
    if (resident.sum == 0)
        return;
    mpdata_json_out_map_of(&w->json, key);
    for (size_t i = 0; i < MPROF_RESIDENT_COUNT; i++)
        mpdata_json_out_number_of(&w->json, mpdata_resident_keys[i],
                                  resident.bytes[i]);
    mpdata_json_out_close_map(&w->json);
}

static void resident_members(struct writer *w)
{
    const struct mpdata_view view = mpdata_profile_view(w->from.profile);
    const struct mpdata_run *const run = mpdata_resident_run(&view);

    if (run == NULL)
        return;
    resident_member(w, "resident_at_peak", mpdata_resident_at_peak(run));
    resident_member(w, "resident_at_end", mpdata_resident_at_end(run));
    mpdata_json_out_number_of(&w->json, "resident_most", run->rss_highest);
}

static void summary_members(struct writer *w)
{
    struct mpdata_json_out *const json = &w->json;
    const struct mpdata_top_list *const t = w->list;

    programs_member(w);
    mpdata_json_out_known_number(json, "runs", t->runs.runs);
    mpdata_json_out_known_number(json, "duration_ns", t->runs.duration_ns);
    if (t->runs.last_start_ns != 0)
        mpdata_json_out_known_number(json, "first_start_ns",
                                     t->runs.first_start_ns);
    mpdata_json_out_known_number(json, "last_start_ns", t->runs.last_start_ns);
    notes_member(w);
    moment_members(w);
    mpdata_json_out_known_number(json, "truncated_stacks", t->runs.truncated);
    mpdata_json_out_known_number(json, "dropped_blocks", t->runs.dropped);
    mpdata_json_out_known_number(json, "other_malloc", t->runs.other_malloc);
    if (!w->options->is_of_pools)
        mpdata_json_out_known_number(json, "run_peak_bytes",
                                     t->runs.peak_bytes);
    resident_members(w);
    mpdata_json_out_number_of(json, "call_stacks", t->context_count);
    mib_member(w, "totals", &t->totals);
    sampled_members(w, &t->totals);
    mpdata_json_out_known_number(json, "suppressed_bytes",
                                 w->options->suppressed_bytes);
    mpdata_json_out_known_number(json, "suppressed_blocks",
                                 w->options->suppressed_blocks);
}

/* -- call stacks ------------------------------------------------------------- */

static void histogram_member(struct writer *w, const struct mpdata_context *c,
                             uint64_t size)
{
    struct mpdata_cells_cursor cell = MPDATA_VIEW_CELLS(&w->from.view, c);

    if (c->cells.words == NULL)
        return;
    mpdata_json_out_number_of(&w->json, "histogram_offsets",
                              mpdata_view_cells(&w->from.view, size) * 8);
    mpdata_json_out_array_of(&w->json, "histogram");
    while (mpdata_cells_next(&cell))
        mpdata_json_out_pair(&w->json, cell.cell * 8, cell.count);
    mpdata_json_out_close_array(&w->json);
}

/* Writes pairs of an offset and its accesses. */
static void places_member(struct writer *w, const struct mpdata_context *c)
{
    const struct mpdata_details places =
        mpdata_details_of(&w->from.view, c, MPROF_DETAIL_PLACE);

    if (places.count == 0)
        return;
    mpdata_json_out_array_of(&w->json, "places");
    for (uint32_t i = 0; i < places.count; i++) {
        mpdata_json_out_pair(
            &w->json, (uint64_t)places.rows[i].key * MPROF_DETAIL_PLACE_BYTES,
            places.rows[i].count);
    }
    mpdata_json_out_close_array(&w->json);
}

static void frames_member(struct writer *w)
{
    mpdata_json_out_array_of(&w->json, "frames");
    for (uint32_t i = 0; i < w->from.view.frame_count; i++) {
        mpdata_json_out_row(&w->json);
        frame_members(w, i, MPDATA_BY_STACK);
        mpdata_json_out_close_map(&w->json);
    }
    mpdata_json_out_close_array(&w->json);
}

/* Writes a context and counts it, if it belongs to the view. */
static void put_context(struct writer *w, const struct mpdata_context *c,
                        uint64_t *shown)
{
    if (*shown >= w->options->top ||
        (w->options->view == SHOW_HISTOGRAM && c->cells.words == NULL))
        return;
    ++*shown;
    struct mprof_mib mib = mpdata_view_mib_of(&w->from.view, c);
    mpdata_json_out_row(&w->json);
    mib_member(w, "values", &mib);
    sampled_members(w, &mib);
    if (mib.MaxSize != 0) {
        mpdata_json_out_number_of(&w->json, "size_min", mib.MinSize);
        mpdata_json_out_number_of(&w->json, "size_max", mib.MaxSize);
    }
    if ((c->flags & MPROF_CONTEXT_FL_NOT_MEASURED) != 0)
        mpdata_json_out_bool_of(&w->json, "accesses_measured", false);
    histogram_member(w, c, mib.AccessHistogramSize);
    places_member(w, c);
    mpdata_frame_json_details(&w->json, &w->from.view, c);
    mpdata_frame_json_numbers(&w->json, &w->from.view, c->node);
    mpdata_json_out_close_map(&w->json);
}

/* Writes the list, then the contexts whose value of options->sort is 0. */
static void stacks_members(struct writer *w)
{
    uint64_t shown = 0;

    frames_member(w);
    mpdata_json_out_array_of(&w->json, "rows");
    for (uint32_t i = 0; i < w->list->count; i++)
        put_context(w, &w->from.view.contexts[w->list->rows[i]], &shown);
    for (uint32_t i = 0;
         i < w->from.view.context_count && w->list->count < w->options->top;
         i++) {
        const struct mpdata_context *const c = &w->from.view.contexts[i];

        if (mpdata_metrics_value(&w->from.view, i, w->options->sort) == 0)
            put_context(w, c, &shown);
    }
    mpdata_json_out_close_array(&w->json);
}

/* Error: NOMEM. */
static enum mprof_err events_members(struct writer *w)
{
    const bool are_copies = w->options->view == SHOW_COPIES;
    struct mpdata_event_list list;
    const enum mprof_err err = mpdata_event_list_make(
        &list, w->from.profile, are_copies ? MPROF_TAG_COPY : MPROF_TAG_EVENT);

    if (err == MPROF_E_OK && are_copies)
        mpdata_event_list_mix(&list);
    frames_member(w);
    mpdata_json_out_array_of(&w->json, "rows");
    for (uint32_t i = 0;
         err == MPROF_E_OK && i < list.row_count && i < w->options->top; i++) {
        const struct mpdata_event_row *const row = &list.rows[i];
        const struct mpdata_tagged *const part =
            &w->from.view.tagged_rows[row->tagged];

        mpdata_json_out_row(&w->json);
        mpdata_json_out_text_of(&w->json, are_copies ? "function" : "event",
                                w->from.view.strings[part->name].bytes);
        mpdata_json_out_number_of(&w->json, "times", row->sum.count);
        mpdata_json_out_number_of(&w->json, are_copies ? "bytes" : "weight",
                                  row->sum.weight);
        mpdata_json_out_number_of(&w->json, "least", row->sum.lightest);
        mpdata_json_out_number_of(&w->json, "most", row->sum.heaviest);
        mpdata_frame_json_numbers(&w->json, &w->from.view, part->node);
        mpdata_json_out_close_map(&w->json);
    }
    mpdata_json_out_close_array(&w->json);
    mpdata_event_list_fini(&list);
    return err;
}

/* -- other rows -------------------------------------------------------------- */

static void put_group(struct writer *w, const struct mpdata_group *group,
                      enum mpdata_by by)
{
    mpdata_json_out_row(&w->json);
    frame_members(w, group->frame, by);
    values_member(w, "self", group->self);
    values_member(w, "total", group->total);
    mpdata_json_out_close_map(&w->json);
}

/* Error: NOMEM. */
static enum mprof_err groups_members(struct writer *w)
{
    struct mpdata_groups groups;
    const enum mprof_err err = mpdata_groups_make(
        &groups, w->from.profile, w->options->by, w->metrics, w->metric_count);

    mpdata_json_out_array_of(&w->json, "rows");
    for (uint32_t i = 0;
         err == MPROF_E_OK && i < groups.count && i < w->options->top; i++)
        put_group(w, &groups.rows[i], w->options->by);
    mpdata_json_out_close_array(&w->json);
    if (err == MPROF_E_OK)
        values_member(w, "without_stack", groups.without_stack);
    mpdata_groups_fini(&groups);
    return err;
}

/* Error: NOMEM. */
static enum mprof_err names_members(struct writer *w)
{
    struct mpdata_name_list list;
    const enum mprof_err err = mpdata_name_list_make(
        &list, w->from.profile, w->options->by, w->metrics, w->metric_count);

    mpdata_json_out_array_of(&w->json, "rows");
    for (uint32_t i = 0;
         err == MPROF_E_OK && i < list.count && i < w->options->top; i++) {
        const struct mpdata_str *const name =
            &w->from.view.strings[list.rows[i].name];

        mpdata_json_out_row(&w->json);
        mpdata_json_out_key(&w->json, mpdata_by_name(w->options->by));
        if (list.rows[i].name != 0 || w->options->by == MPDATA_BY_POOL)
            mpdata_json_out_text(&w->json, name->bytes, name->size);
        else
            mpdata_json_out_null(&w->json);
        values_member(w, "values", list.rows[i].values);
        mpdata_json_out_close_map(&w->json);
    }
    mpdata_json_out_close_array(&w->json);
    mpdata_name_list_fini(&list);
    return err;
}

static void put_tree_row(struct writer *w, const struct mpdata_call_tree *tree,
                         const struct mpdata_tree_row *row)
{
    const size_t n = tree->metric_count;
    uint64_t totals[MPDATA_METRIC_COUNT];
    bool is_empty = true;

    for (size_t i = 0; i < n; i++) {
        totals[i] = mpdata_call_tree_rows_total(tree, row, i);
        is_empty = is_empty && totals[i] == 0;
    }
    /* A node that only leads to another call of the root's function has no
     * values. */
    if (is_empty && row->depth != 0)
        return;
    mpdata_json_out_row(&w->json);
    mpdata_json_out_number_of(&w->json, "depth", row->depth);
    mpdata_json_out_known_number(&w->json, "insignificant", row->folded);
    if (row->folded == 0 && row->node != 0)
        frame_members(w, tree->nodes[row->node].frame, MPDATA_BY_CALL);
    if (row->folded == 0 && w->options->view != SHOW_CALLERS)
        values_member(w, "self", &tree->self[row->node * n]);
    values_member(w, "total", totals);
    mpdata_json_out_close_map(&w->json);
}

/* Error: NOMEM. */
static enum mprof_err tree_members(struct writer *w)
{
    struct mpdata_tree_rows rows = {.rows = NULL};
    bool *is_frame = NULL;
    struct mpdata_call_tree tree;

    if (w->options->view != SHOW_TREE) {
        is_frame = mpdata_frame_match(w->from.profile, w->from.names,
                                      &w->options->matcher);
        if (is_frame == NULL)
            return MPROF_E_NOMEM;
    }
    enum mprof_err err =
        show_tree_make(&tree, w->from.profile, is_frame, w->options, w->metrics,
                       w->metric_count);
    if (err == MPROF_E_OK)
        err = mpdata_call_tree_rows(&rows, &tree, tree.least);
    mpdata_json_out_array_of(&w->json, "rows");
    for (uint32_t i = 0; err == MPROF_E_OK && i < rows.count; i++)
        put_tree_row(w, &tree, &rows.rows[i]);
    mpdata_json_out_close_array(&w->json);
    mpdata_call_tree_rows_fini(&rows);
    mpdata_call_tree_fini(&tree);
    free(is_frame);
    return err;
}

/* Error: NOMEM. */
static enum mprof_err source_members(struct writer *w)
{
    bool *const is_frame = mpdata_frame_match(w->from.profile, w->from.names,
                                              &w->options->matcher);
    struct mpdata_source_list list;

    if (is_frame == NULL)
        return MPROF_E_NOMEM;
    enum mprof_err err = mpdata_source_list_make(
        &list, w->from.profile, is_frame, w->metrics, w->metric_count);
    mpdata_json_out_array_of(&w->json, "rows");
    for (uint32_t i = 0; err == MPROF_E_OK && i < list.count; i++) {
        const struct mpdata_source_part *const part = &list.parts[i];

        put_group(w, part->function, MPDATA_BY_FUNCTION);
        for (uint32_t k = 0; k < part->count; k++)
            put_group(w, list.lines[part->first + k], MPDATA_BY_CALL);
    }
    mpdata_json_out_close_array(&w->json);
    mpdata_source_list_fini(&list);
    free(is_frame);
    return err;
}

/* Returns the name of the option that chose the view. */
static const char *view_name(const struct show_options *options)
{
    static const char *const views[] = {
        [SHOW_TREE] = "tree",           [SHOW_CALLERS] = "callers",
        [SHOW_CALLEES] = "callees",     [SHOW_SOURCE] = "list",
        [SHOW_HISTOGRAM] = "histogram", [SHOW_EVENTS] = "events",
        [SHOW_COPIES] = "copies",       [SHOW_SIZES] = "sizes",
        [SHOW_LIFETIMES] = "lifetimes", [SHOW_ENDS] = "freed-by",
        [SHOW_TIMELINE] = "timeline"};

    return options->view == SHOW_LIST ? mpdata_by_name(options->by)
                                      : views[options->view];
}

/* -- the document ---------------------------------------------------------- */

static void choose_metrics(struct writer *w)
{
    if (w->list->held[w->options->sort])
        w->metrics[w->metric_count++] = w->options->sort;
    for (int m = 0; m < MPDATA_METRIC_COUNT; m++) {
        const enum mpdata_metric metric = (enum mpdata_metric)m;

        if (metric != w->options->sort && w->list->held[metric])
            w->metrics[w->metric_count++] = metric;
    }
}

static void put_series(struct writer *w, const struct mpdata_series *series)
{
    mpdata_json_out_row(&w->json);
    mpdata_frame_json_series(&w->json, &w->from.view, series);
    mpdata_json_out_close_map(&w->json);
}

static void series_members(struct writer *w)
{
    mpdata_json_out_array_of(&w->json, "rows");
    for (uint32_t i = 0; i < w->from.view.series_count && i < w->options->top;
         i++)
        put_series(w, &w->from.view.series[i]);
    mpdata_json_out_close_array(&w->json);
}

static enum mprof_err put_page(struct writer *w)
{
    enum mprof_err err = MPROF_E_OK;

    mpdata_json_out_open_map(&w->json);
    mpdata_json_out_number_of(&w->json, "memprofdata_show", SHOW_JSON_VERSION);
    mpdata_json_out_known_text(&w->json, "view", view_name(w->options));
    mpdata_json_out_known_text(&w->json, "sort",
                               mpdata_metrics[w->metrics[0]].name);
    if (w->options->pattern != NULL)
        mpdata_json_out_known_text(&w->json, "pattern", w->options->pattern);
    summary_members(w);
    if (w->options->view == SHOW_SOURCE)
        err = source_members(w);
    else if (w->options->view == SHOW_TIMELINE)
        series_members(w);
    else if (w->options->view == SHOW_EVENTS || w->options->view == SHOW_COPIES)
        err = events_members(w);
    else if (w->options->view >= SHOW_HISTOGRAM)
        stacks_members(w);
    else if (w->options->view != SHOW_LIST)
        err = tree_members(w);
    else if (mpdata_by_is_name(w->options->by))
        err = names_members(w);
    else if (w->options->by != MPDATA_BY_STACK)
        err = groups_members(w);
    else
        stacks_members(w);
    mpdata_json_out_close_map(&w->json);
    return err;
}

enum mprof_err show_json(FILE *out, const struct mpdata_profile *profile,
                         const struct mpdata_top_list *list,
                         const struct show_options *options)
{
    struct mpdata_sink sink = {.write = write_to_file, .context = out};
    struct writer w = {
        .from = {.profile = profile,
                 .view = mpdata_profile_view(profile),
                 .names = mpdata_frame_names_new(profile, options->demangler)},
        .options = options,
        .list = list};
    enum mprof_err err = MPROF_E_NOMEM;

    if (mpdata_json_out_init(&w.json, &sink) && w.from.names != NULL) {
        choose_metrics(&w);
        err = put_page(&w);
        fputc('\n', out);
        if (w.from.failed || mpdata_frame_names_failed(w.from.names) ||
            (sink.failed && !ferror(out)))
            err = MPROF_E_NOMEM;
    }
    mpdata_json_out_fini(&w.json);
    mpdata_frame_names_free(w.from.names);
    return err;
}
