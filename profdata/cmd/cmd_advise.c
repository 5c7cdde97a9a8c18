/* cmd_advise.c -- memprofdata advise: what to change in a program.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/file.h"
#include "profdata/cmd/commands.h"
#include "profdata/cmd/session.h"
#include "profdata/judge/silence.h"
#include "profdata/view/views.h"

#include <inttypes.h>
#include <stdlib.h>

#define EXIT_FOUND 1

enum form { FORM_TEXT, FORM_JSON, FORM_SARIF };

struct advise {
    struct session session;
    enum form form;
    double percent;       /* below 0: not given */
    double lower_percent; /* of the peak; 0: rules, not the peak's places */
    const char *list;     /* path of the list of silenced advice, or NULL */
    const char *baseline; /* path of an older profile, or NULL */
    bool fails;
    struct mpdata_list silenced;
    struct mpdata_advice advice[SESSION_SIDES];
};

#define AT(member) offsetof(struct advise, member)

static int take_percent(const struct cmd_arg *arg)
{
    char *end;
    double *const percent = arg->field;

    *percent = strtod(arg->value, &end);
    return end != arg->value && *end == '\0' && *percent >= 0 && *percent <= 100
               ? 0
               : cmd_usage(arg->command,
                           "--%s=%s: not a percentage from 0 to 100",
                           arg->option->name, arg->value);
}

static int take_lower(const struct cmd_arg *arg)
{
    const int status = take_percent(arg);

    return status != 0 || *(const double *)arg->field > 0
               ? status
               : cmd_usage(arg->command,
                           "--%s=%s: nothing to do: the percentage is 0",
                           arg->option->name, arg->value);
}

static const struct cmd_option options[] = {
    {"format", 0, "FORM:text json sarif",
     "text (default), json, or sarif: SARIF 2.1.0, which editors and code "
     "review show beside the source",
     cmd_take_choice, AT(form)},
    SESSION_JSON_OPTION,
    {"min", 0, "PERCENT",
     "leave out advice that saves less than PERCENT of the bytes at the peak "
     "and of all blocks (default: 1); leaks are always listed",
     take_percent, AT(percent)},
    {"lower-peak", 0, "PERCENT",
     "list instead the fewest places whose blocks are PERCENT of the bytes at "
     "the peak, without those that --ok or a comment silences",
     take_lower, AT(lower_percent)},
    {"top", 0, "N", "show N findings (default: 10; json and sarif: all)",
     cmd_take_count, SESSION_AT(show.top)},
    {"ok", 0, "FILE",
     "leave out the advice that FILE lists: lines \"KIND:PATTERN\" or "
     "\"*:PATTERN\", where * in the pattern matches any text, and the pattern "
     "matches a part of the function or of the source file",
     cmd_take_text, AT(list)},
    {"baseline", 0, "FILE",
     "leave out advice that the profile FILE gives for the same function, too",
     cmd_take_text, AT(baseline)},
    {"fail", 0, NULL, "exit with status 1 if there is advice", cmd_take_flag,
     AT(fails)},
    SESSION_STACKS_OPTION,
    SESSION_SYMBOL_OPTIONS,
    SESSION_OUTPUT_OPTIONS,
    SESSION_VERIFY_OPTION,
};

/* -- silenced advice ------------------------------------------------------- */

static void say_unused(const struct advise *a)
{
    const struct mpdata_silence_row *const rows = a->silenced.rows.data;

    for (uint32_t i = 0; i < a->silenced.rows.count; i++) {
        if (rows[i].used == 0)
            cmd_say("%s:%" PRIu32 ": matches no advice", a->list, rows[i].line);
    }
}

static void silence(struct advise *a, struct mpdata_frame_names *names)
{
    struct mpdata_advice *const advice = &a->advice[SESSION_NEW];
    const struct mpdata_profile *const profile =
        session_profile(&a->session, SESSION_NEW);

    mpdata_silence_by_source(advice, profile);
    if (a->list != NULL)
        mpdata_silence_by_list(advice, profile, names, &a->silenced);
    if (a->baseline != NULL)
        mpdata_silence_by_old(advice, profile, &a->advice[SESSION_OLD],
                              session_profile(&a->session, SESSION_OLD));
}

/* -- the command ----------------------------------------------------------- */

static enum mprof_err print_text(struct session *session, FILE *out)
{
    struct advise *const a = (struct advise *)session;

    return advice_text(out, session_profile(session, SESSION_NEW),
                       &a->advice[SESSION_NEW], &session->show);
}

static enum mprof_err print_json(struct session *session,
                                 struct mpdata_sink *sink)
{
    struct advise *const a = (struct advise *)session;
    advice_fn *const write =
        a->form == FORM_SARIF ? advice_json_sarif : advice_json;

    return write(sink, session_profile(session, SESSION_NEW),
                 &a->advice[SESSION_NEW], &session->show);
}

/* Loads a side's profile and applies the rules. An older profile's advice
 * counts however little it saves. */
static int judge(struct advise *a, int side)
{
    struct session_profile *const p = &a->session.profiles[side];
    enum mprof_err err = MPROF_E_NOMEM;
    const int status = session_load(&a->session, p);

    if (status != 0)
        return status;
    struct mpdata_frame_names *names =
        mpdata_frame_names_new(p->content.profile, &a->session.demangler);
    if (names != NULL)
        err = a->lower_percent > 0
                  ? mpdata_advice_make_peak(&a->advice[side],
                                            p->content.profile, names)
                  : mpdata_advice_make(
                        &a->advice[side], p->content.profile, names,
                        side == SESSION_NEW ? a->percent / 100 : 0);
    if (err == MPROF_E_OK && side == SESSION_NEW)
        silence(a, names);
    if (err == MPROF_E_OK && side == SESSION_NEW && a->lower_percent > 0)
        mpdata_advice_cut(&a->advice[side], a->lower_percent / 100);
    if (err == MPROF_E_OK && mpdata_frame_names_failed(names))
        err = MPROF_E_NOMEM;
    mpdata_frame_names_free(names);
    return err == MPROF_E_OK ? 0 : cmd_no_memory();
}

static int advise(struct session *session)
{
    struct advise *const a = (struct advise *)session;
    int status = session_take_inputs(session);

    if (session->is_json && a->form == FORM_SARIF)
        return cmd_usage(session->command,
                         "--json and --format=sarif cannot be combined");
    if (a->lower_percent > 0 && a->baseline != NULL)
        return cmd_usage(session->command,
                         "--lower-peak and --baseline cannot be combined");
    if (a->lower_percent > 0 && a->percent >= 0)
        return cmd_usage(session->command,
                         "--lower-peak and --min cannot be combined");
    if (a->percent < 0)
        a->percent = 100 * MPDATA_ADVICE_SHARE_MIN;
    session->is_json |= a->form != FORM_TEXT;
    if (status == 0 && a->list != NULL)
        status = cmd_read_list(&a->silenced, a->list, mpdata_silence_read,
                               "\"KIND:PATTERN\", where KIND is * or a kind of "
                               "advice such as never-read");
    if (status == 0 && a->baseline != NULL)
        status = session_add(&session->profiles[SESSION_OLD], a->baseline, 1);
    if (status == 0 && a->baseline != NULL)
        status = judge(a, SESSION_OLD);
    if (status == 0)
        status = judge(a, SESSION_NEW);
    if (status != 0)
        return status;
    say_unused(a);
    status = session_print(session, print_text, print_json);
    return status == 0 && a->fails && a->advice[SESSION_NEW].count != 0
               ? EXIT_FOUND
               : status;
}

static int run(const struct cmd_call *call)
{
    struct advise a = {.percent = -1};
    const int status = session_run(&a.session, call, advise);

    mpdata_lines_fini(&a.silenced);
    mpdata_advice_fini(&a.advice[SESSION_OLD]);
    mpdata_advice_fini(&a.advice[SESSION_NEW]);
    return status;
}

const struct cmd_command cmd_advise = {
    .name = "advise",
    .usage = "[OPTION]... FILE...",
    .summary = "say what to change to use less memory or allocate less often",
    .details =
        "Reads profiles as show does, merges them, and lists allocation sites "
        "that could do with less: what was measured, what to do, and what it "
        "saves, most first. Kinds of advice: leaked, never-accessed, "
        "never-read, stale, duplicates, untouched-tail, cold, cold-members and "
        "many-small save memory; small-steps, copy, repeated-content, "
        "local, temporary and churn save calls of the allocator, small-steps "
        "and concatenation copies, too. "
        "What was not measured gives no advice: never-read needs "
        "-memprof-access=rw, untouched-tail and cold-members "
        "-memprof-access=fields or -memprof-histogram, leaked leaks=1, "
        "stale last_access=1, duplicates and repeated-content duplicates=1, "
        "local free_sites=1, and copy both free_sites=1 and "
        "-memprof-access=rw-bytes or rw. A comment "
        "\"memprof: ok REASON\" on "
        "the line of the allocation or on the line above silences its advice.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
