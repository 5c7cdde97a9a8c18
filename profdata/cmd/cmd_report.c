/* cmd_report.c -- memprofdata report: a profile as a page to look at.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/commands.h"
#include "profdata/base/file.h"
#include "profdata/base/output.h"
#include "profdata/cmd/profile_input.h"
#include "profdata/report/page.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define DEFAULT_OUTPUT "report.html"
/* Of xdg-utils; opens a file with what its reader has chosen. */
#define OPENER "xdg-open"

extern char **environ;

#define OLD MPDATA_DIFF_OLD
#define NEW MPDATA_DIFF_NEW

struct report {
    const char *output;
    bool opens;
    bool compares;
    bool is_absolute;
    bool no_source;
    bool no_verify;
    struct cmd_symbols symbols;
    struct cmd_filter filter;
    const char **words; /* the inputs that were named */
    int word_count;
    struct profile_input
        inputs[MPDATA_DIFF_SIDES]; /* NEW, where one is shown */
    struct mpdata_demangler demangler;
};

/* -- options --------------------------------------------------------------- */

static int take_input(void *state, const struct cmd_command *command,
                      const struct cmd_option *option, const char *value)
{
    struct report *const r = (struct report *)state;

    (void)command;
    (void)option;
    r->words[r->word_count++] = value;
    return 0;
}

#define AT(member) offsetof(struct report, member)

static const struct cmd_option options[] = {
    {"output", 'o', "FILE", "where to write (default: " DEFAULT_OUTPUT ")",
     cmd_take_text, AT(output)},
    {"open", 0, NULL, "and show it in the browser, with " OPENER, cmd_take_flag,
     AT(opens)},
    {"diff", 0, NULL,
     "compare two profiles, the old one and the new one: what grew, shrank, is "
     "new or gone",
     cmd_take_flag, AT(compares)},
    {"absolute", 0, NULL,
     "with --diff: compare sums, even of different numbers of runs; else those "
     "are compared by what one run has",
     cmd_take_flag, AT(is_absolute)},
    {"no-source", 0, NULL,
     "no source text; else some lines around the frames of the largest call "
     "stacks stand in the page, where their files are found",
     cmd_take_flag, AT(no_source)},
    CMD_FILTER_OPTIONS(AT(filter)),
    CMD_SYMBOL_OPTIONS(AT(symbols)),
    {"no-verify", 0, NULL, "read inputs whose checksums do not match",
     cmd_take_flag, AT(no_verify)},
};

/* -- the command ----------------------------------------------------------- */

/* Waits for the program that asks the browser, not for the browser. */
static int open_page(const char *path)
{
    char *const words[] = {(char[]){OPENER}, (char *)(uintptr_t)path, NULL};
    pid_t child;
    int status = 0;
    const int error = posix_spawnp(&child, OPENER, NULL, NULL, words, environ);

    if (error == 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
    if (error == 0 && status == 0)
        return 0;
    cmd_say("%s is written, but " OPENER " did not show it%s%s: open it with a "
            "browser",
            path, error != 0 ? ": " : "", error != 0 ? strerror(error) : "");
    return mprof_err_exit(MPROF_E_UNSUPPORTED);
}

/* -- writing --------------------------------------------------------------- */

/* What the page is of, while the functions below write it. */
struct page_of {
    struct mpdata_export profiles[MPDATA_DIFF_SIDES];
    struct mpdata_compared compared;
    bool held[MPDATA_METRIC_COUNT];
};

static enum mprof_err write_one(struct report *r, struct page_of *page,
                                struct mpdata_sink *sink)
{
    const struct mpdata_document document = {.now = &page->profiles[NEW],
                                             .left_out[NEW] =
                                                 &r->inputs[NEW].left_out,
                                             .has_source = !r->no_source};
    const enum mprof_err err =
        mpdata_metrics_held(r->inputs[NEW].content.profile, page->held);

    page->profiles[NEW].held = page->held;
    return err == MPROF_E_OK ? mpdata_page_write(&document, sink) : err;
}

static enum mprof_err write_both(struct report *r, struct page_of *page,
                                 struct mpdata_sink *sink)
{
    const struct mpdata_profile *const profiles[] = {
        r->inputs[OLD].content.profile, r->inputs[NEW].content.profile};
    const struct mpdata_document document = {
        .now = &page->profiles[NEW],
        .before = &page->profiles[OLD],
        .compared = &page->compared,
        .left_out = {&r->inputs[OLD].left_out, &r->inputs[NEW].left_out},
        .has_source = !r->no_source};
    enum mprof_err err = mpdata_compared_make(
        &page->compared, profiles, r->words, r->is_absolute, &r->demangler);

    for (int side = OLD; side <= NEW; side++)
        page->profiles[side].held = page->compared.held;
    if (err == MPROF_E_OK)
        err = mpdata_page_write(&document, sink);
    mpdata_compared_fini(&page->compared);
    return err;
}

static enum mprof_err write_page(struct report *r, struct mpdata_sink *sink)
{
    const int first = r->compares ? OLD : NEW;
    struct page_of page = {.held = {false}};
    enum mprof_err err = MPROF_E_OK;

    r->demangler = symbol_options_demangler(&r->inputs[NEW].load);
    for (int side = first; side <= NEW; side++) {
        const struct mpdata_profile *const p = r->inputs[side].content.profile;

        page.profiles[side] = (struct mpdata_export){
            .profile = p, .names = mpdata_frame_names_new(p, &r->demangler)};
        if (page.profiles[side].names == NULL)
            err = MPROF_E_NOMEM;
    }
    if (err == MPROF_E_OK)
        err = (r->compares ? write_both : write_one)(r, &page, sink);
    for (int side = first; side <= NEW; side++) {
        if (err == MPROF_E_OK &&
            mpdata_frame_names_failed(page.profiles[side].names))
            err = MPROF_E_NOMEM;
        mpdata_frame_names_free(page.profiles[side].names);
    }
    return err == MPROF_E_OK && sink->failed ? MPROF_E_NOMEM : err;
}

static int write_output(struct report *r)
{
    struct mpdata_output out;
    struct mpdata_sink sink;
    struct mprof_diag diag;
    enum mprof_err err;

    mpdata_output_init(&out, r->output);
    sink = mpdata_output_sink(&out);
    err = write_page(r, &sink);
    err = err == MPROF_E_OK ? mpdata_output_finish(&out, &diag)
                            : mpdata_output_fail(&out, err, &diag);
    mpdata_output_fini(&out);
    return err == MPROF_E_OK ? 0 : cmd_fail_inputs(&diag);
}

/* -- inputs ---------------------------------------------------------------- */

/* Each word is an input of the one profile, or a profile of its own. */
static int add_words(struct report *r)
{
    int status = 0;

    for (int i = 0; status == 0 && i < r->word_count; i++)
        status =
            profile_input_add(&r->inputs[r->compares ? i : NEW], r->words[i]);
    return status;
}

static int load(struct report *r)
{
    struct cmd_warned warned = {.sums = {.kind = NULL}};
    const struct mpdata_diag_warn warn = {.fn = cmd_warn, .context = &warned};
    int status = 0;

    for (int side = r->compares ? OLD : NEW; status == 0 && side <= NEW;
         side++) {
        r->inputs[side].output = r->output;
        status = profile_input_load(&r->inputs[side], &r->symbols, &r->filter,
                                    !r->no_verify, &warn);
    }
    cmd_warned_fini(&warned);
    return status;
}

static int check_words(const struct report *r,
                       const struct cmd_command *command)
{
    if (r->word_count == 0)
        return cmd_usage(command, "no input files");
    if (r->compares && r->word_count != MPDATA_DIFF_SIDES)
        return cmd_usage(command,
                         "--diff compares two profiles; merge makes one of "
                         "several, @LIST and a directory stand for several, "
                         "too");
    if (r->compares && strcmp(r->words[OLD], "-") == 0 &&
        strcmp(r->words[NEW], "-") == 0)
        return cmd_usage(command, "standard input is named twice");
    if (r->is_absolute && !r->compares)
        return cmd_usage(command, "--absolute is for --diff");
    if (r->opens && strcmp(r->output, "-") == 0)
        return cmd_usage(command, "--open needs a file: --output=- is none");
    return 0;
}

/* An input is not to be lost to the output. */
static int check_output(const struct report *r,
                        const struct cmd_command *command)
{
    for (int side = OLD; side <= NEW; side++) {
        if (!mpdata_file_is_standard(r->output) &&
            mpdata_inputs_is_named(&r->inputs[side].inputs, r->output))
            return cmd_usage(command, "%s is an input and the output",
                             r->output);
    }
    return 0;
}

static int report_inputs(struct report *r, const struct cmd_command *command)
{
    int status = check_words(r, command);

    if (status == 0)
        status = add_words(r);
    if (status == 0)
        status = check_output(r, command);
    if (status == 0)
        status = load(r);
    if (status == 0)
        status = write_output(r);
    return status == 0 && r->opens ? open_page(r->output) : status;
}

static int run(const struct cmd_call *call)
{
    const size_t words = (size_t)call->argc;
    const char **room = (const char **)calloc(3 * words, sizeof(*room));
    struct report r = {.output = DEFAULT_OUTPUT,
                       .symbols = {.binaries = room, .dirs = room + words},
                       .words = room + 2 * words};
    int status = 0;

    if (room == NULL)
        return cmd_no_memory();
    for (int side = OLD; side <= NEW; side++)
        profile_input_init(&r.inputs[side]);
    if (cmd_take_all(call, &r, take_input, &status))
        status = report_inputs(&r, call->command);
    for (int side = OLD; side <= NEW; side++)
        profile_input_fini(&r.inputs[side]);
    filter_options_fini(&r.filter);
    free(room);
    return status;
}

const struct cmd_command cmd_report = {
    .name = "report",
    .usage = "[OPTION]... FILE... [-o FILE] | --diff OLD NEW [-o FILE]",
    .summary = "write a page to look at, for any browser",
    .details =
        "Reads profiles as show does, several as one, and writes one page "
        "that needs nothing else: no network, no server. It has a summary, "
        "flame graphs of any metric from main() down and from the allocations "
        "up, the tree of calls, tables by function, line, file, module and "
        "type, and each call stack. Its address says what is looked at, so a "
        "view can be sent with the file. With --diff it shows two profiles "
        "side "
        "by side, as diff compares them.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
