/* cmd_diff.c -- memprofdata diff: prints the differences of two profiles.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/commands.h"
#include "profdata/cmd/session.h"
#include "profdata/view/views.h"

struct diff {
    struct session session;
    struct mpdata_diff_options how;
    struct diff_options view;
    struct mpdata_diff diff;
};

#define AT(member) offsetof(struct diff, member)

static const struct cmd_option options[] = {
    {"top", 0, "N",
     "show N call stacks, functions ... (default: 10, with --json all)",
     cmd_take_count, SESSION_AT(show.top)},
    {"sort", 0, "KEY:" MPDATA_METRIC_NAMES,
     MPDATA_METRIC_NAMES
     "(default: the first of leaked, live, peak and bytes that changed; with "
     "--json bytes): the metric to compare",
     cmd_take_choice, AT(how.metric)},
    {"metric", 0, "KEY:" MPDATA_METRIC_NAMES, "the same as --sort",
     cmd_take_choice, AT(how.metric)},
    {"by", 0, "WHAT:" MPDATA_BY_WORDS,
     "stack (default), function, line, file, binary (program or library; raw "
     "profiles only), type of the allocated objects, thread or pool",
     cmd_take_choice, AT(how.by)},
    {"absolute", 0, NULL,
     "compare sums even if the numbers of runs differ; by default, values per "
     "run are compared then",
     cmd_take_flag, AT(how.is_absolute)},
    SESSION_JSON_OPTION,
    SESSION_STACKS_OPTION,
    SESSION_WRAPPERS_OPTION,
    SESSION_HIDE_OPTION,
    {"pools", 0, NULL,
     "compare mapped memory and the blocks of the program's own allocators "
     "instead of the heap's blocks, as show --pools has them",
     cmd_take_flag, SESSION_AT(is_of_pools)},
    SESSION_FILTER_OPTIONS,
    SESSION_SYMBOL_OPTIONS,
    SESSION_OUTPUT_OPTIONS,
    SESSION_VERIFY_OPTION,
};

static enum mprof_err print_text(struct session *session, FILE *out)
{
    struct diff *const d = (struct diff *)session;

    d->view.show = session->show;
    return diff_text(out, &d->diff, NULL, 0, &d->view);
}

static enum mprof_err print_json(struct session *session,
                                 struct mpdata_sink *sink)
{
    struct diff *const d = (struct diff *)session;

    d->view.show = session->show;
    return diff_json(sink, &d->diff, &d->view);
}

static int compare(struct session *session)
{
    struct diff *const d = (struct diff *)session;
    const struct mpdata_profile *profiles[SESSION_SIDES];
    int status = session_take_pair(session);

    d->how.is_average = !session->is_json;
    d->how.finds_metric =
        d->how.metric == MPDATA_METRIC_COUNT && !session->is_json;
    if (d->how.metric == MPDATA_METRIC_COUNT)
        d->how.metric = MPDATA_METRIC_BYTES;
    session->is_of_pools |= d->how.by == MPDATA_BY_POOL;
    for (int side = 0; status == 0 && side < SESSION_SIDES; side++) {
        struct session_profile *const p = &session->profiles[side];

        p->load.needs_binaries = d->how.by == MPDATA_BY_BINARY;
        p->load.keeps_binaries = p->load.needs_binaries;
        status = session_load(session, p);
        if (status == 0 && d->how.by < MPDATA_BY_TYPE)
            status = session_hide(session, p,
                                  d->how.by >= MPDATA_BY_FUNCTION &&
                                      d->how.by <= MPDATA_BY_FILE);
        profiles[side] = p->content.profile;
        d->view.names[side] = session->words[side];
        d->view.joined[side] = p->joined;
    }
    if (status != 0)
        return status;
    return mpdata_diff_make(&d->diff, profiles, &d->how) == MPROF_E_OK
               ? session_print(session, print_text, print_json)
               : cmd_no_memory();
}

static int run(const struct cmd_call *call)
{
    struct diff d = {.how = {.metric = MPDATA_METRIC_COUNT}};
    const int status = session_run(&d.session, call, compare);

    mpdata_diff_fini(&d.diff);
    return status;
}

const struct cmd_command cmd_diff = {
    .name = "diff",
    .usage = "[OPTION]... OLD NEW",
    .summary = "compare two profiles",
    .details = "Shows what is new, gone, grown or shrunk in NEW: the totals of "
               "both profiles, then the call stacks that changed most. Call "
               "stacks are matched by their functions and by the positions of "
               "calls in them, so the program may have been rebuilt and its "
               "lines may have moved. Metrics that one of the profiles did not "
               "measure are not compared. OLD and NEW may each be "
               "a file, a directory, - or @LIST as for show.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
