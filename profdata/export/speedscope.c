/* speedscope.c -- speedscope's own format (file-format-schema.json of its npm
 * package): a profile per metric and per name of events. Samples are call
 * stacks, outermost function first.
 *
 * A frame of speedscope is a function: frames at several lines of one function
 * become one.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/export/json_parts.h"
#include "profdata/export/pieces.h"
#include "shared/tag_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

struct writer {
    struct mpdata_json_parts parts;
    uint32_t *places; /* by frame: its index in the file; owned */
    uint32_t unknown; /* index of the frame "[unknown]" */
};

/* Numbers functions first, then frames without a function. */
static bool find_places(struct writer *w)
{
    const struct mpdata_view *const view = &w->parts.view;
    uint32_t next = view->function_count;

    w->places = mpdata_vec_array(view->frame_count, sizeof(*w->places));
    if (w->places == NULL)
        return false;
    for (uint32_t i = 0; i < view->frame_count; i++) {
        const mpdata_ref function = view->frames[i].function;

        w->places[i] = function != 0 ? function - 1 : next++;
    }
    w->unknown = next;
    return true;
}

/* -- frames ---------------------------------------------------------------- */

static void put_frame(struct writer *w, const struct mpdata_frame *frame)
{
    mpdata_json_parts_begin_row(&w->parts);
    mpdata_json_out_key(&w->parts.json, "name");
    mpdata_json_parts_name(&w->parts, frame);
    if (frame->path != 0) {
        mpdata_json_out_key(&w->parts.json, "file");
        mpdata_json_parts_path(&w->parts, frame->path);
    }
    if (frame->line != 0)
        mpdata_json_parts_number(&w->parts, "line", frame->line);
    mpdata_json_out_close_map(&w->parts.json);
}

static void put_frames(struct writer *w)
{
    const struct mpdata_view *const view = &w->parts.view;

    mpdata_json_out_line(&w->parts.json);
    mpdata_json_parts_open_map(&w->parts, "shared");
    mpdata_json_parts_open_array(&w->parts, "frames");
    for (uint32_t i = 0; i < view->function_count; i++)
        put_frame(w, &(struct mpdata_frame){.function = i + 1,
                                            .path = view->functions[i].path,
                                            .line = view->functions[i].line});
    for (uint32_t i = 0; i < view->frame_count; i++) {
        if (view->frames[i].function == 0)
            put_frame(w, &view->frames[i]);
    }
    if (mpdata_json_parts_has_unknown(&w->parts)) {
        mpdata_json_out_open_map(&w->parts.json);
        mpdata_json_parts_string(&w->parts, "name", MPDATA_FORMATS_UNKNOWN);
        mpdata_json_out_close_map(&w->parts.json);
    }
    mpdata_json_out_close_array(&w->parts.json);
    mpdata_json_out_close_map(&w->parts.json);
}

/* -- profiles -------------------------------------------------------------- */

/* Reverses the stack: speedscope wants the outermost frame first. */
static void put_stack(struct writer *w, mpdata_ref node)
{
    uint32_t count;
    uint32_t *const stack = mpdata_json_parts_stack(&w->parts, node, &count);

    for (uint32_t i = 0; i < (count + 1) / 2; i++) {
        const uint32_t first = w->places[stack[i]];

        stack[i] = w->places[stack[count - 1 - i]];
        stack[count - 1 - i] = first;
    }
    mpdata_json_out_open_array(&w->parts.json);
    mpdata_json_out_numbers(&w->parts.json, stack, count);
    if (node == 0)
        mpdata_json_out_number(&w->parts.json, w->unknown);
    mpdata_json_out_close_array(&w->parts.json);
}

static void put_samples(struct writer *w, enum mpdata_metric metric)
{
    const struct mpdata_view *const view = &w->parts.view;

    mpdata_json_parts_open_array(&w->parts, "samples");
    for (uint32_t i = 0; i < view->context_count; i++) {
        if (w->parts.json.sink->failed || w->parts.failed)
            break;
        if (mpdata_metrics_value(view, i, metric) == 0)
            continue;
        mpdata_json_out_line(&w->parts.json);
        put_stack(w, view->contexts[i].node);
    }
    mpdata_json_out_close_array(&w->parts.json);
}

/* Returns the sum of the weights. */
static uint64_t put_weights(struct writer *w, enum mpdata_metric metric)
{
    const struct mpdata_view *const view = &w->parts.view;
    uint64_t sum = 0;

    mpdata_json_parts_open_array(&w->parts, "weights");
    for (uint32_t i = 0; i < view->context_count; i++) {
        const uint64_t value = mpdata_metrics_value(view, i, metric);

        if (value != 0)
            mpdata_json_out_number(&w->parts.json, value);
        sum = mprof_add_sat_u64(sum, value);
    }
    mpdata_json_out_close_array(&w->parts.json);
    return sum;
}

static const char *unit_of(enum mpdata_metric metric)
{
    const char *const unit =
        mprof_mib_fields[mpdata_metrics[metric].field].unit;

    if (strcmp(unit, "bytes") == 0)
        return "bytes";
    return strcmp(unit, "ns") == 0 ? "nanoseconds" : "none";
}

static void put_profile(struct writer *w, enum mpdata_metric metric)
{
    mpdata_json_parts_begin_row(&w->parts);
    mpdata_json_parts_string(&w->parts, "type", "sampled");
    mpdata_json_parts_string(&w->parts, "name",
                             mpdata_pieces_title(w->parts.what, metric));
    mpdata_json_parts_string(&w->parts, "unit", unit_of(metric));
    put_samples(w, metric);
    mpdata_json_parts_number(&w->parts, "startValue", 0);
    mpdata_json_parts_number(&w->parts, "endValue", put_weights(w, metric));
    mpdata_json_out_close_map(&w->parts.json);
}

/* -- events: a profile per name
 * --------------------------------------------- */

/* The weight of a tagged row's events, or their number if no event of the name
 * has a weight. */
static uint64_t weight_of(const struct mpdata_view *view, uint32_t part,
                          bool weighs)
{
    return mpdata_view_tagged_field(view, part,
                                    weighs ? MPROF_MIB_INDEX_TotalSize
                                           : MPROF_MIB_INDEX_AllocCount);
}

static bool is_sample(const struct mpdata_view *view, uint32_t part,
                      bool weighs)
{
    return view->tagged_rows[part].node != 0 &&
           weight_of(view, part, weighs) != 0;
}

/* Writes tagged rows first .. end - 1, which have one kind and name. */
static void put_event_values(struct writer *w, uint32_t first, uint32_t end,
                             bool weighs)
{
    const struct mpdata_view *const view = &w->parts.view;
    uint64_t sum = 0;

    mpdata_json_parts_open_array(&w->parts, "samples");
    for (uint32_t i = first; i < end && !w->parts.failed; i++) {
        if (!is_sample(view, i, weighs))
            continue;
        mpdata_json_out_line(&w->parts.json);
        put_stack(w, view->tagged_rows[i].node);
    }
    mpdata_json_out_close_array(&w->parts.json);
    mpdata_json_parts_open_array(&w->parts, "weights");
    for (uint32_t i = first; i < end; i++) {
        if (!is_sample(view, i, weighs))
            continue;
        mpdata_json_out_number(&w->parts.json, weight_of(view, i, weighs));
        sum = mprof_add_sat_u64(sum, weight_of(view, i, weighs));
    }
    mpdata_json_out_close_array(&w->parts.json);
    mpdata_json_parts_number(&w->parts, "startValue", 0);
    mpdata_json_parts_number(&w->parts, "endValue", sum);
}

static void put_event_profile(struct writer *w, uint32_t first, uint32_t end)
{
    const struct mpdata_view *const view = &w->parts.view;
    const bool is_copy = view->tagged_rows[first].kind == MPROF_TAG_COPY;
    const char *const name = view->strings[view->tagged_rows[first].name].bytes;
    bool weighs = false;
    char *title;

    for (uint32_t i = first; i < end; i++)
        weighs = weighs || weight_of(view, i, true) != 0;
    if (asprintf(&title, "%s %s",
                 mprof_tag_kind_text(view->tagged_rows[first].kind),
                 name) < 0) {
        w->parts.failed = true;
        return;
    }
    mpdata_json_parts_begin_row(&w->parts);
    mpdata_json_parts_string(&w->parts, "type", "sampled");
    mpdata_json_parts_string(&w->parts, "name", title);
    mpdata_json_parts_string(&w->parts, "unit", is_copy ? "bytes" : "none");
    put_event_values(w, first, end, weighs);
    mpdata_json_out_close_map(&w->parts.json);
    free(title);
}

/* Tagged rows of a canonical profile are sorted by kind and name. */
static void put_event_profiles(struct writer *w)
{
    const struct mpdata_view *const view = &w->parts.view;

    for (uint32_t i = 0, end; i < view->tagged_count; i = end) {
        end = i + 1;
        while (end < view->tagged_count &&
               view->tagged_rows[end].kind == view->tagged_rows[i].kind &&
               view->tagged_rows[end].name == view->tagged_rows[i].name)
            end++;
        if (view->tagged_rows[i].kind == MPROF_TAG_EVENT ||
            view->tagged_rows[i].kind == MPROF_TAG_COPY)
            put_event_profile(w, i, end);
    }
}

/* Shows the chosen metric first. */
static void put_profiles(struct writer *w)
{
    const bool *const held = w->parts.what->held;
    uint64_t active = 0;

    mpdata_json_parts_open_array(&w->parts, "profiles");
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++) {
        if (!held[m])
            continue;
        put_profile(w, (enum mpdata_metric)m);
        active += m < w->parts.what->metric;
    }
    put_event_profiles(w);
    mpdata_json_out_close_array(&w->parts.json);
    if (held[w->parts.what->metric])
        mpdata_json_parts_number(&w->parts, "activeProfileIndex", active);
}

static void put_document(struct writer *w)
{
    mpdata_json_out_open_map(&w->parts.json);
    mpdata_json_parts_string(&w->parts, "$schema", SCHEMA);
    mpdata_json_parts_string(&w->parts, "exporter", "memprofdata");
    mpdata_json_out_key(&w->parts.json, "name");
    mpdata_json_parts_programs(&w->parts);
    put_frames(w);
    put_profiles(w);
    mpdata_json_out_close_map(&w->parts.json);
    mpdata_json_out_line(&w->parts.json);
}

enum mprof_err mpdata_speedscope_write(const struct mpdata_export *what,
                                       struct mpdata_sink *sink)
{
    struct writer w = {.places = NULL};
    enum mprof_err err;

    if (mpdata_json_parts_init(&w.parts, what, sink)) {
        if (find_places(&w))
            put_document(&w);
        else
            w.parts.failed = true;
    }
    err = mpdata_json_parts_fini(&w.parts);
    free(w.places);
    return err;
}
