/* document.c -- writes a profile in columns: the values at one index of all
 * columns are a row. Of two compared profiles, frames and nodes of the new one
 * come first, and a row is a call stack of both.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/report/document.h"
#include "profdata/base/heapbuf.h"
#include "profdata/query/names.h"
#include "profdata/export/pieces.h"
#include "profdata/export/json_parts.h"
#include "profdata/query/members.h"
#include "profdata/query/histogram.h"
#include "profdata/query/types.h"
#include "profdata/query/wrappers.h"
#include "profdata/judge/verdict.h"
#include "profdata/report/changes.h"
#include "profdata/report/document_tagged.h"
#include "profdata/report/document_time.h"
#include "profdata/report/sentences.h"
#include "profdata/report/sources.h"
#include "shared/abi.h"
#include "shared/index_format.h"

#include <stdlib.h>
#include <string.h>

/* web/src/data.ts checks both. */
#define FORM "memprof report"
#define VERSION 1

/* Bits of a context. */
enum { FLAG_TRUNCATED = 1, FLAG_NOT_MEASURED = 2 };

/* Width of a name in a table or a box; its tooltip has the whole name. */
#define NAME_COLUMNS 64

#define OLD MPDATA_DIFF_OLD
#define NEW MPDATA_DIFF_NEW

struct writer {
    const struct mpdata_document *document;
    struct mpdata_json_parts parts; /* of the current side */
    int side;
    bool is_held[MPROF_MIB_FIELDS];
    struct mpdata_profile *texts; /* its strings are the document's */
    struct mpdata_vec column;     /* uint32_t */
    struct mpdata_vec names;      /* uint32_t: strings that are C++ names */
    mpdata_ref *callers[MPDATA_DIFF_SIDES]; /* mpdata_wrappers_callers() */
    struct mpdata_verdicts verdicts; /* by context; for a single profile only */
    /* Numbers of the old profile's first frame and node. */
    uint32_t frame_base;
    uint32_t node_base;
    /* By number of a function in the pairing: its name in the new profile, as
     * number of a string; 0: none. */
    uint32_t *function_names;
    bool failed;
};

static const struct mpdata_export *profile_of(const struct writer *w, int side)
{
    return side == NEW ? w->document->now : w->document->before;
}

/* Makes `side` the current profile. */
static void look_at(struct writer *w, int side)
{
    w->side = side;
    w->parts.what = profile_of(w, side);
    w->parts.view = mpdata_profile_view(w->parts.what->profile);
}

static uint32_t text_number(struct writer *w, const char *text, size_t size)
{
    return mpdata_profile_string(w->texts, text, size);
}

/* Returns the number of a name and marks it as one that is also written in
 * short forms. */
static uint32_t name_number(struct writer *w, const char *name, size_t size)
{
    const uint32_t number = text_number(w, name, size);
    uint32_t *const at = (uint32_t *)mpdata_vec_push(&w->names);

    if (at == NULL)
        w->failed = true;
    else
        *at = number;
    return number;
}

/* -- columns --------------------------------------------------------------- */

typedef uint32_t column_fn(struct writer *w, uint32_t row);

static void add_values(struct writer *w, uint32_t rows, column_fn *value)
{
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t *const at = (uint32_t *)mpdata_vec_push(&w->column);

        if (at == NULL) {
            w->failed = true;
            break;
        }
        *at = value(w, i);
    }
}

static void put_values(struct writer *w, const char *key)
{
    mpdata_json_parts_open_array(&w->parts, key);
    mpdata_json_out_numbers(&w->parts.json, (const uint32_t *)w->column.data,
                            w->column.count);
    mpdata_json_out_close_array(&w->parts.json);
    w->column.count = 0;
}

/* Writes a column over the frames or nodes of the new profile, then of the old
 * one. */
static void put_table(struct writer *w, const char *key, bool is_nodes,
                      column_fn *value)
{
    for (int side = NEW; side >= OLD; side--) {
        if (profile_of(w, side) == NULL)
            continue;
        look_at(w, side);
        add_values(
            w, is_nodes ? w->parts.view.node_count : w->parts.view.frame_count,
            value);
    }
    look_at(w, NEW);
    put_values(w, key);
}

static void put_frames(struct writer *w, const char *key, column_fn *value)
{
    put_table(w, key, false, value);
}

static void put_nodes(struct writer *w, const char *key, column_fn *value)
{
    put_table(w, key, true, value);
}

static uint32_t path_number(struct writer *w, mpdata_ref path)
{
    size_t size = 0;
    char *const text =
        mpdata_profile_path_string(w->parts.what->profile, path, &size);
    const uint32_t number = text != NULL ? text_number(w, text, size) : 0;

    w->failed |= text == NULL;
    free(text);
    return number;
}

static uint32_t own_name(struct writer *w, uint32_t i)
{
    char *const text =
        mpdata_frame_names_text(w->parts.what->names, &w->parts.view.frames[i]);
    const uint32_t number =
        text != NULL ? name_number(w, text, strlen(text)) : 0;

    w->failed |= text == NULL;
    free(text);
    return number;
}

/* A renamed function has its new name in both profiles. */
static uint32_t frame_name(struct writer *w, uint32_t i)
{
    const struct mpdata_compared *const c = w->document->compared;
    uint32_t *known;

    if (c == NULL || w->parts.view.frames[i].function == 0)
        return own_name(w, i);
    known = &w->function_names[c->by[MPDATA_PAIRING_BY_FUNCTION]
                                   .groups[w->side][i]];
    if (w->side == OLD && *known != 0)
        return *known;
    *known = own_name(w, i);
    return *known;
}

static uint32_t frame_file(struct writer *w, uint32_t i)
{
    return path_number(w, w->parts.view.frames[i].path);
}

static uint32_t frame_line(struct writer *w, uint32_t i)
{
    return w->parts.view.frames[i].line;
}

static uint32_t frame_module(struct writer *w, uint32_t i)
{
    const mpdata_ref binary = w->parts.view.frames[i].binary;

    return binary == 0
               ? 0
               : path_number(w, w->parts.view.binaries[binary - 1].path);
}

static uint32_t frame_inline(struct writer *w, uint32_t i)
{
    return (w->parts.view.frames[i].flags & MPROF_ENTRY_FL_INLINE) != 0;
}

static uint32_t frame_start(struct writer *w, uint32_t i)
{
    const struct mpdata_frame *const frame = &w->parts.view.frames[i];

    return frame->function != 0 &&
           mpdata_names_is_start(
               mpdata_frame_names_linkage(w->parts.what->names, frame));
}

static uint32_t node_parent(struct writer *w, uint32_t i)
{
    const mpdata_ref parent = w->parts.view.nodes[i].parent;

    return parent != 0 && w->side == OLD ? parent + w->node_base : parent;
}

static uint32_t node_frame(struct writer *w, uint32_t i)
{
    const uint32_t frame = w->parts.view.nodes[i].frame;

    return w->side == OLD ? frame + w->frame_base : frame;
}

/* -- call stacks ----------------------------------------------------------- */

static uint32_t row_count(const struct writer *w)
{
    return w->document->compared != NULL ? w->document->compared->diff.count
                                         : w->parts.view.context_count;
}

/* Returns the context that represents a row's call stack, in the new profile if
 * it has it, and makes that profile the current one. */
static uint32_t look_at_row(struct writer *w, uint32_t i)
{
    const struct mpdata_compared *const c = w->document->compared;
    const struct mpdata_diff_row *row;

    if (c == NULL)
        return i;
    row = &c->diff.rows[i];
    look_at(w, row->first[NEW] != 0 ? NEW : OLD);
    return row->first[w->side] - 1;
}

static uint32_t row_node(struct writer *w, uint32_t i)
{
    const uint32_t context = look_at_row(w, i);
    const mpdata_ref node = w->parts.view.contexts[context].node;

    return node != 0 && w->side == OLD ? node + w->node_base : node;
}

static uint32_t row_type(struct writer *w, uint32_t i)
{
    const uint32_t context = look_at_row(w, i);
    const struct mpdata_view *const view = &w->parts.view;
    const struct mpdata_str *const type =
        &view->strings[mpdata_types_of(view, view->contexts[context].node)];

    return name_number(w, type->bytes, type->size);
}

static uint32_t row_flags(struct writer *w, uint32_t i)
{
    const uint32_t context = look_at_row(w, i);
    const uint32_t flags = w->parts.view.contexts[context].flags;

    return ((flags & MPROF_CONTEXT_FL_TRUNCATED) != 0 ? FLAG_TRUNCATED : 0) |
           ((flags & MPROF_CONTEXT_FL_NOT_MEASURED) != 0 ? FLAG_NOT_MEASURED
                                                         : 0);
}

static uint32_t row_site(struct writer *w, uint32_t i)
{
    const uint32_t context = look_at_row(w, i);
    const mpdata_ref node = w->callers[w->side][context];
    const uint32_t base = w->side == OLD ? w->frame_base : 0;

    return node != 0 ? w->parts.view.nodes[node - 1].frame + base + 1 : 0;
}

static void put_rows(struct writer *w, const char *key, column_fn *value)
{
    add_values(w, row_count(w), value);
    look_at(w, NEW);
    put_values(w, key);
}

static void put_fields(struct writer *w)
{
    const struct mpdata_view *const view = &w->parts.view;

    mpdata_json_out_map_of(&w->parts.json, "fields");
    for (size_t f = 0; f < MPROF_MIB_FIELDS; f++) {
        if (!w->is_held[f])
            continue;
        mpdata_json_parts_open_array(&w->parts, mprof_mib_fields[f].name);
        for (uint32_t i = 0; i < view->context_count; i++)
            mpdata_json_out_number(&w->parts.json,
                                   mpdata_view_mib_field(view, i, f));
        mpdata_json_out_close_array(&w->parts.json);
    }
    mpdata_json_out_close_map(&w->parts.json);
}

/* -- verdicts -------------------------------------------------------------- */

static uint32_t row_verdict(struct writer *w, uint32_t i)
{
    return w->verdicts.rows[i].kind;
}

static uint32_t row_why(struct writer *w, uint32_t i)
{
    return w->verdicts.rows[i].reason;
}

/* Writes a column for each number behind the verdicts; null if unknown. */
static void put_verdict_columns(struct writer *w)
{
    mpdata_json_out_map_of(&w->parts.json, "verdict_numbers");
    for (int n = 0; n < MPDATA_VERDICT_NUMBER_COUNT; n++) {
        mpdata_json_parts_open_array(&w->parts, mpdata_verdict_numbers[n].name);
        for (uint32_t i = 0; i < w->verdicts.count; i++) {
            double value;

            if (mpdata_verdict_number(&w->verdicts.rows[i],
                                      (enum mpdata_verdict_number)n, &value))
                mpdata_json_out_real(&w->parts.json, value);
            else
                mpdata_json_out_null(&w->parts.json);
        }
        mpdata_json_out_close_array(&w->parts.json);
    }
    mpdata_json_out_close_map(&w->parts.json);
}

/* Writes the words to which the columns "verdict" and "why" refer. */
static void put_verdict_words(struct writer *w)
{
    mpdata_json_parts_open_array(&w->parts, "verdicts");
    for (int i = 0; i < MPDATA_VERDICT_KINDS; i++)
        mpdata_json_out_key(&w->parts.json, mpdata_verdict_words[i]);
    mpdata_json_out_close_array(&w->parts.json);
    mpdata_json_parts_open_array(&w->parts, "verdict_reasons");
    for (int i = 0; i < MPDATA_VERDICT_REASON_COUNT; i++) {
        mpdata_json_out_open_map(&w->parts.json);
        mpdata_json_out_text_of(&w->parts.json, "name",
                                mpdata_verdict_reasons[i].name);
        mpdata_json_out_text_of(&w->parts.json, "sentence",
                                mpdata_verdict_reasons[i].sentence);
        mpdata_json_out_close_map(&w->parts.json);
    }
    mpdata_json_out_close_array(&w->parts.json);
}

/* -- two profiles ---------------------------------------------------------- */

/* Writes the values of one profile, for each metric that both have. */
static void put_side_fields(struct writer *w, const char *key, int side)
{
    const struct mpdata_compared *const c = w->document->compared;

    mpdata_json_out_map_of(&w->parts.json, key);
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++) {
        if (!c->held[m])
            continue;
        mpdata_json_parts_open_array(
            &w->parts, mprof_mib_fields[mpdata_metrics[m].field].name);
        for (uint32_t i = 0; i < c->diff.count; i++)
            mpdata_json_out_number(&w->parts.json,
                                   mpdata_diff_metric(&c->diff,
                                                      &c->diff.rows[i], side,
                                                      (enum mpdata_metric)m));
        mpdata_json_out_close_array(&w->parts.json);
    }
    mpdata_json_out_close_map(&w->parts.json);
}

/* Returns bits: 1 if the old profile has the row, 2 if the new one has it. */
static uint32_t row_sides(struct writer *w, uint32_t i)
{
    const struct mpdata_diff_row *const row =
        &w->document->compared->diff.rows[i];

    return (row->first[OLD] != 0 ? 1 : 0) | (row->first[NEW] != 0 ? 2 : 0);
}

/* Returns a bit for each metric of the document whose values must not be
 * compared. */
static uint32_t row_unmeasured(struct writer *w, uint32_t i)
{
    const struct mpdata_compared *const c = w->document->compared;
    uint32_t bits = 0;
    uint32_t bit = 1;

    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++) {
        if (!c->held[m])
            continue;
        if (mpdata_diff_is_unmeasured(&c->diff, &c->diff.rows[i],
                                      (enum mpdata_metric)m))
            bits |= bit;
        bit <<= 1;
    }
    return bits;
}

static uint32_t frame_function_group(struct writer *w, uint32_t i)
{
    return w->document->compared->by[MPDATA_PAIRING_BY_FUNCTION]
        .groups[w->side][i];
}

static uint32_t frame_file_group(struct writer *w, uint32_t i)
{
    return w->document->compared->by[MPDATA_PAIRING_BY_FILE].groups[w->side][i];
}

/* Returns the number of a line + 1; UINT32_MAX (none) becomes 0. */
static uint32_t node_line_group(struct writer *w, uint32_t i)
{
    return w->document->compared->by[MPDATA_PAIRING_BY_LINE]
               .groups[w->side][i] +
           1;
}

static uint32_t node_leaf_group(struct writer *w, uint32_t i)
{
    return w->document->compared->by[MPDATA_PAIRING_BY_LINE]
               .leaves[w->side][i] +
           1;
}

static void put_old_totals(struct writer *w)
{
    const struct mpdata_compared *const c = w->document->compared;

    mpdata_json_out_map_of(&w->parts.json, "totals");
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++) {
        if (c->held[m])
            mpdata_json_out_number_of(
                &w->parts.json, mpdata_metrics[m].name,
                mpdata_metrics_get(&c->diff.sides[OLD].totals,
                                   (enum mpdata_metric)m));
    }
    mpdata_json_out_close_map(&w->parts.json);
}

static void put_sides(struct writer *w)
{
    const struct mpdata_compared *const c = w->document->compared;

    mpdata_json_parts_open_array(&w->parts, "sides");
    for (int side = OLD; side <= NEW; side++) {
        const struct mpdata_diff_side *const s = &c->diff.sides[side];

        mpdata_json_out_row(&w->parts.json);
        mpdata_json_out_text_of(&w->parts.json, "input", c->inputs[side]);
        mpdata_json_parts_opt_number(&w->parts, "runs", s->runs.runs);
        mpdata_json_out_number_of(&w->parts.json, "divided_by", s->per);
        mpdata_json_out_number_of(&w->parts.json, "stacks",
                                  s->view.context_count);
        mpdata_json_parts_opt_number(&w->parts, "sampled_runs",
                                     s->runs.sampled_runs);
        mpdata_json_out_close_map(&w->parts.json);
    }
    mpdata_json_out_close_array(&w->parts.json);
}

static void put_compared(struct writer *w)
{
    mpdata_json_out_map_of(&w->parts.json, "compared");
    mpdata_json_out_text_of(
        &w->parts.json, "metric",
        mpdata_metrics[w->document->compared->diff.metric].name);
    put_sides(w);
    put_old_totals(w);
    look_at(w, OLD);
    mpdata_json_parts_runs(&w->parts);
    look_at(w, NEW);
    put_rows(w, "held_by", row_sides);
    put_rows(w, "unmeasured", row_unmeasured);
    put_frames(w, "functions", frame_function_group);
    put_frames(w, "files", frame_file_group);
    put_nodes(w, "lines", node_line_group);
    put_nodes(w, "leaves", node_leaf_group);
    put_side_fields(w, "before", OLD);
    mpdata_json_out_close_map(&w->parts.json);
}

/* -- all columns ----------------------------------------------------------- */

/* Writes the columns that only a single profile has. */
static void put_own_columns(struct writer *w)
{
    put_rows(w, "verdict", row_verdict);
    put_rows(w, "why", row_why);
    put_verdict_columns(w);
    put_fields(w);
}

static void put_columns(struct writer *w)
{
    mpdata_json_out_map_of(&w->parts.json, "frames");
    put_frames(w, "name", frame_name);
    put_frames(w, "file", frame_file);
    put_frames(w, "line", frame_line);
    put_frames(w, "module", frame_module);
    put_frames(w, "inline", frame_inline);
    put_frames(w, "start", frame_start);
    mpdata_json_out_close_map(&w->parts.json);
    mpdata_json_out_map_of(&w->parts.json, "nodes");
    put_nodes(w, "parent", node_parent);
    put_nodes(w, "frame", node_frame);
    mpdata_json_out_close_map(&w->parts.json);
    mpdata_json_out_map_of(&w->parts.json, "contexts");
    put_rows(w, "node", row_node);
    put_rows(w, "type", row_type);
    put_rows(w, "site", row_site);
    put_rows(w, "flags", row_flags);
    if (w->document->compared != NULL)
        put_side_fields(w, "fields", NEW);
    else
        put_own_columns(w);
    mpdata_json_out_close_map(&w->parts.json);
}

/* Writes the fields of the blocks, if known. */
static void put_fields_of(struct writer *w, uint32_t context)
{
    const struct mpdata_members fields =
        mpdata_members_of(&w->parts.view, context);

    mpdata_json_parts_opt_number(
        &w->parts, "element_bytes",
        mpdata_histogram_element(&w->parts.view, context));
    if (fields.text != NULL)
        mpdata_json_out_number_of(
            &w->parts.json, "members",
            text_number(w, fields.text, strlen(fields.text)));
}

/* Histograms are not compared. */
static void put_histograms(struct writer *w)
{
    const struct mpdata_view *const view = &w->parts.view;

    mpdata_json_parts_open_array(&w->parts, "histograms");
    for (uint32_t i = 0; i < view->context_count; i++) {
        const struct mpdata_cells cells = view->contexts[i].cells;

        if (cells.words == NULL || w->document->compared != NULL)
            continue;
        mpdata_json_out_open_map(&w->parts.json);
        mpdata_json_out_number_of(&w->parts.json, "context", i);
        mpdata_json_out_number_of(&w->parts.json, "cell_bytes",
                                  MPROF_CELL_BYTES);
        mpdata_json_out_key(&w->parts.json, "cells");
        mpdata_cells_json(&w->parts.json, cells);
        put_fields_of(w, i);
        mpdata_json_out_close_map(&w->parts.json);
    }
    mpdata_json_out_close_array(&w->parts.json);
}

/* -- strings --------------------------------------------------------------- */

/* Writes lines as an array. */
static void put_lines(struct writer *w, const char *key,
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

/* Writes "the old profile: --type filtered out ...". */
static void write_left_out(const struct mpdata_document *document,
                           struct mpdata_sink *out)
{
    static const char *const of[] = {
        [OLD] = "the old profile: ", [NEW] = "the new profile: "};

    char text[MPDATA_LEFT_OUT_TEXT_BYTES];

    for (int side = OLD; side <= NEW; side++) {
        const struct mpdata_left_out_list *const list =
            document->left_out[side];

        for (uint32_t i = 0; list != NULL && i < list->count; i++) {
            if (document->compared != NULL)
                mpdata_sink_text(out, of[side]);
            mpdata_sink_text(
                out, mpdata_left_out_text(&list->rows[i], text, sizeof(text)));
            mpdata_sink_char(out, '\n');
        }
    }
    if (document->compared == NULL && document->left_out[NEW] != NULL &&
        mpdata_left_out_any(document->left_out[NEW]) &&
        mpdata_profile_view(document->now->profile).series_count != 0)
        mpdata_sink_text(out, MPDATA_LEFT_OUT_NOT_OVER_TIME "\n");
}

/* Computes the peak of the runs, which is exact though blocks were sampled; 0
 * if none were, or if it is unknown. */
static enum mprof_err exact_peak(const struct mpdata_document *document,
                                 uint64_t *bytes)
{
    const struct mpdata_view view = mpdata_profile_view(document->now->profile);
    const struct mpdata_left_out_list *const list = document->left_out[NEW];
    struct mpdata_run_totals runs = {0};
    enum mprof_err err = MPROF_E_OK;

    if (document->compared == NULL &&
        (list == NULL || !mpdata_left_out_any(list)))
        err = mpdata_run_totals(&view, &runs);
    *bytes = runs.sampled_runs != 0 ? runs.peak_bytes : 0;
    return err;
}

static enum mprof_err make_sentences(const struct mpdata_document *document,
                                     uint64_t peak, struct mprof_buf *notes,
                                     struct mprof_buf *findings)
{
    struct mpdata_sink out = mpdata_sink_to_buf(notes);
    enum mprof_err err;

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
               ? mpdata_sentences_findings(document->now, peak, findings)
               : err;
}

static void put_sentences(struct writer *w, uint64_t peak)
{
    struct mprof_buf notes;
    struct mprof_buf findings;

    mpdata_heapbuf_init(&notes);
    mpdata_heapbuf_init(&findings);
    if (make_sentences(w->document, peak, &notes, &findings) != MPROF_E_OK)
        w->failed = true;
    put_lines(w, "notes", &notes);
    put_lines(w, "findings", &findings);
    mpdata_heapbuf_fini(&notes);
    mpdata_heapbuf_fini(&findings);
}

/* Writes the short form of a name; "" if it equals the name. */
static void put_short(struct writer *w, const struct mpdata_str *name,
                      size_t columns)
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
static void put_short_column(struct writer *w, const char *key,
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

static void put_short_names(struct writer *w)
{
    const struct mpdata_view texts = mpdata_profile_view(w->texts);
    const uint32_t *const names = (const uint32_t *)w->names.data;
    bool *const are_names =
        (bool *)mpdata_vec_array(texts.string_count, sizeof(*are_names));

    w->failed |= are_names == NULL;
    if (are_names == NULL)
        return;
    for (uint32_t i = 0; i < w->names.count; i++)
        are_names[names[i]] = true;
    put_short_column(w, "short", are_names, NAME_COLUMNS);
    put_short_column(w, "shortest", are_names, 0);
    free(are_names);
}

static void put_strings(struct writer *w)
{
    const struct mpdata_view texts = mpdata_profile_view(w->texts);

    mpdata_json_parts_open_array(&w->parts, "strings");
    for (uint32_t i = 0; i < texts.string_count; i++)
        mpdata_json_out_text(&w->parts.json, texts.strings[i].bytes,
                             texts.strings[i].size);
    mpdata_json_out_close_array(&w->parts.json);
}

static void put_time(struct writer *w)
{
    mpdata_document_time_series(&w->parts);
    mpdata_document_time_spreads(&w->parts);
    mpdata_document_time_links(&w->parts);
}

static void put_document(struct writer *w)
{
    const struct mprof_mib totals = mpdata_profile_totals(&w->parts.view);
    uint64_t peak;

    if (exact_peak(w->document, &peak) != MPROF_E_OK)
        w->failed = true;
    mpdata_json_out_open_map(&w->parts.json);
    mpdata_json_out_text_of(&w->parts.json, "format", FORM);
    mpdata_json_out_number_of(&w->parts.json, "version", VERSION);
    mpdata_json_parts_metrics(&w->parts, &totals);
    mpdata_json_parts_fields(&w->parts, w->is_held, &totals);
    mpdata_json_parts_runs(&w->parts);
    mpdata_json_parts_opt_number(&w->parts, "peak_bytes", peak);
    put_sentences(w, peak);
    put_columns(w);
    if (w->document->compared != NULL)
        put_compared(w);
    else
        put_verdict_words(w);
    put_histograms(w);
    if (w->document->has_source)
        mpdata_sources_put(&w->parts);
    if (w->document->compared == NULL) {
        put_time(w);
        w->failed |= !mpdata_document_tagged_put(&w->parts, w->texts);
    }
    put_short_names(w);
    put_strings(w);
    mpdata_json_out_close_map(&w->parts.json);
    mpdata_json_out_line(&w->parts.json);
}

/* -- the writer ------------------------------------------------------------ */

/* With two profiles, only metrics that both have. */
static void find_fields(struct writer *w)
{
    if (w->document->compared == NULL) {
        mpdata_pieces_held(w->document->now, w->is_held);
        return;
    }
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++)
        w->is_held[mpdata_metrics[m].field] = w->document->compared->held[m];
}

/* Returns false when out of memory. */
static bool open_writer(struct writer *w)
{
    const struct mpdata_compared *const c = w->document->compared;
    const struct mpdata_view view =
        mpdata_profile_view(w->document->now->profile);
    bool is_done = true;

    w->frame_base = view.frame_count;
    w->node_base = view.node_count;
    w->texts = mpdata_profile_new();
    w->function_names = (uint32_t *)mpdata_vec_array(
        c != NULL ? c->by[MPDATA_PAIRING_BY_FUNCTION].count : 0,
        sizeof(*w->function_names));
    for (int side = OLD; side <= NEW; side++) {
        const struct mpdata_export *const what = profile_of(w, side);

        if (what == NULL)
            continue;
        w->callers[side] =
            mpdata_wrappers_callers(what->profile, what->names, false);
        is_done = is_done && w->callers[side] != NULL;
    }
    find_fields(w);
    if (c == NULL)
        is_done = is_done &&
                  mpdata_verdict_make(&w->verdicts, w->document->now->profile,
                                      MPDATA_VERDICT_FITTING) == MPROF_E_OK;
    return is_done && w->texts != NULL && w->function_names != NULL;
}

static void close_writer(struct writer *w)
{
    mpdata_vec_fini(&w->column);
    mpdata_vec_fini(&w->names);
    mpdata_profile_free(w->texts);
    free(w->function_names);
    free(w->callers[OLD]);
    free(w->callers[NEW]);
    mpdata_verdict_fini(&w->verdicts);
}

enum mprof_err mpdata_document_write(const struct mpdata_document *document,
                                     struct mpdata_sink *sink)
{
    struct writer w = {.document = document,
                       .column = {.elem_bytes = sizeof(uint32_t)},
                       .names = {.elem_bytes = sizeof(uint32_t)}};
    enum mprof_err err = MPROF_E_NOMEM;

    if (open_writer(&w)) {
        if (mpdata_json_parts_init(&w.parts, document->now, sink)) {
            look_at(&w, NEW);
            put_document(&w);
        }
        w.failed |= mpdata_profile_status(w.texts) != MPROF_E_OK;
        err = mpdata_json_parts_fini(&w.parts);
    }
    close_writer(&w);
    return w.failed ? MPROF_E_NOMEM : err;
}
