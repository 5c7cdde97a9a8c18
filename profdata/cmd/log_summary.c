/* log_summary.c -- prints sums over a log.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/log_summary.h"
#include "profdata/cmd/log_at.h"
#include "profdata/base/units.h"
#include "profdata/import/foreign.h"
#include "profdata/judge/verdict.h"
#include "profdata/load/parse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES_MAX 60

/* Heads of columns about ends. */
#define FREED_HEAD "             freed before"
#define ALIVE_HEAD "         alive        bytes"

enum mprof_err log_summary_open(struct mpdata_file *file, const char *path,
                                bool may_be_foreign, struct mprof_diag *diag)
{
    const enum mprof_err err = mpdata_parse_open(file, path, diag);

    return err != MPROF_E_OK || mpdata_event_log_is(file->data, file->size) ||
                   (may_be_foreign &&
                    mpdata_foreign_log_is(file->data, file->size))
               ? err
               : log_summary_refuse(file->data, file->size, diag);
}

enum mprof_err log_summary_refuse(const uint8_t *data, size_t size,
                                  struct mprof_diag *diag)
{
    const struct mpdata_foreign *const foreign =
        mpdata_foreign_find(data, size);

    if (foreign == NULL)
        return mpdata_diag_text(
            diag, MPROF_E_UNSUPPORTED,
            "it is no log of blocks, which MEMPROF_OPTIONS=log=FILE writes");
    return mpdata_diag_text(
        diag, MPROF_E_UNSUPPORTED,
        "a %s is for memprofdata show, report, export and merge%s",
        foreign->title,
        mpdata_foreign_log_is(data, size) ? ", and for events without --tail"
                                          : "");
}

void log_summary_warn(const struct mpdata_diag_warn *warn, const char *path,
                      const struct mprof_diag *rest)
{
    char text[MPROF_DIAG_TEXT_BYTES * 2];

    if (rest->err != MPROF_E_OK)
        mpdata_diag_warn(warn, path, "%s; what stands before it is used",
                         mpdata_diag_sentence(rest, text, sizeof(text)));
}

/* -- text ------------------------------------------------------------------ */

static uint64_t a_second(uint64_t n, uint64_t ns)
{
    return ns != 0 ? mpdata_verdict_whole((double)n * 1e9 / (double)ns) : 0;
}

/* Control characters in a name would act on the terminal. */
static void print_text(struct mpdata_str text, size_t max, FILE *out)
{
    for (size_t i = 0; i < text.size && i < max; i++) {
        const unsigned char c = (unsigned char)text.bytes[i];

        fputc(c < ' ' || c == 127 ? '?' : c, out);
    }
}

static void print_sums(const struct mpdata_event_stats *s, FILE *out)
{
    const struct mpdata_event_step *const sum = &s->sum;
    const uint64_t ns = s->duration_ns;

    fprintf(out, "Log of %s%s", s->traits.title != NULL ? s->traits.title : "",
            s->traits.title != NULL && s->program.size != 0 ? ": " : "");
    print_text(s->program, SIZE_MAX, out);
    fputs("\n\n", out);
    fprintf(out, "  lasted       %s%s\n",
            mpdata_foreign_log_time(&s->traits, ns).text,
            s->is_whole ? "" : "; the log has no end");
    fprintf(out, "  allocated    %s in %s",
            mpdata_units_bytes(sum->born_bytes).text,
            mpdata_units_things(sum->born_blocks, "block").text);
    if (ns != 0 && s->traits.unit == NULL)
        fprintf(
            out, ": %s and %s a second",
            mpdata_units_bytes(a_second(sum->born_bytes, ns)).text,
            mpdata_units_things(a_second(sum->born_blocks, ns), "block").text);
    fputc('\n', out);
    if (s->sample_period != 0)
        fprintf(out, "  estimates    one block in each %s was sampled\n",
                mpdata_units_bytes(s->sample_period).text);
}

static void print_ends(const struct mpdata_event_stats *s, FILE *out)
{
    const struct mpdata_event_step *const sum = &s->sum;

    fprintf(out, "  freed        %s in %s",
            mpdata_units_bytes(sum->ended_bytes).text,
            mpdata_units_things(sum->ended_blocks, "block").text);
    if (s->replaced != 0)
        fprintf(out, ", %s by realloc", mpdata_units_count(s->replaced).text);
    if (s->elsewhere != 0)
        fprintf(out, ", %s by another thread",
                mpdata_units_count(s->elsewhere).text);
    if (s->temporary != 0)
        fprintf(out, ", %s temporary", mpdata_units_count(s->temporary).text);
    fprintf(
        out, "\n  alive at end %s in %s\n",
        mpdata_units_bytes(mprof_sub_sat_u64(sum->born_bytes, sum->ended_bytes))
            .text,
        mpdata_units_things(
            mprof_sub_sat_u64(sum->born_blocks, sum->ended_blocks), "block")
            .text);
    if (s->has_peak)
        fprintf(out, "  peak         %s, %s after the start\n",
                mpdata_units_bytes(s->peak_bytes).text,
                mpdata_foreign_log_time(&s->traits, s->peak_ns).text);
}

struct printer {
    FILE *out;
    bool is_next;
};

static void print_what(void *context, const char *what)
{
    struct printer *const p = context;

    fprintf(p->out, "%s%s", p->is_next ? ", " : "  not recorded ", what);
    p->is_next = true;
}

static void print_missing(const struct mpdata_event_stats *s, FILE *out)
{
    struct printer p = {.out = out};

    log_at_missing(&s->traits, print_what, &p);
    if (p.is_next)
        fputc('\n', out);
}

static void print_peaks(const struct mpdata_event_stats *s, FILE *out)
{
    struct log_at peaks[LOG_AT_PEAKS];
    const unsigned count = log_at_peaks(s, peaks);

    if (count != 0)
        fputs("\nFullest moments\n\n", out);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "  %10s after the start  %10s in %s\n",
                mpdata_foreign_log_time(&s->traits, peaks[i].ns).text,
                mpdata_units_bytes(peaks[i].bytes).text,
                mpdata_units_things(peaks[i].blocks, "block").text);
}

/* A time in a column. */
static struct mpdata_number time_of(const struct mpdata_event_stats *s,
                                    uint64_t ns)
{
    return s->traits.unit != NULL ? mpdata_units_count(ns)
                                  : mpdata_units_ns(ns);
}

/* Without ends, all that was allocated takes the place of what is alive. */
static void print_steps(const struct mpdata_event_stats *s, uint64_t every_ns,
                        FILE *out)
{
    const uint32_t step = log_at_row_steps(s, every_ns);
    struct log_at at = {.ns = 0};

    if (s->steps.count == 0)
        return;
    fprintf(out, "%s%12s %12s %13s %24s%s\n\n",
            every_ns != 0 ? "" : "\nOver time\n\n",
            s->traits.unit != NULL ? s->traits.unit : "time",
            s->traits.has_ends ? "alive" : "in all", "blocks",
            "allocated before", s->traits.has_ends ? FREED_HEAD : "");
    for (uint32_t i = 0; i < s->steps.count; i++) {
        log_at_move(&at, s, i);
        if (i % step != 0 && i + 1 != s->steps.count)
            continue;
        fprintf(out, "%12s %12s %13s %11s %12s", time_of(s, at.ns).text,
                mpdata_units_bytes(at.bytes).text,
                mpdata_units_count(at.blocks).text,
                mpdata_units_bytes(at.since.born_bytes).text,
                mpdata_units_count(at.since.born_blocks).text);
        if (s->traits.has_ends)
            fprintf(out, " %11s %12s",
                    mpdata_units_bytes(at.since.ended_bytes).text,
                    mpdata_units_count(at.since.ended_blocks).text);
        fputc('\n', out);
        at.since = (struct mpdata_event_step){.born_blocks = 0};
    }
}

static void print_sizes(const struct mpdata_event_stats *s, FILE *out)
{
    fprintf(out, "\nSizes\n\n%12s %13s %12s%s\n\n", "from", "blocks", "bytes",
            s->traits.has_ends ? ALIVE_HEAD : "");
    for (unsigned i = 0; i < MPDATA_EVENT_SIZES; i++) {
        const struct mpdata_event_step *const c = &s->sizes[i];

        if (c->born_blocks == 0)
            continue;
        fprintf(out, "%12s %13s %12s", mpdata_units_bytes(log_at_low(i)).text,
                mpdata_units_count(c->born_blocks).text,
                mpdata_units_bytes(c->born_bytes).text);
        if (s->traits.has_ends)
            fprintf(out, " %13s %12s",
                    mpdata_units_count(
                        mprof_sub_sat_u64(c->born_blocks, c->ended_blocks))
                        .text,
                    mpdata_units_bytes(
                        mprof_sub_sat_u64(c->born_bytes, c->ended_bytes))
                        .text);
        fputc('\n', out);
    }
}

void log_summary_print_name(struct mpdata_str name, FILE *out)
{
    print_text(name, NAME_BYTES_MAX, out);
}

static void print_threads(const struct mpdata_event_stats *s, uint64_t top,
                          FILE *out)
{
    const struct mpdata_event_thread *const rows = s->threads.rows.data;
    const uint64_t count = mprof_min_u64(s->threads.rows.count, top);

    if (!s->traits.has_threads)
        return;
    fprintf(out, "\nThreads%s\n\n%12s %13s %12s %13s %12s %12s\n\n",
            count < s->threads.rows.count ? " that allocated most blocks" : "",
            "number", "blocks", "bytes", s->traits.has_ends ? "frees" : "",
            "from", "to");
    for (uint64_t i = 0; i < count; i++) {
        fprintf(out, "%12" PRIu32 " %13s %12s %13s %12s %12s%s", rows[i].number,
                mpdata_units_count(rows[i].born_blocks).text,
                mpdata_units_bytes(rows[i].born_bytes).text,
                s->traits.has_ends ? mpdata_units_count(rows[i].ends).text : "",
                time_of(s, rows[i].first_ns).text,
                time_of(s, rows[i].last_ns).text,
                rows[i].name.size != 0 ? "  " : "");
        log_summary_print_name(rows[i].name, out);
        fputc('\n', out);
    }
}

static void print_marks(const struct mpdata_event_stats *s, uint64_t top,
                        FILE *out)
{
    const struct mpdata_event_mark *const marks = s->marks.data;

    if (s->marks.count != 0)
        fprintf(out, "\nPhases and marks%s\n\n",
                s->marks.count > top ? ", the first ones" : "");
    for (uint32_t i = 0; i < s->marks.count && i < top; i++) {
        fprintf(out, "%12s %12s  %s ", time_of(s, marks[i].mark.ns).text,
                mpdata_units_bytes(marks[i].mark.bytes).text,
                marks[i].mark.kind == MPROF_RAW_MARK_MARK ? "mark"
                : marks[i].name.size != 0                 ? "phase"
                                                          : "no phase");
        log_summary_print_name(marks[i].name, out);
        fputc('\n', out);
    }
}

static void print_told(const struct mpdata_event_stats *s, uint64_t top,
                       FILE *out)
{
    const struct mpdata_event_told *const rows = s->told.rows.data;

    if (s->told.rows.count != 0)
        fprintf(out, "\nEvents of the program\n\n%12s %13s %12s %12s\n\n",
                "events", "weight", "from", "to");
    for (uint32_t i = 0; i < s->told.rows.count && i < top; i++) {
        fprintf(out, "%12s %13s %12s %12s  ",
                mpdata_units_count(rows[i].count).text,
                mpdata_units_count(rows[i].weight).text,
                time_of(s, rows[i].first_ns).text,
                time_of(s, rows[i].last_ns).text);
        log_summary_print_name(rows[i].name, out);
        fputc('\n', out);
    }
}

/* The dump at the end is no news. */
static void print_changes(const struct mpdata_event_stats *s, uint64_t top,
                          FILE *out)
{
    const struct mpdata_log_change *const changes = s->changes.data;
    uint64_t printed = 0;

    for (uint32_t i = 0; i < s->changes.count && printed < top; i++) {
        if (changes[i].is_last)
            continue;
        fprintf(out, "%s%12s %8s  ",
                printed++ == 0 ? "\nBinaries and dumps\n\n" : "",
                time_of(s, changes[i].ns).text, log_at_change(&changes[i]));
        if (changes[i].kind == MPDATA_LOG_DUMP)
            fprintf(out, "profile %" PRIu64, changes[i].number);
        print_text(changes[i].path, SIZE_MAX, out);
        fputc('\n', out);
    }
}

enum mprof_err log_summary_text(const struct mpdata_event_stats *stats,
                                uint64_t every_ns, uint64_t top, FILE *out)
{
    if (every_ns != 0) {
        print_steps(stats, every_ns, out);
        return MPROF_E_OK;
    }
    log_at_sort_threads(stats);
    print_sums(stats, out);
    if (stats->traits.has_ends)
        print_ends(stats, out);
    print_missing(stats, out);
    print_peaks(stats, out);
    print_steps(stats, 0, out);
    print_sizes(stats, out);
    print_threads(stats, top, out);
    print_marks(stats, top, out);
    print_told(stats, top, out);
    print_changes(stats, top, out);
    return MPROF_E_OK;
}
