/* json.c -- a profile for scripts: readable names, totals, and all fields of
 * each call stack by name (docs/export.md).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/export/pieces.h"
#include "profdata/export/json_parts.h"
#include "profdata/query/frame_json.h"
#include "profdata/query/frames.h"
#include "profdata/judge/verdict.h"
#include "shared/index_format.h"
#include "shared/tag_format.h"

#include <string.h>

/* A change that misleads readers needs a new version; an added key does not. */
#define FORM "memprof"
#define VERSION 1

struct writer {
    struct mpdata_json_parts parts;
    bool is_held[MPROF_MIB_FIELDS];
    struct mpdata_verdicts verdicts; /* by context */
};

/* -- tables ---------------------------------------------------------------- */

static void put_binary(struct writer *w, uint32_t i)
{
    const struct mpdata_binary *const binary = &w->parts.view.binaries[i];
    const struct mpdata_str *const id =
        &w->parts.view.strings[binary->build_id];

    mpdata_json_parts_opt_path(&w->parts, "path", binary->path);
    if (id->size != 0) {
        mpdata_json_out_key(&w->parts.json, "build_id");
        mpdata_json_out_hex(&w->parts.json, id->bytes, id->size);
    }
    mpdata_json_out_known_flag(&w->parts.json, "instrumented",
                               (binary->flags & MPROF_BINARY_FL_INSTRUMENTED) !=
                                   0);
    mpdata_json_out_known_flag(
        &w->parts.json, "not_instrumented",
        (binary->flags & MPROF_BINARY_FL_NOT_INSTRUMENTED) != 0);
}

static void put_function(struct writer *w, uint32_t i)
{
    const struct mpdata_function *const f = &w->parts.view.functions[i];

    mpdata_json_out_key(&w->parts.json, "name");
    mpdata_json_parts_name(&w->parts,
                           &(struct mpdata_frame){.function = i + 1});
    mpdata_json_parts_opt_string(&w->parts, "linkage_name", f->name);
    mpdata_json_out_known_id(&w->parts.json, "guid", f->guid);
    mpdata_json_parts_opt_path(&w->parts, "file", f->path);
    mpdata_json_out_known_number(&w->parts.json, "line", f->line);
}

static void put_frame(struct writer *w, uint32_t i)
{
    const struct mpdata_frame *const f = &w->parts.view.frames[i];

    mpdata_json_out_key(&w->parts.json, "name");
    mpdata_json_parts_name(&w->parts, f);
    mpdata_json_parts_opt_ref(&w->parts, "function", f->function);
    mpdata_json_parts_opt_path(&w->parts, "file", f->path);
    mpdata_json_out_known_number(&w->parts.json, "line", f->line);
    mpdata_json_out_known_number(&w->parts.json, "column", f->column);
    mpdata_json_out_known_number(&w->parts.json, "discriminator",
                                 f->discriminator);
    mpdata_json_out_known_flag(&w->parts.json, "inline",
                               (f->flags & MPROF_ENTRY_FL_INLINE) != 0);
    mpdata_json_parts_opt_string(&w->parts, "type", f->type);
    mpdata_json_parts_opt_ref(&w->parts, "binary", f->binary);
    mpdata_json_out_known_id(&w->parts.json, "address", f->address);
}

static void put_mib(struct writer *w, const struct mprof_mib *mib)
{
    mpdata_json_out_map_of(&w->parts.json, "mib");
    for (size_t f = 0; f < MPROF_MIB_FIELDS; f++) {
        if (w->is_held[f])
            mpdata_json_out_number_of(&w->parts.json, mprof_mib_fields[f].name,
                                      mprof_mib_get(mib, f));
    }
    mpdata_json_out_close_map(&w->parts.json);
}

static void put_verdict(struct writer *w, uint32_t i)
{
    const struct mpdata_verdict *const v = &w->verdicts.rows[i];

    mpdata_json_out_text_of(&w->parts.json, "verdict",
                            mpdata_verdict_words[v->kind]);
    mpdata_json_out_text_of(&w->parts.json, "why",
                            mpdata_verdict_reasons[v->reason].name);
    mpdata_verdict_json(&w->parts.json, v);
}

static void put_context(struct writer *w, uint32_t i)
{
    const struct mpdata_context *const c = &w->parts.view.contexts[i];
    const struct mprof_mib mib = mpdata_view_mib_of_8_bytes(&w->parts.view, i);

    mpdata_frame_json_numbers(&w->parts.json, &w->parts.view, c->node);
    mpdata_json_parts_opt_string(&w->parts, "type",
                                 mpdata_types_of(&w->parts.view, c->node));
    mpdata_json_out_known_flag(&w->parts.json, "truncated",
                               (c->flags & MPROF_CONTEXT_FL_TRUNCATED) != 0);
    mpdata_json_out_known_flag(&w->parts.json, "accesses_not_measured",
                               (c->flags & MPROF_CONTEXT_FL_NOT_MEASURED) != 0);
    mpdata_json_out_known_flag(&w->parts.json, "accesses_not_all_seen",
                               (c->flags & MPROF_CONTEXT_FL_NOT_ALL_SEEN) != 0);
    put_verdict(w, i);
    put_mib(w, &mib);
    if (c->cells.words != NULL) {
        mpdata_json_out_key(&w->parts.json, "histogram");
        mpdata_cells_json(&w->parts.json, c->cells, w->parts.view.unit_cells);
    }
    mpdata_frame_json_details(&w->parts.json, &w->parts.view, c);
}

static void put_series(struct writer *w, uint32_t i)
{
    mpdata_frame_json_series(&w->parts.json, &w->parts.view,
                             &w->parts.view.series[i]);
}

typedef void put_fn(struct writer *w, uint32_t row);

static void put_table(struct writer *w, const char *key, uint32_t rows,
                      put_fn *put)
{
    const struct mpdata_sink *const sink = w->parts.json.sink;

    mpdata_json_parts_open_array(&w->parts, key);
    for (uint32_t i = 0; i < rows && !sink->failed; i++) {
        mpdata_json_out_row(&w->parts.json);
        put(w, i);
        mpdata_json_out_close_map(&w->parts.json);
    }
    mpdata_json_out_close_array(&w->parts.json);
}

static void put_part(struct writer *w, uint32_t i)
{
    const struct mpdata_tagged *const part = &w->parts.view.tagged_rows[i];
    const struct mprof_mib mib = mpdata_view_tagged_mib(&w->parts.view, i);

    mpdata_json_out_text_of(&w->parts.json, "kind",
                            mprof_tag_kind_text(part->kind));
    mpdata_json_parts_opt_string(&w->parts, "name", part->name);
    mpdata_frame_json_numbers(&w->parts.json, &w->parts.view, part->node);
    mpdata_json_out_known_flag(&w->parts.json, "truncated",
                               (part->flags & MPROF_CONTEXT_FL_TRUNCATED) != 0);
    if (part->kind == MPROF_TAG_THREAD || part->kind == MPROF_TAG_POOL) {
        put_mib(w, &mib);
        return;
    }
    mpdata_json_out_number_of(&w->parts.json, "times", mib.AllocCount);
    mpdata_json_out_number_of(&w->parts.json, "weight", mib.TotalSize);
    mpdata_json_out_number_of(&w->parts.json, "least", mib.MinSize);
    mpdata_json_out_number_of(&w->parts.json, "most", mib.MaxSize);
}

static void put_document(struct writer *w)
{
    const struct mpdata_view *const view = &w->parts.view;
    const struct mprof_mib totals = mpdata_profile_totals(view);

    mpdata_json_out_open_map(&w->parts.json);
    mpdata_json_out_text_of(&w->parts.json, "format", FORM);
    mpdata_json_out_number_of(&w->parts.json, "version", VERSION);
    mpdata_json_parts_metrics(&w->parts, &totals);
    mpdata_json_parts_fields(&w->parts, w->is_held, &totals);
    mpdata_json_parts_runs(&w->parts);
    put_table(w, "binaries", view->binary_count, put_binary);
    put_table(w, "functions", view->function_count, put_function);
    put_table(w, "frames", view->frame_count, put_frame);
    put_table(w, "contexts", view->context_count, put_context);
    if (view->tagged_count != 0)
        put_table(w, "parts", view->tagged_count, put_part);
    if (view->series_count != 0)
        put_table(w, "series", view->series_count, put_series);
    mpdata_json_out_close_map(&w->parts.json);
    mpdata_json_out_line(&w->parts.json);
}

enum mprof_err mpdata_json_write(const struct mpdata_export *what,
                                 struct mpdata_sink *sink)
{
    struct writer w;
    enum mprof_err err =
        mpdata_verdict_make(&w.verdicts, what->profile, MPDATA_VERDICT_FITTING);

    mpdata_pieces_held(what, w.is_held);
    if (err == MPROF_E_OK) {
        if (mpdata_json_parts_init(&w.parts, what, sink))
            put_document(&w);
        err = mpdata_json_parts_fini(&w.parts);
    }
    mpdata_verdict_fini(&w.verdicts);
    return err;
}
