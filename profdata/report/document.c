/* document.c -- writes the data of a page: its columns, sentences and strings.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/report/document.h"
#include "profdata/base/sink.h"
#include "profdata/query/names.h"
#include "profdata/query/run_totals.h"
#include "profdata/export/pieces.h"
#include "profdata/query/frames.h"
#include "profdata/report/document_parts.h"

#include <stdlib.h>
#include <string.h>

/* web/src/data.ts checks both. */
#define FORM "memprof report"
#define VERSION 2

/* Width of a name in a table or a box; its tooltip has the whole name. */
#define NAME_COLUMNS 64

#define OLD MPDATA_DIFF_OLD
#define NEW MPDATA_DIFF_NEW

/* -- strings --------------------------------------------------------------- */

/* Writes lines as an array. */
static void put_lines(struct mpdata_document_writer *w, const char *key,
                      const struct mprof_buf *lines)
{
    const char *at = (const char *)lines->data;
    /* If memory ran out, the last line may be incomplete. */
    const char *const end = at + (lines->failed ? 0 : lines->size);

    w->failed |= lines->failed;
    mpdata_json_parts_open_array(&w->parts, key);
    while (at != end) {
        const char *const stop =
            (const char *)memchr(at, '\n', (size_t)(end - at));

        mpdata_json_out_text(&w->parts.json, at, (size_t)(stop - at));
        at = stop + 1;
    }
    mpdata_json_out_close_array(&w->parts.json);
}

/* Writes what was filtered out; of two profiles, the lines name the profile. */
static void write_left_out(const struct mpdata_document *document,
                           struct mpdata_sink *out)
{
    for (int side = OLD; side <= NEW; side++) {
        const struct mprof_buf *const lines = document->left_out[side];

        if (lines != NULL)
            mpdata_sink_bytes(out, (const char *)lines->data, lines->size);
    }
    if (document->compared == NULL && document->is_left_out &&
        mpdata_profile_view(document->now->profile).series_count != 0)
        mpdata_sink_text(out, MPDATA_LEFT_OUT_NOT_OVER_TIME "\n");
}

static enum mprof_err make_sentences(const struct mpdata_document *document,
                                     struct mprof_buf *notes,
                                     struct mprof_buf *findings)
{
    struct mpdata_sink out = mpdata_sink_to_buf(notes);
    enum mprof_err err;

    if (document->is_of_pools)
        mpdata_sink_text(&out, "mapped memory and the blocks of the program's "
                               "own allocators, not the heap's\n");
    write_left_out(document, &out);
    if (out.failed)
        return MPROF_E_NOMEM;
    if (document->compared != NULL) {
        const struct mpdata_export *const profiles[] = {
            [OLD] = document->before, [NEW] = document->now};

        err = mpdata_changes_notes(document->compared, notes);
        return err == MPROF_E_OK ? mpdata_changes_findings(document->compared,
                                                           profiles, findings)
                                 : err;
    }
    err = mpdata_sentences_notes(document->now, notes);
    return err == MPROF_E_OK
               ? mpdata_sentences_findings(document->now, findings)
               : err;
}

static void put_sentences(struct mpdata_document_writer *w)
{
    struct mprof_buf notes;
    struct mprof_buf findings;

    mpdata_heapbuf_init(&notes);
    mpdata_heapbuf_init(&findings);
    if (make_sentences(w->document, &notes, &findings) != MPROF_E_OK)
        w->failed = true;
    put_lines(w, "notes", &notes);
    put_lines(w, "findings", &findings);
    mpdata_heapbuf_fini(&notes);
    mpdata_heapbuf_fini(&findings);
}

/* Writes the short form of a name; "" if it equals the name. */
static void put_short(struct mpdata_document_writer *w,
                      const struct mpdata_str *name, size_t columns)
{
    char *const text = strndup(name->bytes, name->size);

    if (text == NULL) {
        w->failed = true;
        return;
    }
    mpdata_names_shorten(text, columns);
    mpdata_json_out_text(&w->parts.json, text,
                         strcmp(text, name->bytes) == 0 ? 0 : strlen(text));
    free(text);
}

/* Writes by string: the short form in so many columns (0: the shortest) if the
 * string is a name. */
static void put_short_column(struct mpdata_document_writer *w, const char *key,
                             const bool *are_names, size_t columns)
{
    const struct mpdata_view texts = mpdata_profile_view(w->texts);

    mpdata_json_parts_open_array(&w->parts, key);
    for (uint32_t i = 0; i < texts.string_count && !w->failed; i++) {
        if (are_names[i])
            put_short(w, &texts.strings[i], columns);
        else
            mpdata_json_out_text(&w->parts.json, "", 0);
    }
    mpdata_json_out_close_array(&w->parts.json);
}

static void put_short_names(struct mpdata_document_writer *w)
{
    const struct mpdata_view texts = mpdata_profile_view(w->texts);
    const uint32_t *const names = w->names.data;
    bool *const are_names =
        mpdata_vec_array(texts.string_count, sizeof(*are_names));

    w->failed |= are_names == NULL;
    if (are_names == NULL)
        return;
    for (uint32_t i = 0; i < w->names.count; i++)
        are_names[names[i]] = true;
    put_short_column(w, "short", are_names, NAME_COLUMNS);
    put_short_column(w, "shortest", are_names, 0);
    free(are_names);
}

static void put_strings(struct mpdata_document_writer *w)
{
    const struct mpdata_view texts = mpdata_profile_view(w->texts);

    mpdata_json_parts_open_array(&w->parts, "strings");
    for (uint32_t i = 0; i < texts.string_count; i++)
        mpdata_json_out_text(&w->parts.json, texts.strings[i].bytes,
                             texts.strings[i].size);
    mpdata_json_out_close_array(&w->parts.json);
}

static void put_time(struct mpdata_document_writer *w)
{
    mpdata_document_time_series(&w->parts);
    mpdata_document_time_spreads(&w->parts);
    mpdata_document_time_links(&w->parts);
}

static void put_document(struct mpdata_document_writer *w)
{
    const struct mprof_mib totals = mpdata_profile_totals(&w->parts.view);

    mpdata_json_out_open_map(&w->parts.json);
    mpdata_json_out_text_of(&w->parts.json, "format", FORM);
    mpdata_json_out_number_of(&w->parts.json, "version", VERSION);
    mpdata_json_parts_metrics(&w->parts, &totals);
    mpdata_json_parts_fields(&w->parts, w->is_held, &totals);
    mpdata_json_parts_runs(&w->parts);
    put_sentences(w);
    mpdata_document_columns_put(w);
    if (w->document->compared != NULL)
        mpdata_document_columns_compared(w);
    else
        mpdata_document_columns_verdicts(w);
    mpdata_document_columns_histograms(w);
    if (w->document->has_source)
        mpdata_sources_put(&w->parts);
    if (w->document->compared == NULL) {
        put_time(w);
        mpdata_document_time_moments(&w->parts, w->document->moments,
                                     w->document->moment_count);
        w->failed |= !mpdata_document_tagged_put(&w->parts, w->texts) ||
                     !mpdata_document_types_put(&w->parts) ||
                     !mpdata_document_groups_put(&w->parts, &w->verdicts) ||
                     (!w->document->is_of_pools &&
                      !mpdata_document_advice_put(&w->parts));
        mpdata_json_out_known_flag(
            &w->parts.json, "is_of_moment",
            mpdata_run_totals_are_moments(&w->parts.view));
    }
    put_short_names(w);
    put_strings(w);
    mpdata_json_out_close_map(&w->parts.json);
    mpdata_json_out_line(&w->parts.json);
}

/* -- the writer ------------------------------------------------------------ */

/* With two profiles, only metrics that both have. */
static void find_fields(struct mpdata_document_writer *w)
{
    if (w->document->compared == NULL) {
        mpdata_pieces_held(w->document->now, w->is_held);
        return;
    }
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++)
        w->is_held[mpdata_metrics[m].field] = w->document->compared->held[m];
}

/* Is the frame of start-up in some call stack? Owned; NULL when out of memory.
 */
static bool *starts_by_frame(const struct mpdata_export *what)
{
    const struct mpdata_view view = mpdata_profile_view(what->profile);
    bool *const nodes = mpdata_starts(what->profile, what->names);
    bool *const frames = mpdata_vec_array(view.frame_count, sizeof(*frames));

    for (uint32_t i = 0; nodes != NULL && frames != NULL && i < view.node_count;
         i++)
        frames[view.nodes[i].frame] |= nodes[i + 1];
    free(nodes);
    if (nodes != NULL)
        return frames;
    free(frames);
    return NULL;
}

/* Returns false when out of memory. */
static bool open_writer(struct mpdata_document_writer *w)
{
    const struct mpdata_compared *const c = w->document->compared;
    const struct mpdata_view view =
        mpdata_profile_view(w->document->now->profile);
    bool is_done = true;

    w->frame_base = view.frame_count;
    w->node_base = view.node_count;
    w->texts = mpdata_profile_new();
    w->function_names = (uint32_t *)mpdata_vec_array(
        c != NULL ? c->by[MPDATA_BY_FUNCTION].count : 0,
        sizeof(*w->function_names));
    for (int side = OLD; side <= NEW; side++) {
        const struct mpdata_export *const what =
            side == NEW ? w->document->now : w->document->before;

        if (what == NULL)
            continue;
        w->callers[side] =
            mpdata_wrappers_callers(what->profile, what->names, false);
        w->starts[side] = starts_by_frame(what);
        is_done =
            is_done && w->callers[side] != NULL && w->starts[side] != NULL;
    }
    find_fields(w);
    if (c == NULL)
        is_done = is_done &&
                  mpdata_verdict_make(&w->verdicts, w->document->now->profile,
                                      MPDATA_VERDICT_FITTING) == MPROF_E_OK;
    return is_done && w->texts != NULL && w->function_names != NULL;
}

static void close_writer(struct mpdata_document_writer *w)
{
    mpdata_vec_fini(&w->column);
    mpdata_vec_fini(&w->names);
    mpdata_profile_free(w->texts);
    free(w->function_names);
    free(w->callers[OLD]);
    free(w->callers[NEW]);
    free(w->starts[OLD]);
    free(w->starts[NEW]);
    mpdata_verdict_fini(&w->verdicts);
}

enum mprof_err mpdata_document_write(const struct mpdata_document *document,
                                     struct mpdata_sink *sink)
{
    struct mpdata_document_writer w = {
        .document = document,
        .column = {.elem_bytes = sizeof(uint32_t)},
        .names = {.elem_bytes = sizeof(uint32_t)}};
    enum mprof_err err = MPROF_E_NOMEM;

    if (open_writer(&w)) {
        if (mpdata_json_parts_init(&w.parts, document->now, sink)) {
            mpdata_document_columns_look_at(&w, NEW);
            put_document(&w);
        }
        w.failed |= mpdata_profile_status(w.texts) != MPROF_E_OK;
        err = mpdata_json_parts_fini(&w.parts);
    }
    close_writer(&w);
    return w.failed ? MPROF_E_NOMEM : err;
}
