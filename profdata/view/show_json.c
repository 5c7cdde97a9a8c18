/* show_json.c -- the views as JSON, the same rows as on a terminal
 * (docs/show.md has the form). Each row is a line.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/build_id.h"
#include "profdata/base/json_out.h"
#include "profdata/base/vec.h"
#include "profdata/model/details.h"
#include "profdata/query/details_json.h"
#include "profdata/query/event_list.h"
#include "profdata/query/source_list.h"
#include "profdata/query/tree_rows.h"
#include "profdata/query/name_list.h"
#include "profdata/view/show.h"
#include "shared/index_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    struct mpdata_json_out json;
    const struct mpdata_profile *profile;
    struct mpdata_view view;
    const struct show_options *options;
    const struct mpdata_top_list *list;
    struct mpdata_frame_names *names;
    /* What the profile holds; first what is sorted by. */
    enum mpdata_metric metrics[MPDATA_METRIC_COUNT];
    size_t metric_count;
    bool failed; /* something was left out for want of memory */
};

/* -- scalars ----------------------------------------------------------------- */

static bool write_to_file(void *context, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, (FILE *)context) == size;
}

static void put_key(struct writer *w, const char *key)
{
    mpdata_json_out_key(&w->json, key);
}

static void put_string(struct writer *w, const char *text)
{
    mpdata_json_out_text(&w->json, text, strlen(text));
}

static void put_number(struct writer *w, uint64_t number)
{
    mpdata_json_out_number(&w->json, number);
}

static void string_member(struct writer *w, const char *key, const char *text)
{
    if (text[0] == '\0')
        return;
    put_key(w, key);
    put_string(w, text);
}

static void number_member(struct writer *w, const char *key, uint64_t number)
{
    if (number == 0)
        return;
    put_key(w, key);
    put_number(w, number);
}

static void path_member(struct writer *w, const char *key, mpdata_ref path)
{
    char *const text = mpdata_profile_path_string(w->profile, path, NULL);

    w->failed |= text == NULL;
    if (text != NULL)
        string_member(w, key, text);
    free(text);
}

/* Begins the next row of a list, on a line of its own. */
static void begin_row(struct writer *w)
{
    mpdata_json_out_line(&w->json);
    mpdata_json_out_open_map(&w->json);
}

static void end_row(struct writer *w)
{
    mpdata_json_out_close_map(&w->json);
}

/* -- what rows are made of --------------------------------------------------- */

/* Of all metrics that the profile holds. */
static void values_member(struct writer *w, const char *key,
                          const uint64_t *values)
{
    put_key(w, key);
    mpdata_json_out_open_map(&w->json);
    for (size_t i = 0; i < w->metric_count; i++) {
        put_key(w, mpdata_metrics[w->metrics[i]].name);
        put_number(w, values[i]);
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

/* Of sums that are estimates: from how many blocks, and standard errors. */
static void sampled_members(struct writer *w, const struct mprof_mib *mib)
{
    uint64_t error;

    if (mib->SampledCount == 0)
        return;
    put_key(w, "sampled_blocks");
    put_number(w, mib->SampledCount);
    put_key(w, "standard_errors");
    mpdata_json_out_open_map(&w->json);
    for (size_t i = 0; i < w->metric_count; i++) {
        if (!mpdata_metrics_error(mib, w->metrics[i], &error))
            continue;
        put_key(w, mpdata_metrics[w->metrics[i]].name);
        put_number(w, error);
    }
    mpdata_json_out_close_map(&w->json);
}

static void binary_members(struct writer *w, const struct mpdata_frame *frame)
{
    const struct mpdata_binary *const binary =
        frame->binary != 0 ? &w->view.binaries[frame->binary - 1] : NULL;
    char id[MPDATA_BUILD_ID_TEXT_BYTES];

    if (binary == NULL)
        return;
    path_member(w, "module", binary->path);
    if (w->view.strings[binary->build_id].size != 0)
        string_member(
            w, "build_id",
            mpdata_build_id_text(w->view.strings[binary->build_id].bytes,
                                 w->view.strings[binary->build_id].size, id));
}

static void function_members(struct writer *w, const struct mpdata_frame *frame)
{
    char *const name = mpdata_frame_names_text(w->names, frame);
    const char *linkage =
        frame->function != 0 ? mpdata_frame_names_linkage(w->names, frame) : "";

    w->failed |= name == NULL;
    string_member(w, "function", name != NULL ? name : "");
    if (name != NULL && strcmp(linkage, name) != 0)
        string_member(w, "linkage_name", linkage);
    free(name);
}

static void address_members(struct writer *w, const struct mpdata_frame *frame)
{
    char address[24];

    binary_members(w, frame);
    snprintf(address, sizeof(address), "0x%" PRIx64, frame->address);
    string_member(w, "address", address);
}

/* What a frame says as far as all frames of a group of this kind say it. */
static void frame_members(struct writer *w, const struct mpdata_frame *frame,
                          enum show_by by)
{
    if (by == SHOW_BY_MODULE) {
        binary_members(w, frame);
        return;
    }
    if (by != SHOW_BY_FILE || (frame->path == 0 && frame->function != 0))
        function_members(w, frame);
    if (frame->function == 0) {
        if (by == SHOW_BY_FILE)
            binary_members(w, frame);
        else
            address_members(w, frame);
        return;
    }
    path_member(w, "file", frame->path);
    if (by == SHOW_BY_LINE || by == SHOW_BY_CALL || by == SHOW_BY_STACK)
        number_member(w, "line", frame->line);
    if (by != SHOW_BY_STACK)
        return;
    number_member(w, "column", frame->column);
    if ((frame->flags & MPROF_ENTRY_FL_INLINE) != 0) {
        put_key(w, "inlined");
        mpdata_json_out_bool(&w->json, true);
    }
}

/* -- the page ---------------------------------------------------------------- */

/* The programs of the runs, each once. */
static void programs_member(struct writer *w)
{
    uint8_t *is_known =
        (uint8_t *)mpdata_vec_array((size_t)w->view.path_count + 1, 1);

    put_key(w, "programs");
    mpdata_json_out_open_array(&w->json);
    w->failed |= is_known == NULL;
    for (uint32_t i = 0; is_known != NULL && i < w->view.run_count; i++) {
        const mpdata_ref path = w->view.runs[i].executable;
        char *text;

        if (path == 0 || is_known[path])
            continue;
        is_known[path] = 1;
        text = mpdata_profile_path_string(w->profile, path, NULL);
        w->failed |= text == NULL;
        put_string(w, text != NULL ? text : "");
        free(text);
    }
    mpdata_json_out_close_array(&w->json);
    free(is_known);
}

static void summary_members(struct writer *w)
{
    const struct mpdata_top_list *const t = w->list;

    programs_member(w);
    number_member(w, "runs", t->runs.runs);
    number_member(w, "duration_ns", t->runs.duration_ns);
    if (t->runs.last_start_ns != 0)
        number_member(w, "first_start_ns", t->runs.first_start_ns);
    number_member(w, "last_start_ns", t->runs.last_start_ns);
    number_member(w, "truncated_stacks", t->runs.truncated);
    number_member(w, "dropped_blocks", t->runs.dropped);
    number_member(w, "other_malloc", t->runs.other_malloc);
    if (!w->options->is_of_pools)
        number_member(w, "run_peak_bytes", t->runs.peak_bytes);
    mpdata_left_out_json(&w->json, w->options->left_out);
    put_key(w, "call_stacks");
    put_number(w, t->context_count);
    mib_member(w, "totals", &t->totals);
    sampled_members(w, &t->totals);
    number_member(w, "suppressed_bytes", w->options->suppressed_bytes);
    number_member(w, "suppressed_blocks", w->options->suppressed_blocks);
}

/* -- call stacks ------------------------------------------------------------- */

static void histogram_member(struct writer *w, struct mpdata_cells cells,
                             uint64_t size)
{
    struct mpdata_cells_run run;

    if (cells.words == NULL)
        return;
    put_key(w, "histogram_offsets");
    put_number(w, size * 8);
    put_key(w, "histogram");
    mpdata_json_out_open_array(&w->json);
    while (mpdata_cells_next_run(&cells, &run)) {
        for (uint64_t i = 0; i < run.count; i++) {
            if (run.counts[i] == 0)
                continue;
            mpdata_json_out_open_array(&w->json);
            put_number(w, (run.first + i) * 8);
            put_number(w, run.counts[i]);
            mpdata_json_out_close_array(&w->json);
        }
    }
    mpdata_json_out_close_array(&w->json);
}

/* Pairs of an offset and accesses to what is there. */
static void places_member(struct writer *w, const struct mpdata_context *c)
{
    const struct mpdata_details places =
        mpdata_details_of(&w->view, c, MPROF_DETAIL_PLACE);

    if (places.count == 0)
        return;
    put_key(w, "places");
    mpdata_json_out_open_array(&w->json);
    for (uint32_t i = 0; i < places.count; i++) {
        mpdata_json_out_open_array(&w->json);
        put_number(w, (uint64_t)places.rows[i].key * MPROF_DETAIL_PLACE_BYTES);
        put_number(w, places.rows[i].count);
        mpdata_json_out_close_array(&w->json);
    }
    mpdata_json_out_close_array(&w->json);
}

static void stack_member(struct writer *w, mpdata_ref node)
{
    put_key(w, "stack");
    mpdata_json_out_open_array(&w->json);
    for (mpdata_ref n = node; n != 0; n = w->view.nodes[n - 1].parent)
        put_number(w, w->view.nodes[n - 1].frame);
    mpdata_json_out_close_array(&w->json);
}

static void frames_member(struct writer *w)
{
    put_key(w, "frames");
    mpdata_json_out_open_array(&w->json);
    for (uint32_t i = 0; i < w->view.frame_count; i++) {
        begin_row(w);
        frame_members(w, &w->view.frames[i], SHOW_BY_STACK);
        end_row(w);
    }
    mpdata_json_out_close_array(&w->json);
}

/* Counts it, if it is one of the view's. */
static void put_context(struct writer *w, const struct mpdata_context *c,
                        uint64_t *shown)
{
    struct mprof_mib mib;

    if (*shown >= w->options->top ||
        (w->options->view == SHOW_HISTOGRAM && c->cells.words == NULL))
        return;
    ++*shown;
    mib = mpdata_view_mib_of(&w->view, c);
    begin_row(w);
    mib_member(w, "values", &mib);
    sampled_members(w, &mib);
    if (mib.MaxSize != 0) {
        put_key(w, "size_min");
        put_number(w, mib.MinSize);
        put_key(w, "size_max");
        put_number(w, mib.MaxSize);
    }
    if ((c->flags & MPROF_CONTEXT_FL_NOT_MEASURED) != 0) {
        put_key(w, "accesses_measured");
        mpdata_json_out_bool(&w->json, false);
    }
    histogram_member(w, c->cells, mib.AccessHistogramSize);
    places_member(w, c);
    mpdata_details_json(&w->json, &w->view, c);
    stack_member(w, c->node);
    end_row(w);
}

/* The list, then those that have nothing of what is sorted by. */
static void stacks_members(struct writer *w)
{
    uint64_t shown = 0;

    frames_member(w);
    put_key(w, "rows");
    mpdata_json_out_open_array(&w->json);
    for (uint32_t i = 0; i < w->list->count; i++)
        put_context(w, &w->view.contexts[w->list->rows[i]], &shown);
    for (uint32_t i = 0;
         i < w->view.context_count && w->list->count < w->options->top; i++) {
        const struct mpdata_context *const c = &w->view.contexts[i];

        if (mpdata_metrics_value(&w->view, i, w->options->sort) == 0)
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
        &list, w->profile, are_copies ? MPROF_PART_COPY : MPROF_PART_EVENT);

    if (err == MPROF_E_OK && are_copies)
        mpdata_event_list_mix(&list);
    frames_member(w);
    put_key(w, "rows");
    mpdata_json_out_open_array(&w->json);
    for (uint32_t i = 0;
         err == MPROF_E_OK && i < list.row_count && i < w->options->top; i++) {
        const struct mpdata_event_row *const row = &list.rows[i];
        const struct mpdata_part *const part = &w->view.parts[row->part];

        begin_row(w);
        put_key(w, are_copies ? "function" : "event");
        put_string(w, w->view.strings[part->name].bytes);
        put_key(w, "times");
        put_number(w, row->sum.count);
        put_key(w, are_copies ? "bytes" : "weight");
        put_number(w, row->sum.weight);
        put_key(w, "least");
        put_number(w, row->sum.lightest);
        put_key(w, "most");
        put_number(w, row->sum.heaviest);
        stack_member(w, part->node);
        end_row(w);
    }
    mpdata_json_out_close_array(&w->json);
    mpdata_event_list_fini(&list);
    return err;
}

/* -- other rows -------------------------------------------------------------- */

static void put_group(struct writer *w, const struct mpdata_group *group,
                      enum show_by by)
{
    begin_row(w);
    frame_members(w, &w->view.frames[group->frame], by);
    values_member(w, "self", group->self);
    values_member(w, "total", group->total);
    end_row(w);
}

/* Error: NOMEM. */
static enum mprof_err groups_members(struct writer *w)
{
    struct mpdata_groups groups;
    const enum mprof_err err =
        mpdata_groups_make(&groups, w->profile, show_by_groups(w->options->by),
                           w->metrics, w->metric_count);

    put_key(w, "rows");
    mpdata_json_out_open_array(&w->json);
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
    const enum mprof_err err = show_names_list(w->options->by)(
        &list, w->profile, w->metrics, w->metric_count);

    put_key(w, "rows");
    mpdata_json_out_open_array(&w->json);
    for (uint32_t i = 0;
         err == MPROF_E_OK && i < list.count && i < w->options->top; i++) {
        begin_row(w);
        put_key(w, show_by_name(w->options->by));
        if (list.rows[i].name != 0 || w->options->by == SHOW_BY_POOL)
            put_string(w, w->view.strings[list.rows[i].name].bytes);
        else
            mpdata_json_out_null(&w->json);
        values_member(w, "values", list.rows[i].values);
        end_row(w);
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
        totals[i] = mpdata_tree_rows_total(tree, row, i);
        is_empty = is_empty && totals[i] == 0;
    }
    /* What only leads to another call of the root's function. */
    if (is_empty && row->depth != 0)
        return;
    begin_row(w);
    put_key(w, "depth");
    put_number(w, row->depth);
    number_member(w, "insignificant", row->folded);
    if (row->folded == 0 && row->node != 0)
        frame_members(w, &w->view.frames[tree->nodes[row->node].frame],
                      SHOW_BY_CALL);
    if (row->folded == 0 && w->options->view != SHOW_CALLERS)
        values_member(w, "self", &tree->self[row->node * n]);
    values_member(w, "total", totals);
    end_row(w);
}

/* Error: NOMEM. */
static enum mprof_err tree_members(struct writer *w)
{
    struct mpdata_tree_rows rows = {.rows = NULL};
    bool *is_frame = NULL;
    struct mpdata_call_tree tree;
    enum mprof_err err;

    if (w->options->view != SHOW_TREE) {
        is_frame =
            mpdata_frame_match(w->profile, w->names, &w->options->matcher);
        if (is_frame == NULL)
            return MPROF_E_NOMEM;
    }
    err = show_tree_make(&tree, w->profile, is_frame, w->options, w->metrics,
                         w->metric_count);
    if (err == MPROF_E_OK)
        err = mpdata_tree_rows_make(&rows, &tree, 0, tree.least);
    put_key(w, "rows");
    mpdata_json_out_open_array(&w->json);
    for (uint32_t i = 0; err == MPROF_E_OK && i < rows.count; i++)
        put_tree_row(w, &tree, &rows.rows[i]);
    mpdata_json_out_close_array(&w->json);
    mpdata_tree_rows_fini(&rows);
    mpdata_call_tree_fini(&tree);
    free(is_frame);
    return err;
}

/* Error: NOMEM. */
static enum mprof_err source_members(struct writer *w)
{
    bool *const is_frame =
        mpdata_frame_match(w->profile, w->names, &w->options->matcher);
    struct mpdata_source_list list;
    enum mprof_err err;

    if (is_frame == NULL)
        return MPROF_E_NOMEM;
    err = mpdata_source_list_make(&list, w->profile, is_frame, w->metrics,
                                  w->metric_count);
    put_key(w, "rows");
    mpdata_json_out_open_array(&w->json);
    for (uint32_t i = 0; err == MPROF_E_OK && i < list.count; i++) {
        const struct mpdata_source_part *const part = &list.parts[i];

        put_group(w, part->function, SHOW_BY_FUNCTION);
        for (uint32_t k = 0; k < part->count; k++)
            put_group(w, list.lines[part->first + k], SHOW_BY_CALL);
    }
    mpdata_json_out_close_array(&w->json);
    mpdata_source_list_fini(&list);
    free(is_frame);
    return err;
}

/* The option that asks for it, without its value. */
static const char *view_name(const struct show_options *options)
{
    static const char *const views[] = {
        [SHOW_TREE] = "tree",           [SHOW_CALLERS] = "callers",
        [SHOW_CALLEES] = "callees",     [SHOW_SOURCE] = "list",
        [SHOW_HISTOGRAM] = "histogram", [SHOW_EVENTS] = "events",
        [SHOW_COPIES] = "copies",       [SHOW_SIZES] = "sizes",
        [SHOW_LIFETIMES] = "lifetimes", [SHOW_ENDS] = "ends",
        [SHOW_TIMELINE] = "timeline"};

    return options->view == SHOW_LIST ? show_by_name(options->by)
                                      : views[options->view];
}

/* -- the whole --------------------------------------------------------------- */

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
    begin_row(w);
    mpdata_details_json_series(&w->json, &w->view, series);
    end_row(w);
}

static void series_members(struct writer *w)
{
    put_key(w, "rows");
    mpdata_json_out_open_array(&w->json);
    for (uint32_t i = 0; i < w->view.series_count && i < w->options->top; i++)
        put_series(w, &w->view.series[i]);
    mpdata_json_out_close_array(&w->json);
}

static enum mprof_err put_page(struct writer *w)
{
    enum mprof_err err = MPROF_E_OK;

    mpdata_json_out_open_map(&w->json);
    put_key(w, "memprofdata_show");
    put_number(w, SHOW_JSON_VERSION);
    string_member(w, "view", view_name(w->options));
    string_member(w, "sort", mpdata_metrics[w->metrics[0]].name);
    if (w->options->pattern != NULL)
        string_member(w, "pattern", w->options->pattern);
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
    else if (show_by_is_name(w->options->by))
        err = names_members(w);
    else if (w->options->by != SHOW_BY_STACK)
        err = groups_members(w);
    else
        stacks_members(w);
    mpdata_json_out_close_map(&w->json);
    return err;
}

enum mprof_err show_json(FILE *out, const struct mpdata_profile *profile,
                         const struct mpdata_top_list *list,
                         const struct show_options *options,
                         const struct mpdata_demangler *demangler)
{
    struct mpdata_sink sink = {.write = write_to_file, .context = out};
    struct writer w = {.profile = profile,
                       .view = mpdata_profile_view(profile),
                       .options = options,
                       .list = list,
                       .names = mpdata_frame_names_new(profile, demangler)};
    enum mprof_err err = MPROF_E_NOMEM;

    if (mpdata_json_out_init(&w.json, &sink) && w.names != NULL) {
        choose_metrics(&w);
        err = put_page(&w);
        fputc('\n', out);
        if (w.failed || mpdata_frame_names_failed(w.names) ||
            (sink.failed && !ferror(out)))
            err = MPROF_E_NOMEM;
    }
    mpdata_json_out_fini(&w.json);
    mpdata_frame_names_free(w.names);
    return err;
}
