/* log_json.c -- writes sums over a log as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/log_json.h"
#include "profdata/cmd/log_at.h"

#include <stdio.h>
#include <string.h>

#define KEY_BYTES 32

void log_json_time(struct mpdata_json_out *json,
                   const struct mpdata_log_traits *traits, const char *start,
                   uint64_t ns)
{
    char key[KEY_BYTES];

    snprintf(key, sizeof(key), "%s%s", start,
             traits->unit != NULL ? traits->unit : "ns");
    mpdata_json_out_number_of(json, key, ns);
}

static void write_step(struct mpdata_json_out *json,
                       const struct mpdata_event_stats *s,
                       const struct mpdata_event_step *step)
{
    mpdata_json_out_number_of(json, "blocks", step->born_blocks);
    mpdata_json_out_number_of(json, "bytes", step->born_bytes);
    if (!s->traits.has_ends)
        return;
    mpdata_json_out_number_of(json, "freed_blocks", step->ended_blocks);
    mpdata_json_out_number_of(json, "freed_bytes", step->ended_bytes);
}

static void write_at(struct mpdata_json_out *json,
                     const struct mpdata_event_stats *s,
                     const struct log_at *at)
{
    log_json_time(json, &s->traits, "", at->ns);
    if (!s->traits.has_ends)
        return;
    mpdata_json_out_number_of(json, "live_bytes", at->bytes);
    mpdata_json_out_number_of(json, "live_blocks", at->blocks);
}

static void write_steps(struct mpdata_json_out *json,
                        const struct mpdata_event_stats *s, uint64_t every_ns)
{
    const uint32_t step = log_at_row_steps(s, every_ns);
    struct log_at at = {.ns = 0};

    mpdata_json_out_array_of(json, "steps");
    for (uint32_t i = 0; i < s->steps.count; i++) {
        log_at_move(&at, s, i);
        if (i % step != 0 && i + 1 != s->steps.count)
            continue;
        mpdata_json_out_row(json);
        write_at(json, s, &at);
        write_step(json, s, &at.since);
        mpdata_json_out_close_map(json);
        at.since = (struct mpdata_event_step){.born_blocks = 0};
    }
    mpdata_json_out_close_array(json);
}

static void write_peaks(struct mpdata_json_out *json,
                        const struct mpdata_event_stats *s)
{
    struct log_at peaks[LOG_AT_PEAKS];
    const unsigned peak_count = log_at_peaks(s, peaks);

    mpdata_json_out_array_of(json, "peaks");
    for (unsigned i = 0; i < peak_count; i++) {
        mpdata_json_out_row(json);
        write_at(json, s, &peaks[i]);
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
}

static void write_sizes(struct mpdata_json_out *json,
                        const struct mpdata_event_stats *s)
{
    mpdata_json_out_array_of(json, "sizes");
    for (unsigned i = 0; i < MPDATA_EVENT_SIZES; i++) {
        if (s->sizes[i].born_blocks == 0)
            continue;
        mpdata_json_out_row(json);
        mpdata_json_out_number_of(json, "from", log_at_low(i));
        write_step(json, s, &s->sizes[i]);
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
}

static void write_threads(struct mpdata_json_out *json,
                          const struct mpdata_event_stats *s)
{
    const struct mpdata_event_thread *const threads = s->threads.rows.data;

    mpdata_json_out_array_of(json, "threads");
    for (uint32_t i = 0; s->traits.has_threads && i < s->threads.rows.count;
         i++) {
        mpdata_json_out_row(json);
        mpdata_json_out_number_of(json, "number", threads[i].number);
        mpdata_json_out_number_of(json, "blocks", threads[i].born_blocks);
        mpdata_json_out_number_of(json, "bytes", threads[i].born_bytes);
        if (s->traits.has_ends)
            mpdata_json_out_number_of(json, "frees", threads[i].ends);
        log_json_time(json, &s->traits, "first_", threads[i].first_ns);
        log_json_time(json, &s->traits, "last_", threads[i].last_ns);
        if (threads[i].name.size != 0) {
            mpdata_json_out_string_of(json, "name", &threads[i].name);
        }
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
}

static void write_marks(struct mpdata_json_out *json,
                        const struct mpdata_event_stats *s)
{
    const struct mpdata_event_mark *const marks = s->marks.data;

    mpdata_json_out_array_of(json, "marks");
    for (uint32_t i = 0; i < s->marks.count; i++) {
        mpdata_json_out_row(json);
        log_json_time(json, &s->traits, "", marks[i].mark.ns);
        mpdata_json_out_number_of(json, "live_bytes", marks[i].mark.bytes);
        mpdata_json_out_text_of(
            json, "kind",
            marks[i].mark.kind == MPROF_RAW_MARK_MARK ? "mark" : "phase");
        mpdata_json_out_string_of(json, "name", &marks[i].name);
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
}

static void write_told(struct mpdata_json_out *json,
                       const struct mpdata_event_stats *s)
{
    const struct mpdata_event_told *const rows = s->told.rows.data;

    mpdata_json_out_array_of(json, "events");
    for (uint32_t i = 0; i < s->told.rows.count; i++) {
        mpdata_json_out_row(json);
        mpdata_json_out_string_of(json, "name", &rows[i].name);
        mpdata_json_out_number_of(json, "events", rows[i].count);
        mpdata_json_out_number_of(json, "weight", rows[i].weight);
        log_json_time(json, &s->traits, "first_", rows[i].first_ns);
        log_json_time(json, &s->traits, "last_", rows[i].last_ns);
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
        log_json_time(json, &s->traits, "", changes[i].ns);
        mpdata_json_out_text_of(json, "kind", log_at_change(&changes[i]));
        if (changes[i].kind == MPDATA_LOG_DUMP) {
            mpdata_json_out_number_of(json, "number", changes[i].number);
            mpdata_json_out_bool_of(json, "is_last", changes[i].is_last);
        } else {
            mpdata_json_out_string_of(json, "path", &changes[i].path);
        }
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
}

static void write_what(void *context, const char *what)
{
    mpdata_json_out_text(context, what, strlen(what));
}

static void write_sums(struct mpdata_json_out *json,
                       const struct mpdata_event_stats *s)
{
    mpdata_json_out_string_of(json, "program", &s->program);
    if (s->traits.title != NULL) {
        mpdata_json_out_text_of(json, "tool", s->traits.title);
        mpdata_json_out_array_of(json, "not_recorded");
        log_at_missing(&s->traits, write_what, json);
        mpdata_json_out_close_array(json);
    }
    log_json_time(json, &s->traits, "duration_", s->duration_ns);
    mpdata_json_out_bool_of(json, "has_end", s->is_whole);
    mpdata_json_out_known_number(json, "sample_period", s->sample_period);
    write_step(json, s, &s->sum);
    if (s->traits.has_ends) {
        mpdata_json_out_number_of(json, "replaced", s->replaced);
        if (s->traits.has_threads)
            mpdata_json_out_number_of(json, "freed_elsewhere", s->elsewhere);
        mpdata_json_out_number_of(json, "temporary", s->temporary);
    }
    if (s->has_peak) {
        log_json_time(json, &s->traits, "peak_", s->peak_ns);
        mpdata_json_out_number_of(json, "peak_bytes", s->peak_bytes);
    }
}

/* Lists of what the log does not have are not there. */
static void write_lists(struct mpdata_json_out *json,
                        const struct mpdata_event_stats *s)
{
    if (s->traits.has_ends)
        write_peaks(json, s);
    write_sizes(json, s);
    if (s->traits.has_threads)
        write_threads(json, s);
    write_marks(json, s);
    if (s->traits.title == NULL)
        write_told(json, s);
    if (s->traits.title == NULL || s->changes.count != 0)
        write_changes(json, s);
}

enum mprof_err log_json_summary(const struct mpdata_event_stats *s,
                                uint64_t every_ns, struct mpdata_sink *sink)
{
    struct mpdata_json_out json;
    const bool is_there = mpdata_json_out_init(&json, sink);

    if (is_there) {
        log_at_sort_threads(s);
        mpdata_json_out_open_map(&json);
        mpdata_json_out_number_of(&json, "memprofdata_events", 1);
        write_sums(&json, s);
        write_steps(&json, s, every_ns);
        if (every_ns == 0)
            write_lists(&json, s);
        mpdata_json_out_close_map(&json);
    }
    mpdata_json_out_fini(&json);
    return is_there && !sink->failed ? MPROF_E_OK : MPROF_E_NOMEM;
}
