/* json.c -- a profile for scripts: names as people write them, totals, and all
 * that is held of each call stack by name (docs/export.md).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/export/fields.h"
#include "profdata/export/json_parts.h"
#include "profdata/model/run_columns.h"
#include "profdata/query/types.h"
#include "shared/index_format.h"

#include <string.h>

/* Whatever makes a reader misread is a new version; a key that is added is
 * none. */
#define FORM "memprof"
#define VERSION 1

struct writer {
    struct mpdata_json_parts parts;
    bool is_held[MPROF_MIB_FIELDS];
};

/* -- members that say something -------------------------------------------- */

static void number_member(struct writer *w, const char *key, uint64_t number)
{
    if (number != 0)
        mpdata_json_parts_number(&w->parts, key, number);
}

static void ref_member(struct writer *w, const char *key, mpdata_ref ref)
{
    if (ref != 0)
        mpdata_json_parts_number(&w->parts, key, ref - 1);
}

static void id_member(struct writer *w, const char *key, uint64_t id)
{
    if (id == 0)
        return;
    mpdata_json_out_key(&w->parts.json, key);
    mpdata_json_out_id(&w->parts.json, id);
}

static void flag_member(struct writer *w, const char *key, bool is_set)
{
    if (!is_set)
        return;
    mpdata_json_out_key(&w->parts.json, key);
    mpdata_json_out_bool(&w->parts.json, true);
}

static void path_member(struct writer *w, const char *key, mpdata_ref path)
{
    if (path == 0)
        return;
    mpdata_json_out_key(&w->parts.json, key);
    mpdata_json_parts_path(&w->parts, path);
}

static void string_member(struct writer *w, const char *key,
                          mpdata_string string)
{
    const struct mpdata_str *const s = &w->parts.view.strings[string];

    if (s->size == 0)
        return;
    mpdata_json_out_key(&w->parts.json, key);
    mpdata_json_out_text(&w->parts.json, s->bytes, s->size);
}

static void begin_row(struct writer *w)
{
    mpdata_json_out_line(&w->parts.json);
    mpdata_json_out_open_map(&w->parts.json);
}

static void end_row(struct writer *w)
{
    mpdata_json_out_close_map(&w->parts.json);
}

/* -- what there is, and what it comes to ----------------------------------- */

static void put_metrics(struct writer *w, const struct mprof_mib *totals)
{
    mpdata_json_parts_open_array(&w->parts, "metrics");
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++) {
        const struct mpdata_metric_row *const row = &mpdata_metrics[m];

        if (!w->parts.what->held[m])
            continue;
        begin_row(w);
        mpdata_json_parts_string(&w->parts, "name", row->name);
        mpdata_json_parts_string(&w->parts, "title", row->title);
        mpdata_json_parts_string(&w->parts, "field",
                                 mprof_mib_fields[row->field].name);
        mpdata_json_parts_string(&w->parts, "unit",
                                 mprof_mib_fields[row->field].unit);
        mpdata_json_parts_number(
            &w->parts, "total",
            mpdata_metrics_get(totals, (enum mpdata_metric)m));
        end_row(w);
    }
    mpdata_json_out_close_array(&w->parts.json);
}

static void put_fields(struct writer *w, const struct mprof_mib *totals)
{
    static const char *const merges[] = {[MPROF_MERGE_SUM] = "sum",
                                         [MPROF_MERGE_MIN] = "min",
                                         [MPROF_MERGE_MAX] = "max",
                                         [MPROF_MERGE_NONE] = "none"};

    mpdata_json_parts_open_array(&w->parts, "fields");
    for (size_t f = 0; f < MPROF_MIB_FIELDS; f++) {
        if (!w->is_held[f])
            continue;
        begin_row(w);
        mpdata_json_parts_string(&w->parts, "name", mprof_mib_fields[f].name);
        mpdata_json_parts_string(&w->parts, "unit", mprof_mib_fields[f].unit);
        mpdata_json_parts_string(&w->parts, "merge",
                                 merges[mprof_mib_fields[f].merge]);
        mpdata_json_parts_string(&w->parts, "help", mprof_mib_fields[f].help);
        mpdata_json_parts_number(&w->parts, "total", mprof_mib_get(totals, f));
        end_row(w);
    }
    mpdata_json_out_close_array(&w->parts.json);
}

/* -- tables ---------------------------------------------------------------- */

static const char *run_kind(uint32_t kind)
{
    static const char *const names[] = {
#define X(number, name, help) [number] = #name,
        MPROF_RUN_KINDS(X)
#undef X
    };

    return kind < MPROF_ARRAY_LEN(names) ? names[kind] : "";
}

static void put_run(struct writer *w, uint32_t i)
{
    const struct mpdata_run *const run = &w->parts.view.runs[i];
    const struct {
        uint32_t tag;
        const char *key;
        uint64_t value;
    } columns[] = {
#define X(column, member) {MPROF_INDEX_RUNS_##column, #member, run->member},
        MPDATA_INDEX_RUN_COLUMNS(X)
#undef X
    };

    for (size_t k = 0; k < MPROF_ARRAY_LEN(columns); k++) {
        const char *const key = columns[k].key;
        const uint64_t value = columns[k].value;

        switch (columns[k].tag) {
        case MPROF_INDEX_RUNS_EXECUTABLE:
            path_member(w, key, (mpdata_ref)value);
            break;
        case MPROF_INDEX_RUNS_HOST:
        case MPROF_INDEX_RUNS_OPTIONS:
        case MPROF_INDEX_RUNS_TOOL:
            string_member(w, key, (mpdata_string)value);
            break;
        case MPROF_INDEX_RUNS_RUN_ID:
            id_member(w, key, value);
            break;
        case MPROF_INDEX_RUNS_KIND:
            mpdata_json_parts_string(&w->parts, key, run_kind(run->kind));
            break;
        default:
            number_member(w, key, value);
        }
    }
}

static void put_binary(struct writer *w, uint32_t i)
{
    const struct mpdata_binary *const binary = &w->parts.view.binaries[i];
    const struct mpdata_str *const id =
        &w->parts.view.strings[binary->build_id];

    path_member(w, "path", binary->path);
    if (id->size != 0) {
        mpdata_json_out_key(&w->parts.json, "build_id");
        mpdata_json_out_hex(&w->parts.json, id->bytes, id->size);
    }
    flag_member(w, "instrumented",
                (binary->flags & MPROF_BINARY_FL_INSTRUMENTED) != 0);
    flag_member(w, "not_instrumented",
                (binary->flags & MPROF_BINARY_FL_NOT_INSTRUMENTED) != 0);
}

static void put_function(struct writer *w, uint32_t i)
{
    const struct mpdata_function *const f = &w->parts.view.functions[i];

    mpdata_json_out_key(&w->parts.json, "name");
    mpdata_json_parts_name(&w->parts,
                           &(struct mpdata_frame){.function = i + 1});
    string_member(w, "linkage_name", f->name);
    id_member(w, "guid", f->guid);
    path_member(w, "file", f->path);
    number_member(w, "line", f->line);
}

static void put_frame(struct writer *w, uint32_t i)
{
    const struct mpdata_frame *const f = &w->parts.view.frames[i];

    mpdata_json_out_key(&w->parts.json, "name");
    mpdata_json_parts_name(&w->parts, f);
    ref_member(w, "function", f->function);
    path_member(w, "file", f->path);
    number_member(w, "line", f->line);
    number_member(w, "column", f->column);
    number_member(w, "discriminator", f->discriminator);
    flag_member(w, "inline", (f->flags & MPROF_ENTRY_FL_INLINE) != 0);
    string_member(w, "type", f->type);
    ref_member(w, "binary", f->binary);
    id_member(w, "address", f->address);
}

static void put_context(struct writer *w, uint32_t i)
{
    const struct mpdata_context *const c = &w->parts.view.contexts[i];
    const struct mprof_mib mib = mpdata_view_mib_of(&w->parts.view, c);
    uint32_t count;
    const uint32_t *const stack =
        mpdata_json_parts_stack(&w->parts, c->node, &count);

    mpdata_json_out_key(&w->parts.json, "stack");
    mpdata_json_out_open_array(&w->parts.json);
    mpdata_json_out_numbers(&w->parts.json, stack, count);
    mpdata_json_out_close_array(&w->parts.json);
    string_member(w, "type", mpdata_types_of(&w->parts.view, c->node));
    flag_member(w, "truncated", (c->flags & MPROF_CONTEXT_FL_TRUNCATED) != 0);
    flag_member(w, "accesses_not_measured",
                (c->flags & MPROF_CONTEXT_FL_NOT_MEASURED) != 0);
    flag_member(w, "accesses_not_all_seen",
                (c->flags & MPROF_CONTEXT_FL_NOT_ALL_SEEN) != 0);
    mpdata_json_parts_open_map(&w->parts, "mib");
    for (size_t f = 0; f < MPROF_MIB_FIELDS; f++) {
        if (w->is_held[f])
            mpdata_json_parts_number(&w->parts, mprof_mib_fields[f].name,
                                     mprof_mib_get(&mib, f));
    }
    mpdata_json_out_close_map(&w->parts.json);
    if (c->cells.words != NULL) {
        mpdata_json_out_key(&w->parts.json, "histogram");
        mpdata_json_parts_cells(&w->parts, c->cells);
    }
}

typedef void put_fn(struct writer *w, uint32_t row);

static void put_table(struct writer *w, const char *key, uint32_t rows,
                      put_fn *put)
{
    const struct mpdata_sink *const sink = w->parts.json.sink;

    mpdata_json_parts_open_array(&w->parts, key);
    for (uint32_t i = 0; i < rows && !sink->failed; i++) {
        begin_row(w);
        put(w, i);
        end_row(w);
    }
    mpdata_json_out_close_array(&w->parts.json);
}

static void put_document(struct writer *w)
{
    const struct mpdata_view *const view = &w->parts.view;
    const struct mprof_mib totals = mpdata_profile_totals(view);

    mpdata_json_out_open_map(&w->parts.json);
    mpdata_json_parts_string(&w->parts, "format", FORM);
    mpdata_json_parts_number(&w->parts, "version", VERSION);
    put_metrics(w, &totals);
    put_fields(w, &totals);
    put_table(w, "runs", view->run_count, put_run);
    put_table(w, "binaries", view->binary_count, put_binary);
    put_table(w, "functions", view->function_count, put_function);
    put_table(w, "frames", view->frame_count, put_frame);
    put_table(w, "contexts", view->context_count, put_context);
    mpdata_json_out_close_map(&w->parts.json);
    mpdata_json_out_line(&w->parts.json);
}

enum mprof_err mpdata_json_write(const struct mpdata_export *what,
                                 struct mpdata_sink *sink)
{
    struct writer w;

    mpdata_fields_held(what, w.is_held);
    if (mpdata_json_parts_init(&w.parts, what, sink))
        put_document(&w);
    return mpdata_json_parts_fini(&w.parts);
}
