/* document.c -- a profile in columns: what stands at one place of each is one
 * row.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/report/document.h"
#include "profdata/base/heapbuf.h"
#include "profdata/export/fields.h"
#include "profdata/export/json_parts.h"
#include "profdata/query/findings.h"
#include "profdata/query/types.h"
#include "profdata/query/verdict.h"
#include "profdata/report/document_time.h"
#include "profdata/report/sentences.h"
#include "shared/abi.h"
#include "shared/index_format.h"

#include <stdlib.h>
#include <string.h>

/* web/src/data.ts asks for both. */
#define FORM "memprof report"
#define VERSION 1

/* Bits of a context. */
enum { FLAG_TRUNCATED = 1, FLAG_NOT_MEASURED = 2 };

struct writer {
    struct mpdata_json_parts parts;
    bool is_held[MPROF_MIB_FIELDS];
    struct mpdata_profile *texts; /* whose strings are those of the document */
    struct mpdata_vec column;     /* uint32_t */
    uint32_t *sites;              /* mpdata_findings_sites() */
    struct mpdata_verdicts verdicts; /* by context */
    bool failed;
};

static uint32_t text_number(struct writer *w, const char *text, size_t size)
{
    return mpdata_profile_string(w->texts, text, size);
}

/* -- columns --------------------------------------------------------------- */

typedef uint32_t column_fn(struct writer *w, uint32_t row);

static void put_column(struct writer *w, const char *key, uint32_t rows,
                       column_fn *value)
{
    w->column.count = 0;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t *const at = (uint32_t *)mpdata_vec_push(&w->column);

        if (at == NULL) {
            w->failed = true;
            break;
        }
        *at = value(w, i);
    }
    mpdata_json_parts_open_array(&w->parts, key);
    mpdata_json_out_numbers(&w->parts.json, (const uint32_t *)w->column.data,
                            w->column.count);
    mpdata_json_out_close_array(&w->parts.json);
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

static uint32_t frame_name(struct writer *w, uint32_t i)
{
    char *const text =
        mpdata_frame_names_text(w->parts.what->names, &w->parts.view.frames[i]);
    const uint32_t number =
        text != NULL ? text_number(w, text, strlen(text)) : 0;

    w->failed |= text == NULL;
    free(text);
    return number;
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

static uint32_t node_parent(struct writer *w, uint32_t i)
{
    return w->parts.view.nodes[i].parent;
}

static uint32_t node_frame(struct writer *w, uint32_t i)
{
    return w->parts.view.nodes[i].frame;
}

static uint32_t context_node(struct writer *w, uint32_t i)
{
    return w->parts.view.contexts[i].node;
}

static uint32_t context_type(struct writer *w, uint32_t i)
{
    const struct mpdata_view *const view = &w->parts.view;
    const struct mpdata_str *const type =
        &view->strings[mpdata_types_of(view, view->contexts[i].node)];

    return text_number(w, type->bytes, type->size);
}

static uint32_t context_flags(struct writer *w, uint32_t i)
{
    const uint32_t flags = w->parts.view.contexts[i].flags;

    return ((flags & MPROF_CONTEXT_FL_TRUNCATED) != 0 ? FLAG_TRUNCATED : 0) |
           ((flags & MPROF_CONTEXT_FL_NOT_MEASURED) != 0 ? FLAG_NOT_MEASURED
                                                         : 0);
}

static uint32_t context_site(struct writer *w, uint32_t i)
{
    return w->sites[i];
}

static uint32_t context_verdict(struct writer *w, uint32_t i)
{
    return w->verdicts.rows[i].kind;
}

static uint32_t context_why(struct writer *w, uint32_t i)
{
    return w->verdicts.rows[i].reason;
}

/* A column for each number behind the verdicts, null where it is not known. */
static void put_verdict_columns(struct writer *w)
{
    mpdata_json_parts_open_map(&w->parts, "verdict_numbers");
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

/* What the columns "verdict" and "why" are numbers of. */
static void put_verdict_words(struct writer *w)
{
    mpdata_json_parts_open_array(&w->parts, "verdicts");
    for (int i = 0; i < MPDATA_VERDICT_KINDS; i++)
        mpdata_json_out_key(&w->parts.json, mpdata_verdict_words[i]);
    mpdata_json_out_close_array(&w->parts.json);
    mpdata_json_parts_open_array(&w->parts, "verdict_reasons");
    for (int i = 0; i < MPDATA_VERDICT_REASON_COUNT; i++) {
        mpdata_json_out_open_map(&w->parts.json);
        mpdata_json_parts_string(&w->parts, "name",
                                 mpdata_verdict_reasons[i].name);
        mpdata_json_parts_string(&w->parts, "sentence",
                                 mpdata_verdict_reasons[i].sentence);
        mpdata_json_out_close_map(&w->parts.json);
    }
    mpdata_json_out_close_array(&w->parts.json);
}

static void put_field_columns(struct writer *w)
{
    const struct mpdata_view *const view = &w->parts.view;

    mpdata_json_parts_open_map(&w->parts, "fields");
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

static void put_columns(struct writer *w)
{
    const struct mpdata_view *const view = &w->parts.view;

    mpdata_json_parts_open_map(&w->parts, "frames");
    put_column(w, "name", view->frame_count, frame_name);
    put_column(w, "file", view->frame_count, frame_file);
    put_column(w, "line", view->frame_count, frame_line);
    put_column(w, "module", view->frame_count, frame_module);
    put_column(w, "inline", view->frame_count, frame_inline);
    mpdata_json_out_close_map(&w->parts.json);
    mpdata_json_parts_open_map(&w->parts, "nodes");
    put_column(w, "parent", view->node_count, node_parent);
    put_column(w, "frame", view->node_count, node_frame);
    mpdata_json_out_close_map(&w->parts.json);
    mpdata_json_parts_open_map(&w->parts, "contexts");
    put_column(w, "node", view->context_count, context_node);
    put_column(w, "type", view->context_count, context_type);
    put_column(w, "site", view->context_count, context_site);
    put_column(w, "flags", view->context_count, context_flags);
    put_column(w, "verdict", view->context_count, context_verdict);
    put_column(w, "why", view->context_count, context_why);
    put_verdict_columns(w);
    put_field_columns(w);
    mpdata_json_out_close_map(&w->parts.json);
}

static void put_histograms(struct writer *w)
{
    const struct mpdata_view *const view = &w->parts.view;

    mpdata_json_parts_open_array(&w->parts, "histograms");
    for (uint32_t i = 0; i < view->context_count; i++) {
        const struct mpdata_cells cells = view->contexts[i].cells;

        if (cells.words == NULL)
            continue;
        mpdata_json_out_open_map(&w->parts.json);
        mpdata_json_parts_number(&w->parts, "context", i);
        mpdata_json_parts_number(&w->parts, "cell_bytes", MPROF_CELL_BYTES);
        mpdata_json_out_key(&w->parts.json, "cells");
        mpdata_json_parts_cells(&w->parts, cells);
        mpdata_json_out_close_map(&w->parts.json);
    }
    mpdata_json_out_close_array(&w->parts.json);
}

/* -- texts ----------------------------------------------------------------- */

/* A list of the lines. */
static void put_lines(struct writer *w, const char *key,
                      const struct mprof_buf *lines)
{
    const char *at = (const char *)lines->data;
    /* Where memory ran out the last line may have no end. */
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

static void put_sentences(struct writer *w)
{
    struct mprof_buf notes;
    struct mprof_buf findings;

    mpdata_heapbuf_init(&notes);
    mpdata_heapbuf_init(&findings);
    if (mpdata_sentences_notes(w->parts.what, &notes) != MPROF_E_OK ||
        mpdata_sentences_findings(w->parts.what, &findings) != MPROF_E_OK)
        w->failed = true;
    put_lines(w, "notes", &notes);
    put_lines(w, "findings", &findings);
    mpdata_heapbuf_fini(&notes);
    mpdata_heapbuf_fini(&findings);
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

static void put_document(struct writer *w)
{
    const struct mprof_mib totals = mpdata_profile_totals(&w->parts.view);

    mpdata_json_out_open_map(&w->parts.json);
    mpdata_json_parts_string(&w->parts, "format", FORM);
    mpdata_json_parts_number(&w->parts, "version", VERSION);
    mpdata_json_parts_metrics(&w->parts, &totals);
    mpdata_json_parts_fields(&w->parts, w->is_held, &totals);
    mpdata_json_parts_runs(&w->parts);
    put_sentences(w);
    put_verdict_words(w);
    put_columns(w);
    put_histograms(w);
    mpdata_document_time_series(&w->parts);
    mpdata_document_time_spreads(&w->parts);
    mpdata_document_time_links(&w->parts);
    put_strings(w);
    mpdata_json_out_close_map(&w->parts.json);
    mpdata_json_out_line(&w->parts.json);
}

enum mprof_err mpdata_document_write(const struct mpdata_export *what,
                                     struct mpdata_sink *sink)
{
    struct writer w = {.texts = mpdata_profile_new(),
                       .column = {.elem_bytes = sizeof(uint32_t)}};
    enum mprof_err err;

    mpdata_fields_held(what, w.is_held);
    err =
        mpdata_verdict_make(&w.verdicts, what->profile, MPDATA_VERDICT_FITTING);
    w.sites = mpdata_findings_sites(what->profile, what->names);
    if (w.texts != NULL && w.sites != NULL && err == MPROF_E_OK) {
        if (mpdata_json_parts_init(&w.parts, what, sink))
            put_document(&w);
        if (mpdata_profile_status(w.texts) != MPROF_E_OK)
            w.failed = true;
        err = mpdata_json_parts_fini(&w.parts);
    } else {
        err = MPROF_E_NOMEM;
    }
    mpdata_vec_fini(&w.column);
    mpdata_profile_free(w.texts);
    free(w.sites);
    mpdata_verdict_fini(&w.verdicts);
    return w.failed ? MPROF_E_NOMEM : err;
}
