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
    uint32_t *places;         /* by frame: its index in the file; owned */
    uint32_t unknown;         /* index of the frame "[unknown]" */
    struct mpdata_vec values; /* struct mpdata_pieces_value: of a profile */
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
    mpdata_json_out_row(&w->parts.json);
    mpdata_json_out_key(&w->parts.json, "name");
    mpdata_json_parts_name(&w->parts, frame);
    if (frame->path != 0) {
        mpdata_json_out_key(&w->parts.json, "file");
        mpdata_json_parts_path(&w->parts, frame->path);
    }
    mpdata_json_out_known_number(&w->parts.json, "line", frame->line);
    mpdata_json_out_close_map(&w->parts.json);
}

static void put_frames(struct writer *w)
{
    const struct mpdata_view *const view = &w->parts.view;

    mpdata_json_out_line(&w->parts.json);
    mpdata_json_out_map_of(&w->parts.json, "shared");
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
        mpdata_json_out_text_of(&w->parts.json, "name", MPDATA_FORMATS_UNKNOWN);
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

/* Writes a profile of w->values. */
static void put_profile(struct writer *w, const char *title, const char *unit)
{
    const struct mpdata_pieces_value *const rows = w->values.data;
    struct mpdata_json_out *const json = &w->parts.json;
    uint64_t sum = 0;

    mpdata_json_out_row(json);
    mpdata_json_out_text_of(json, "type", "sampled");
    mpdata_json_out_text_of(json, "name", title);
    mpdata_json_out_text_of(json, "unit", unit);
    mpdata_json_parts_open_array(&w->parts, "samples");
    for (uint32_t i = 0; i < w->values.count; i++) {
        if (json->sink->failed || w->parts.failed)
            break;
        mpdata_json_out_line(json);
        put_stack(w, rows[i].node);
    }
    mpdata_json_out_close_array(json);
    mpdata_json_parts_open_array(&w->parts, "weights");
    for (uint32_t i = 0; i < w->values.count; i++) {
        mpdata_json_out_number(json, rows[i].value);
        sum = mprof_add_sat_u64(sum, rows[i].value);
    }
    mpdata_json_out_close_array(json);
    mpdata_json_out_number_of(json, "startValue", 0);
    mpdata_json_out_number_of(json, "endValue", sum);
    mpdata_json_out_close_map(json);
}

static void put_metric(struct writer *w, enum mpdata_metric metric)
{
    static const char *const units[] = {"bytes", "nanoseconds", "none"};

    w->parts.failed |=
        !mpdata_pieces_values(&w->parts.view, metric, &w->values);
    put_profile(w, mpdata_pieces_title(w->parts.what, metric),
                mpdata_pieces_unit(metric, units));
}

/* -- events: a profile per name -------------------------------------------- */

/* Writes tagged rows first .. end - 1, which have one kind and name: the
 * weights of events, or their numbers if no event of the name has a weight. */
static void put_event_profile(struct writer *w, uint32_t first, uint32_t end)
{
    const struct mpdata_view *const view = &w->parts.view;
    const struct mpdata_tagged *const row = &view->tagged_rows[first];
    size_t field = MPROF_MIB_INDEX_AllocCount;
    char *title;

    w->values.count = 0;
    for (uint32_t i = first; i < end; i++) {
        if (mpdata_view_tagged_field(view, i, MPROF_MIB_INDEX_TotalSize) != 0)
            field = MPROF_MIB_INDEX_TotalSize;
    }
    for (uint32_t i = first; i < end; i++) {
        if (view->tagged_rows[i].node != 0)
            w->parts.failed |= !mpdata_pieces_add_value(
                &w->values, view->tagged_rows[i].node,
                mpdata_view_tagged_field(view, i, field));
    }
    if (asprintf(&title, "%s %s", mprof_tag_kind_text(row->kind),
                 view->strings[row->name].bytes) < 0) {
        w->parts.failed = true;
        return;
    }
    put_profile(w, title, row->kind == MPROF_TAG_COPY ? "bytes" : "none");
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
        put_metric(w, (enum mpdata_metric)m);
        active += m < w->parts.what->metric;
    }
    put_event_profiles(w);
    mpdata_json_out_close_array(&w->parts.json);
    if (held[w->parts.what->metric])
        mpdata_json_out_number_of(&w->parts.json, "activeProfileIndex", active);
}

static void put_document(struct writer *w)
{
    mpdata_json_out_open_map(&w->parts.json);
    mpdata_json_out_text_of(&w->parts.json, "$schema", SCHEMA);
    mpdata_json_out_text_of(&w->parts.json, "exporter", "memprofdata");
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
    struct writer w = {
        .values = {.elem_bytes = sizeof(struct mpdata_pieces_value)}};

    if (mpdata_json_parts_init(&w.parts, what, sink)) {
        if (find_places(&w))
            put_document(&w);
        else
            w.parts.failed = true;
    }
    enum mprof_err err = mpdata_json_parts_fini(&w.parts);
    mpdata_vec_fini(&w.values);
    free(w.places);
    return err;
}
