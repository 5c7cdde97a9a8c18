/* notes.c -- sentences about what was not measured, truncated or estimated.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/notes.h"
#include "profdata/base/sink.h"
#include "profdata/base/units.h"
#include "profdata/query/uninstrumented.h"
#include "shared/abi.h"

#include <inttypes.h>

void mpdata_notes_sampled(const struct mpdata_run_totals *runs,
                          struct mprof_buf *line)
{
    struct mpdata_sink out = mpdata_sink_to_buf(line);
    char number[MPDATA_UNIT_BYTES];

    if (runs->sampled_runs == 0)
        return;
    mpdata_sink_format(
        &out, "estimates: one block in each %s%s was sampled",
        mpdata_units_bytes(runs->sample_period_bytes, number, sizeof(number)),
        runs->sampled_runs > 1 ? " or less" : "");
    if (runs->sampled_runs < runs->runs)
        mpdata_sink_format(
            &out, ", in %s of the runs",
            mpdata_units_count(runs->sampled_runs, number, sizeof(number)));
    mpdata_sink_char(&out, '\n');
}

/* Notes about data that other tools do not record. */
static void write_foreign(const struct mpdata_run_totals *t,
                          struct mpdata_sink *out)
{
    char runs[MPDATA_UNIT_BYTES];

    if (t->foreign_only != 0)
        mpdata_sink_text(out, t->foreign_only < t->runs
                                  ? "some runs recorded only live blocks\n"
                                  : "only live blocks: the profile has no "
                                    "freed blocks\n");
    if (t->uncounted != 0)
        mpdata_sink_text(out, t->uncounted < t->runs
                                  ? "the number of blocks is unknown for some "
                                    "runs\n"
                                  : "the number of blocks is unknown\n");
    else if (t->uncounted_live != 0)
        mpdata_sink_text(out, "the number of live blocks is unknown\n");
    if (t->unsized != 0)
        mpdata_sink_text(out,
                         t->unsized < t->runs
                             ? "sizes of blocks are unknown for some runs\n"
                             : "sizes of blocks are unknown\n");
    if (t->foreign_runs != 0 && t->foreign_runs < t->runs)
        mpdata_sink_format(
            out,
            "another tool recorded %s of the runs, without accesses and "
            "lifetimes\n",
            mpdata_units_count(t->foreign_runs, runs, sizeof(runs)));
}

/* Notes about contexts that were found without a stack walk. */
static void write_context_differences(const struct mpdata_run_totals *t,
                                      struct mpdata_sink *out)
{
    char differences[MPDATA_UNIT_BYTES];
    char checks[MPDATA_UNIT_BYTES];

    if (t->context_differences != 0)
        mpdata_sink_format(
            out,
            "%s of %s contexts found by value differed from a stack walk "
            "(context=walk avoids this)\n",
            mpdata_units_count(t->context_differences, differences,
                               sizeof(differences)),
            mpdata_units_count(t->context_checks, checks, sizeof(checks)));
}

static void write_other_malloc(const struct mpdata_run_totals *t,
                               struct mpdata_sink *out)
{
    char runs[MPDATA_UNIT_BYTES];

    if (t->other_malloc == 0)
        return;
    mpdata_sink_text(
        out, "malloc is the program's own: its blocks are not recorded");
    if (t->other_malloc < t->runs)
        mpdata_sink_format(
            out, ", in %s of the runs",
            mpdata_units_count(t->other_malloc, runs, sizeof(runs)));
    mpdata_sink_char(out, '\n');
}

void mpdata_notes_write(const struct mpdata_run_totals *runs,
                        struct mprof_buf *lines)
{
    struct mpdata_sink out = mpdata_sink_to_buf(lines);
    char number[MPDATA_UNIT_BYTES];

    mpdata_notes_sampled(runs, lines);
    write_foreign(runs, &out);
    write_other_malloc(runs, &out);
    if (runs->truncated != 0)
        mpdata_sink_format(
            &out,
            "%s call stack%s cut at %" PRIu64
            " frames (malloc_context_size=%" PRIu64 ")\n",
            mpdata_units_count(runs->truncated, number, sizeof(number)),
            runs->truncated == 1 ? " was" : "s were", runs->stack_depth_max,
            runs->stack_depth_max);
    if (runs->repeating != 0)
        mpdata_sink_format(
            &out,
            "%s dumps may be from one run: a block that was alive in several "
            "of them is counted several times\n",
            mpdata_units_count(runs->repeating, number, sizeof(number)));
    if (runs->dropped != 0)
        mpdata_sink_format(
            &out, "%s block%s could not be recorded\n",
            mpdata_units_count(runs->dropped, number, sizeof(number)),
            mpdata_units_plural(runs->dropped));
    if (runs->foreign_frees != 0)
        mpdata_sink_format(
            &out, "%s free%s of memory that memprof did not allocate\n",
            mpdata_units_count(runs->foreign_frees, number, sizeof(number)),
            mpdata_units_plural(runs->foreign_frees));
    if (runs->handler_jumps != 0)
        mpdata_sink_format(
            &out,
            "accesses are lower bounds: %s jump%s out of signal handlers "
            "(unless compiled with " MPROF_PASS_MERGE_FOR_JUMPS ")\n",
            mpdata_units_count(runs->handler_jumps, number, sizeof(number)),
            mpdata_units_plural(runs->handler_jumps));
    write_context_differences(runs, &out);
}

static void write_uninstrumented(const struct mpdata_uninstrumented *found,
                                 struct mpdata_sink *out)
{
    for (uint32_t i = 0; i < found->count; i++) {
        mpdata_sink_text(out, i == 0 ? "not instrumented, so accesses by "
                                       "these binaries are not seen: "
                                     : ", ");
        for (const char *name = found->names[i]; *name != '\0'; name++)
            mpdata_sink_char(out, *name == '\n' ? '?' : *name);
    }
    if (found->count != 0)
        mpdata_sink_char(out, '\n');
}

enum mprof_err mpdata_notes_of_profile(const struct mpdata_profile *profile,
                                       struct mprof_buf *lines)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct mpdata_sink out = mpdata_sink_to_buf(lines);
    struct mpdata_uninstrumented found = {.count = 0};
    struct mpdata_run_totals runs;
    enum mprof_err err = mpdata_run_totals(&view, &runs);

    if (err == MPROF_E_OK)
        err = mpdata_uninstrumented_find(&found, profile);
    if (err == MPROF_E_OK) {
        mpdata_notes_write(&runs, lines);
        write_uninstrumented(&found, &out);
    }
    mpdata_uninstrumented_fini(&found);
    return err;
}
