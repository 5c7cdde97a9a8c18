/* advice_json.c -- writes what to change in a program as JSON, and as SARIF
 * 2.1.0 (OASIS standard, https://docs.oasis-open.org/sarif/sarif/v2.1.0/).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/frame_json.h"
#include "profdata/view/views.h"
#include "shared/version.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct writer {
    struct mpdata_json_out json;
    struct mpdata_frame_json from;
    const struct mpdata_advice *advice;
    const struct show_options *options;
    char *directory; /* the working one, owned; NULL: unknown */
    bool failed;
};

typedef void put_fn(struct writer *w);

static uint32_t shown_of(const struct writer *w)
{
    return (uint32_t)mprof_min_u64(w->advice->count, w->options->top);
}

static enum mprof_err write_document(struct mpdata_sink *sink, struct writer *w,
                                     put_fn *put)
{
    w->from.view = mpdata_profile_view(w->from.profile);
    w->from.names =
        mpdata_frame_names_new(w->from.profile, w->options->demangler);
    w->directory = getcwd(NULL, 0);
    w->failed = !mpdata_json_out_init(&w->json, sink) || w->from.names == NULL;
    if (!w->failed) {
        put(w);
        mpdata_json_out_line(&w->json);
        w->failed = w->failed || w->from.failed ||
                    mpdata_frame_names_failed(w->from.names);
    }
    mpdata_json_out_fini(&w->json);
    mpdata_frame_names_free(w->from.names);
    free(w->directory);
    return w->failed || sink->failed ? MPROF_E_NOMEM : MPROF_E_OK;
}

/* -- JSON ------------------------------------------------------------------ */

static void put_row(struct writer *w, const struct mpdata_advice_row *row)
{
    const struct mpdata_advice_kind_row *const kind =
        &mpdata_advice_kinds[row->kind];
    char sentence[MPDATA_ADVICE_SENTENCE_BYTES];

    mpdata_advice_words_sentence(row, w->advice, sentence);
    mpdata_json_out_row(&w->json);
    mpdata_json_out_text_of(&w->json, "kind", kind->name);
    mpdata_json_out_text_of(&w->json, "sentence", sentence);
    mpdata_json_out_text_of(&w->json, "action", kind->action);
    mpdata_json_out_real_of(&w->json, "share", row->share);
    mpdata_json_out_number_of(&w->json, "saved_bytes", row->saved_bytes);
    mpdata_json_out_number_of(&w->json, "saved_blocks", row->saved_calls);
    mpdata_json_out_known_number(&w->json, "saved_ns", row->saved_ns);
    mpdata_json_out_known_number(&w->json, "saved_accesses",
                                 row->saved_accesses);
    mpdata_json_out_number_of(&w->json, "blocks", row->blocks);
    mpdata_json_out_number_of(&w->json, "bytes", row->bytes);
    mpdata_json_out_number_of(&w->json, "call_stacks", row->contexts);
    if (row->kind == MPDATA_ADVICE_STALE) {
        mpdata_json_out_number_of(&w->json, "idle_ns", row->idle_ns);
        mpdata_json_out_number_of(&w->json, "idle_blocks", row->number);
    }
    mpdata_frame_json_stack(&w->from, &w->json, row->node);
    mpdata_json_out_close_map(&w->json);
}

static void put_json(struct writer *w)
{
    struct mpdata_json_out *const json = &w->json;
    const struct mpdata_advice *const advice = w->advice;

    mpdata_json_out_open_map(json);
    mpdata_json_out_number_of(json, "memprofdata-advise", ADVICE_JSON_VERSION);
    mpdata_json_out_bool_of(json, "estimates", advice->is_estimate);
    mpdata_json_out_number_of(json, advice->is_peak ? "peak_bytes" : "bytes",
                              advice->whole_bytes);
    mpdata_json_out_number_of(json, "allocated_bytes", advice->allocated_bytes);
    mpdata_json_out_number_of(json, "blocks", advice->whole_blocks);
    mpdata_json_out_number_of(json, "findings", advice->count);
    mpdata_json_out_number_of(json, "silenced", w->advice->silenced);
    mpdata_json_out_number_of(json, "without_line", advice->unplaced);
    if (advice->cut_share > 0) {
        mpdata_json_out_real_of(json, "lower_peak", advice->cut_share);
        mpdata_json_out_number_of(json, "lower_peak_bytes", advice->cut_bytes);
    }
    mpdata_json_out_array_of(json, "advice");
    for (uint32_t i = 0; i < shown_of(w); i++)
        put_row(w, &advice->rows[i]);
    mpdata_json_out_close_array(json);
    mpdata_json_out_close_map(json);
}

enum mprof_err advice_json(struct mpdata_sink *sink,
                           const struct mpdata_profile *profile,
                           const struct mpdata_advice *advice,
                           const struct show_options *options)
{
    struct writer w = {
        .from = {.profile = profile}, .advice = advice, .options = options};

    return write_document(sink, &w, put_json);
}

/* -- SARIF ----------------------------------------------------------------- */

static void put_text_map(struct writer *w, const char *key, const char *text)
{
    mpdata_json_out_map_of(&w->json, key);
    mpdata_json_out_text_of(&w->json, "text", text);
    mpdata_json_out_close_map(&w->json);
}

/* The path as a URI: relative to the working directory if it is below it, as
 * code review expects. malloc'd; NULL when out of memory. */
static char *make_uri(const struct writer *w, const char *path)
{
    static const char plain[] = "/-._~!$&'()*+,;=@";
    const size_t size = w->directory != NULL ? strlen(w->directory) : 0;
    const bool is_below =
        size > 1 && strncmp(path, w->directory, size) == 0 && path[size] == '/';
    const char *rest = is_below ? path + size + 1 : path;
    char *const uri = malloc(sizeof("file://") + 3 * strlen(rest));
    char *end = uri;

    if (uri != NULL && rest[0] == '/')
        end = stpcpy(uri, "file://");
    for (; uri != NULL && *rest != '\0'; rest++) {
        if (isalnum((unsigned char)*rest) || strchr(plain, *rest) != NULL)
            *end++ = *rest;
        else
            end += sprintf(end, "%%%02X", (unsigned)(unsigned char)*rest);
    }
    if (uri != NULL)
        *end = '\0';
    return uri;
}

/* Opens a map with the frame's location; the caller closes it. */
static void open_location(struct writer *w, const struct mpdata_frame *frame)
{
    char *const path =
        mpdata_profile_path_string(w->from.profile, frame->path, NULL);
    char *const uri = path != NULL ? make_uri(w, path) : NULL;

    mpdata_json_out_open_map(&w->json);
    if (uri != NULL && uri[0] != '\0' && frame->line != 0) {
        mpdata_json_out_map_of(&w->json, "physicalLocation");
        mpdata_json_out_map_of(&w->json, "artifactLocation");
        mpdata_json_out_text_of(&w->json, "uri", uri);
        mpdata_json_out_close_map(&w->json);
        mpdata_json_out_map_of(&w->json, "region");
        mpdata_json_out_number_of(&w->json, "startLine", frame->line);
        mpdata_json_out_close_map(&w->json);
        mpdata_json_out_close_map(&w->json);
    }
    w->failed = w->failed || uri == NULL;
    free(uri);
    free(path);
}

static void put_frame(struct writer *w, const struct mpdata_frame *frame)
{
    char *const name = mpdata_frame_names_text(w->from.names, frame);

    mpdata_json_out_open_map(&w->json);
    mpdata_json_out_key(&w->json, "location");
    open_location(w, frame);
    put_text_map(w, "message", name != NULL ? name : "");
    mpdata_json_out_close_map(&w->json);
    mpdata_json_out_close_map(&w->json);
    w->failed = w->failed || name == NULL;
    free(name);
}

static void put_stack(struct writer *w, mpdata_ref node)
{
    mpdata_json_out_array_of(&w->json, "stacks");
    mpdata_json_out_open_map(&w->json);
    mpdata_json_out_array_of(&w->json, "frames");
    for (; node != 0; node = w->from.view.nodes[node - 1].parent)
        put_frame(w, &w->from.view.frames[w->from.view.nodes[node - 1].frame]);
    mpdata_json_out_close_array(&w->json);
    mpdata_json_out_close_map(&w->json);
    mpdata_json_out_close_array(&w->json);
}

/* What is the same when lines move: the kind and the site's function. */
static void put_fingerprint(struct writer *w,
                            const struct mpdata_advice_row *row)
{
    char *const name = mpdata_frame_names_text(
        w->from.names,
        &w->from.view.frames[w->from.view.nodes[row->node - 1].frame]);

    mpdata_json_out_map_of(&w->json, "partialFingerprints");
    if (name != NULL) {
        mpdata_json_out_key(&w->json, "function/v1");
        mpdata_json_out_text(&w->json, name, strlen(name));
    }
    mpdata_json_out_close_map(&w->json);
    w->failed = w->failed || name == NULL;
    free(name);
}

static void put_result(struct writer *w, const struct mpdata_advice_row *row)
{
    const struct mpdata_advice_kind_row *const kind =
        &mpdata_advice_kinds[row->kind];
    char sentence[MPDATA_ADVICE_SENTENCE_BYTES];
    char text[2 * MPDATA_ADVICE_SENTENCE_BYTES + MPDATA_UNIT_BYTES];

    mpdata_advice_words_sentence(row, w->advice, sentence);
    snprintf(text, sizeof(text), "%s %s (%s)", sentence, kind->action,
             mpdata_advice_words_saving(row, w->advice).text);
    mpdata_json_out_row(&w->json);
    mpdata_json_out_text_of(&w->json, "ruleId", kind->name);
    mpdata_json_out_number_of(&w->json, "ruleIndex", row->kind);
    mpdata_json_out_text_of(&w->json, "level",
                            row->kind == MPDATA_ADVICE_LEAKED ? "warning"
                                                              : "note");
    put_text_map(w, "message", text);
    mpdata_json_out_array_of(&w->json, "locations");
    if (row->node != 0) {
        open_location(
            w, &w->from.view.frames[w->from.view.nodes[row->node - 1].frame]);
        mpdata_json_out_close_map(&w->json);
    }
    mpdata_json_out_close_array(&w->json);
    if (row->node != 0) {
        put_fingerprint(w, row);
        put_stack(w, row->node);
    }
    mpdata_json_out_close_map(&w->json);
}

static void put_rules(struct writer *w)
{
    mpdata_json_out_array_of(&w->json, "rules");
    for (int k = 0; k < MPDATA_ADVICE_KIND_COUNT; k++) {
        mpdata_json_out_row(&w->json);
        mpdata_json_out_text_of(&w->json, "id", mpdata_advice_kinds[k].name);
        put_text_map(w, "shortDescription", mpdata_advice_kinds[k].title);
        put_text_map(w, "help", mpdata_advice_kinds[k].action);
        mpdata_json_out_close_map(&w->json);
    }
    mpdata_json_out_close_array(&w->json);
}

static void put_sarif(struct writer *w)
{
    mpdata_json_out_open_map(&w->json);
    mpdata_json_out_text_of(
        &w->json, "$schema",
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
        "sarif-schema-2.1.0.json");
    mpdata_json_out_text_of(&w->json, "version", "2.1.0");
    mpdata_json_out_array_of(&w->json, "runs");
    mpdata_json_out_open_map(&w->json);
    mpdata_json_out_map_of(&w->json, "tool");
    mpdata_json_out_map_of(&w->json, "driver");
    mpdata_json_out_text_of(&w->json, "name", "memprofdata");
    mpdata_json_out_text_of(&w->json, "version", MPROF_VERSION);
    put_rules(w);
    mpdata_json_out_close_map(&w->json);
    mpdata_json_out_close_map(&w->json);
    mpdata_json_out_array_of(&w->json, "results");
    for (uint32_t i = 0; i < shown_of(w); i++)
        put_result(w, &w->advice->rows[i]);
    mpdata_json_out_close_array(&w->json);
    mpdata_json_out_close_map(&w->json);
    mpdata_json_out_close_array(&w->json);
    mpdata_json_out_close_map(&w->json);
}

enum mprof_err advice_json_sarif(struct mpdata_sink *sink,
                                 const struct mpdata_profile *profile,
                                 const struct mpdata_advice *advice,
                                 const struct show_options *options)
{
    struct writer w = {
        .from = {.profile = profile}, .advice = advice, .options = options};

    return write_document(sink, &w, put_sarif);
}
