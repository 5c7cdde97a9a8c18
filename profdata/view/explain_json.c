/* explain_json.c -- writes why allocation sites are cold or hot as JSON
 * (docs/explain.md). Omits what is unknown.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/frame_json.h"
#include "profdata/view/views.h"

struct writer {
    struct mpdata_json_out json;
    struct mpdata_frame_json from;
    const struct mpdata_verdicts *verdicts;
    const struct mpdata_explain *explain;
    bool held[MPDATA_METRIC_COUNT];
};

static void put_numbers(struct writer *w, const struct mpdata_verdict *v)
{
    if (w->held[MPDATA_METRIC_BLOCKS])
        mpdata_json_out_number_of(&w->json, "blocks", v->blocks);
    if (w->held[MPDATA_METRIC_BYTES])
        mpdata_json_out_number_of(&w->json, "bytes", v->bytes);
    if (v->has_accesses)
        mpdata_json_out_number_of(&w->json, "accesses", v->accesses);
    mpdata_verdict_json(&w->json, v);
}

static void put_why(struct writer *w, const struct mpdata_verdict *v)
{
    mpdata_json_out_text_of(&w->json, "why",
                            mpdata_verdict_reasons[v->reason].name);
    mpdata_json_out_text_of(&w->json, "sentence",
                            mpdata_verdict_reasons[v->reason].sentence);
}

/* -- call stacks --------------------------------------------------------------- */

static void put_context(struct writer *w, uint32_t context)
{
    const struct mpdata_verdict *const v = &w->verdicts->rows[context];

    mpdata_json_out_row(&w->json);
    mpdata_json_out_text_of(&w->json, "verdict", mpdata_verdict_words[v->kind]);
    put_why(w, v);
    put_numbers(w, v);
    mpdata_frame_json_stack(&w->from, &w->json,
                            w->from.view.contexts[context].node);
    mpdata_json_out_close_map(&w->json);
}

static void put_site(struct writer *w, const struct mpdata_explain_site *site)
{
    mpdata_json_out_row(&w->json);
    mpdata_json_out_text_of(
        &w->json, "verdict",
        site->is_mixed ? "mixed" : mpdata_verdict_words[site->sum.kind]);
    if (!site->is_mixed)
        put_why(w, &site->sum);
    put_numbers(w, &site->sum);
    if (site->frame != 0) {
        mpdata_json_out_map_of(&w->json, "site");
        mpdata_frame_json_members(&w->from, &w->json, site->frame - 1,
                                  MPDATA_BY_STACK);
        mpdata_json_out_close_map(&w->json);
    }
    mpdata_json_out_array_of(&w->json, "stacks");
    for (uint32_t i = 0; i < site->count; i++)
        put_context(w, w->explain->contexts[site->first + i]);
    mpdata_json_out_close_array(&w->json);
    mpdata_json_out_close_map(&w->json);
}

/* -- the document -------------------------------------------------------------- */

static void put_totals(struct writer *w)
{
    mpdata_json_out_line(&w->json);
    mpdata_json_out_map_of(&w->json, "totals");
    for (int k = 0; k < MPDATA_VERDICT_KINDS; k++) {
        const struct mpdata_explain_total *const total = &w->explain->totals[k];

        mpdata_json_out_map_of(&w->json, mpdata_verdict_words[k]);
        mpdata_json_out_number_of(&w->json, "stacks", total->stacks);
        if (total->stacks != 0)
            put_numbers(w, &total->sum);
        mpdata_json_out_close_map(&w->json);
    }
    mpdata_json_out_close_map(&w->json);
}

static void put_document(struct writer *w, const char *notes,
                         const struct show_options *options)
{
    const uint32_t count =
        (uint32_t)mprof_min_u64(w->explain->count, options->top);
    const char *const no_gain = mpdata_verdict_no_gain(w->verdicts);

    mpdata_json_out_open_map(&w->json);
    mpdata_json_out_number_of(&w->json, "memprofdata-explain",
                              EXPLAIN_JSON_VERSION);
    mpdata_json_out_text_of(&w->json, "rule",
                            mpdata_verdict_rule_names[w->verdicts->rule]);
    if (w->verdicts->run_ns > 0)
        mpdata_json_out_number_of(&w->json, "run_ns",
                                  mpdata_verdict_whole(w->verdicts->run_ns));
    mpdata_json_out_number_of(
        &w->json, "busy_bytes",
        mpdata_verdict_whole(mpdata_verdict_busy_bytes(w->verdicts)));
    mpdata_json_out_bool_of(&w->json, "huge_pages",
                            mpdata_verdict_gains_by_huge_pages(w->verdicts));
    if (no_gain != NULL)
        mpdata_json_out_text_of(&w->json, "no_gain", no_gain);
    mpdata_json_out_known_lines(&w->json, "notes", notes);
    put_totals(w);
    mpdata_json_out_line(&w->json);
    mpdata_json_out_array_of(&w->json, "sites");
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
                            const char *notes,
                            const struct show_options *options)
{
    struct writer w = {
        .from = {.profile = profile,
                 .view = mpdata_profile_view(profile),
                 .names = mpdata_frame_names_new(profile, options->demangler)},
        .verdicts = verdicts,
        .explain = explain};
    bool failed = !mpdata_json_out_init(&w.json, sink) ||
                  w.from.names == NULL ||
                  mpdata_metrics_held(profile, w.held) != MPROF_E_OK;

    if (!failed) {
        put_document(&w, notes, options);
        failed = w.from.failed || mpdata_frame_names_failed(w.from.names);
    }
    mpdata_json_out_fini(&w.json);
    mpdata_frame_names_free(w.from.names);
    return failed || sink->failed ? MPROF_E_NOMEM : MPROF_E_OK;
}
