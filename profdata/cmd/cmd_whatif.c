/* cmd_whatif.c -- memprofdata whatif: what blocks would take in another layout.
 * Of a profile it is computed; the calls of a log are made again.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "inc/memprof_hints.h"
#include "profdata/base/json_out.h"
#include "profdata/cmd/commands.h"
#include "profdata/cmd/log_summary.h"
#include "profdata/judge/whatif.h"
#include "profdata/model/details.h"
#include "profdata/query/left_out.h"
#include "profdata/query/metrics.h"
#include "profdata/replay/calls.h"
#include "profdata/view/page.h"

#include <stdlib.h>
#include <string.h>

#define JSON_VERSION 1
#define ROWS_MAX 4
#define COLUMNS " %19s %17s %21s  "

struct row {
    const char *allocator;
    const char *how; /* the blocks lie, or "" */
    enum mpdata_whatif_layout layout;
    bool is_alone;
    bool is_changed;
    uint8_t hints[MPDATA_WHATIF_KINDS];
};

#define OURS "libmemprof_alloc"

static const struct row pool_rows[] = {
    {"glibc", "", MPDATA_WHATIF_GLIBC, .is_alone = false},
    {OURS, "", MPDATA_WHATIF_CLASSES, .is_alone = false},
    {OURS, "pool", MPDATA_WHATIF_POOL, .is_alone = true,
     .hints = {[MPDATA_WHATIF_CHOSEN] = MEMPROF_HINT_POOL(1)}},
    {OURS, "dense pool", MPDATA_WHATIF_DENSE, .is_alone = true,
     .hints = {[MPDATA_WHATIF_CHOSEN] = MEMPROF_HINT_DENSE_POOL(1)}},
};

static const struct row hot_cold_rows[] = {
    {"glibc", "", MPDATA_WHATIF_GLIBC, .is_alone = false},
    {OURS, "", MPDATA_WHATIF_CLASSES, .is_alone = false},
    {OURS, "hot, cold apart", MPDATA_WHATIF_CLASSES, .is_alone = true,
     .hints = {[MPDATA_WHATIF_COLD] = MEMPROF_HINT_COLD,
               [MPDATA_WHATIF_HOT] = MEMPROF_HINT_HOT}},
};

static const struct row reorder_rows[] = {
    {"glibc", "", MPDATA_WHATIF_GLIBC, .is_alone = false},
    {"glibc", "reordered", MPDATA_WHATIF_GLIBC, .is_changed = true},
    {OURS, "", MPDATA_WHATIF_CLASSES, .is_alone = false},
    {OURS, "reordered", MPDATA_WHATIF_CLASSES, .is_changed = true},
};

struct whatif {
    struct session session;
    struct cmd_words pools;
    bool is_hot_cold;
    const char *type;
    struct mpdata_whatif w;
    const struct row *rows;
    size_t row_count;
    struct mpdata_whatif_room rooms[ROWS_MAX]; /* by row */
    uint64_t resident[ROWS_MAX]; /* of the whole process; if is_replayed */
    bool is_replayed;
    const char *nothing; /* why there are no rows, or NULL */
    uint64_t runs;       /* whose peaks are added up */
    struct mprof_buf notes;
};

#define AT(member) offsetof(struct whatif, member)

static const struct cmd_option options[] = {
    {"pool", 0, "NAME",
     "lay the blocks of NAME in a pool: of the type NAME, or allocated in the "
     "function NAME or at NAME, FILE:LINE; may be given several times",
     cmd_take_word, AT(pools)},
    {"hot-cold", 0, NULL,
     "lay hot and cold blocks apart, as memprofdata explain judges them",
     cmd_take_flag, AT(is_hot_cold)},
    {"reorder", 0, "TYPE",
     "give the members of TYPE the order of memprofdata fields --propose",
     cmd_take_text, AT(type)},
    SESSION_JSON_OPTION,
    SESSION_SYMBOL_OPTIONS,
    SESSION_OUTPUT_OPTIONS,
    SESSION_VERIFY_OPTION,
};

static const struct mpdata_profile *profile_of(const struct whatif *x)
{
    return session_profile(&x->session, SESSION_NEW);
}

/* -- replay of a log ------------------------------------------------------- */

/* Kinds of the job by the log's call stacks; *count is 0 if it is no log. */
static uint8_t *kinds_of_stacks(const struct whatif *x, uint32_t *count)
{
    const struct mpdata_view view = mpdata_profile_view(profile_of(x));
    uint8_t *kinds = NULL;

    *count = 0;
    for (uint32_t i = 0; i < view.detail_count; i++) {
        if (view.details[i].kind == MPDATA_DETAIL_LOG_STACK)
            *count = (uint32_t)mprof_max_u64(*count,
                                             (uint64_t)view.details[i].key + 1);
    }
    kinds = calloc((size_t)*count + 1, sizeof(*kinds));
    for (uint32_t i = 0; kinds != NULL && i < view.context_count; i++) {
        const struct mpdata_details stacks = mpdata_details_of(
            &view, &view.contexts[i], MPDATA_DETAIL_LOG_STACK);

        for (uint32_t k = 0; k < stacks.count; k++)
            kinds[stacks.rows[k].key] = (uint8_t)(x->w.kinds[i] + 1);
    }
    return kinds;
}

static enum mprof_err replay_row(struct whatif *x,
                                 struct mpdata_replay_calls *calls,
                                 const char *library, size_t i,
                                 struct mpdata_whatif_room *room,
                                 struct mprof_diag *diag)
{
    const struct row *const row = &x->rows[i];
    struct mpdata_replay_result *const result = calloc(1, sizeof(*result));
    enum mprof_err err = MPROF_E_NOMEM;

    for (int k = 0; k < MPDATA_WHATIF_KINDS; k++)
        calls->job->kinds[k + 1] = (struct mpdata_replay_kind){
            .from =
                k >= MPDATA_WHATIF_CHOSEN && row->is_changed ? x->w.from : 0,
            .to = x->w.to,
            .hint = row->hints[k],
            .is_counted = k >= MPDATA_WHATIF_CHOSEN};
    if (result != NULL)
        err = mpdata_allocators_run(
            calls, row->layout == MPDATA_WHATIF_GLIBC ? "" : library, result,
            diag);
    else
        mprof_err_plain(diag, err);
    if (err == MPROF_E_OK) {
        x->resident[i] = result->samples[calls->peak_sample].resident_bytes;
        room->pages = (struct mpdata_range){result->pages, result->pages};
        room->lines = (struct mpdata_range){result->lines, result->lines};
    }
    free(result);
    return err;
}

static int replay_log(struct whatif *x, const char *path,
                      struct mpdata_replay_calls *calls,
                      struct mpdata_file *file)
{
    struct mpdata_whatif_room rooms[ROWS_MAX];
    char library[PATH_MAX];
    struct mprof_diag diag;
    enum mprof_err err = log_summary_open(file, path, false, &diag);

    if (err == MPROF_E_OK)
        err = mpdata_calls_read(calls, file->data, file->size, &diag);
    if (err == MPROF_E_OK && !mpdata_allocators_find_own(library))
        err = mpdata_diag_text(&diag, MPROF_E_UNSUPPORTED,
                               "libmemprof_alloc.so.0 is not installed");
    for (size_t i = 0; err == MPROF_E_OK && i < x->row_count; i++)
        err = replay_row(x, calls, library, i, &rooms[i], &diag);
    x->is_replayed = err == MPROF_E_OK;
    diag.file = path;
    if (err == MPROF_E_NOMEM)
        return cmd_fail(&diag);
    if (err == MPROF_E_OK)
        memcpy(x->rooms, rooms, x->row_count * sizeof(*rooms));
    else
        cmd_say("%s is not replayed, so ranges stand for what its profile does "
                "not tell: %s",
                path, diag.text);
    return 0;
}

static int replay(struct whatif *x)
{
    struct mpdata_replay_calls calls = {.job = NULL};
    struct mpdata_file file = {.data = NULL};
    uint32_t count;
    uint8_t *const kinds = kinds_of_stacks(x, &count);
    const char *const path =
        mpdata_inputs_get(&x->session.profiles[SESSION_NEW].inputs, 0)->path;
    int status = 0;

    calls.kinds = kinds;
    calls.kind_count = count;
    if (kinds == NULL)
        status = cmd_no_memory();
    else if (count != 0 && !mpdata_file_is_standard(path))
        status = replay_log(x, path, &calls, &file);
    mpdata_calls_fini(&calls);
    mpdata_file_close(&file);
    free(kinds);
    return status;
}

/* -- text ------------------------------------------------------------------ */

static void print_title(const struct whatif *x, FILE *out)
{
    const struct show_style *const style = &x->session.show.style;

    fprintf(out, "%sWhat if ", style->strong);
    if (x->is_hot_cold)
        fputs("hot and cold blocks lay apart?", out);
    else if (x->type != NULL)
        fprintf(out, "the members of %s had the proposed order?", x->type);
    for (size_t i = 0; i < x->pools.count; i++)
        fprintf(out, "%s%s", i == 0 ? "the blocks of " : ", ",
                x->pools.words[i]);
    fprintf(out, "%s%s\n\n",
            x->pools.count != 0 ? " had a pool of their own?" : "",
            style->reset);
}

static uint64_t all_bytes(const struct whatif *x)
{
    uint64_t bytes = 0;

    for (int k = 0; k < MPDATA_WHATIF_KINDS; k++)
        bytes = mprof_add_sat_u64(bytes, x->w.sums[k].bytes);
    return bytes;
}

static void print_sum(const struct whatif *x, enum mpdata_whatif_kind kind,
                      const char *word, FILE *out)
{
    const struct mpdata_whatif_sum *const sum = &x->w.sums[kind];

    if (sum->blocks == 0)
        return;
    fprintf(out, "%10s %8s  %s%s of %s at the peak%s",
            mpdata_units_bytes(sum->bytes).text,
            mpdata_units_share(sum->bytes, all_bytes(x)).text, word,
            mpdata_units_things(sum->blocks, "block").text,
            mpdata_units_things(sum->stacks, "call stack").text,
            x->runs > 1 ? "s of " : "\n");
    if (x->runs > 1)
        fprintf(out, "%s\n", mpdata_units_things(x->runs, "run").text);
}

static void print_sizes(const struct mpdata_whatif *w, FILE *out)
{
    fprintf(out, PAGE_INDENT "of %s", mpdata_units_bytes(w->size.least).text);
    if (w->size.most != w->size.least)
        fprintf(out, " to %s", mpdata_units_bytes(w->size.most).text);
    fputs(" each\n", out);
    if (w->to == 0)
        return;
    fprintf(out, PAGE_INDENT "an object takes %s, in that order %s\n",
            mpdata_units_bytes(w->from).text,
            w->to == w->from ? "as many" : mpdata_units_bytes(w->to).text);
    fprintf(out,
            PAGE_INDENT "a visit touches %.2f cache lines, in that order "
                        "%.2f\n",
            w->lines_before, w->lines_after);
}

static void print_blocks(const struct whatif *x, FILE *out)
{
    if (!x->is_hot_cold) {
        print_sum(x, MPDATA_WHATIF_CHOSEN, "", out);
        print_sizes(&x->w, out);
        return;
    }
    print_sum(x, MPDATA_WHATIF_HOT, "hot      ", out);
    print_sum(x, MPDATA_WHATIF_OTHER, "neither  ", out);
    print_sum(x, MPDATA_WHATIF_CHOSEN, "neither  ", out);
    print_sum(x, MPDATA_WHATIF_COLD, "cold     ", out);
}

static struct mpdata_number range(const struct mpdata_range *r,
                                  struct mpdata_number (*text)(uint64_t))
{
    const struct mpdata_number least = text(r->least);

    /* Within 2 %. */
    return r->most - r->least <= r->least / 50
               ? text(r->most)
               : mpdata_units_format("%.30s to %.30s", least.text,
                                     text(r->most).text);
}

static void print_rows(const struct whatif *x, FILE *out)
{
    const struct show_style *const style = &x->session.show.style;

    fprintf(out, "\n%s" COLUMNS "%s%s\n", style->dim,
            x->is_replayed ? "resident, in all" : "memory", "pages",
            "cache lines",
            !x->is_hot_cold                            ? "of these blocks"
            : x->w.sums[MPDATA_WHATIF_HOT].blocks != 0 ? "of hot blocks"
                                                       : "of what is not cold",
            style->reset);
    for (size_t i = 0; i < x->row_count; i++) {
        const struct row *const row = &x->rows[i];
        const struct mpdata_whatif_room *const room = &x->rooms[i];

        fprintf(out, COLUMNS "%s%s%s%s\n",
                x->is_replayed ? mpdata_units_bytes(x->resident[i]).text
                               : range(&room->bytes, mpdata_units_bytes).text,
                range(&room->pages, mpdata_units_count).text,
                range(&room->lines, mpdata_units_count).text,
                row->how[0] != '\0' ? style->accent : "",
                row->how[0] != '\0' ? "  " : row->allocator, row->how,
                style->reset);
    }
}

static const char *closing_words(const struct whatif *x)
{
    return x->is_replayed
               ? "The calls of the log were made again with each allocator, by "
                 "one thread; each page of a block was touched.\n"
               : "The profile does not tell which blocks are neighbours: "
                 "ranges "
                 "are from the best order to the worst. Of a log of the run "
                 "(MEMPROF_OPTIONS=log=FILE), whatif makes the calls again and "
                 "measures.\n";
}

static enum mprof_err print_text(struct session *session, FILE *out)
{
    const struct whatif *const x = (struct whatif *)session;
    struct page_wrap wrap;

    print_title(x, out);
    if (!page_notes(out, &session->show, (const char *)x->notes.data))
        return MPROF_E_NOMEM;
    if (x->notes.data[0] != '\0')
        fputc('\n', out);
    if (x->nothing == NULL) {
        print_blocks(x, out);
        print_rows(x, out);
        fputc('\n', out);
    }
    FILE *wrapped = page_wrap_start(&wrap);
    if (wrapped == NULL)
        return MPROF_E_NOMEM;
    if (x->nothing != NULL)
        fprintf(wrapped, "%s\n", x->nothing);
    else
        fputs(closing_words(x), wrapped);
    return page_wrap_finish(&wrap, out, 0, session->show.width) ? MPROF_E_OK
                                                                : MPROF_E_NOMEM;
}

/* -- JSON ------------------------------------------------------------------ */

static void write_range(struct mpdata_json_out *json, const char *key,
                        const struct mpdata_range *range)
{
    mpdata_json_out_key(json, key);
    mpdata_json_out_pair(json, range->least, range->most);
}

static void write_sum(struct mpdata_json_out *json, const char *key,
                      const struct mpdata_whatif_sum *sum)
{
    mpdata_json_out_map_of(json, key);
    mpdata_json_out_number_of(json, "call_stacks", sum->stacks);
    mpdata_json_out_number_of(json, "blocks", sum->blocks);
    mpdata_json_out_number_of(json, "bytes", sum->bytes);
    mpdata_json_out_close_map(json);
}

static void write_rows(struct mpdata_json_out *json, const struct whatif *x)
{
    mpdata_json_out_array_of(json, "rows");
    for (size_t i = 0; i < x->row_count; i++) {
        mpdata_json_out_row(json);
        mpdata_json_out_text_of(json, "allocator", x->rows[i].allocator);
        mpdata_json_out_known_text(json, "layout", x->rows[i].how);
        if (x->is_replayed)
            mpdata_json_out_number_of(json, "resident_bytes", x->resident[i]);
        else
            write_range(json, "bytes", &x->rooms[i].bytes);
        write_range(json, "pages", &x->rooms[i].pages);
        write_range(json, "lines", &x->rooms[i].lines);
        mpdata_json_out_close_map(json);
    }
    mpdata_json_out_close_array(json);
}

static void write_document(struct mpdata_json_out *json, const struct whatif *x)
{
    static const char *const keys[MPDATA_WHATIF_KINDS] = {"others", "cold",
                                                          "blocks", "hot"};

    mpdata_json_out_open_map(json);
    mpdata_json_out_number_of(json, "memprofdata-whatif", JSON_VERSION);
    mpdata_json_out_known_lines(json, "notes", (const char *)x->notes.data);
    mpdata_json_out_known_text(json, "nothing",
                               x->nothing != NULL ? x->nothing : "");
    for (int k = 0; k < MPDATA_WHATIF_KINDS; k++) {
        if (x->w.sums[k].blocks != 0)
            write_sum(json, keys[k], &x->w.sums[k]);
    }
    if (x->w.to != 0) {
        mpdata_json_out_number_of(json, "object_bytes_before", x->w.from);
        mpdata_json_out_number_of(json, "object_bytes", x->w.to);
        mpdata_json_out_real_of(json, "visit_lines_before", x->w.lines_before);
        mpdata_json_out_real_of(json, "visit_lines", x->w.lines_after);
    }
    mpdata_json_out_number_of(json, "runs", x->runs);
    mpdata_json_out_bool_of(json, "replayed", x->is_replayed);
    if (x->nothing == NULL)
        write_rows(json, x);
    mpdata_json_out_close_map(json);
    mpdata_json_out_line(json);
}

static enum mprof_err print_json(struct session *session,
                                 struct mpdata_sink *sink)
{
    struct mpdata_json_out json;
    const bool is_there = mpdata_json_out_init(&json, sink);

    if (is_there)
        write_document(&json, (struct whatif *)session);
    mpdata_json_out_fini(&json);
    return is_there && !sink->failed ? MPROF_E_OK : MPROF_E_NOMEM;
}

/* -- the command ----------------------------------------------------------- */

#define TAKE_ROWS(x, list) \
    ((x)->rows = (list), (x)->row_count = MPROF_ARRAY_LEN(list))

static int choose_pool(struct whatif *x)
{
    struct mpdata_frame_names *const names =
        mpdata_frame_names_new(profile_of(x), &x->session.demangler);
    const char *unknown = NULL;
    enum mprof_err err = MPROF_E_NOMEM;

    TAKE_ROWS(x, pool_rows);
    if (names != NULL)
        err = mpdata_whatif_pool(&x->w, profile_of(x), names, x->pools.words,
                                 x->pools.count, &unknown);
    if (names == NULL || mpdata_frame_names_failed(names))
        err = MPROF_E_NOMEM;
    mpdata_frame_names_free(names);
    if (err != MPROF_E_OK)
        return cmd_no_memory();
    if (unknown != NULL)
        return cmd_usage(x->session.command,
                         "--pool=%s: no type, function or FILE:LINE of this "
                         "name allocates; memprofdata show lists them with "
                         "--by=type and --by=line",
                         unknown);
    return 0;
}

static int choose_hot_cold(struct whatif *x)
{
    TAKE_ROWS(x, hot_cold_rows);
    if (mpdata_whatif_hot_cold(&x->w, profile_of(x)) != MPROF_E_OK)
        return cmd_no_memory();
    if (x->w.sums[MPDATA_WHATIF_HOT].blocks == 0 &&
        x->w.sums[MPDATA_WHATIF_COLD].blocks == 0)
        x->nothing = "No block at the peak is hot or cold, so hints change "
                     "nothing; memprofdata explain says why.";
    return 0;
}

static int choose_type(struct whatif *x)
{
    uint32_t types;

    TAKE_ROWS(x, reorder_rows);
    if (mpdata_whatif_reorder(&x->w, profile_of(x), x->type, &types) !=
        MPROF_E_OK)
        return cmd_no_memory();
    if (types == 0)
        return cmd_usage(x->session.command,
                         "--reorder=%s: accesses to the members of such a type "
                         "are not known, or more follows its objects in their "
                         "blocks; memprofdata fields lists the types",
                         x->type);
    if (types > 1)
        x->nothing = "Types of this name differ in size or members, so one "
                     "order is not for all.";
    else if (x->w.to == 0)
        x->nothing = "No better order of its members is found in the accesses.";
    return 0;
}

static int choose(struct whatif *x)
{
    const int status = x->pools.count != 0 ? choose_pool(x)
                       : x->is_hot_cold    ? choose_hot_cold(x)
                                           : choose_type(x);

    if (status == 0 && x->nothing == NULL &&
        x->w.sums[MPDATA_WHATIF_CHOSEN].blocks == 0 &&
        x->w.sums[MPDATA_WHATIF_HOT].blocks == 0)
        x->nothing = x->is_hot_cold
                         ? "All blocks at the peak are cold."
                         : "None of these blocks is alive at the peak.";
    for (size_t i = 0; status == 0 && i < x->row_count; i++)
        x->rooms[i] =
            mpdata_whatif_room(&x->w, profile_of(x), x->rows[i].layout,
                               x->rows[i].is_alone, x->rows[i].is_changed);
    return status;
}

static int check_peak(struct whatif *x)
{
    const struct mpdata_view view = mpdata_profile_view(profile_of(x));
    struct mpdata_run_totals runs;
    bool held[MPDATA_METRIC_COUNT];
    struct mprof_diag diag;

    if (mpdata_metrics_held(profile_of(x), held) != MPROF_E_OK ||
        mpdata_run_totals(&view, &runs) != MPROF_E_OK)
        return cmd_no_memory();
    x->runs = runs.peak_runs;
    if (held[MPDATA_METRIC_PEAK])
        return 0;
    (void)mpdata_diag_text(&diag, MPROF_E_UNSUPPORTED, "not measured: %s%s",
                           mpdata_metrics[MPDATA_METRIC_PEAK].title,
                           mpdata_metrics_how(MPDATA_METRIC_PEAK));
    diag.file = x->session.words[0];
    return cmd_fail(&diag);
}

static int whatif(struct session *session)
{
    struct whatif *const x = (struct whatif *)session;

    if ((x->pools.count != 0) + x->is_hot_cold + (x->type != NULL) != 1)
        return cmd_usage(session->command,
                         "one of --pool, --hot-cold and --reorder is needed");
    session->choice.numbers_stacks = true;
    int status = session_take_inputs(session);
    if (status == 0)
        status = session_load(session, &session->profiles[SESSION_NEW]);
    if (status == 0)
        status = check_peak(x);
    if (status == 0)
        status = choose(x);
    if (status == 0 && x->nothing == NULL)
        status = replay(x);
    if (status != 0)
        return status;
    if (mpdata_notes_of_profile(profile_of(x), &x->notes) != MPROF_E_OK)
        return cmd_no_memory();
    mprof_buf_bytes(&x->notes, "", 1);
    return x->notes.failed ? cmd_no_memory()
                           : session_print(session, print_text, print_json);
}

static int run(const struct cmd_call *call)
{
    struct whatif x = {.session = {.command = NULL}};

    x.pools.words = calloc((size_t)call->argc, sizeof(*x.pools.words));
    if (x.pools.words == NULL)
        return cmd_no_memory();
    mpdata_heapbuf_init(&x.notes);
    int status = session_run(&x.session, call, whatif);
    mpdata_heapbuf_fini(&x.notes);
    mpdata_whatif_fini(&x.w);
    free(x.pools.words);
    return status;
}

const struct cmd_command cmd_whatif = {
    .name = "whatif",
    .usage = "[OPTION]... FILE...",
    .summary = "predict the memory of another layout of blocks",
    .details =
        "Reads profiles as show does, merges them, and prints what blocks that "
        "are alive at the peak take now, and what they would take in a pool, "
        "with hot and cold blocks apart, or with another order of their "
        "members: bytes, pages and cache lines, as ranges where a profile does "
        "not tell. Of one log, which MEMPROF_OPTIONS=log=FILE writes, the "
        "calls are made again with each allocator, and measured.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
