/* cmd_explain.c -- memprofdata explain: which call stacks are hot or cold, and
 * why.
 *
 * Verdicts use the whole profile; options only select what is printed.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/file.h"
#include "profdata/base/sink.h"
#include "profdata/cmd/commands.h"
#include "profdata/cmd/session.h"
#include "profdata/judge/hint_list.h"
#include "profdata/query/left_out.h"
#include "profdata/view/views.h"

#include <inttypes.h>
#include <stdlib.h>

#define NAME_(id, name) name " "
#define RULE_NAMES MPDATA_VERDICT_RULES(NAME_)
#define VERDICT_NAMES MPDATA_VERDICTS(NAME_)

struct explain {
    struct session session;
    const char *hints; /* path of a list of hints */
    enum mpdata_verdict_rule rule;
    struct mpdata_explain_choice choice;
    const char *notes; /* lines */
    struct cmd_regex function;
    bool has_failed; /* out of memory in matches() */
    bool *is_frame;  /* frames that match --function; owned */
    struct mpdata_list list;
    struct mpdata_verdicts verdicts;
    struct mpdata_explain sites;
    struct mpdata_pool_groups groups;
    bool shows_groups;
};

#define AT(member) offsetof(struct explain, member)

static const struct cmd_option options[] = {
    {"function", 0, "REGEX",
     "show only call stacks with a function whose name matches REGEX "
     "(extended; any part of the name); verdicts still use the whole profile",
     filter_options_regex, AT(function)},
    {"verdict", 0, "VERDICT:" VERDICT_NAMES,
     "show only call stacks with this verdict", cmd_take_choice,
     AT(choice.kind)},
    {"hints", 0, "FILE",
     "let the hint list FILE override the profile: lines \"cold "
     "FUNCTION\", "
     "\"hot FUNCTION\" and \"none FUNCTION\", as for -mllvm "
     "-memprof-hint-list=FILE",
     cmd_take_text, AT(hints)},
    {"rule", 0, "RULE:" RULE_NAMES,
     "what to compare with: the rest of the profile (auto, the default) or "
     "LLVM's thresholds (llvm)",
     cmd_take_choice, AT(rule)},
    {"groups", 0, NULL,
     "show which call stacks' small blocks are used together, and which of "
     "these groups gain from a pool of their own",
     cmd_take_flag, AT(shows_groups)},
    {"top", 0, "N", "show N sites or groups (default: 10, with --json all)",
     cmd_take_count, SESSION_AT(show.top)},
    SESSION_JSON_OPTION,
    SESSION_STACKS_OPTION,
    SESSION_SYMBOL_OPTIONS,
    SESSION_OUTPUT_OPTIONS,
    SESSION_VERIFY_OPTION,
};

/* -- lists of hints -------------------------------------------------------- */

static void say_unused_hints(const struct explain *e)
{
    const struct mpdata_hint_list_row *const rows = e->list.rows.data;

    for (uint32_t i = 0; i < e->list.rows.count; i++) {
        if (rows[i].stacks == 0)
            cmd_say("%s:%" PRIu32 ": matches no call stack of the profile",
                    e->hints, rows[i].line);
    }
}

/* -- printing -------------------------------------------------------------- */

static enum mprof_err print_text(struct session *session, FILE *out)
{
    struct explain *const e = (struct explain *)session;

    if (e->shows_groups)
        return explain_groups_text(out, session_profile(session, SESSION_NEW),
                                   &e->groups, e->notes, &session->show);
    return explain_text(out, session_profile(session, SESSION_NEW),
                        &e->verdicts, &e->sites, e->notes, &session->show);
}

static enum mprof_err print_json(struct session *session,
                                 struct mpdata_sink *sink)
{
    struct explain *const e = (struct explain *)session;

    if (e->shows_groups)
        return explain_groups_json(sink, session_profile(session, SESSION_NEW),
                                   &e->groups, e->notes, &session->show);
    return explain_json(sink, session_profile(session, SESSION_NEW),
                        &e->verdicts, &e->sites, e->notes, &session->show);
}

static int print_with_notes(struct explain *e)
{
    struct mprof_buf notes;

    mpdata_heapbuf_init(&notes);
    enum mprof_err err = mpdata_notes_of_profile(
        session_profile(&e->session, SESSION_NEW), &notes);
    mprof_buf_bytes(&notes, "", 1);
    e->notes = (const char *)notes.data;
    int status = err != MPROF_E_OK || notes.failed
                     ? cmd_no_memory()
                     : session_print(&e->session, print_text, print_json);
    mpdata_heapbuf_fini(&notes);
    return status;
}

/* -- the command ----------------------------------------------------------- */

static bool matches(void *context, const char *name)
{
    struct explain *const e = context;

    return filter_options_fits(&e->function, name, &e->has_failed);
}

static enum mprof_err judge(struct explain *e, struct mpdata_frame_names *names)
{
    const struct mpdata_profile *const profile =
        session_profile(&e->session, SESSION_NEW);
    const struct mpdata_name_matcher matcher = {.matches = matches,
                                                .context = e};
    enum mprof_err err = mpdata_verdict_make(&e->verdicts, profile, e->rule);

    if (err == MPROF_E_OK && e->hints != NULL)
        err = mpdata_hint_list_apply(&e->list, &e->verdicts, profile, names);
    if (err == MPROF_E_OK)
        err = mpdata_pool_groups_make(&e->groups, profile, &e->verdicts);
    if (err == MPROF_E_OK && e->function.text != NULL) {
        e->is_frame = mpdata_frame_match(profile, names, &matcher);
        e->choice.is_frame = e->is_frame;
        if (e->is_frame == NULL || e->has_failed)
            err = MPROF_E_NOMEM;
    }
    if (err == MPROF_E_OK)
        err = mpdata_explain_make(&e->sites, profile, &e->verdicts, names,
                                  &e->choice);
    return err == MPROF_E_OK && mpdata_frame_names_failed(names) ? MPROF_E_NOMEM
                                                                 : err;
}

static int explain(struct session *session)
{
    struct explain *const e = (struct explain *)session;
    struct session_profile *const p = &session->profiles[SESSION_NEW];
    enum mprof_err err = MPROF_E_NOMEM;
    int status = session_take_inputs(session);

    if (status == 0 && e->hints != NULL)
        status = cmd_read_list(
            &e->list, e->hints, mpdata_hint_list_read,
            "\"cold FUNCTION\", \"hot FUNCTION\" or \"none FUNCTION\"");
    if (status == 0)
        status = session_load(session, p);
    if (status != 0)
        return status;
    struct mpdata_frame_names *names =
        mpdata_frame_names_new(p->content.profile, &session->demangler);
    if (names != NULL)
        err = judge(e, names);
    mpdata_frame_names_free(names);
    if (err != MPROF_E_OK)
        return cmd_no_memory();
    say_unused_hints(e);
    return print_with_notes(e);
}

static int run(const struct cmd_call *call)
{
    struct explain e = {.choice = {.kind = MPDATA_VERDICT_KINDS}};
    const int status = session_run(&e.session, call, explain);

    mpdata_explain_fini(&e.sites);
    mpdata_pool_groups_fini(&e.groups);
    mpdata_verdict_fini(&e.verdicts);
    mpdata_lines_fini(&e.list);
    filter_options_free_regex(&e.function);
    free(e.is_frame);
    return status;
}

const struct cmd_command cmd_explain = {
    .name = "explain",
    .usage = "[OPTION]... FILE...",
    .summary = "explain which allocations are cold or hot, and why",
    .details =
        "Reads profiles as show does, merges them, and prints for each "
        "allocation site whether its blocks are cold, hot or neither, why, and "
        "what a hint to the allocator would save. Blocks with a long life are "
        "compared by accesses per byte and second. Blocks with a short life "
        "and blocks without measured accesses are never cold. A compilation "
        "with -fprofile-use=FILE and memprof.so makes the same decisions.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
