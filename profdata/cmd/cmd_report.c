/* cmd_report.c -- memprofdata report: writes a profile as a web page.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/commands.h"
#include "profdata/cmd/session.h"
#include "profdata/report/document.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#define DEFAULT_OUTPUT "report.html"
/* Part of xdg-utils: opens a file with the user's preferred program. */
#define OPENER "xdg-open"

extern char **environ;

#define OLD SESSION_OLD
#define NEW SESSION_NEW

struct report {
    struct session session;
    bool opens;
    bool compares;
    bool is_absolute;
    bool no_source;
    struct mpdata_event_moments moments; /* of a single log */
};

/* -- options --------------------------------------------------------------- */

#define AT(member) offsetof(struct report, member)

static const struct cmd_option options[] = {
    {"output", 'o', "FILE", "output file (default: " DEFAULT_OUTPUT ")",
     cmd_take_text, SESSION_AT(output)},
    {"open", 0, NULL, "open the page in the browser with " OPENER,
     cmd_take_flag, AT(opens)},
    {"diff", 0, NULL,
     "compare an old and a new profile: which call stacks grew, shrank, are "
     "new or gone",
     cmd_take_flag, AT(compares)},
    {"absolute", 0, NULL,
     "with --diff: compare sums even if the numbers of runs differ; by "
     "default, values per run are compared then",
     cmd_take_flag, AT(is_absolute)},
    {"no-source", 0, NULL,
     "omit source text; by default, the page contains lines around the frames "
     "of the largest call stacks if their files are found",
     cmd_take_flag, AT(no_source)},
    {"pools", 0, NULL,
     "show mapped memory and the blocks of the program's own allocators "
     "instead of the heap's blocks, as show --pools does",
     cmd_take_flag, SESSION_AT(is_of_pools)},
    SESSION_MOMENT_OPTIONS,
    SESSION_HIDE_OPTION,
    SESSION_FILTER_OPTIONS,
    SESSION_SYMBOL_OPTIONS,
    SESSION_VERIFY_OPTION,
};

/* -- the command ----------------------------------------------------------- */

/* Opens the page in the browser. Waits for the launcher, not for the browser.
 */
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

/* Data for the functions that write the page. */
struct page_of {
    struct mpdata_export profiles[SESSION_SIDES];
    struct mpdata_compared compared;
    bool held[MPDATA_METRIC_COUNT];
};

static enum mprof_err write_one(struct report *r, struct page_of *page,
                                struct mpdata_sink *sink)
{
    const struct session_profile *const p = &r->session.profiles[NEW];
    const struct mpdata_document document = {
        .now = &page->profiles[NEW],
        .is_left_out = r->session.show.is_left_out,
        .left_out[NEW] = &p->left_out,
        .is_of_pools = r->session.is_of_pools,
        .moments = r->moments.ns,
        .moment_count = r->moments.count,
        .has_source = !r->no_source};
    const enum mprof_err err =
        mpdata_metrics_held(p->content.profile, page->held);

    if (r->session.is_of_pools)
        page->held[MPDATA_METRIC_ACCESSES] = false;
    page->profiles[NEW].held = page->held;
    return err == MPROF_E_OK ? mpdata_page_write(&document, sink) : err;
}

static enum mprof_err write_both(struct report *r, struct page_of *page,
                                 struct mpdata_sink *sink)
{
    struct session *const s = &r->session;
    const struct mpdata_profile *const profiles[] = {session_profile(s, OLD),
                                                     session_profile(s, NEW)};
    const struct mpdata_document document = {
        .now = &page->profiles[NEW],
        .before = &page->profiles[OLD],
        .compared = &page->compared,
        .left_out = {&s->profiles[OLD].left_out, &s->profiles[NEW].left_out},
        .is_of_pools = s->is_of_pools,
        .has_source = !r->no_source};
    enum mprof_err err = mpdata_compared_make(&page->compared, profiles,
                                              s->words, r->is_absolute);

    if (s->is_of_pools)
        page->compared.held[MPDATA_METRIC_ACCESSES] = false;
    for (int side = OLD; side <= NEW; side++)
        page->profiles[side].held = page->compared.held;
    if (err == MPROF_E_OK)
        err = mpdata_page_write(&document, sink);
    mpdata_compared_fini(&page->compared);
    return err;
}

static enum mprof_err write_page(struct session *s, struct mpdata_sink *sink)
{
    struct report *const r = (struct report *)s;
    const int first = r->compares ? OLD : NEW;
    struct page_of page = {.held = {false}};
    enum mprof_err err = MPROF_E_OK;

    for (int side = first; side <= NEW; side++) {
        const struct mpdata_profile *const p = session_profile(s, side);

        page.profiles[side] = (struct mpdata_export){
            .profile = p,
            .old = session_profile(s, OLD),
            .names = mpdata_frame_names_new(p, &s->demangler)};
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
    return err;
}

static int report(struct session *s)
{
    struct report *const r = (struct report *)s;

    if (r->is_absolute && !r->compares)
        return cmd_usage(s->command, "--absolute is for --diff");
    if (r->opens && strcmp(s->output, "-") == 0)
        return cmd_usage(s->command, "--open needs a file: --output=- is none");
    if (r->compares && (s->choice.at != NULL || s->choice.window != NULL))
        return cmd_usage(s->command,
                         "--%s cannot be combined with --diff: write the "
                         "moments with merge --at first",
                         s->choice.at != NULL ? "at" : "window");
    if (!r->compares && s->choice.at == NULL && s->choice.window == NULL)
        s->choice.moments = &r->moments;
    int status = r->compares ? session_take_pair(s) : session_take_inputs(s);
    for (int side = r->compares ? OLD : NEW; status == 0 && side <= NEW; side++)
        status = session_load(s, &s->profiles[side]);
    for (int side = r->compares ? OLD : NEW; status == 0 && side <= NEW; side++)
        status = session_hide(s, &s->profiles[side], false);
    if (status == 0)
        status = session_write(s, write_page);
    return status == 0 && r->opens ? open_page(s->output) : status;
}

static int run(const struct cmd_call *call)
{
    struct report r = {.session = {.output = DEFAULT_OUTPUT}};

    const int status = session_run(&r.session, call, report);

    mpdata_event_moments_fini(&r.moments);
    return status;
}

const struct cmd_command cmd_report = {
    .name = "report",
    .usage = "[OPTION]... FILE... [-o FILE] | --diff OLD NEW [-o FILE]",
    .summary = "write a profile as a web page",
    .details =
        "Reads profiles as show does, merges them, and writes one "
        "self-contained web page, which needs no network and no server. It has "
        "a summary, flame graphs of any metric (from main() down and from the "
        "allocations up), the call tree, tables by function, line, file, "
        "binary and type, and each call stack. The address of the page "
        "contains the current view, so a view can be sent with the file. On "
        "the page of a log, moments can be chosen. With --diff it shows two "
        "profiles side by side, compared as by diff.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
