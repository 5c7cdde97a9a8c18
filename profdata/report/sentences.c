/* sentences.c -- notes and findings in sentences.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/report/document_parts.h"
#include "profdata/query/names.h"
#include "profdata/base/units.h"
#include "profdata/judge/findings.h"
#include "profdata/query/left_out.h"

#include <stdlib.h>

#define FUNCTION_COLUMNS 100
/* How many callers of a finding's function are named. */
#define CALLERS 3

static void write_name(struct mpdata_sink *out, const char *name)
{
    for (; *name != '\0'; name++)
        mpdata_sink_char(out, *name == '\n' ? '?' : *name);
}

void mpdata_sentences_function(struct mpdata_sink *out, char *name)
{
    mpdata_names_shorten(name, FUNCTION_COLUMNS);
    write_name(out, name);
}

/* -- notes ----------------------------------------------------------------- */

/* Writes which metrics the profile does not have. */
static void write_missing(const bool *held, struct mpdata_sink *out)
{
    size_t said = 0;

    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++) {
        if (held[m])
            continue;
        mpdata_sink_text(out, said++ == 0 ? "not measured: " : ", ");
        mpdata_sink_text(out, mpdata_metrics[m].title);
    }
    if (said != 0)
        mpdata_sink_char(out, '\n');
}

enum mprof_err mpdata_sentences_notes(const struct mpdata_export *what,
                                      struct mprof_buf *lines)
{
    struct mpdata_sink out = mpdata_sink_to_buf(lines);
    const enum mprof_err err = mpdata_notes_of_profile(what->profile, lines);

    write_missing(what->held, &out);
    return err;
}

/* -- findings -------------------------------------------------------------- */

/* Formats a share, after "~" if it is an estimate. */
static struct mpdata_number format_share(uint64_t part, uint64_t whole,
                                         bool is_estimate)
{
    return mpdata_units_format("%s%s", is_estimate ? "~" : "",
                               mpdata_units_share(part, whole).text);
}

static void write_finding(const struct mpdata_finding *f,
                          const struct mpdata_run_totals *runs, char *name,
                          struct mpdata_sink *out)
{
    const bool is_estimate = runs->sampled_runs != 0;
    const struct mpdata_number value =
        mpdata_metrics_estimate(f->metric, f->value, is_estimate);
    const struct mpdata_number whole =
        mpdata_metrics_estimate(f->metric, f->whole, is_estimate);
    const struct mpdata_number blocks =
        mpdata_metrics_estimate(MPDATA_METRIC_BLOCKS, f->blocks, is_estimate);
    const struct mpdata_number most = format_share(
        f->most, f->kind == MPDATA_FINDING_LIVE ? f->value : f->whole,
        is_estimate);
    const struct mpdata_number share =
        format_share(f->value, f->whole, is_estimate);

    switch (f->kind) {
    case MPDATA_FINDING_LEAKED:
        mpdata_sink_format(out,
                           "%s in %s block%s leaked; %s of the leaked bytes "
                           "came from ",
                           value.text, blocks.text, f->blocks == 1 ? "" : "s",
                           most.text);
        break;
    case MPDATA_FINDING_LARGEST:
        mpdata_sink_format(out, "%s of the %s allocated came from ", most.text,
                           whole.text);
        break;
    case MPDATA_FINDING_PEAK:
        mpdata_sink_format(out, "At the peak, %s of the %s alive came from ",
                           most.text, whole.text);
        break;
    case MPDATA_FINDING_LIVE:
        mpdata_sink_format(out,
                           runs->is_now
                               ? "%s are alive now; %s of them came from "
                               : "%s were still alive at the end; %s of "
                                 "them came from ",
                           value.text, most.text);
        break;
    case MPDATA_FINDING_TEMPORARY:
        mpdata_sink_format(out,
                           "%s of the %s blocks were freed before their "
                           "thread's next allocation; most of them came from ",
                           share.text, whole.text);
        break;
    case MPDATA_FINDING_UNUSED:
        mpdata_sink_format(out,
                           "%s (%s) in %s blocks were never accessed by "
                           "instrumented code; most of that came from ",
                           value.text, share.text, blocks.text);
        break;
    case MPDATA_FINDING_KINDS:
        break;
    }
    mpdata_sentences_function(out, name);
}

/* Appends the callers in the largest call stack, because the function itself is
 * often the last step only: sdsnewlen() of all strings. Those in the C++
 * library say little. */
static bool write_callers(const struct mpdata_export *what,
                          const struct mpdata_view *view, mpdata_ref node,
                          const bool *starts, struct mpdata_sink *out)
{
    const char *before = " (largest call stack: ";
    bool is_done = true;

    for (int i = 0; i < CALLERS && is_done;) {
        node = view->nodes[node - 1].parent;
        if (node == 0 || starts[node])
            break;
        const struct mpdata_frame *const frame =
            &view->frames[view->nodes[node - 1].frame];
        if (mpdata_names_is_library(
                mpdata_frame_names_function(what->names, frame)))
            continue;
        i++;
        char *const name = mpdata_frame_names_text(what->names, frame);
        is_done = name != NULL;
        mpdata_sink_text(out, before);
        before = " \u2190 ";
        if (is_done)
            mpdata_sentences_function(out, name);
        free(name);
    }
    mpdata_sink_text(out, before[1] == '(' ? ".\n" : ").\n");
    return is_done;
}

enum mprof_err mpdata_sentences_findings(const struct mpdata_export *what,
                                         struct mprof_buf *lines)
{
    const struct mpdata_view view = mpdata_profile_view(what->profile);
    struct mpdata_sink out = mpdata_sink_to_buf(lines);
    struct mpdata_finding findings[MPDATA_FINDING_KINDS];
    struct mpdata_run_totals runs;
    size_t count = 0;
    bool *const starts = mpdata_starts(what->profile, what->names);
    enum mprof_err err =
        starts != NULL ? mpdata_run_totals(&view, &runs) : MPROF_E_NOMEM;

    if (err == MPROF_E_OK)
        err = mpdata_findings_make(what->profile, what->names, what->held,
                                   findings, &count);
    for (size_t i = 0; err == MPROF_E_OK && i < count; i++) {
        const mpdata_ref node = findings[i].node;
        char *const name = mpdata_frame_names_text(
            what->names, &view.frames[view.nodes[node - 1].frame]);
        if (name != NULL)
            write_finding(&findings[i], &runs, name, &out);
        if (name == NULL || !write_callers(what, &view, node, starts, &out))
            err = MPROF_E_NOMEM;
        free(name);
    }
    free(starts);
    return err;
}
