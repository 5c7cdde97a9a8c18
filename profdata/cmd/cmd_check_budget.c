/* cmd_check_budget.c -- memprofdata check-budget: does a program allocate more
 * than its budget allows?
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/file.h"
#include "profdata/cmd/commands.h"
#include "profdata/cmd/session.h"
#include "profdata/view/views.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TOP_DEFAULT 3
#define EXIT_BROKEN 1
/* An unusable input must not look like an exceeded limit. */
#define EXIT_UNUSABLE CMD_EXIT_USAGE
#define BUDGET_BYTES_MAX (1u << 20)

struct check {
    struct session session;
    const char *file; /* path of the budget */
    const char *baseline;
    struct mpdata_budget budget;
    struct mpdata_budget_result *results; /* one per limit; owned */
    uint8_t *marks[SESSION_SIDES];
    uint32_t broken;
    uint32_t uncertain;
    bool is_estimate; /* of any limit */
};

#define AT(member) offsetof(struct check, member)

static const struct cmd_option options[] = {
    {"baseline", 0, "FILE",
     "measure growth against this profile instead of the one that the budget "
     "names",
     cmd_take_text, AT(baseline)},
    {"top", 0, "N", "show N call stacks of each limit (default: 3)",
     cmd_take_count, SESSION_AT(show.top)},
    SESSION_JSON_OPTION,
    SESSION_STACKS_OPTION,
    SESSION_SYMBOL_OPTIONS,
    SESSION_OUTPUT_OPTIONS,
    SESSION_VERIFY_OPTION,
};

/* -- the budget ------------------------------------------------------------ */

/* Prints an error in a line of the budget. */
static int say_bad_line(const struct check *c, uint32_t line, const char *why)
{
    cmd_say("%s:%" PRIu32 ": %s", c->file, line, why);
    return EXIT_UNUSABLE;
}

static int read_budget(struct check *c)
{
    struct mprof_diag diag;
    struct mpdata_file file;
    enum mprof_err err =
        mpdata_file_open_input(&file, c->file, mpdata_lines_is_binary, &diag);

    if (err != MPROF_E_OK)
        return cmd_fail(&diag);
    bool is_large = file.size > BUDGET_BYTES_MAX;
    if (!is_large)
        err =
            mpdata_budget_read(&c->budget, (const char *)file.data, file.size);
    mpdata_file_close(&file);
    if (is_large)
        return say_bad_line(c, 1, "a budget of more than 1 MiB is not read");
    if (err == MPROF_E_VALUE)
        return say_bad_line(c, c->budget.bad_line, c->budget.why);
    return err == MPROF_E_OK ? 0 : cmd_no_memory();
}

/* -- the profiles ---------------------------------------------------------- */

/* Returns the path of the baseline, malloc'd. A path in the budget is relative
 * to the budget's directory. */
static char *find_baseline(const struct check *c)
{
    const char *const slash = strrchr(c->file, '/');
    char *path = NULL;

    if (c->baseline != NULL)
        return strdup(c->baseline);
    if (c->budget.baseline[0] == '/' || slash == NULL)
        return strdup(c->budget.baseline);
    return asprintf(&path, "%.*s/%s", (int)(slash - c->file), c->file,
                    c->budget.baseline) < 0
               ? NULL
               : path;
}

static int load(struct check *c, int side)
{
    const int status = session_load(&c->session, &c->session.profiles[side]);

    return status == EXIT_BROKEN ? EXIT_UNUSABLE : status;
}

static int load_baseline(struct check *c)
{
    const uint32_t line = mpdata_budget_growth_line(&c->budget);

    /* Read a baseline given by option even if no limit needs it. */
    if (c->baseline == NULL && (!mpdata_budget_uses_baseline(&c->budget) ||
                                (line == 0 && c->budget.baseline == NULL)))
        return 0;
    if (c->baseline == NULL && c->budget.baseline == NULL)
        return say_bad_line(c, line,
                            "growth needs a baseline: a line \"baseline = "
                            "FILE\", or --baseline=FILE");
    char *path = find_baseline(c);
    if (path == NULL)
        return cmd_no_memory();
    int status = session_add(&c->session.profiles[SESSION_OLD], path, 1);
    free(path);
    return status == 0 ? load(c, SESSION_OLD) : status;
}

/* -- checking -------------------------------------------------------------- */

/* Reports a limit that matches no call stack; its name may be misspelled. */
static void say_unmatched(const struct check *c,
                          const struct mpdata_budget_limit *limit)
{
    static const char *const things[] = {
        [MPDATA_BUDGET_FUNCTION] = "has a function",
        [MPDATA_BUDGET_FILE] = "has a source file",
        [MPDATA_BUDGET_TYPE] = "allocates a type"};

    cmd_say("%s:%" PRIu32 ": no call stack %s that matches %s", c->file,
            limit->line, things[limit->scope], limit->match);
}

static enum mprof_err check_limit(struct check *c, uint32_t i)
{
    const struct session *const s = &c->session;
    const struct mpdata_budget_limit *const limits = c->budget.limits.data;

    return mpdata_budget_check(
        &c->budget, &limits[i], session_profile(s, SESSION_NEW),
        session_profile(s, SESSION_OLD), &s->demangler, c->marks[SESSION_NEW],
        c->marks[SESSION_OLD], &c->results[i]);
}

/* Checks all limits before anything is printed. */
static int check_limits(struct check *c)
{
    const struct mpdata_budget_limit *const limits = c->budget.limits.data;

    for (uint32_t i = 0; i < c->budget.limits.count; i++) {
        const enum mprof_err err = check_limit(c, i);

        if (err == MPROF_E_VALUE)
            return say_bad_line(c, c->budget.bad_line, c->budget.why);
        if (err != MPROF_E_OK)
            return cmd_no_memory();
        c->broken += c->results[i].is_broken;
        c->uncertain += c->results[i].is_uncertain;
        c->is_estimate |= c->results[i].is_estimate;
        if (c->results[i].is_unmatched)
            say_unmatched(c, &limits[i]);
    }
    return 0;
}

/* Prints the call stacks behind an exceeded limit. c->marks must be those of
 * this limit. */
static enum mprof_err print_blame(struct check *c, FILE *out,
                                  const struct mpdata_budget_limit *limit,
                                  const struct mpdata_budget_result *result)
{
    const struct session *const s = &c->session;
    const struct mpdata_profile *const profile =
        session_profile(s, SESSION_NEW);

    if (limit->scope == MPDATA_BUDGET_ADVICE)
        return budget_text_site(out, profile, result->node, &s->show);
    return limit->conditions[0].is_growth
               ? budget_text_grown(out, profile,
                                   session_profile(s, SESSION_OLD),
                                   c->marks[SESSION_NEW], limit, &s->show)
               : budget_text_most(out, profile, c->marks[SESSION_NEW], limit,
                                  &s->show);
}

static enum mprof_err print_text(struct session *session, FILE *out)
{
    struct check *const c = (struct check *)session;
    const struct mpdata_budget_limit *const limits = c->budget.limits.data;
    const uint32_t count = c->budget.limits.count;
    enum mprof_err err = MPROF_E_OK;

    for (uint32_t i = 0; err == MPROF_E_OK && i < count; i++) {
        const bool is_broken = c->results[i].is_broken;

        if (!is_broken && !c->results[i].is_uncertain)
            continue;
        budget_text_line(out, c->file, &limits[i], &c->results[i]);
        if (is_broken && session->show.top != 0)
            err = check_limit(c, i);
        if (err == MPROF_E_OK && is_broken && session->show.top != 0)
            err = print_blame(c, out, &limits[i], &c->results[i]);
    }
    fprintf(out, "%s: %" PRIu32 " of %" PRIu32 " limit%s broken", c->file,
            c->broken, count, count == 1 ? "" : "s");
    if (c->uncertain != 0)
        fprintf(out, ", %" PRIu32 " too close to tell", c->uncertain);
    fputs(c->is_estimate ? " (estimates)\n" : "\n", out);
    return err;
}

static enum mprof_err print_json(struct session *session,
                                 struct mpdata_sink *sink)
{
    const struct check *const c = (const struct check *)session;

    return budget_json(sink, c->file, &c->budget, c->results);
}

static int check_profiles(struct check *c)
{
    for (int side = 0; side < SESSION_SIDES; side++) {
        const struct mpdata_profile *const profile =
            session_profile(&c->session, side);

        c->marks[side] = mpdata_vec_array(
            profile != NULL ? mpdata_profile_view(profile).context_count : 0,
            1);
        if (c->marks[side] == NULL)
            return cmd_no_memory();
    }
    c->results = mpdata_vec_array(c->budget.limits.count, sizeof(*c->results));
    if (c->results == NULL)
        return cmd_no_memory();
    int status = check_limits(c);
    if (status == 0)
        status = session_print(&c->session, print_text, print_json);
    return status == 0 && c->broken != 0 ? EXIT_BROKEN : status;
}

/* Runs the command. The first operand is the budget. */
static int check(struct session *session)
{
    struct check *const c = (struct check *)session;
    struct session_profile *const p = &session->profiles[SESSION_NEW];

    if (session->word_count < 2)
        return cmd_usage(session->command, "a budget and a profile are needed");
    c->file = *session->words++;
    session->word_count--;
    int status = session_take_inputs(session);
    if (status != 0)
        return status;
    int standard =
        mpdata_file_is_standard(c->file) +
        (c->baseline != NULL && mpdata_file_is_standard(c->baseline)) +
        p->inputs.has_standard;
    if (standard > 1)
        return cmd_usage(session->command, "standard input is named twice");
    status = read_budget(c);
    if (status == 0)
        status = load(c, SESSION_NEW);
    if (status == 0)
        status = load_baseline(c);
    if (status == 0)
        status = session_say_limits(session_profile(session, SESSION_NEW), "");
    if (status == 0 && session_profile(session, SESSION_OLD) != NULL)
        status = session_say_limits(session_profile(session, SESSION_OLD),
                                    "baseline: ");
    return status == 0 ? check_profiles(c) : status;
}

static int run(const struct cmd_call *call)
{
    struct check c = {.session = {.show = {.top = TOP_DEFAULT}}};
    const int status = session_run(&c.session, call, check);

    free(c.marks[SESSION_OLD]);
    free(c.marks[SESSION_NEW]);
    free(c.results);
    mpdata_budget_fini(&c.budget);
    return status;
}

const struct cmd_command cmd_check_budget = {
    .name = "check-budget",
    .usage = "[OPTION]... BUDGET FILE...",
    .summary = "check whether a program allocates more than its budget allows",
    .details = "Merges the profiles and compares their values per run with the "
               "limits in BUDGET, a file with one condition per line, as in "
               "--filter of show: "
               "peak <= 64M, leaked = 0, 'function:^parse_: bytes <= 1M', "
               "'type:Node: live <= 10M', 'file:cache.c$: blocks <= 100', and "
               "'bytes-growth <= 5%' against an older profile, or "
               "'advice:REGEX: bytes <= 64K' for what advise newly says. "
               "Prints a line "
               "for each broken limit and the call stacks that contribute "
               "most. Estimates of a sampled profile that are too close to a "
               "limit to tell are printed, too. Exit status: 0 if no limit "
               "is broken, 1 if one is "
               "broken, 2 if the budget or a profile cannot be used.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
