/* explain_json.c -- why allocation sites are cold or hot, as JSON
 * (docs/explain.md). What is not known is left out.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/json_out.h"
#include "profdata/view/explain.h"

#include <stdlib.h>
#include <string.h>

struct writer {
    struct mpdata_json_out json;
    const struct mpdata_profile *profile;
    struct mpdata_view view;
    const struct mpdata_verdicts *verdicts;
    const struct mpdata_explain *explain;
    struct mpdata_frame_names *names;
    bool failed;
};

static void text_member(struct writer *w, const char *key, const char *text)
{
    mpdata_json_out_key(&w->json, key);
    mpdata_json_out_text(&w->json, text, strlen(text));
}

static void number_member(struct writer *w, const char *key, uint64_t number)
{
    mpdata_json_out_key(&w->json, key);
    mpdata_json_out_number(&w->json, number);
}

static void put_numbers(struct writer *w, const struct mpdata_verdict *v)
{
    number_member(w, "blocks", v->blocks);
    number_member(w, "bytes", v->bytes);
    if (v->has_accesses)
        number_member(w, "accesses", v->accesses);
    for (int n = 0; n < MPDATA_VERDICT_NUMBER_COUNT; n++) {
        double value;

        if (!mpdata_verdict_number(v, (enum mpdata_verdict_number)n, &value))
            continue;
        mpdata_json_out_key(&w->json, mpdata_verdict_numbers[n].name);
        if (mpdata_verdict_numbers[n].is_whole)
            mpdata_json_out_number(&w->json, mpdata_verdict_whole(value));
        else
            mpdata_json_out_real(&w->json, value);
    }
}

static void put_why(struct writer *w, const struct mpdata_verdict *v)
{
    text_member(w, "why", mpdata_verdict_reasons[v->reason].name);
    text_member(w, "sentence", mpdata_verdict_reasons[v->reason].sentence);
}

/* -- call stacks --------------------------------------------------------------- */

static void put_frame(struct writer *w, uint32_t frame)
{
    const struct mpdata_frame *const f = &w->view.frames[frame];
    char *const name = mpdata_frame_names_text(w->names, f);
    char *const path = mpdata_profile_path_string(w->profile, f->path, NULL);

    mpdata_json_out_open_map(&w->json);
    if (name != NULL)
        text_member(w, "function", name);
    if (path != NULL && path[0] != '\0')
        text_member(w, "file", path);
    if (f->line != 0)
        number_member(w, "line", f->line);
    if (f->column != 0)
        number_member(w, "column", f->column);
    mpdata_json_out_close_map(&w->json);
    w->failed |= name == NULL || path == NULL;
    free(name);
    free(path);
}

static void put_context(struct writer *w, uint32_t context)
{
    const struct mpdata_verdict *const v = &w->verdicts->rows[context];

    mpdata_json_out_line(&w->json);
    mpdata_json_out_open_map(&w->json);
    text_member(w, "verdict", mpdata_verdict_words[v->kind]);
    put_why(w, v);
    put_numbers(w, v);
    mpdata_json_out_key(&w->json, "stack");
    mpdata_json_out_open_array(&w->json);
    for (mpdata_ref node = w->view.contexts[context].node; node != 0;
         node = w->view.nodes[node - 1].parent)
        put_frame(w, w->view.nodes[node - 1].frame);
    mpdata_json_out_close_array(&w->json);
    mpdata_json_out_close_map(&w->json);
}

static void put_site(struct writer *w, const struct mpdata_explain_site *site)
{
    mpdata_json_out_line(&w->json);
    mpdata_json_out_open_map(&w->json);
    text_member(w, "verdict",
                site->is_mixed ? "mixed"
                               : mpdata_verdict_words[site->sum.kind]);
    if (!site->is_mixed)
        put_why(w, &site->sum);
    put_numbers(w, &site->sum);
    if (site->frame != 0) {
        mpdata_json_out_key(&w->json, "site");
        put_frame(w, site->frame - 1);
    }
    mpdata_json_out_key(&w->json, "stacks");
    mpdata_json_out_open_array(&w->json);
    for (uint32_t i = 0; i < site->count; i++)
        put_context(w, w->explain->contexts[site->first + i]);
    mpdata_json_out_close_array(&w->json);
    mpdata_json_out_close_map(&w->json);
}

/* -- the document -------------------------------------------------------------- */

static void put_totals(struct writer *w)
{
    mpdata_json_out_line(&w->json);
    mpdata_json_out_key(&w->json, "totals");
    mpdata_json_out_open_map(&w->json);
    for (int k = 0; k < MPDATA_VERDICT_KINDS; k++) {
        const struct mpdata_explain_total *const total = &w->explain->totals[k];

        mpdata_json_out_key(&w->json, mpdata_verdict_words[k]);
        mpdata_json_out_open_map(&w->json);
        number_member(w, "stacks", total->stacks);
        if (total->stacks != 0)
            put_numbers(w, &total->sum);
        mpdata_json_out_close_map(&w->json);
    }
    mpdata_json_out_close_map(&w->json);
}

static void put_notes(struct writer *w, const char *line)
{
    if (*line == '\0')
        return;
    mpdata_json_out_key(&w->json, "notes");
    mpdata_json_out_open_array(&w->json);
    for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
        mpdata_json_out_text(&w->json, line, (size_t)(end - line));
    mpdata_json_out_close_array(&w->json);
}

static void put_document(struct writer *w,
                         const struct explain_options *options)
{
    const uint32_t count =
        (uint32_t)mprof_min_u64(w->explain->count, options->show.top);

    mpdata_json_out_open_map(&w->json);
    number_member(w, "memprofdata-explain", EXPLAIN_JSON_VERSION);
    text_member(w, "rule", mpdata_verdict_rule_names[w->verdicts->rule]);
    if (w->verdicts->run_ns > 0)
        number_member(w, "run_ns", mpdata_verdict_whole(w->verdicts->run_ns));
    mpdata_left_out_json(&w->json, options->show.left_out);
    put_notes(w, options->notes);
    put_totals(w);
    mpdata_json_out_line(&w->json);
    mpdata_json_out_key(&w->json, "sites");
    mpdata_json_out_open_array(&w->json);
    for (uint32_t i = 0; i < count; i++)
        put_site(w, &w->explain->rows[i]);
    mpdata_json_out_close_array(&w->json);
    mpdata_json_out_close_map(&w->json);
    mpdata_json_out_line(&w->json);
}

enum mprof_err explain_json(struct mpdata_sink *sink,
                            const struct mpdata_profile *profile,
                            const struct mpdata_verdicts *verdicts,
                            const struct mpdata_explain *explain,
                            const struct explain_options *options,
                            const struct mpdata_demangler *demangler)
{
    struct writer w = {.profile = profile,
                       .view = mpdata_profile_view(profile),
                       .verdicts = verdicts,
                       .explain = explain,
                       .names = mpdata_frame_names_new(profile, demangler)};

    if (!mpdata_json_out_init(&w.json, sink) || w.names == NULL)
        w.failed = true;
    else
        put_document(&w, options);
    mpdata_json_out_fini(&w.json);
    w.failed |= w.names != NULL && mpdata_frame_names_failed(w.names);
    mpdata_frame_names_free(w.names);
    return w.failed || sink->failed ? MPROF_E_NOMEM : MPROF_E_OK;
}
