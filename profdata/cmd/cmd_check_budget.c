/* cmd_check_budget.c -- memprofdata check-budget: does a program allocate more
 * than it may?
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/file.h"
#include "profdata/cmd/commands.h"
#include "profdata/cmd/session.h"
#include "profdata/view/budget.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TOP_DEFAULT 3
#define EXIT_BROKEN 1
/* What cannot be checked must not look like a broken limit. */
#define EXIT_UNUSABLE CMD_EXIT_USAGE
#define BUDGET_BYTES_MAX (1u << 20)

struct check {
    struct session session;
    const char *file; /* the budget's */
    const char *baseline;
    struct mpdata_toml toml;
    struct mpdata_budget budget;
    uint8_t *marks;
    uint8_t *old_marks;
    uint32_t broken;
};

/* -- options --------------------------------------------------------------- */

#define AT(member) offsetof(struct check, member)

static const struct cmd_option options[] = {
    {"baseline", 0, "FILE",
     "the profile that growth is measured against, in place of the one that "
     "the budget names",
     cmd_take_text, AT(baseline)},
    {"top", 0, "N", "show N call stacks of each limit (default: 3)",
     cmd_take_count, SESSION_AT(show.top)},
    SESSION_STACKS_OPTION,
    SESSION_SYMBOL_OPTIONS,
    SESSION_COLOR_OPTION,
    SESSION_VERIFY_OPTION,
};

/* -- the budget ------------------------------------------------------------ */

/* What is wrong with a line of the budget. */
static int say_bad_line(const struct check *c, uint32_t line, const char *why)
{
    cmd_say("%s:%" PRIu32 ": %s", c->file, line, why);
    return EXIT_UNUSABLE;
}

static int read_budget(struct check *c)
{
    struct mprof_diag diag;
    struct mpdata_file file;
    enum mprof_err err = mpdata_file_open_input(&file, c->file, NULL, &diag);

    if (err != MPROF_E_OK)
        return cmd_fail(&diag);
    if (file.size > BUDGET_BYTES_MAX)
        err = MPROF_E_LIMIT;
    else
        err = mpdata_toml_read(&c->toml, (const char *)file.data, file.size);
    mpdata_file_close(&file);
    if (err == MPROF_E_LIMIT)
        return say_bad_line(c, 1, "a budget of more than 1 MiB is not read");
    if (err == MPROF_E_VALUE)
        return say_bad_line(c, c->toml.bad_line, c->toml.why);
    if (err == MPROF_E_OK)
        err = mpdata_budget_read(&c->budget, &c->toml);
    if (err == MPROF_E_VALUE)
        return say_bad_line(c, c->budget.bad_line, c->budget.why);
    return err == MPROF_E_OK ? 0 : cmd_no_memory();
}

/* -- the profiles ---------------------------------------------------------- */

/* A path of the budget's is seen from where the budget is. malloc'd. */
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

/* Limits of a part of what was allocated are seldom broken. */
static void say_left_out(const struct check *c, int side)
{
    const struct mpdata_left_out_list *const list =
        &c->session.profiles[side].left_out;
    char text[MPDATA_LEFT_OUT_TEXT_BYTES];

    for (uint32_t i = 0; i < list->count; i++)
        cmd_say("the %s: %s", side == SESSION_NEW ? "profile" : "baseline",
                mpdata_left_out_text(&list->rows[i], text, sizeof(text)));
}

static int load(struct check *c, int side)
{
    const int status = session_load(&c->session, &c->session.profiles[side]);

    if (status == 0)
        say_left_out(c, side);
    return status == EXIT_BROKEN ? EXIT_UNUSABLE : status;
}

static int load_baseline(struct check *c)
{
    const uint32_t line = mpdata_budget_growth_line(&c->budget);
    char *path;
    int status;

    /* One that was given is read, also where no limit asks for it. */
    if (line == 0 && c->baseline == NULL)
        return 0;
    if (c->baseline == NULL && c->budget.baseline == NULL)
        return say_bad_line(c, line,
                            "growth needs a baseline: baseline = \"FILE\" in "
                            "front of all tables, or --baseline=FILE");
    path = find_baseline(c);
    if (path == NULL)
        return cmd_no_memory();
    status = session_add(&c->session.profiles[SESSION_OLD], path);
    free(path);
    return status == 0 ? load(c, SESSION_OLD) : status;
}

static uint8_t *make_marks(const struct mpdata_profile *profile)
{
    return (uint8_t *)mpdata_vec_array(
        profile != NULL ? mpdata_profile_view(profile).context_count : 0, 1);
}

/* -- checking -------------------------------------------------------------- */

static enum mprof_err print_broken(struct check *c,
                                   const struct mpdata_budget_limit *limit,
                                   const struct mpdata_budget_result *result)
{
    const struct mpdata_profile *const profile =
        session_profile(&c->session, SESSION_NEW);

    c->broken++;
    budget_text_line(stdout, c->file, &c->budget, limit, result);
    if (c->session.show.top == 0)
        return MPROF_E_OK;
    return limit->is_growth
               ? budget_text_grown(
                     stdout, profile, session_profile(&c->session, SESSION_OLD),
                     c->marks, limit, &c->session.show, &c->session.demangler)
               : budget_text_most(stdout, profile, c->marks, limit,
                                  &c->session.show, &c->session.demangler);
}

/* Perhaps a name that was mistyped: said once for each part. */
static void say_unmatched(const struct check *c,
                          const struct mpdata_budget_limit *limit)
{
    const struct mpdata_budget_part *const part =
        (const struct mpdata_budget_part *)c->budget.parts.data + limit->part;

    cmd_say("%s:%" PRIu32 ": no call stack has a %s that matches %s", c->file,
            part->line,
            part->scope == MPDATA_BUDGET_FILE ? "source file" : "function",
            part->match);
}

static int check_limits(struct check *c)
{
    const struct mpdata_budget_limit *const limits = c->budget.limits.data;
    const uint32_t count = c->budget.limits.count;
    enum mprof_err err = MPROF_E_OK;

    for (uint32_t i = 0; err == MPROF_E_OK && i < count; i++) {
        struct mpdata_budget_result result;

        err = mpdata_budget_check(
            &c->budget, &limits[i], session_profile(&c->session, SESSION_NEW),
            session_profile(&c->session, SESSION_OLD), &c->session.demangler,
            c->marks, c->old_marks, &result);
        if (err == MPROF_E_OK && result.is_unmatched &&
            (i == 0 || limits[i].part != limits[i - 1].part))
            say_unmatched(c, &limits[i]);
        if (err == MPROF_E_OK && result.is_broken)
            err = print_broken(c, &limits[i], &result);
    }
    if (err == MPROF_E_VALUE)
        return say_bad_line(c, c->budget.bad_line, c->budget.why);
    if (err != MPROF_E_OK)
        return cmd_no_memory();
    printf("%s: %" PRIu32 " of %" PRIu32 " limit%s broken\n", c->file,
           c->broken, count, count == 1 ? "" : "s");
    return c->broken != 0 ? EXIT_BROKEN : 0;
}

static int check_profiles(struct check *c)
{
    int status;

    c->marks = make_marks(session_profile(&c->session, SESSION_NEW));
    c->old_marks = make_marks(session_profile(&c->session, SESSION_OLD));
    if (c->marks == NULL || c->old_marks == NULL)
        return cmd_no_memory();
    terminal_set_style(&c->session.show, c->session.color, stdout);
    status = check_limits(c);
    return status == 0 || status == EXIT_BROKEN ? cmd_finish_output(status)
                                                : status;
}

/* The first word is the budget. */
static int check(struct session *session)
{
    struct check *const c = (struct check *)session;
    struct session_profile *const p = &session->profiles[SESSION_NEW];
    int standard;
    int status = 0;

    if (session->word_count < 2)
        return cmd_usage(session->command, "a budget and a profile are needed");
    c->file = session->words[0];
    for (uint32_t i = 1; status == 0 && i < session->word_count; i++)
        status = session_add(p, session->words[i]);
    if (status != 0)
        return status;
    standard = mpdata_file_is_standard(c->file) +
               (c->baseline != NULL && mpdata_file_is_standard(c->baseline)) +
               p->inputs.has_standard;
    if (standard > 1)
        return cmd_usage(session->command, "standard input is named twice");
    status = read_budget(c);
    if (status == 0)
        status = load(c, SESSION_NEW);
    if (status == 0)
        status = load_baseline(c);
    return status == 0 ? check_profiles(c) : status;
}

static int run(const struct cmd_call *call)
{
    struct check c = {.session = {.show = {.top = TOP_DEFAULT}}};
    const int status = session_run(&c.session, call, check);

    free(c.marks);
    free(c.old_marks);
    mpdata_budget_fini(&c.budget);
    mpdata_toml_fini(&c.toml);
    return status;
}

const struct cmd_command cmd_check_budget = {
    .name = "check-budget",
    .usage = "[OPTION]... BUDGET FILE...",
    .summary = "say whether a program allocates more than it may",
    .details =
        "Compares what the profiles, as one, say of a run with the limits of "
        "BUDGET, a file in TOML: how much may be allocated, live at the end "
        "and so on, in all, by functions or in files, and by how much that may "
        "grow against an older profile. Prints a line for each limit that is "
        "broken, and the call stacks that are to blame. Exit status: 0 where "
        "all limits are kept, 1 where one is broken, 2 where the budget or a "
        "profile cannot be used.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
