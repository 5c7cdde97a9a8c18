/* document_columns.c -- a profile's frames, nodes and call stacks in columns.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/report/document_parts.h"
#include "profdata/query/names.h"
#include "profdata/query/members.h"
#include "profdata/query/histogram.h"
#include "profdata/query/frames.h"
#include "shared/abi.h"
#include "shared/index_format.h"

#include <stdlib.h>
#include <string.h>

/* Bits of a context. */
enum { FLAG_TRUNCATED = 1, FLAG_NOT_MEASURED = 2 };

#define OLD MPDATA_DIFF_OLD
#define NEW MPDATA_DIFF_NEW

static const struct mpdata_export *
profile_of(const struct mpdata_document_writer *w, int side)
{
    return side == NEW ? w->document->now : w->document->before;
}

void mpdata_document_columns_look_at(struct mpdata_document_writer *w, int side)
{
    w->side = side;
    w->parts.what = profile_of(w, side);
    w->parts.view = mpdata_profile_view(w->parts.what->profile);
}

static uint32_t text_number(struct mpdata_document_writer *w, const char *text,
                            size_t size)
{
    return mpdata_profile_string(w->texts, text, size);
}

/* Returns the number of a name and marks it as one that is also written in
 * short forms. */
static uint32_t name_number(struct mpdata_document_writer *w, const char *name,
                            size_t size)
{
    const uint32_t number = text_number(w, name, size);

    w->failed |= !mpdata_vec_add(&w->names, &number);
    return number;
}

/* -- columns --------------------------------------------------------------- */

typedef uint32_t column_fn(struct mpdata_document_writer *w, uint32_t row);

static void add_values(struct mpdata_document_writer *w, uint32_t rows,
                       column_fn *value)
{
    for (uint32_t i = 0; i < rows; i++) {
        const uint32_t number = value(w, i);

        w->failed |= !mpdata_vec_add(&w->column, &number);
    }
}

static void put_values(struct mpdata_document_writer *w, const char *key)
{
    mpdata_json_parts_open_array(&w->parts, key);
    mpdata_json_out_numbers(&w->parts.json, (const uint32_t *)w->column.data,
                            w->column.count);
    mpdata_json_out_close_array(&w->parts.json);
    w->column.count = 0;
}

/* Writes a column over the frames or nodes of the new profile, then of the old
 * one. */
static void put_table(struct mpdata_document_writer *w, const char *key,
                      bool is_nodes, column_fn *value)
{
    for (int side = NEW; side >= OLD; side--) {
        if (profile_of(w, side) == NULL)
            continue;
        mpdata_document_columns_look_at(w, side);
        add_values(
            w, is_nodes ? w->parts.view.node_count : w->parts.view.frame_count,
            value);
    }
    mpdata_document_columns_look_at(w, NEW);
    put_values(w, key);
}

static void put_frames(struct mpdata_document_writer *w, const char *key,
                       column_fn *value)
{
    put_table(w, key, false, value);
}

static void put_nodes(struct mpdata_document_writer *w, const char *key,
                      column_fn *value)
{
    put_table(w, key, true, value);
}

static uint32_t path_number(struct mpdata_document_writer *w, mpdata_ref path)
{
    size_t size = 0;
    char *const text =
        mpdata_profile_path_string(w->parts.what->profile, path, &size);
    const uint32_t number = text != NULL ? text_number(w, text, size) : 0;

    w->failed |= text == NULL;
    free(text);
    return number;
}

static uint32_t own_name(struct mpdata_document_writer *w, uint32_t i)
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
static uint32_t frame_name(struct mpdata_document_writer *w, uint32_t i)
{
    const struct mpdata_compared *const c = w->document->compared;

    if (c == NULL || w->parts.view.frames[i].function == 0)
        return own_name(w, i);
    uint32_t *known =
        &w->function_names[c->by[MPDATA_BY_FUNCTION].groups[w->side][i]];
    if (w->side == OLD && *known != 0)
        return *known;
    *known = own_name(w, i);
    return *known;
}

static uint32_t frame_file(struct mpdata_document_writer *w, uint32_t i)
{
    return path_number(w, w->parts.view.frames[i].path);
}

static uint32_t frame_line(struct mpdata_document_writer *w, uint32_t i)
{
    return w->parts.view.frames[i].line;
}

static uint32_t frame_module(struct mpdata_document_writer *w, uint32_t i)
{
    const mpdata_ref binary = w->parts.view.frames[i].binary;

    return binary == 0
               ? 0
               : path_number(w, w->parts.view.binaries[binary - 1].path);
}

static uint32_t frame_inline(struct mpdata_document_writer *w, uint32_t i)
{
    return (w->parts.view.frames[i].flags & MPROF_ENTRY_FL_INLINE) != 0;
}

static uint32_t frame_start(struct mpdata_document_writer *w, uint32_t i)
{
    return w->starts[w->side][i];
}

static uint32_t node_parent(struct mpdata_document_writer *w, uint32_t i)
{
    const mpdata_ref parent = w->parts.view.nodes[i].parent;

    return parent != 0 && w->side == OLD ? parent + w->node_base : parent;
}

static uint32_t node_frame(struct mpdata_document_writer *w, uint32_t i)
{
    const uint32_t frame = w->parts.view.nodes[i].frame;

    return w->side == OLD ? frame + w->frame_base : frame;
}

/* -- call stacks ----------------------------------------------------------- */

static uint32_t row_count(const struct mpdata_document_writer *w)
{
    return w->document->compared != NULL ? w->document->compared->diff.count
                                         : w->parts.view.context_count;
}

/* Returns the context that represents a row's call stack, in the new profile if
 * it has it, and makes that profile the current one. */
static uint32_t look_at_row(struct mpdata_document_writer *w, uint32_t i)
{
    const struct mpdata_compared *const c = w->document->compared;

    if (c == NULL)
        return i;
    const struct mpdata_diff_row *row = &c->diff.rows[i];
    mpdata_document_columns_look_at(w, row->first[NEW] != 0 ? NEW : OLD);
    return row->first[w->side] - 1;
}

static uint32_t row_node(struct mpdata_document_writer *w, uint32_t i)
{
    const uint32_t context = look_at_row(w, i);
    const mpdata_ref node = w->parts.view.contexts[context].node;

    return node != 0 && w->side == OLD ? node + w->node_base : node;
}

static uint32_t row_type(struct mpdata_document_writer *w, uint32_t i)
{
    const uint32_t context = look_at_row(w, i);
    const struct mpdata_view *const view = &w->parts.view;
    const struct mpdata_str *const type =
        &view->strings[mpdata_types_of(view, view->contexts[context].node)];

    return name_number(w, type->bytes, type->size);
}

static uint32_t row_flags(struct mpdata_document_writer *w, uint32_t i)
{
    const uint32_t context = look_at_row(w, i);
    const uint32_t flags = w->parts.view.contexts[context].flags;

    return ((flags & MPROF_CONTEXT_FL_TRUNCATED) != 0 ? FLAG_TRUNCATED : 0) |
           ((flags & MPROF_CONTEXT_FL_NOT_MEASURED) != 0 ? FLAG_NOT_MEASURED
                                                         : 0);
}

static uint32_t row_site(struct mpdata_document_writer *w, uint32_t i)
{
    const uint32_t context = look_at_row(w, i);
    const mpdata_ref node = w->callers[w->side][context];
    const uint32_t base = w->side == OLD ? w->frame_base : 0;

    return node != 0 ? w->parts.view.nodes[node - 1].frame + base + 1 : 0;
}

static void put_rows(struct mpdata_document_writer *w, const char *key,
                     column_fn *value)
{
    add_values(w, row_count(w), value);
    mpdata_document_columns_look_at(w, NEW);
    put_values(w, key);
}

static void put_fields(struct mpdata_document_writer *w)
{
    const struct mpdata_view *const view = &w->parts.view;

    mpdata_json_out_map_of(&w->parts.json, "fields");
    for (size_t f = 0; f < MPROF_MIB_FIELDS; f++) {
        if (!w->is_held[f])
            continue;
        mpdata_json_parts_open_array(&w->parts, mprof_mib_fields[f].name);
        for (uint32_t i = 0; i < view->context_count; i++) {
            const uint64_t value = mpdata_view_mib_field(view, i, f);

            mpdata_json_out_number(&w->parts.json,
                                   f == MPROF_MIB_INDEX_AccessHistogramSize
                                       ? mpdata_view_cells(view, value)
                                       : value);
        }
        mpdata_json_out_close_array(&w->parts.json);
    }
    mpdata_json_out_close_map(&w->parts.json);
}

/* -- verdicts -------------------------------------------------------------- */

static uint32_t row_verdict(struct mpdata_document_writer *w, uint32_t i)
{
    return w->verdicts.rows[i].kind;
}

static uint32_t row_why(struct mpdata_document_writer *w, uint32_t i)
{
    return w->verdicts.rows[i].reason;
}

/* Writes a column for each number behind the verdicts; null if unknown. */
static void put_verdict_columns(struct mpdata_document_writer *w)
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

void mpdata_document_columns_verdicts(struct mpdata_document_writer *w)
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
static void put_side_fields(struct mpdata_document_writer *w, const char *key,
                            int side)
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
static uint32_t row_sides(struct mpdata_document_writer *w, uint32_t i)
{
    const struct mpdata_diff_row *const row =
        &w->document->compared->diff.rows[i];

    return (row->first[OLD] != 0 ? 1 : 0) | (row->first[NEW] != 0 ? 2 : 0);
}

/* Returns a bit for each metric of the document whose values must not be
 * compared. */
static uint32_t row_unmeasured(struct mpdata_document_writer *w, uint32_t i)
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

static uint32_t frame_function_group(struct mpdata_document_writer *w,
                                     uint32_t i)
{
    return w->document->compared->by[MPDATA_BY_FUNCTION].groups[w->side][i];
}

static uint32_t frame_file_group(struct mpdata_document_writer *w, uint32_t i)
{
    return w->document->compared->by[MPDATA_BY_FILE].groups[w->side][i];
}

/* Returns the number of a line + 1; UINT32_MAX (none) becomes 0. */
static uint32_t node_line_group(struct mpdata_document_writer *w, uint32_t i)
{
    return w->document->compared->by[MPDATA_BY_LINE].groups[w->side][i] + 1;
}

static uint32_t node_leaf_group(struct mpdata_document_writer *w, uint32_t i)
{
    return w->document->compared->by[MPDATA_BY_LINE].leaves[w->side][i] + 1;
}

static void put_old_totals(struct mpdata_document_writer *w)
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

static void put_sides(struct mpdata_document_writer *w)
{
    const struct mpdata_compared *const c = w->document->compared;

    mpdata_json_parts_open_array(&w->parts, "sides");
    for (int side = OLD; side <= NEW; side++) {
        const struct mpdata_diff_side *const s = &c->diff.sides[side];

        mpdata_json_out_row(&w->parts.json);
        mpdata_json_out_text_of(&w->parts.json, "input", c->inputs[side]);
        mpdata_json_out_known_number(&w->parts.json, "runs", s->runs.runs);
        mpdata_diff_divisors(s, &w->parts.json);
        mpdata_json_out_number_of(&w->parts.json, "stacks",
                                  s->view.context_count);
        mpdata_json_out_known_number(&w->parts.json, "sampled_runs",
                                     s->runs.sampled_runs);
        mpdata_json_out_close_map(&w->parts.json);
    }
    mpdata_json_out_close_array(&w->parts.json);
}

void mpdata_document_columns_compared(struct mpdata_document_writer *w)
{
    mpdata_json_out_map_of(&w->parts.json, "compared");
    mpdata_json_out_text_of(
        &w->parts.json, "metric",
        mpdata_metrics[w->document->compared->diff.metric].name);
    put_sides(w);
    put_old_totals(w);
    mpdata_document_columns_look_at(w, OLD);
    mpdata_json_parts_runs(&w->parts);
    mpdata_document_columns_look_at(w, NEW);
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
static void put_own_columns(struct mpdata_document_writer *w)
{
    put_rows(w, "verdict", row_verdict);
    put_rows(w, "why", row_why);
    put_verdict_columns(w);
    put_fields(w);
}

void mpdata_document_columns_put(struct mpdata_document_writer *w)
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
static void put_fields_of(struct mpdata_document_writer *w, uint32_t context)
{
    const struct mpdata_members fields =
        mpdata_members_of(&w->parts.view, context);

    mpdata_json_out_known_number(
        &w->parts.json, "element_bytes",
        mpdata_histogram_element(&w->parts.view, context));
    if (fields.text != NULL)
        mpdata_json_out_number_of(
            &w->parts.json, "members",
            text_number(w, fields.text, strlen(fields.text)));
}

void mpdata_document_columns_histograms(struct mpdata_document_writer *w)
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
        mpdata_cells_json(&w->parts.json, cells, view->unit_cells);
        put_fields_of(w, i);
        mpdata_json_out_close_map(&w->parts.json);
    }
    mpdata_json_out_close_array(&w->parts.json);
}
