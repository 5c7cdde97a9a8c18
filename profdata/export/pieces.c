/* pieces.c -- see pieces.h.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/export/pieces.h"
#include "profdata/base/str.h"

#include <stdlib.h>
#include <string.h>

void mpdata_pieces_used(const struct mpdata_export *what,
                        bool is_used[MPROF_MIB_FIELDS])
{
    const struct mpdata_view view = mpdata_profile_view(what->profile);
    uint64_t bits[MPROF_MIB_FIELDS] = {0};

    for (uint32_t i = 0; i < view.context_count; i++) {
        const struct mprof_mib mib = mpdata_view_mib(&view, i);

        for (size_t f = 0; f < MPROF_MIB_FIELDS; f++)
            bits[f] |= mprof_mib_get(&mib, f);
    }
    for (size_t f = 0; f < MPROF_MIB_FIELDS; f++)
        is_used[f] = f != MPROF_MIB_INDEX_AccessHistogram && bits[f] != 0;
    /* Drops metrics that the profile does not hold: their values are
     * placeholders. */
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++)
        is_used[mpdata_metrics[m].field] &= what->held[m];
}

void mpdata_pieces_held(const struct mpdata_export *what,
                        bool is_held[MPROF_MIB_FIELDS])
{
    mpdata_pieces_used(what, is_held);
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++)
        is_held[mpdata_metrics[m].field] |= what->held[m];
}

const char *mpdata_pieces_title(const struct mpdata_export *what,
                                enum mpdata_metric metric)
{
    const struct mpdata_view view = mpdata_profile_view(what->profile);
    bool are_now = mpdata_run_totals_are_now(&view);

    if (what->old != NULL) {
        const struct mpdata_view old = mpdata_profile_view(what->old);

        are_now |= mpdata_run_totals_are_now(&old);
    }
    return mpdata_metrics_title(metric, are_now);
}

bool mpdata_pieces_stack(const struct mpdata_view *view, mpdata_ref node,
                         struct mpdata_vec *frames)
{
    frames->count = 0;
    for (mpdata_ref at = node; at != 0; at = view->nodes[at - 1].parent) {
        if (!mpdata_vec_add(frames, &view->nodes[at - 1].frame))
            return false;
    }
    return true;
}

bool mpdata_pieces_add_value(struct mpdata_vec *values, mpdata_ref node,
                             uint64_t value)
{
    return value == 0 ||
           mpdata_vec_add(values, &(struct mpdata_pieces_value){node, value});
}

bool mpdata_pieces_values(const struct mpdata_view *view,
                          enum mpdata_metric metric, struct mpdata_vec *values)
{
    values->count = 0;
    for (uint32_t i = 0; i < view->context_count; i++) {
        if (!mpdata_pieces_add_value(values, view->contexts[i].node,
                                     mpdata_metrics_value(view, i, metric)))
            return false;
    }
    return true;
}

const char *mpdata_pieces_unit(enum mpdata_metric metric,
                               const char *const of[3])
{
    const char *const unit =
        mprof_mib_fields[mpdata_metrics[metric].field].unit;

    return strcmp(unit, "bytes") == 0 ? of[0]
           : strcmp(unit, "ns") == 0  ? of[1]
                                      : of[2];
}

/* -- text ------------------------------------------------------------------ */

static void add_name(struct mprof_buf *line, const char *name)
{
    const size_t start = line->size;

    if (start != 0)
        mprof_buf_bytes(line, ";", 1);
    mprof_buf_bytes(line, name, strlen(name));
    mpdata_controls_replace((char *)line->data + start, line->size - start,
                            ' ');
    for (size_t i = start != 0 ? start + 1 : 0; i < line->size; i++) {
        if (line->data[i] == ';')
            line->data[i] = ',';
    }
}

bool mpdata_pieces_stack_line(const struct mpdata_export *what, mpdata_ref node,
                              struct mprof_buf *line)
{
    const struct mpdata_view view = mpdata_profile_view(what->profile);
    struct mpdata_vec frames = {.elem_bytes = sizeof(uint32_t)};
    bool done = mpdata_pieces_stack(&view, node, &frames);

    line->size = 0;
    if (node == 0)
        add_name(line, MPDATA_FORMATS_UNKNOWN);
    for (uint32_t i = frames.count; i-- > 0 && done;) {
        const uint32_t frame = ((const uint32_t *)frames.data)[i];
        char *name = mpdata_frame_names_text(what->names, &view.frames[frame]);

        done = name != NULL;
        if (done)
            add_name(line, name);
        free(name);
    }
    mpdata_vec_fini(&frames);
    return done && !line->failed;
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " ")] == '\0';
}

char *mpdata_pieces_frame(const struct mpdata_export *what, uint32_t frame)
{
    const struct mpdata_view view = mpdata_profile_view(what->profile);
    char *text = mpdata_frame_names_text(what->names, &view.frames[frame]);

    if (text == NULL)
        return NULL;
    mpdata_controls_replace(text, strlen(text), ' ');
    if (!is_blank(text))
        return text;
    free(text);
    return strdup("[unnamed]");
}

char *mpdata_pieces_path(const struct mpdata_export *what, mpdata_ref path)
{
    char *text = mpdata_profile_path_string(what->profile, path, NULL);

    if (text == NULL)
        return NULL;
    mpdata_controls_replace(text, strlen(text), ' ');
    if (is_blank(text))
        text[0] = '\0';
    return text;
}

char *mpdata_pieces_program(const struct mpdata_export *what)
{
    const struct mpdata_view view = mpdata_profile_view(what->profile);
    mpdata_ref path = 0;

    for (uint32_t i = 0; i < view.run_count && path == 0; i++)
        path = view.runs[i].executable;
    return mpdata_pieces_path(what, path);
}
