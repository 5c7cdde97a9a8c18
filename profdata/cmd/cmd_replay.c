/* cmd_replay.c -- memprofdata replay: the blocks of a log with other
 * allocators.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/json_out.h"
#include "profdata/base/units.h"
#include "profdata/cmd/commands.h"
#include "profdata/cmd/log_summary.h"
#include "profdata/replay/calls.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS_DEFAULT 3
#define CHART_COLUMNS 64u
#define CHART_LINES 6u

struct row {
    const char *name; /* owned, as the path is */
    char *path;
    uint64_t ns;                        /* the least of all rounds */
    struct mpdata_replay_result result; /* of the first one */
};

struct replay {
    struct session session;
    struct cmd_words wanted;
    uint64_t rounds;
    struct mpdata_file file;
    struct mpdata_replay_calls calls;
    struct row *rows;
    size_t row_count;
};

#define AT(member) offsetof(struct replay, member)

static const struct cmd_option options[] = {
    {"allocator", 0, "NAME",
     "glibc, jemalloc, tcmalloc, mimalloc, or the path of a shared library "
     "that has malloc; may be given several times (default: the C library's "
     "and those of the four that are installed)",
     cmd_take_word, AT(wanted)},
    {"rounds", 0, "N",
     "replay N times with each allocator, by turns; the time is the shortest "
     "(default: 3)",
     cmd_take_positive, AT(rounds)},
    {"json", 0, NULL, "print JSON, with all moments that were measured",
     cmd_take_flag, SESSION_AT(is_json)},
    SESSION_OUTPUT_OPTIONS,
};

/* -- allocators ------------------------------------------------------------ */

static int add_row(struct replay *r, const char *name, const char *path)
{
    struct row *const row = &r->rows[r->row_count];

    row->name = name;
    row->path = strdup(path);
    if (row->path == NULL)
        return cmd_no_memory();
    row->ns = UINT64_MAX;
    r->row_count++;
    return 0;
}

static int add_installed(struct replay *r)
{
    char path[PATH_MAX];
    int status = 0;

    for (size_t i = 0; i < mpdata_allocators_count && status == 0; i++) {
        const struct mpdata_replay_allocator *const a = &mpdata_allocators[i];

        if (mpdata_allocators_find(a, path))
            status = add_row(r, a->name, path);
    }
    return status;
}

static int add_named(struct replay *r, const char *word)
{
    char path[PATH_MAX];

    for (size_t i = 0; i < mpdata_allocators_count; i++) {
        const struct mpdata_replay_allocator *const a = &mpdata_allocators[i];

        if (strcmp(a->name, word) != 0)
            continue;
        if (mpdata_allocators_find(a, path))
            return add_row(r, a->name, path);
        return cmd_usage(r->session.command,
                         "%s is not installed: Debian's package is %s", word,
                         a->package);
    }
    if (strchr(word, '/') == NULL)
        return cmd_usage(r->session.command,
                         "--allocator=%s: glibc, jemalloc, tcmalloc, mimalloc, "
                         "or a path with a slash",
                         word);
    if (realpath(word, path) == NULL)
        return cmd_usage(r->session.command,
                         "--allocator=%s: there is no such file", word);
    return add_row(r, word, path);
}

static int choose(struct replay *r)
{
    const size_t count = r->wanted.count + mpdata_allocators_count;
    int status = 0;

    r->rows = calloc(count, sizeof(*r->rows));
    if (r->rows == NULL)
        return cmd_no_memory();
    for (size_t i = 0; i < r->wanted.count && status == 0; i++)
        status = add_named(r, r->wanted.words[i]);
    return status == 0 && r->wanted.count == 0 ? add_installed(r) : status;
}

/* -- text ------------------------------------------------------------------ */

static const struct mpdata_replay_sample *last_of(const struct row *row)
{
    return &row->result.samples[row->result.sample_count - 1];
}

static uint64_t most_resident(const struct row *row)
{
    uint64_t most = row->result.start_bytes;

    for (uint32_t i = 0; i < row->result.sample_count; i++)
        most = mprof_max_u64(most, row->result.samples[i].resident_bytes);
    return most;
}

static struct mpdata_number over_live(const struct mpdata_replay_sample *s)
{
    return s->live_bytes != 0
               ? mpdata_units_format("%.2f", (double)s->resident_bytes /
                                                 (double)s->live_bytes)
               : mpdata_units_format("-");
}

/* Of all moments. */
static struct mpdata_replay_sample sum_of(const struct row *row)
{
    struct mpdata_replay_sample sum = {.calls = 0};

    for (uint32_t i = 0; i < row->result.sample_count; i++) {
        sum.live_bytes += row->result.samples[i].live_bytes;
        sum.resident_bytes += row->result.samples[i].resident_bytes;
    }
    return sum;
}

static void print_head(const struct replay *r, FILE *out)
{
    const struct mpdata_replay_calls *const c = &r->calls;

    fprintf(out, "Replay of %.*s\n\n", (int)c->program.size,
            c->program.bytes != NULL ? c->program.bytes : "");
    fprintf(out,
            "  %s, %s, %s\n"
            "  at most %s alive, %s at the end\n\n",
            mpdata_units_things(c->allocs, "allocation").text,
            mpdata_units_things(c->reallocs, "realloc").text,
            mpdata_units_things(c->frees, "free").text,
            mpdata_units_bytes(c->peak_bytes).text,
            mpdata_units_bytes(c->live_bytes).text);
}

static void print_table(const struct replay *r, FILE *out)
{
    fprintf(out, "%10s  %32s  %19s\n%10s  %10s %10s %10s  %9s %9s  %s\n\n", "",
            "------- resident memory --------", "-- per live byte --", "time",
            "most", "at start", "at end", "at peak", "average", "allocator");
    for (size_t i = 0; i < r->row_count; i++) {
        const struct row *const row = &r->rows[i];
        const struct mpdata_replay_result *const result = &row->result;
        const struct mpdata_replay_sample sum = sum_of(row);

        fprintf(out, "%10s  %10s %10s %10s  %9s %9s  %s\n",
                mpdata_units_ns(row->ns).text,
                mpdata_units_bytes(most_resident(row)).text,
                mpdata_units_bytes(result->start_bytes).text,
                mpdata_units_bytes(last_of(row)->resident_bytes).text,
                over_live(&result->samples[r->calls.peak_sample]).text,
                over_live(&sum).text, row->name);
    }
}

/* The sample of a column, from the first call to the last. */
static const struct mpdata_replay_sample *column(const struct row *row,
                                                 uint32_t i)
{
    const uint32_t count = row->result.sample_count;

    return &row->result.samples[count > CHART_COLUMNS
                                    ? (i + 1) * count / CHART_COLUMNS - 1
                                    : i];
}

static void print_chart(const struct row *row, uint64_t top, FILE *out)
{
    const uint32_t columns =
        (uint32_t)mprof_min_u64(row->result.sample_count, CHART_COLUMNS);

    fprintf(out, "\n%10s  %s\n", mpdata_units_bytes(top).text, row->name);
    for (uint32_t line = CHART_LINES; line > 0; line--) {
        /* The middle of the line. */
        const double at =
            (double)top * ((double)line - 0.5) / (double)CHART_LINES;

        fprintf(out, "%10s |", "");
        for (uint32_t i = 0; i < columns; i++) {
            const struct mpdata_replay_sample *const s = column(row, i);

            fputc((double)s->live_bytes >= at       ? '#'
                  : (double)s->resident_bytes >= at ? '+'
                                                    : ' ',
                  out);
        }
        fputc('\n', out);
    }
}

static enum mprof_err print_text(struct session *session, FILE *out)
{
    const struct replay *const r = (struct replay *)session;
    uint64_t top = 1;

    print_head(r, out);
    print_table(r, out);
    for (size_t i = 0; i < r->row_count; i++)
        top = mprof_max_u64(top, most_resident(&r->rows[i]));
    fputs("\nLive (#) and further resident (+) bytes, from the first call to "
          "the last\n",
          out);
    for (size_t i = 0; i < r->row_count; i++)
        print_chart(&r->rows[i], top, out);
    fputs("\nOne thread made the calls of all threads, in the order of time, "
          "and touched each page\nonce: the replay shows neither contention "
          "nor effects of caches.\n",
          out);
    return MPROF_E_OK;
}

/* -- JSON ------------------------------------------------------------------ */

static void write_row(struct mpdata_json_out *json, const struct row *row)
{
    const struct mpdata_replay_result *const result = &row->result;

    mpdata_json_out_row(json);
    mpdata_json_out_key(json, "name");
    mpdata_json_out_text(json, row->name, strlen(row->name));
    mpdata_json_out_key(json, "library");
    mpdata_json_out_text(json, result->library, strlen(result->library));
    mpdata_json_out_number_of(json, "ns", row->ns);
    mpdata_json_out_number_of(json, "allocations", result->allocs);
    mpdata_json_out_number_of(json, "frees", result->frees);
    mpdata_json_out_number_of(json, "reallocs", result->reallocs);
    mpdata_json_out_number_of(json, "start_bytes", result->start_bytes);
    mpdata_json_out_number_of(json, "most_resident_bytes", most_resident(row));
    mpdata_json_out_number_of(json, "live_bytes", last_of(row)->live_bytes);
    mpdata_json_out_array_of(json, "moments");
    for (uint32_t i = 0; i < result->sample_count; i++) {
        mpdata_json_out_row(json);
        mpdata_json_out_number_of(json, "calls", result->samples[i].calls);
        mpdata_json_out_number_of(json, "live_bytes",
                                  result->samples[i].live_bytes);
        mpdata_json_out_number_of(json, "resident_bytes",
                                  result->samples[i].resident_bytes);
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
    mpdata_json_out_close_map(json);
}

static enum mprof_err print_json(struct session *session,
                                 struct mpdata_sink *sink)
{
    const struct replay *const r = (struct replay *)session;
    const struct mpdata_replay_calls *const c = &r->calls;
    struct mpdata_json_out json;
    const bool is_there = mpdata_json_out_init(&json, sink);

    if (is_there) {
        mpdata_json_out_open_map(&json);
        mpdata_json_out_number_of(&json, "memprofdata_replay", 1);
        mpdata_json_out_string_of(&json, "program", &c->program);
        mpdata_json_out_number_of(&json, "calls", c->job->calls);
        mpdata_json_out_number_of(&json, "peak_bytes", c->peak_bytes);
        mpdata_json_out_number_of(&json, "live_bytes", c->live_bytes);
        mpdata_json_out_number_of(&json, "rounds", r->rounds);
        mpdata_json_out_array_of(&json, "allocators");
        for (size_t i = 0; i < r->row_count; i++)
            write_row(&json, &r->rows[i]);
        mpdata_json_out_close_array(&json);
        mpdata_json_out_close_map(&json);
    }
    mpdata_json_out_fini(&json);
    return is_there && !sink->failed ? MPROF_E_OK : MPROF_E_NOMEM;
}

/* -- the command ----------------------------------------------------------- */

static enum mprof_err run_row(struct replay *r, struct row *row,
                              struct mprof_diag *diag)
{
    struct mpdata_replay_result result;
    const enum mprof_err err =
        mpdata_allocators_run(&r->calls, row->path, &result, diag);

    if (err != MPROF_E_OK)
        return err;
    if (row->result.state == MPDATA_REPLAY_NOT_RUN)
        row->result = result;
    row->ns = mprof_min_u64(row->ns, result.ns);
    return MPROF_E_OK;
}

static int run_all(struct replay *r)
{
    struct mprof_diag diag;

    for (uint64_t round = 0; round < r->rounds; round++) {
        for (size_t i = 0; i < r->row_count; i++) {
            if (run_row(r, &r->rows[i], &diag) != MPROF_E_OK) {
                diag.file = r->rows[i].name;
                return cmd_fail(&diag);
            }
        }
    }
    return 0;
}

static int replay(struct session *session)
{
    struct replay *const r = (struct replay *)session;
    struct mprof_diag diag;

    if (session->word_count != 1)
        return cmd_usage(session->command, session->word_count == 0
                                               ? "no log is named"
                                               : "name one log");
    int status = choose(r);
    if (status != 0)
        return status;
    enum mprof_err err =
        log_summary_open(&r->file, session->words[0], false, &diag);
    if (err == MPROF_E_OK)
        err = mpdata_calls_read(&r->calls, r->file.data, r->file.size, &diag);
    if (err != MPROF_E_OK) {
        diag.file = session->words[0];
        return cmd_fail(&diag);
    }
    log_summary_warn(&session->warn, session->words[0], &r->calls.rest);
    status = run_all(r);
    return status == 0 ? session_print(session, print_text, print_json)
                       : status;
}

static int run(const struct cmd_call *call)
{
    struct replay r = {.rounds = ROUNDS_DEFAULT};

    r.wanted.words = calloc((size_t)call->argc, sizeof(*r.wanted.words));
    if (r.wanted.words == NULL)
        return cmd_no_memory();
    int status = session_run(&r.session, call, replay);
    for (size_t i = 0; i < r.row_count; i++)
        free(r.rows[i].path);
    free(r.rows);
    free(r.wanted.words);
    mpdata_calls_fini(&r.calls);
    mpdata_file_close(&r.file);
    return status;
}

const struct cmd_command cmd_replay = {
    .name = "replay",
    .usage = "[OPTION]... LOG",
    .summary = "try a log's allocations with other allocators",
    .details =
        "Makes the allocations, reallocations and frees of a log that a "
        "program wrote with MEMPROF_OPTIONS=log=FILE once more with each "
        "allocator, in a process of its own, and prints the time they took, "
        "and the resident memory beside the live bytes. One thread makes the "
        "calls of all threads in the order of time, and touches each page of a "
        "block once.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
