/* log_summary.c -- prints sums over a log.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/log_summary.h"
#include "profdata/base/json_out.h"
#include "profdata/base/units.h"
#include "profdata/events/luajit_log.h"
#include "profdata/import/foreign.h"
#include "profdata/load/parse.h"

#include <inttypes.h>
#include <stdlib.h>

#define ROWS 20u /* over time, without --every */
#define PEAKS 5u
#define FAR 20u /* peaks are at least 1 / FAR of the run apart */
#define NAME_BYTES_MAX 60

enum mprof_err log_summary_open(struct mpdata_file *file, const char *path,
                                struct mprof_diag *diag)
{
    const enum mprof_err err = mpdata_parse_open(file, path, diag);

    return err != MPROF_E_OK || mpdata_event_log_is(file->data, file->size)
               ? err
               : log_summary_refuse(file->data, file->size, diag);
}

enum mprof_err log_summary_refuse(const uint8_t *data, size_t size,
                                  struct mprof_diag *diag)
{
    const struct mpdata_foreign *const foreign =
        mpdata_foreign_find(data, size);

    if (foreign == NULL)
        return mpdata_diag_fail(
            diag, MPROF_E_UNSUPPORTED, NULL, MPROF_DIAG_NO_OFFSET,
            "it is no log of blocks, which MEMPROF_OPTIONS=log=FILE writes");
    return mpdata_diag_fail(
        diag, MPROF_E_UNSUPPORTED, NULL, MPROF_DIAG_NO_OFFSET,
        "a %s is for memprofdata show, report, export and merge%s",
        foreign->title,
        mpdata_luajit_log_is(data, size) ? ", and for events --lua-report"
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

/* The heap at the end of a step, and what happened since the row before. */
struct at {
    uint64_t ns;
    uint64_t bytes;
    uint64_t blocks;
    struct mpdata_event_step since;
};

static void move_on(struct at *at, const struct mpdata_event_stats *stats,
                    uint32_t i)
{
    const struct mpdata_event_step *const s =
        (const struct mpdata_event_step *)stats->steps.data + i;

    at->ns = mprof_min_u64(i * stats->step_ns, stats->duration_ns);
    at->bytes = mprof_sub_sat_u64(mprof_add_sat_u64(at->bytes, s->born_bytes),
                                  s->ended_bytes);
    at->blocks =
        mprof_sub_sat_u64(at->blocks + s->born_blocks, s->ended_blocks);
    at->since.born_blocks += s->born_blocks;
    at->since.born_bytes =
        mprof_add_sat_u64(at->since.born_bytes, s->born_bytes);
    at->since.ended_blocks += s->ended_blocks;
    at->since.ended_bytes =
        mprof_add_sat_u64(at->since.ended_bytes, s->ended_bytes);
}

/* Steps in a row of the table. */
static uint32_t row_steps(const struct mpdata_event_stats *stats,
                          uint64_t every_ns)
{
    const uint32_t count = stats->steps.count;

    return every_ns != 0 || count < ROWS ? 1 : (count + ROWS - 1) / ROWS;
}

/* -- peaks ----------------------------------------------------------------- */

/* The fullest moments, far from each other. Returns their number. */
static unsigned find_peaks(const struct mpdata_event_stats *stats,
                           struct at *peaks)
{
    const uint64_t far = stats->duration_ns / FAR;
    unsigned count = 0;

    for (; count < PEAKS; count++) {
        struct at at = {.ns = 0};
        struct at best = {.bytes = 0};

        for (uint32_t i = 0; i < stats->steps.count; i++) {
            bool is_near = false;

            move_on(&at, stats, i);
            for (unsigned k = 0; k < count; k++)
                is_near |= at.ns < mprof_add_sat_u64(peaks[k].ns, far) &&
                           peaks[k].ns < mprof_add_sat_u64(at.ns, far);
            if (!is_near && at.bytes > best.bytes)
                best = at;
        }
        if (best.bytes == 0)
            break;
        peaks[count] = best;
    }
    return count;
}

/* -- text ------------------------------------------------------------------ */

static uint64_t a_second(uint64_t n, uint64_t ns)
{
    return ns != 0 ? (uint64_t)((double)n * 1e9 / (double)ns) : 0;
}

static void print_sums(const struct mpdata_event_stats *s, FILE *out)
{
    const struct mpdata_event_step *const sum = &s->sum;
    const uint64_t ns = s->duration_ns;

    fprintf(out, "Log of %.*s\n\n", (int)s->program.size,
            s->program.bytes != NULL ? s->program.bytes : "");
    fprintf(out, "  lasted       %s%s\n", mpdata_units_ns(ns).text,
            s->is_whole ? "" : "; the log has no end");
    fprintf(out, "  allocated    %s in %s: %s and %s a second\n",
            mpdata_units_bytes(sum->born_bytes).text,
            mpdata_units_things(sum->born_blocks, "block").text,
            mpdata_units_bytes(a_second(sum->born_bytes, ns)).text,
            mpdata_units_things(a_second(sum->born_blocks, ns), "block").text);
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
                mpdata_units_ns(s->peak_ns).text);
}

static void print_peaks(const struct mpdata_event_stats *s, FILE *out)
{
    struct at peaks[PEAKS];
    const unsigned count = find_peaks(s, peaks);

    if (count != 0)
        fputs("\nFullest moments\n\n", out);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "  %10s after the start  %10s in %s\n",
                mpdata_units_ns(peaks[i].ns).text,
                mpdata_units_bytes(peaks[i].bytes).text,
                mpdata_units_things(peaks[i].blocks, "block").text);
}

static void print_steps(const struct mpdata_event_stats *s, uint64_t every_ns,
                        FILE *out)
{
    const uint32_t step = row_steps(s, every_ns);
    struct at at = {.ns = 0};

    if (s->steps.count == 0)
        return;
    fprintf(out, "%s%12s %12s %13s %24s %24s\n\n",
            every_ns != 0 ? "" : "\nOver time\n\n", "time", "alive", "blocks",
            "allocated before", "freed before");
    for (uint32_t i = 0; i < s->steps.count; i++) {
        move_on(&at, s, i);
        if (i % step != 0 && i + 1 != s->steps.count)
            continue;
        fprintf(out, "%12s %12s %13s %11s %12s %11s %12s\n",
                mpdata_units_ns(at.ns).text, mpdata_units_bytes(at.bytes).text,
                mpdata_units_count(at.blocks).text,
                mpdata_units_bytes(at.since.born_bytes).text,
                mpdata_units_count(at.since.born_blocks).text,
                mpdata_units_bytes(at.since.ended_bytes).text,
                mpdata_units_count(at.since.ended_blocks).text);
        at.since = (struct mpdata_event_step){.born_blocks = 0};
    }
}

static uint64_t low_of(unsigned class)
{
    return class != 0 ? UINT64_C(1) << (class - 1) : 0;
}

static void print_sizes(const struct mpdata_event_stats *s, FILE *out)
{
    fprintf(out, "\nSizes\n\n%12s %13s %12s %13s %12s\n\n", "from", "blocks",
            "bytes", "alive", "bytes");
    for (unsigned i = 0; i < MPDATA_EVENT_SIZES; i++) {
        const struct mpdata_event_step *const c = &s->sizes[i];

        if (c->born_blocks == 0)
            continue;
        fprintf(
            out, "%12s %13s %12s %13s %12s\n",
            mpdata_units_bytes(low_of(i)).text,
            mpdata_units_count(c->born_blocks).text,
            mpdata_units_bytes(c->born_bytes).text,
            mpdata_units_count(
                mprof_sub_sat_u64(c->born_blocks, c->ended_blocks))
                .text,
            mpdata_units_bytes(mprof_sub_sat_u64(c->born_bytes, c->ended_bytes))
                .text);
    }
}

/* Most blocks first. */
static int compare_threads(const void *left, const void *right)
{
    const struct mpdata_event_thread *const a = left;
    const struct mpdata_event_thread *const b = right;
    const int order = mprof_compare_u64(b->born_blocks, a->born_blocks);

    return order != 0 ? order : mprof_compare_u64(a->number, b->number);
}

/* Control characters in a name would act on the terminal. */
static void print_text(struct mpdata_str text, size_t max, FILE *out)
{
    for (size_t i = 0; i < text.size && i < max; i++) {
        const unsigned char c = (unsigned char)text.bytes[i];

        fputc(c < ' ' || c == 127 ? '?' : c, out);
    }
}

static void print_name(struct mpdata_str name, FILE *out)
{
    print_text(name, NAME_BYTES_MAX, out);
}

static void print_threads(const struct mpdata_event_stats *s, uint64_t top,
                          FILE *out)
{
    const struct mpdata_event_thread *const rows = s->threads.rows.data;
    const uint64_t count = mprof_min_u64(s->threads.rows.count, top);

    fprintf(out, "\nThreads%s\n\n%12s %13s %12s %13s %12s %12s\n\n",
            count < s->threads.rows.count ? " that allocated most blocks" : "",
            "number", "blocks", "bytes", "frees", "from", "to");
    for (uint64_t i = 0; i < count; i++) {
        fprintf(out, "%12" PRIu32 " %13s %12s %13s %12s %12s%s", rows[i].number,
                mpdata_units_count(rows[i].born_blocks).text,
                mpdata_units_bytes(rows[i].born_bytes).text,
                mpdata_units_count(rows[i].ends).text,
                mpdata_units_ns(rows[i].first_ns).text,
                mpdata_units_ns(rows[i].last_ns).text,
                rows[i].name.size != 0 ? "  " : "");
        print_name(rows[i].name, out);
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
        fprintf(out, "%12s %12s  %s ", mpdata_units_ns(marks[i].mark.ns).text,
                mpdata_units_bytes(marks[i].mark.bytes).text,
                marks[i].mark.kind == MPROF_RAW_MARK_MARK ? "mark"
                : marks[i].name.size != 0                 ? "phase"
                                                          : "no phase");
        print_name(marks[i].name, out);
        fputc('\n', out);
    }
}

static const char *const change_words[] = {
    [MPDATA_LOG_LOADED] = "loaded",
    [MPDATA_LOG_UNLOADED] = "unloaded",
    [MPDATA_LOG_DUMP] = "dumped",
};

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
                mpdata_units_ns(changes[i].ns).text,
                change_words[changes[i].kind]);
        if (changes[i].kind == MPDATA_LOG_DUMP)
            fprintf(out, "profile %" PRIu64, changes[i].number);
        print_text(changes[i].path, SIZE_MAX, out);
        fputc('\n', out);
    }
}

static void sort_threads(const struct mpdata_event_stats *s)
{
    if (s->threads.rows.count != 0)
        qsort(s->threads.rows.data, s->threads.rows.count,
              sizeof(struct mpdata_event_thread), compare_threads);
}

enum mprof_err log_summary_text(const struct mpdata_event_stats *stats,
                                uint64_t every_ns, uint64_t top, FILE *out)
{
    if (every_ns != 0) {
        print_steps(stats, every_ns, out);
        return MPROF_E_OK;
    }
    sort_threads(stats);
    print_sums(stats, out);
    print_peaks(stats, out);
    print_steps(stats, 0, out);
    print_sizes(stats, out);
    print_threads(stats, top, out);
    print_marks(stats, top, out);
    print_changes(stats, top, out);
    return MPROF_E_OK;
}

/* -- JSON ------------------------------------------------------------------ */

static void write_step(struct mpdata_json_out *json,
                       const struct mpdata_event_step *step)
{
    mpdata_json_out_number_of(json, "blocks", step->born_blocks);
    mpdata_json_out_number_of(json, "bytes", step->born_bytes);
    mpdata_json_out_number_of(json, "freed_blocks", step->ended_blocks);
    mpdata_json_out_number_of(json, "freed_bytes", step->ended_bytes);
}

static void write_at(struct mpdata_json_out *json, const struct at *at)
{
    mpdata_json_out_number_of(json, "ns", at->ns);
    mpdata_json_out_number_of(json, "live_bytes", at->bytes);
    mpdata_json_out_number_of(json, "live_blocks", at->blocks);
}

static void write_steps(struct mpdata_json_out *json,
                        const struct mpdata_event_stats *s, uint64_t every_ns)
{
    const uint32_t step = row_steps(s, every_ns);
    struct at at = {.ns = 0};

    mpdata_json_out_array_of(json, "steps");
    for (uint32_t i = 0; i < s->steps.count; i++) {
        move_on(&at, s, i);
        if (i % step != 0 && i + 1 != s->steps.count)
            continue;
        mpdata_json_out_row(json);
        write_at(json, &at);
        write_step(json, &at.since);
        mpdata_json_out_close_map(json);
        at.since = (struct mpdata_event_step){.born_blocks = 0};
    }
    mpdata_json_out_close_array(json);
}

static void write_lists(struct mpdata_json_out *json,
                        const struct mpdata_event_stats *s)
{
    const struct mpdata_event_thread *const threads = s->threads.rows.data;
    const struct mpdata_event_mark *const marks = s->marks.data;
    struct at peaks[PEAKS];
    const unsigned peak_count = find_peaks(s, peaks);

    mpdata_json_out_array_of(json, "peaks");
    for (unsigned i = 0; i < peak_count; i++) {
        mpdata_json_out_row(json);
        write_at(json, &peaks[i]);
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
    mpdata_json_out_array_of(json, "sizes");
    for (unsigned i = 0; i < MPDATA_EVENT_SIZES; i++) {
        if (s->sizes[i].born_blocks == 0)
            continue;
        mpdata_json_out_row(json);
        mpdata_json_out_number_of(json, "from", low_of(i));
        write_step(json, &s->sizes[i]);
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
    mpdata_json_out_array_of(json, "threads");
    for (uint32_t i = 0; i < s->threads.rows.count; i++) {
        mpdata_json_out_row(json);
        mpdata_json_out_number_of(json, "number", threads[i].number);
        mpdata_json_out_number_of(json, "blocks", threads[i].born_blocks);
        mpdata_json_out_number_of(json, "bytes", threads[i].born_bytes);
        mpdata_json_out_number_of(json, "frees", threads[i].ends);
        mpdata_json_out_number_of(json, "first_ns", threads[i].first_ns);
        mpdata_json_out_number_of(json, "last_ns", threads[i].last_ns);
        if (threads[i].name.size != 0) {
            mpdata_json_out_key(json, "name");
            mpdata_json_out_text(json, threads[i].name.bytes,
                                 threads[i].name.size);
        }
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
    mpdata_json_out_array_of(json, "marks");
    for (uint32_t i = 0; i < s->marks.count; i++) {
        mpdata_json_out_row(json);
        mpdata_json_out_number_of(json, "ns", marks[i].mark.ns);
        mpdata_json_out_number_of(json, "live_bytes", marks[i].mark.bytes);
        mpdata_json_out_text_of(
            json, "kind",
            marks[i].mark.kind == MPROF_RAW_MARK_MARK ? "mark" : "phase");
        mpdata_json_out_key(json, "name");
        mpdata_json_out_text(json, marks[i].name.bytes, marks[i].name.size);
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
}

static void write_changes(struct mpdata_json_out *json,
                          const struct mpdata_event_stats *s)
{
    const struct mpdata_log_change *const changes = s->changes.data;

    mpdata_json_out_array_of(json, "changes");
    for (uint32_t i = 0; i < s->changes.count; i++) {
        mpdata_json_out_row(json);
        mpdata_json_out_number_of(json, "ns", changes[i].ns);
        mpdata_json_out_text_of(json, "kind", change_words[changes[i].kind]);
        if (changes[i].kind == MPDATA_LOG_DUMP) {
            mpdata_json_out_number_of(json, "number", changes[i].number);
            mpdata_json_out_bool_of(json, "is_last", changes[i].is_last);
        } else {
            mpdata_json_out_key(json, "path");
            mpdata_json_out_text(json, changes[i].path.bytes,
                                 changes[i].path.size);
        }
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
}

enum mprof_err log_summary_json(const struct mpdata_event_stats *s,
                                uint64_t every_ns, struct mpdata_sink *sink)
{
    struct mpdata_json_out json;
    const bool is_there = mpdata_json_out_init(&json, sink);

    if (is_there) {
        sort_threads(s);
        mpdata_json_out_open_map(&json);
        mpdata_json_out_number_of(&json, "memprofdata_events", 1);
        mpdata_json_out_key(&json, "program");
        mpdata_json_out_text(&json, s->program.bytes, s->program.size);
        mpdata_json_out_number_of(&json, "duration_ns", s->duration_ns);
        mpdata_json_out_bool_of(&json, "has_end", s->is_whole);
        write_step(&json, &s->sum);
        mpdata_json_out_number_of(&json, "replaced", s->replaced);
        mpdata_json_out_number_of(&json, "freed_elsewhere", s->elsewhere);
        mpdata_json_out_number_of(&json, "temporary", s->temporary);
        if (s->has_peak) {
            mpdata_json_out_number_of(&json, "peak_ns", s->peak_ns);
            mpdata_json_out_number_of(&json, "peak_bytes", s->peak_bytes);
        }
        write_steps(&json, s, every_ns);
        if (every_ns == 0) {
            write_lists(&json, s);
            write_changes(&json, s);
        }
        mpdata_json_out_close_map(&json);
    }
    mpdata_json_out_fini(&json);
    return is_there && !sink->failed ? MPROF_E_OK : MPROF_E_NOMEM;
}
