/* firefox.c -- the Firefox Profiler's "processed profile format", in a version
 * that the profiler upgrades when it loads the file: one set of tables of
 * names, frames and stacks, and a thread per metric, whose samples are the call
 * stacks, weighted by the metric.
 *
 * Tables are columns (arrays of equal length). The format is documented in the
 * profiler's src/types/profile.ts.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/export/json_parts.h"
#include "profdata/export/pieces.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Version 60 was the first with one set of tables for all threads; 61 added the
 * last columns of sources. */
#define PROCESSED_VERSION 61
#define GECKO_VERSION 31
#define NS_PER_MS 1000000u

/* Strings, in this order: names of functions, names of frames without a
 * function, the name of an unknown stack if needed, paths of source files.
 * Functions are in the order of their names. */
struct writer {
    struct mpdata_json_parts parts;
    uint32_t *functions; /* by frame: index of its function; owned */
    uint32_t *sources;   /* by path: its source + 1, 0: none; owned */
    uint32_t function_count;
    uint32_t source_count;
    bool has_unknown;
    struct mpdata_vec values; /* struct mpdata_pieces_value: of a thread */
};

static bool init(struct writer *w)
{
    const struct mpdata_view *const view = &w->parts.view;

    w->functions = mpdata_vec_array(view->frame_count, sizeof(*w->functions));
    w->sources = mpdata_vec_array(view->path_count, sizeof(*w->sources));
    if (w->functions == NULL || w->sources == NULL)
        return false;
    w->function_count = view->function_count;
    for (uint32_t i = 0; i < view->frame_count; i++) {
        const mpdata_ref function = view->frames[i].function;

        w->functions[i] = function != 0 ? function - 1 : w->function_count++;
    }
    /* Numbers sources in the order of paths, which is how they are listed. */
    for (uint32_t i = 0; i < view->function_count; i++) {
        if (view->functions[i].path != 0)
            w->sources[view->functions[i].path - 1] = 1;
    }
    for (uint32_t i = 0; i < view->path_count; i++) {
        if (w->sources[i] != 0)
            w->sources[i] = ++w->source_count;
    }
    w->has_unknown = mpdata_json_parts_has_unknown(&w->parts);
    return true;
}

/* -- columns --------------------------------------------------------------- */

static void put_number_or_null(struct writer *w, uint64_t number)
{
    if (number != 0)
        mpdata_json_out_number(&w->parts.json, number);
    else
        mpdata_json_out_null(&w->parts.json);
}

/* A column with the same value in all rows. */
static void put_same(struct writer *w, const char *key, const char *value,
                     uint64_t rows)
{
    mpdata_json_parts_open_array(&w->parts, key);
    for (uint64_t i = 0; i < rows; i++)
        mpdata_json_out_value(&w->parts.json, value);
    mpdata_json_out_close_array(&w->parts.json);
}

static void put_value(struct writer *w, const char *key, const char *value)
{
    mpdata_json_out_line(&w->parts.json);
    mpdata_json_out_value_of(&w->parts.json, key, value);
}

static void begin_table(struct writer *w, const char *key)
{
    mpdata_json_out_line(&w->parts.json);
    mpdata_json_out_map_of(&w->parts.json, key);
}

static void end_table(struct writer *w, uint64_t rows)
{
    mpdata_json_out_number_of(&w->parts.json, "length", rows);
    mpdata_json_out_close_map(&w->parts.json);
}

/* -- shared tables --------------------------------------------------------- */

static void put_strings(struct writer *w)
{
    const struct mpdata_view *const view = &w->parts.view;

    mpdata_json_parts_open_array(&w->parts, "stringArray");
    for (uint32_t i = 0; i < view->function_count; i++)
        mpdata_json_parts_name(&w->parts,
                               &(struct mpdata_frame){.function = i + 1});
    for (uint32_t i = 0; i < view->frame_count; i++) {
        if (view->frames[i].function == 0)
            mpdata_json_parts_name(&w->parts, &view->frames[i]);
    }
    if (w->has_unknown)
        mpdata_json_out_key(&w->parts.json, MPDATA_FORMATS_UNKNOWN);
    for (uint32_t i = 0; i < view->path_count; i++) {
        if (w->sources[i] != 0)
            mpdata_json_parts_path(&w->parts, i + 1);
    }
    mpdata_json_out_close_array(&w->parts.json);
}

static void put_sources(struct writer *w)
{
    const uint32_t first = w->function_count + w->has_unknown;

    begin_table(w, "sources");
    put_same(w, "id", "null", w->source_count);
    mpdata_json_parts_open_array(&w->parts, "filename");
    for (uint32_t i = 0; i < w->source_count; i++)
        mpdata_json_out_number(&w->parts.json, (uint64_t)first + i);
    mpdata_json_out_close_array(&w->parts.json);
    put_same(w, "startLine", "1", w->source_count);
    put_same(w, "startColumn", "1", w->source_count);
    put_same(w, "sourceMapURL", "null", w->source_count);
    end_table(w, w->source_count);
}

static void put_functions(struct writer *w)
{
    const struct mpdata_view *const view = &w->parts.view;
    const uint32_t rows = w->function_count + w->has_unknown;

    begin_table(w, "funcTable");
    mpdata_json_parts_open_array(&w->parts, "name");
    for (uint32_t i = 0; i < rows; i++)
        mpdata_json_out_number(&w->parts.json, i);
    mpdata_json_out_close_array(&w->parts.json);
    put_same(w, "isJS", "false", rows);
    put_same(w, "relevantForJS", "false", rows);
    put_same(w, "resource", "-1", rows);
    mpdata_json_parts_open_array(&w->parts, "source");
    for (uint32_t i = 0; i < rows; i++) {
        const mpdata_ref path =
            i < view->function_count ? view->functions[i].path : 0;

        if (path != 0)
            mpdata_json_out_number(&w->parts.json, w->sources[path - 1] - 1);
        else
            mpdata_json_out_null(&w->parts.json);
    }
    mpdata_json_out_close_array(&w->parts.json);
    mpdata_json_parts_open_array(&w->parts, "lineNumber");
    for (uint32_t i = 0; i < rows; i++)
        put_number_or_null(w, i < view->function_count ? view->functions[i].line
                                                       : 0);
    mpdata_json_out_close_array(&w->parts.json);
    put_same(w, "columnNumber", "null", rows);
    end_table(w, rows);
}

static void put_frames(struct writer *w)
{
    const struct mpdata_view *const view = &w->parts.view;
    const uint32_t rows = view->frame_count + w->has_unknown;

    begin_table(w, "frameTable");
    put_same(w, "address", "-1", rows);
    put_same(w, "inlineDepth", "0", rows);
    put_same(w, "category", "0", rows);
    put_same(w, "subcategory", "0", rows);
    mpdata_json_parts_open_array(&w->parts, "func");
    for (uint32_t i = 0; i < rows; i++)
        mpdata_json_out_number(&w->parts.json, i < view->frame_count
                                                   ? w->functions[i]
                                                   : w->function_count);
    mpdata_json_out_close_array(&w->parts.json);
    put_same(w, "nativeSymbol", "null", rows);
    put_same(w, "innerWindowID", "null", rows);
    mpdata_json_parts_open_array(&w->parts, "line");
    for (uint32_t i = 0; i < rows; i++)
        put_number_or_null(w, i < view->frame_count ? view->frames[i].line : 0);
    mpdata_json_out_close_array(&w->parts.json);
    mpdata_json_parts_open_array(&w->parts, "column");
    for (uint32_t i = 0; i < rows; i++)
        put_number_or_null(w,
                           i < view->frame_count ? view->frames[i].column : 0);
    mpdata_json_out_close_array(&w->parts.json);
    end_table(w, rows);
}

/* Our nodes are their stacks: each row refers to its caller's, above it. */
static void put_stacks(struct writer *w)
{
    const struct mpdata_view *const view = &w->parts.view;
    const uint32_t rows = view->node_count + w->has_unknown;

    begin_table(w, "stackTable");
    mpdata_json_parts_open_array(&w->parts, "frame");
    for (uint32_t i = 0; i < rows; i++)
        mpdata_json_out_number(&w->parts.json, i < view->node_count
                                                   ? view->nodes[i].frame
                                                   : view->frame_count);
    mpdata_json_out_close_array(&w->parts.json);
    mpdata_json_parts_open_array(&w->parts, "prefix");
    for (uint32_t i = 0; i < rows; i++) {
        const mpdata_ref parent =
            i < view->node_count ? view->nodes[i].parent : 0;

        if (parent != 0)
            mpdata_json_out_number(&w->parts.json, parent - 1);
        else
            mpdata_json_out_null(&w->parts.json);
    }
    mpdata_json_out_close_array(&w->parts.json);
    end_table(w, rows);
}

static void put_shared(struct writer *w)
{
    begin_table(w, "shared");
    put_strings(w);
    put_sources(w);
    put_functions(w);
    put_frames(w);
    put_stacks(w);
    put_value(w, "resourceTable",
              "{\"lib\":[],\"name\":[],\"host\":[],\"type\":[],\"length\":0}");
    put_value(w, "nativeSymbols",
              "{\"libIndex\":[],\"address\":[],\"name\":[],"
              "\"functionSize\":[],\"length\":0}");
    mpdata_json_out_close_map(&w->parts.json);
}

/* -- a thread per metric --------------------------------------------------- */

static void put_samples(struct writer *w, enum mpdata_metric metric)
{
    static const char *const types[] = {"bytes", "tracing-ms", "samples"};
    struct mpdata_json_out *const json = &w->parts.json;
    const char *const type = mpdata_pieces_unit(metric, types);

    w->parts.failed |=
        !mpdata_pieces_values(&w->parts.view, metric, &w->values);
    const struct mpdata_pieces_value *rows = w->values.data;
    begin_table(w, "samples");
    mpdata_json_out_text_of(json, "weightType", type);
    mpdata_json_parts_open_array(&w->parts, "weight");
    for (uint32_t i = 0; i < w->values.count; i++) {
        if (type == types[1])
            mpdata_json_out_millionths(json, rows[i].value);
        else
            mpdata_json_out_number(json, rows[i].value);
    }
    mpdata_json_out_close_array(json);
    mpdata_json_parts_open_array(&w->parts, "stack");
    for (uint32_t i = 0; i < w->values.count; i++)
        mpdata_json_out_number(json, rows[i].node != 0
                                         ? rows[i].node - 1
                                         : w->parts.view.node_count);
    mpdata_json_out_close_array(json);
    put_same(w, "time", "0", w->values.count);
    end_table(w, w->values.count);
}

static void put_thread(struct writer *w, enum mpdata_metric metric)
{
    struct mpdata_json_parts *const p = &w->parts;
    char pid[24];

    snprintf(pid, sizeof(pid), "%" PRIu64, mpdata_json_parts_pid(p));
    mpdata_json_out_row(&p->json);
    mpdata_json_out_text_of(&p->json, "name",
                            mpdata_pieces_title(w->parts.what, metric));
    mpdata_json_out_text_of(&p->json, "processType", "default");
    mpdata_json_out_key(&p->json, "processName");
    mpdata_json_parts_programs(p);
    mpdata_json_out_number_of(&p->json, "processStartupTime", 0);
    mpdata_json_out_value_of(&p->json, "processShutdownTime", "null");
    mpdata_json_out_number_of(&p->json, "registerTime", 0);
    mpdata_json_out_value_of(&p->json, "unregisterTime", "null");
    put_value(w, "pausedRanges", "[]");
    mpdata_json_out_bool_of(&p->json, "isMainThread", metric == 0);
    mpdata_json_out_text_of(&p->json, "pid", pid);
    mpdata_json_out_number_of(&p->json, "tid", metric);
    put_samples(w, metric);
    put_value(w, "markers",
              "{\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],"
              "\"phase\":[],\"category\":[],\"length\":0}");
    mpdata_json_out_close_map(&p->json);
}

static void put_threads(struct writer *w)
{
    mpdata_json_parts_open_array(&w->parts, "threads");
    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++) {
        if (w->parts.what->held[m])
            put_thread(w, (enum mpdata_metric)m);
    }
    mpdata_json_out_close_array(&w->parts.json);
}

/* -- the document ---------------------------------------------------------- */

/* Selects the thread of the chosen metric. */
static void put_selected(struct writer *w)
{
    const bool *const held = w->parts.what->held;
    uint64_t selected = 0;

    if (!held[w->parts.what->metric])
        return;
    for (size_t m = 0; m < w->parts.what->metric; m++)
        selected += held[m];
    mpdata_json_parts_open_array(&w->parts, "initialSelectedThreads");
    mpdata_json_out_number(&w->parts.json, selected);
    mpdata_json_out_close_array(&w->parts.json);
}

static void put_meta(struct writer *w, const struct mpdata_run_totals *runs)
{
    struct mpdata_json_parts *const p = &w->parts;

    mpdata_json_out_map_of(&p->json, "meta");
    mpdata_json_out_number_of(&p->json, "interval", 1);
    mpdata_json_out_number_of(&p->json, "startTime",
                              runs->first_start_ns != UINT64_MAX
                                  ? runs->first_start_ns / NS_PER_MS
                                  : 0);
    mpdata_json_out_number_of(&p->json, "processType", 0);
    mpdata_json_out_key(&p->json, "product");
    mpdata_json_parts_programs(p);
    mpdata_json_out_text_of(&p->json, "importedFrom", "memprof");
    mpdata_json_out_number_of(&p->json, "stackwalk", 1);
    mpdata_json_out_number_of(&p->json, "version", GECKO_VERSION);
    mpdata_json_out_number_of(&p->json, "preprocessedProfileVersion",
                              PROCESSED_VERSION);
    mpdata_json_out_bool_of(&p->json, "symbolicated", true);
    mpdata_json_out_bool_of(&p->json, "symbolicationNotSupported", true);
    mpdata_json_out_bool_of(&p->json, "usesOnlyOneStackType", true);
    mpdata_json_out_bool_of(&p->json, "sourceCodeIsNotOnSearchfox", true);
    mpdata_json_out_bool_of(&p->json, "keepProfileThreadOrder", true);
    put_selected(w);
    put_value(w, "categories",
              "[{\"name\":\"Other\",\"color\":\"grey\"\n"
              ",\"subcategories\":[\"Other\"]}]");
    put_value(w, "markerSchema", "[]");
    mpdata_json_out_close_map(&p->json);
}

static void put_document(struct writer *w, const struct mpdata_run_totals *runs)
{
    mpdata_json_out_open_map(&w->parts.json);
    put_meta(w, runs);
    put_value(w, "libs", "[]");
    put_value(w, "pages", "[]");
    put_shared(w);
    put_threads(w);
    mpdata_json_out_close_map(&w->parts.json);
    mpdata_json_out_line(&w->parts.json);
}

enum mprof_err mpdata_firefox_write(const struct mpdata_export *what,
                                    struct mpdata_sink *sink)
{
    const struct mpdata_view view = mpdata_profile_view(what->profile);
    struct mpdata_run_totals runs;
    enum mprof_err err = mpdata_run_totals(&view, &runs);
    struct writer w = {
        .values = {.elem_bytes = sizeof(struct mpdata_pieces_value)}};

    if (err != MPROF_E_OK)
        return err;
    if (mpdata_json_parts_init(&w.parts, what, sink)) {
        if (init(&w))
            put_document(&w, &runs);
        else
            w.parts.failed = true;
    }
    err = mpdata_json_parts_fini(&w.parts);
    mpdata_vec_fini(&w.values);
    free(w.functions);
    free(w.sources);
    return err;
}
