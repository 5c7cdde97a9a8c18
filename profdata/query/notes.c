/* notes.c -- sentences about what was not measured, truncated or estimated.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/left_out.h"
#include "profdata/base/sink.h"
#include "profdata/base/units.h"
#include "shared/abi.h"

#include <inttypes.h>

void mpdata_notes_sampled(const struct mpdata_run_totals *runs,
                          struct mprof_buf *line)
{
    struct mpdata_sink out = mpdata_sink_to_buf(line);

    if (runs->sampled_runs == 0)
        return;
    mpdata_sink_format(&out, "estimates: one block in each %s%s was sampled",
                       mpdata_units_bytes(runs->sample_period_bytes).text,
                       runs->sampled_runs > 1 ? " or less" : "");
    if (runs->sampled_runs < runs->runs)
        mpdata_sink_format(&out, ", in %s of the runs",
                           mpdata_units_count(runs->sampled_runs).text);
    mpdata_sink_char(&out, '\n');
}

/* Notes about accesses that were counted in bursts. */
static void write_bursts(const struct mpdata_run_totals *t,
                         struct mpdata_sink *out)
{
    if (t->burst_runs == 0)
        return;
    mpdata_sink_format(
        out, "estimates: accesses were counted in %s, 1/%s%s of %s\n",
        mpdata_units_things(t->bursts, "burst").text,
        mpdata_units_count(t->access_period).text,
        t->burst_runs > 1 ? " or more" : "",
        t->burst_runs < t->runs ? "some of the runs" : "the program");
}

static void write_unknown(const struct mpdata_run_totals *t,
                          struct mpdata_sink *out)
{
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
}

void mpdata_notes_unknown(const struct mpdata_run_totals *runs,
                          struct mprof_buf *lines)
{
    struct mpdata_sink out = mpdata_sink_to_buf(lines);

    write_unknown(runs, &out);
}

/* Notes about data that other tools do not record. */
static void write_foreign(const struct mpdata_run_totals *t,
                          struct mpdata_sink *out)
{
    if (t->foreign_only != 0)
        mpdata_sink_text(out, t->foreign_only < t->runs
                                  ? "some runs recorded only live blocks\n"
                                  : "only live blocks: the profile has no "
                                    "freed blocks\n");
    write_unknown(t, out);
    if (t->foreign_runs != 0 && t->foreign_runs < t->runs)
        mpdata_sink_format(
            out,
            "another tool recorded %s of the runs, possibly without "
            "accesses and lifetimes\n",
            mpdata_units_count(t->foreign_runs).text);
}

/* Notes about contexts that were found without a stack walk. */
static void write_context_differences(const struct mpdata_run_totals *t,
                                      struct mpdata_sink *out)
{
    if (t->context_differences != 0)
        mpdata_sink_format(
            out,
            "%s of %s contexts found by value differed from a stack walk "
            "(context=walk avoids this)\n",
            mpdata_units_count(t->context_differences).text,
            mpdata_units_count(t->context_checks).text);
}

static void write_other_malloc(const struct mpdata_run_totals *t,
                               struct mpdata_sink *out)
{
    if (t->other_malloc == 0)
        return;
    mpdata_sink_text(
        out,
        "malloc is the program's own: its blocks are not recorded as malloc's");
    if (t->other_malloc < t->runs)
        mpdata_sink_format(out, ", in %s of the runs",
                           mpdata_units_count(t->other_malloc).text);
    mpdata_sink_char(out, '\n');
}

/* A note about what was chosen from logs. */
static void write_moments(const struct mpdata_run_totals *t,
                          struct mpdata_sink *out)
{
    const uint64_t at = mprof_sub_sat_u64(t->alive_ns, 1);
    const struct mpdata_number alive = mpdata_units_ns(at);

    if (t->moment_runs > 1 || (t->moment_runs == 1 && t->runs > 1))
        mpdata_sink_format(out,
                           "only the blocks of a moment were taken from %s of "
                           "%s runs\n",
                           mpdata_units_count(t->moment_runs).text,
                           mpdata_units_count(t->runs).text);
    else if (t->moment_runs == 1 && t->are_moments_counts && t->after_ns != 0)
        mpdata_sink_format(out,
                           "only the blocks that were allocated after %s of "
                           "the log and alive after %s\n",
                           mpdata_units_things(t->after_ns - 1, "event").text,
                           mpdata_units_count(at).text);
    else if (t->moment_runs == 1 && t->are_moments_counts)
        mpdata_sink_format(out,
                           "only the blocks that were alive after %s of the "
                           "log\n",
                           mpdata_units_things(at, "event").text);
    else if (t->moment_runs == 1 && t->after_ns != 0)
        mpdata_sink_format(out,
                           "only the blocks that were allocated between %s and "
                           "%s after the start and alive at the later time\n",
                           mpdata_units_ns(t->after_ns - 1).text, alive.text);
    else if (t->moment_runs == 1)
        mpdata_sink_format(out,
                           "only the blocks that were alive %s after the "
                           "start\n",
                           alive.text);
}

void mpdata_notes_write(const struct mpdata_run_totals *runs,
                        struct mprof_buf *lines)
{
    struct mpdata_sink out = mpdata_sink_to_buf(lines);

    write_moments(runs, &out);
    mpdata_notes_sampled(runs, lines);
    write_bursts(runs, &out);
    write_foreign(runs, &out);
    write_other_malloc(runs, &out);
    if (runs->truncated != 0)
        mpdata_sink_format(&out,
                           "%s call stack%s cut at %" PRIu64
                           " frames (malloc_context_size=%" PRIu64 ")\n",
                           mpdata_units_count(runs->truncated).text,
                           runs->truncated == 1 ? " was" : "s were",
                           runs->stack_depth_max, runs->stack_depth_max);
    if (runs->repeating != 0)
        mpdata_sink_format(
            &out,
            "%s dumps may be from one run: a block that was alive in several "
            "of them is counted several times\n",
            mpdata_units_count(runs->repeating).text);
    if (runs->dropped != 0)
        mpdata_sink_format(&out, "%s could not be recorded\n",
                           mpdata_units_things(runs->dropped, "block").text);
    if (runs->foreign_frees != 0)
        mpdata_sink_format(
            &out, "%s of memory that memprof did not allocate\n",
            mpdata_units_things(runs->foreign_frees, "free").text);
    if (runs->handler_jumps != 0)
        mpdata_sink_format(
            &out,
            "accesses are lower bounds: %s out of signal handlers (unless "
            "compiled with " MPROF_PASS_MERGE_FOR_JUMPS ")\n",
            mpdata_units_things(runs->handler_jumps, "jump").text);
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
