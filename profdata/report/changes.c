/* changes.c -- the differences of two profiles in sentences.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/report/document_parts.h"
#include "profdata/base/units.h"
#include "profdata/query/frames.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#define OLD MPDATA_DIFF_OLD
#define NEW MPDATA_DIFF_NEW
/* Number of call stacks that are named. */
#define ROWS_SAID 3

/* -- notes ----------------------------------------------------------------- */

/* Writes what was not measured in the old profile, the new one, or both. */
static void write_missing(const struct mpdata_compared *c, bool is_old,
                          bool is_new, const char *who, struct mpdata_sink *out)
{
    size_t said = 0;

    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++) {
        if (c->diff.sides[OLD].held[m] == is_old ||
            c->diff.sides[NEW].held[m] == is_new)
            continue;
        if (said++ == 0)
            mpdata_sink_format(out, "not measured in %s: ", who);
        else
            mpdata_sink_text(out, ", ");
        mpdata_sink_text(out, mpdata_metrics[m].title);
    }
    if (said != 0)
        mpdata_sink_char(out, '\n');
}

/* Sums over sampled blocks also differ by chance. */
static void write_sampled(const struct mpdata_run_totals *runs, const char *who,
                          struct mpdata_sink *out)
{
    if (runs->sampled_runs == 0)
        return;
    mpdata_sink_format(out,
                       "estimates in %s: one block in each %s%s was sampled\n",
                       who, mpdata_units_bytes(runs->sample_period_bytes).text,
                       runs->sampled_runs > 1 ? " or less" : "");
}

enum mprof_err mpdata_changes_notes(const struct mpdata_compared *c,
                                    struct mprof_buf *lines)
{
    const struct mpdata_diff_side *const sides = c->diff.sides;
    struct mpdata_sink out = mpdata_sink_to_buf(lines);

    if (c->diff.is_per_run)
        mpdata_sink_format(&out,
                           "all numbers are averages per run; number of runs: "
                           "old %" PRIu64 ", new %" PRIu64 "\n",
                           sides[OLD].runs.runs, sides[NEW].runs.runs);
    else if (sides[OLD].runs.runs != sides[NEW].runs.runs)
        mpdata_sink_format(&out,
                           "sums of different numbers of runs are compared: "
                           "old %" PRIu64 ", new %" PRIu64 "\n",
                           sides[OLD].runs.runs, sides[NEW].runs.runs);
    write_sampled(&sides[OLD].runs, "the old profile", &out);
    write_sampled(&sides[NEW].runs, "the new profile", &out);
    write_missing(c, true, true, "both profiles", &out);
    write_missing(c, true, false, "the old profile", &out);
    write_missing(c, false, true, "the new profile", &out);
    return out.failed ? MPROF_E_NOMEM : MPROF_E_OK;
}

/* -- findings -------------------------------------------------------------- */

static void write_growth(const struct mpdata_diff *diff,
                         enum mpdata_metric metric,
                         const uint64_t values[MPDATA_DIFF_SIDES],
                         struct mpdata_sink *out)
{
    const struct mpdata_number growth =
        mpdata_diff_growth(diff, metric, values[OLD], values[NEW]);

    if (growth.text[0] == 'x') /* "x2,250", for terminals */
        mpdata_sink_format(out, " (\xc3\x97%s)", growth.text + 1);
    else if (growth.text[0] != '\0')
        mpdata_sink_format(out, " (%s)", growth.text);
}

static const char *title_of(const struct mpdata_compared *c,
                            enum mpdata_metric metric)
{
    return mpdata_metrics_title(metric, c->diff.sides[OLD].runs.is_now ||
                                            c->diff.sides[NEW].runs.is_now);
}

/* Did the metric change by at least a thousandth? Smaller changes are only in
 * the page's table. */
static bool has_changed(const struct mpdata_compared *c,
                        enum mpdata_metric metric)
{
    const struct mpdata_diff_side *const sides = c->diff.sides;
    const struct mpdata_number growth = mpdata_diff_growth(
        &c->diff, metric, mpdata_metrics_get(&sides[OLD].totals, metric),
        mpdata_metrics_get(&sides[NEW].totals, metric));

    return growth.text[0] != '\0' && growth.text[0] != '<';
}

/* Formats the value of one side, after "~" if it is an estimate. */
static struct mpdata_number
format_value(const struct mpdata_diff *diff, int side,
             enum mpdata_metric metric,
             const uint64_t values[MPDATA_DIFF_SIDES])
{
    return mpdata_units_format(
        "%s%s", diff->sides[side].runs.sampled_runs != 0 ? "~" : "",
        mpdata_metrics_text(metric,
                            mpdata_diff_value(diff, side, metric, values[side]))
            .text);
}

/* Writes how the total of a metric changed. */
static void write_total(const struct mpdata_compared *c,
                        enum mpdata_metric metric, struct mpdata_sink *out)
{
    const struct mpdata_diff *const diff = &c->diff;
    const uint64_t values[] = {
        mpdata_metrics_get(&diff->sides[OLD].totals, metric),
        mpdata_metrics_get(&diff->sides[NEW].totals, metric)};
    const struct mpdata_number before = format_value(diff, OLD, metric, values);
    const struct mpdata_number now = format_value(diff, NEW, metric, values);

    mpdata_sink_char(out, (char)toupper(title_of(c, metric)[0]));
    mpdata_sink_text(out, title_of(c, metric) + 1);
    if (mpdata_diff_is_same(diff, metric, values[OLD], values[NEW])) {
        mpdata_sink_format(out, " did not change: %s.\n", now.text);
        return;
    }
    mpdata_sink_format(
        out, " %s from %s to %s: %s",
        mpdata_diff_change(diff, metric, values[OLD], values[NEW]).is_less
            ? "fell"
            : "grew",
        before.text, now.text,
        mpdata_diff_change_text(diff, metric, values).text);
    write_growth(diff, metric, values, out);
    mpdata_sink_text(out, ".\n");
}

/* Writes the metrics that changed, the most harmful first, without the chosen
 * one. */
static void write_others(const struct mpdata_compared *c,
                         struct mpdata_sink *out)
{
    static const enum mpdata_metric said[] = {
        MPDATA_METRIC_LEAKED, MPDATA_METRIC_LIVE, MPDATA_METRIC_PEAK,
        MPDATA_METRIC_BYTES, MPDATA_METRIC_BLOCKS};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(said); i++) {
        if (c->held[said[i]] && said[i] != c->diff.metric &&
            has_changed(c, said[i]))
            write_total(c, said[i], out);
    }
}

static void write_kind(const struct mpdata_compared *c,
                       const struct mpdata_diff_row *row,
                       struct mpdata_sink *out)
{
    const enum mpdata_diff_kind kind = mpdata_diff_kind(&c->diff, row);

    if (kind == MPDATA_DIFF_GROWN_KIND || kind == MPDATA_DIFF_SHRUNK_KIND)
        write_growth(&c->diff, c->diff.metric, row->self, out);
    else
        mpdata_sink_format(out, ", %s", mpdata_diff_kind_name(kind));
}

/* Returns false when out of memory. */
static bool write_row(const struct mpdata_compared *c,
                      const struct mpdata_diff_row *row,
                      const struct mpdata_export *const profiles[],
                      mpdata_ref *const callers[], bool is_first,
                      struct mpdata_sink *out)
{
    const int side = row->first[NEW] != 0 ? NEW : OLD;
    const struct mpdata_view *const view = &c->diff.sides[side].view;
    const mpdata_ref node = callers[side][row->first[side] - 1];

    if (node == 0)
        return true;
    char *name = mpdata_frame_names_text(
        profiles[side]->names, &view->frames[view->nodes[node - 1].frame]);
    if (name == NULL)
        return false;
    if (is_first)
        mpdata_sink_format(out,
                           "By %s, the call stack that changed most is in ",
                           title_of(c, c->diff.metric));
    else
        mpdata_sink_text(out, "Next: ");
    mpdata_sentences_function(out, name);
    mpdata_sink_format(
        out, is_first ? ": %s" : ", %s",
        mpdata_diff_change_text(&c->diff, c->diff.metric, row->self).text);
    write_kind(c, row, out);
    mpdata_sink_text(out, ".\n");
    free(name);
    return true;
}

static enum mprof_err write_rows(const struct mpdata_compared *c,
                                 const struct mpdata_export *const profiles[],
                                 struct mpdata_sink *out)
{
    mpdata_ref *callers[MPDATA_DIFF_SIDES];
    bool is_done = true;

    for (int side = OLD; side <= NEW; side++) {
        callers[side] = mpdata_wrappers_callers(profiles[side]->profile,
                                                profiles[side]->names, true);
        is_done = is_done && callers[side] != NULL;
    }
    for (uint32_t i = 0; is_done && i < c->diff.count && i < ROWS_SAID; i++) {
        const struct mpdata_diff_row *const row = &c->diff.rows[i];

        if (mpdata_diff_kind(&c->diff, row) != MPDATA_DIFF_SAME_KIND)
            is_done = write_row(c, row, profiles, callers, i == 0, out);
    }
    free(callers[OLD]);
    free(callers[NEW]);
    return is_done && !out->failed ? MPROF_E_OK : MPROF_E_NOMEM;
}

enum mprof_err mpdata_changes_findings(
    const struct mpdata_compared *c,
    const struct mpdata_export *const profiles[MPDATA_DIFF_SIDES],
    struct mprof_buf *lines)
{
    struct mpdata_sink out = mpdata_sink_to_buf(lines);

    if (!c->diff.is_held) {
        mpdata_sink_text(&out, "The profiles have no metric in common, so "
                               "nothing is compared.\n");
        return out.failed ? MPROF_E_NOMEM : MPROF_E_OK;
    }
    write_total(c, c->diff.metric, &out);
    enum mprof_err err = write_rows(c, profiles, &out);
    write_others(c, &out);
    return err == MPROF_E_OK && out.failed ? MPROF_E_NOMEM : err;
}
