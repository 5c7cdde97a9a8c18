/* session.c -- loads profiles from the arguments of a call, and writes the
 * output.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/session.h"
#include "profdata/base/file.h"
#include "profdata/base/sink.h"
#include "profdata/base/output.h"
#include "profdata/base/units.h"
#include "profdata/query/left_out.h"
#include "profdata/query/metrics.h"
#include "shared/abi.h"
#include "shared/tag_format.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOP_DEFAULT 10

/* -- the call -------------------------------------------------------------- */

static int take_word(const struct cmd_arg *arg)
{
    struct session *const s = (struct session *)arg->field;

    s->words[s->word_count++] = arg->value;
    return 0;
}

static void finish(struct session *s)
{
    for (int side = 0; side < SESSION_SIDES; side++) {
        struct session_profile *const p = &s->profiles[side];

        mpdata_symbolize_fini(&p->load);
        mpdata_content_fini(&p->content);
        mpdata_inputs_fini(&p->inputs);
        mpdata_heapbuf_fini(&p->left_out);
    }
    filter_options_fini(&s->filter);
    cmd_warned_fini(&s->warned);
}

int session_run(struct session *s, const struct cmd_call *call, session_fn *run)
{
    const size_t count = (size_t)call->argc;
    const char **const words = calloc(3 * count, sizeof(*words));
    int status = 0;

    if (words == NULL)
        return cmd_no_memory();
    s->command = call->command;
    s->words = words;
    s->symbols.binaries.words = words + count;
    s->symbols.dirs.words = words + 2 * count;
    s->warn = (struct mpdata_diag_warn){.fn = cmd_warn, .context = &s->warned};
    if (s->output == NULL)
        s->output = "-";
    if (s->show.top == 0)
        s->show.top = CMD_TOP_UNSET;
    for (int side = 0; side < SESSION_SIDES; side++) {
        mpdata_inputs_init(&s->profiles[side].inputs);
        mpdata_heapbuf_init(&s->profiles[side].left_out);
    }
    if (cmd_take_all(call, s, take_word, &status)) {
        if (s->show.top == CMD_TOP_UNSET)
            s->show.top = s->is_json ? UINT32_MAX : TOP_DEFAULT;
        status = run(s);
    }
    finish(s);
    free(words);
    return status;
}

/* -- inputs ---------------------------------------------------------------- */

static bool is_file(const char *output)
{
    return !mpdata_file_is_standard(output);
}

int session_add(struct session_profile *p, const char *word, uint64_t weight)
{
    struct mprof_diag diag;

    return mpdata_inputs_add(&p->inputs, word, weight, &diag) == MPROF_E_OK
               ? 0
               : cmd_fail(&diag);
}

static int check_output(const struct session *s)
{
    for (int side = 0; side < SESSION_SIDES; side++) {
        if (is_file(s->output) &&
            mpdata_inputs_is_named(&s->profiles[side].inputs, s->output))
            return cmd_usage(s->command, "%s is both an input and the output",
                             s->output);
    }
    return 0;
}

int session_take_inputs(struct session *s)
{
    int status = 0;

    if (s->word_count == 0)
        return cmd_usage(s->command, "no input files");
    for (uint32_t i = 0; status == 0 && i < s->word_count; i++)
        status = session_add(&s->profiles[SESSION_NEW], s->words[i], 1);
    return status == 0 ? check_output(s) : status;
}

int session_take_pair(struct session *s)
{
    int status = 0;

    if (s->word_count < SESSION_SIDES)
        return cmd_usage(s->command, "two profiles are needed");
    if (s->word_count > SESSION_SIDES)
        return cmd_usage(s->command,
                         "expected two profiles; each may be a directory or "
                         "@LIST, and merge combines several profiles");
    for (int side = 0; status == 0 && side < SESSION_SIDES; side++)
        status = session_add(&s->profiles[side], s->words[side], 1);
    if (status == 0 && s->profiles[SESSION_OLD].inputs.has_standard &&
        s->profiles[SESSION_NEW].inputs.has_standard)
        return cmd_usage(s->command, "standard input is named twice");
    return status == 0 ? check_output(s) : status;
}

/* -- profiles -------------------------------------------------------------- */

struct mpdata_profile *session_profile(const struct session *s, int side)
{
    return s->profiles[side].content.profile;
}

/* Warns of directories that cannot be searched. */
static void check_dirs(struct session *s)
{
    for (size_t i = 0; i < s->symbols.dirs.count; i++) {
        const char *const dir = s->symbols.dirs.words[i];
        const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        if (fd < 0)
            mpdata_diag_warn(&s->warn, NULL, "--debug-dir=%s: %s", dir,
                             strerror(errno));
        else
            close(fd);
    }
}

static int setup_symbols(const struct session_symbols *symbols,
                         struct mpdata_load_context *load)
{
    load->symbolizer.use_cache = !symbols->no_cache;
    load->binaries.debug.dirs = symbols->dirs.words;
    load->binaries.debug.count = symbols->dirs.count;
    for (size_t i = 0; i < symbols->binaries.count; i++) {
        struct mprof_diag diag;

        if (mpdata_binaries_add_given(&load->binaries,
                                      symbols->binaries.words[i],
                                      &diag) != MPROF_E_OK)
            return cmd_fail(&diag);
    }
    return 0;
}

static char *demangle(void *context, const char *name)
{
    return mpdata_bridge_demangle((struct mpdata_symbolizer *)context, name);
}

static bool has_choice(const struct session *s)
{
    return s->choice.at != NULL || s->choice.window != NULL;
}

/* Lends the choice to the loader, which takes it for a single input. */
static int open_choice(struct session *s, struct session_profile *p)
{
    if (s->choice.at != NULL && s->choice.window != NULL)
        return cmd_usage(s->command, "--at and --window cannot be combined");
    if ((has_choice(s) || s->choice.moments != NULL ||
         s->choice.numbers_stacks) &&
        p->inputs.count == 1)
        p->load.choice = &s->choice;
    else if (has_choice(s) && !s->may_be_no_log)
        return cmd_usage(s->command, "--%s is for one log",
                         s->choice.at != NULL ? "at" : "window");
    return 0;
}

int session_say_choice(const struct session *s, const struct session_profile *p)
{
    const struct mpdata_event_choice *const c = &s->choice;

    if (!has_choice(s) || (!c->is_found && s->may_be_no_log))
        return 0;
    if (!c->is_found)
        return cmd_usage(s->command,
                         "--%s needs a log (MEMPROF_OPTIONS=log=FILE), and %s "
                         "is none",
                         c->at != NULL ? "at" : "window",
                         mpdata_inputs_get(&p->inputs, 0)->path);
    if (c->unit != NULL && c->at != NULL)
        cmd_say("the blocks that were alive after %s (%s of the log)",
                mpdata_units_things(c->at_ns, c->unit).text,
                mpdata_units_share(c->at_ns, c->end_ns).text);
    else if (c->unit != NULL)
        cmd_say("the blocks that were allocated after %s and alive after %s",
                mpdata_units_things(c->from_ns, c->unit).text,
                mpdata_units_things(c->at_ns, c->unit).text);
    else if (c->at != NULL)
        cmd_say("the blocks that were alive %s after the start (%s of the log)",
                mpdata_units_ns(c->at_ns).text,
                mpdata_units_share(c->at_ns, c->end_ns).text);
    else
        cmd_say("the blocks that were allocated between %s and %s after the "
                "start and alive then",
                mpdata_units_ns(c->from_ns).text,
                mpdata_units_ns(c->at_ns).text);
    return 0;
}

/* The runtime overwrites no profile, so the file that a user gives again and
 * again to programs and to us may be the oldest one. */
static void say_later(const struct mpdata_inputs *inputs)
{
    const char *const path =
        inputs->count == 1 ? mpdata_inputs_get(inputs, 0)->path : "";
    const size_t bytes = strlen(path);
    const size_t stem = bytes - strlen(MPROF_RAW_SUFFIX);
    char name[PATH_MAX];
    struct stat first, next;
    int number = 0;

    if (bytes < strlen(MPROF_RAW_SUFFIX) || bytes > PATH_MAX - 16 ||
        strcmp(path + stem, MPROF_RAW_SUFFIX) != 0 || stat(path, &first) != 0)
        return;
    do {
        (void)snprintf(name, sizeof(name), "%.*s.%d" MPROF_RAW_SUFFIX,
                       (int)stem, path, ++number);
    } while (stat(name, &next) == 0 &&
             next.st_mtim.tv_sec >= first.st_mtim.tv_sec);
    if (--number != 0)
        cmd_say("%s: a later profile is in %.*s.%d" MPROF_RAW_SUFFIX
                ", because none is overwritten",
                path, (int)stem, path, number);
}

int session_open(struct session *s, struct session_profile *p)
{
    const char *const output = is_file(s->output) ? s->output : NULL;

    if (mpdata_inputs_dedupe(&p->inputs, output) != MPROF_E_OK ||
        mpdata_content_init(&p->content) != MPROF_E_OK)
        return cmd_no_memory();
    say_later(&p->inputs);
    p->load.content = &p->content;
    p->load.warn = &s->warn;
    s->demangler = (struct mpdata_demangler){.demangle = demangle,
                                             .context = &p->load.symbolizer};
    s->filter.demangler = s->show.demangler = &s->demangler;
    int status = setup_symbols(&s->symbols, &p->load);

    check_dirs(s);
    if (status == 0)
        status = open_choice(s, p);
    return status == 0 ? filter_options_setup(&s->filter, &s->symbols.binaries,
                                              &p->load, &s->prune)
                       : status;
}

/* Sums that are too large stop at the largest number. */
static void say_overflow(const struct mpdata_profile *profile)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    const struct mprof_mib totals = mpdata_profile_totals(&view);

    for (size_t m = 0; m < MPDATA_METRIC_COUNT; m++) {
        if (mpdata_metrics_get(&totals, (enum mpdata_metric)m) != UINT64_MAX)
            continue;
        cmd_say("warning: sums do not fit into 64 bits, so numbers are too "
                "low: %s",
                mpdata_metrics[m].title);
        return;
    }
}

void session_say_inputs(const struct session *s,
                        const struct session_profile *p)
{
    if (p->inputs.own_output != 0)
        cmd_say("%s is the output and in a directory of inputs, so it was "
                "skipped; to add to it, name it as an input too",
                s->output);
    if (p->inputs.again != 0)
        cmd_say("duplicate files, counted once: %" PRIu32, p->inputs.again);
    say_overflow(p->content.profile);
}

/* Replaces all blocks of the profile by the blocks of pools. Returns false when
 * out of memory. */
static bool choose_pools(struct session *s, struct mpdata_profile **profile)
{
    struct mpdata_profile *const pools =
        mpdata_prune_to_tagged(*profile, MPROF_TAG_POOL);

    if (pools == NULL)
        return false;
    mpdata_profile_free(*profile);
    *profile = pools;
    s->prune.of_tagged = MPROF_TAG_POOL;
    return true;
}

int session_filter(struct session *s, struct session_profile *p)
{
    struct mpdata_profile **const profile = &p->content.profile;
    struct mprof_diag diag;

    if (s->filter.has_failed)
        return cmd_no_memory();
    cmd_say_replaced(p->load.dumps.replaced);
    session_say_inputs(s, p);
    s->filter.shown = s->is_of_pools ? "pools" : s->shown;
    s->filter.lines = &p->left_out;
    if (s->profiles[SESSION_OLD].inputs.count != 0)
        s->filter.whose = p == &s->profiles[SESSION_OLD] ? "the old profile: "
                                                         : "the new profile: ";
    filter_options_loaded(&s->filter, *profile);
    if (s->is_of_pools && !choose_pools(s, profile))
        return cmd_no_memory();
    if (filter_options_prune(&s->filter, &s->prune, profile, &diag) !=
        MPROF_E_OK)
        return cmd_fail(&diag);
    s->show.is_left_out |= s->filter.has_left_out;
    return p->left_out.failed ? cmd_no_memory() : 0;
}

int session_hide(struct session *s, struct session_profile *p,
                 bool hides_wrappers)
{
    struct mpdata_profile **const profile = &p->content.profile;
    const uint32_t count = mpdata_profile_view(*profile).context_count;
    uint32_t wrapped;

    if (filter_options_hide(&s->filter,
                            hides_wrappers && !s->shows_wrappers && !s->is_json,
                            profile, &wrapped) != MPROF_E_OK)
        return cmd_no_memory();
    p->joined = count - mpdata_profile_view(*profile).context_count;
    s->show.wrapped += wrapped;
    s->show.joined = p->joined;
    return 0;
}

int session_read(struct session *s, struct session_profile *p)
{
    struct mprof_diag diag;
    const int status = session_open(s, p);

    if (status != 0)
        return status;
    p->load.is_heap_only = true;
    return mpdata_load_all(&p->load, &p->inputs, !s->no_verify, &diag) ==
                   MPROF_E_OK
               ? session_say_choice(s, p)
               : cmd_fail_inputs(&diag);
}

int session_load(struct session *s, struct session_profile *p)
{
    const int status = session_read(s, p);

    return status == 0 ? session_filter(s, p) : status;
}

/* -- output ---------------------------------------------------------------- */

int session_write(struct session *s, session_write_fn *write)
{
    struct mpdata_output out;
    struct mprof_diag diag;

    mpdata_output_init(&out, s->output);
    struct mpdata_sink sink = mpdata_output_sink(&out);
    enum mprof_err err = write(s, &sink);
    if (err == MPROF_E_OK && sink.failed)
        err = MPROF_E_NOMEM;
    err = err == MPROF_E_OK ? mpdata_output_finish(&out, &diag)
                            : mpdata_output_fail(&out, err, &diag);
    mpdata_output_fini(&out);
    return err == MPROF_E_OK ? 0 : cmd_fail_inputs(&diag);
}

static ssize_t append(void *context, const char *bytes, size_t size)
{
    struct mpdata_sink *const sink = context;

    mpdata_sink_bytes(sink, bytes, size);
    return sink->failed ? 0 : (ssize_t)size;
}

static enum mprof_err print_to(struct session *s, session_text_fn *print,
                               FILE *out)
{
    terminal_set_style(&s->show, s->color, out);
    return print(s, out);
}

static int print_file(struct session *s, session_text_fn *print)
{
    struct mpdata_output output;
    struct mprof_diag diag;
    enum mprof_err err = MPROF_E_NOMEM;

    mpdata_output_init(&output, s->output);
    struct mpdata_sink sink = mpdata_output_sink(&output);
    FILE *out =
        fopencookie(&sink, "w", (cookie_io_functions_t){.write = append});
    if (out != NULL)
        err = print_to(s, print, out);
    /* fclose() does not report earlier errors; sink.failed does. */
    if (out != NULL && (fclose(out) != 0 || sink.failed))
        err = MPROF_E_NOMEM;
    err = err == MPROF_E_OK ? mpdata_output_finish(&output, &diag)
                            : mpdata_output_fail(&output, err, &diag);
    mpdata_output_fini(&output);
    return err == MPROF_E_OK ? 0 : cmd_fail(&diag);
}

int session_print(struct session *s, session_text_fn *text,
                  session_write_fn *json)
{
    if (s->is_json && json != NULL)
        return session_write(s, json);
    if (is_file(s->output))
        return print_file(s, text);
    return print_to(s, text, stdout) == MPROF_E_OK ? cmd_finish_output(0)
                                                   : cmd_no_memory();
}

int session_say_limits(const struct mpdata_profile *profile, const char *whose)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct mpdata_run_totals runs;
    struct mprof_buf lines;
    const char *end;
    bool is_done = mpdata_run_totals(&view, &runs) == MPROF_E_OK;

    mpdata_heapbuf_init(&lines);
    if (is_done) {
        mpdata_notes_sampled(&runs, &lines);
        mpdata_notes_unknown(&runs, &lines);
    }
    mprof_buf_bytes(&lines, "", 1);
    is_done = is_done && !lines.failed;
    for (const char *line = is_done ? (const char *)lines.data : "";
         (end = strchr(line, '\n')) != NULL; line = end + 1)
        cmd_say("%s%.*s", whose, (int)(end - line), line);
    mpdata_heapbuf_fini(&lines);
    return is_done ? 0 : cmd_no_memory();
}
