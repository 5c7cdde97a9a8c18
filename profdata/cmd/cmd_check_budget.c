/* cmd_check_budget.c -- memprofdata check-budget: does a program allocate more
 * than it may?
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/file.h"
#include "profdata/cmd/commands.h"
#include "profdata/cmd/profile_input.h"
#include "profdata/cmd/terminal.h"
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
    const char *file; /* the budget's */
    const char *baseline;
    enum terminal_color color;
    bool has_inputs;
    bool no_verify;
    struct cmd_symbols symbols;
    struct cmd_filter filter; /* none */
    struct show_options show;
    struct mpdata_toml toml;
    struct mpdata_budget budget;
    struct profile_input input;
    struct profile_input old_input; /* the baseline */
    struct mpdata_demangler demangler;
    uint8_t *marks;
    uint8_t *old_marks;
    uint32_t broken;
};

/* -- options --------------------------------------------------------------- */

static int take_word(void *state, const struct cmd_command *command,
                     const struct cmd_option *option, const char *value)
{
    struct check *const c = (struct check *)state;

    (void)command;
    (void)option;
    if (c->file == NULL) {
        c->file = value;
        return 0;
    }
    c->has_inputs = true;
    return profile_input_add(&c->input, value);
}

#define AT(member) offsetof(struct check, member)

static const struct cmd_option options[] = {
    {"baseline", 0, "FILE",
     "the profile that growth is measured against, in place of the one that "
     "the budget names",
     cmd_take_text, AT(baseline)},
    {"top", 0, "N", "show N call stacks of each limit (default: 3)",
     cmd_take_count, AT(show.top)},
    {"full-stacks", 0, NULL, "every frame, with whole names and paths",
     cmd_take_flag, AT(show.full_stacks)},
    CMD_SYMBOL_OPTIONS(AT(symbols)),
    {"color", 0, "WHEN:auto always never", TERMINAL_COLOR_HELP, cmd_take_choice,
     AT(color)},
    {"no-verify", 0, NULL, "read inputs whose checksums do not match",
     cmd_take_flag, AT(no_verify)},
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
static void say_left_out(const struct check *c,
                         const struct profile_input *input)
{
    char text[MPDATA_LEFT_OUT_TEXT_BYTES];

    for (uint32_t i = 0; i < input->left_out.count; i++)
        cmd_say(
            "the %s: %s", input == &c->input ? "profile" : "baseline",
            mpdata_left_out_text(&input->left_out.rows[i], text, sizeof(text)));
}

static int load(struct check *c, struct profile_input *input,
                const struct mpdata_diag_warn *warn)
{
    const int status =
        profile_input_load(input, &c->symbols, &c->filter, !c->no_verify, warn);

    if (status == 0)
        say_left_out(c, input);
    return status == EXIT_BROKEN ? EXIT_UNUSABLE : status;
}

static int load_baseline(struct check *c, const struct mpdata_diag_warn *warn)
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
    status = profile_input_add(&c->old_input, path);
    free(path);
    return status == 0 ? load(c, &c->old_input, warn) : status;
}

static uint8_t *make_marks(const struct profile_input *input)
{
    return (uint8_t *)mpdata_vec_array(
        input->content.profile != NULL
            ? mpdata_profile_view(input->content.profile).context_count
            : 0,
        1);
}

/* -- checking -------------------------------------------------------------- */

static enum mprof_err print_broken(struct check *c,
                                   const struct mpdata_budget_limit *limit,
                                   const struct mpdata_budget_result *result)
{
    const struct mpdata_profile *const profile = c->input.content.profile;

    c->broken++;
    budget_text_line(stdout, c->file, &c->budget, limit, result);
    if (c->show.top == 0)
        return MPROF_E_OK;
    return limit->is_growth
               ? budget_text_grown(stdout, profile,
                                   c->old_input.content.profile, c->marks,
                                   limit, &c->show, &c->demangler)
               : budget_text_most(stdout, profile, c->marks, limit, &c->show,
                                  &c->demangler);
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

        err = mpdata_budget_check(&c->budget, &limits[i],
                                  c->input.content.profile,
                                  c->old_input.content.profile, &c->demangler,
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

    c->marks = make_marks(&c->input);
    c->old_marks = make_marks(&c->old_input);
    if (c->marks == NULL || c->old_marks == NULL)
        return cmd_no_memory();
    c->demangler = symbol_options_demangler(&c->input.load);
    terminal_set_style(&c->show, c->color, stdout);
    status = check_limits(c);
    return status == 0 || status == EXIT_BROKEN ? cmd_finish_output(status)
                                                : status;
}

static int check(struct check *c)
{
    struct cmd_warned warned = {.sums = {.kind = NULL}};
    const struct mpdata_diag_warn warn = {.fn = cmd_warn, .context = &warned};
    int status = read_budget(c);

    if (status == 0)
        status = load(c, &c->input, &warn);
    if (status == 0)
        status = load_baseline(c, &warn);
    if (status == 0)
        status = check_profiles(c);
    cmd_warned_fini(&warned);
    return status;
}

static int check_words(struct check *c, const struct cmd_command *command)
{
    const int standard =
        (c->file != NULL && mpdata_file_is_standard(c->file)) +
        (c->baseline != NULL && mpdata_file_is_standard(c->baseline)) +
        c->input.inputs.has_standard;

    if (!c->has_inputs)
        return cmd_usage(command, "a budget and a profile are needed");
    if (standard > 1)
        return cmd_usage(command, "standard input is named twice");
    return check(c);
}

static int run(const struct cmd_call *call)
{
    const char **words =
        (const char **)calloc(2 * (size_t)call->argc, sizeof(*words));
    struct check c = {
        .symbols = {.binaries = words, .dirs = words + call->argc},
        .color = TERMINAL_AUTO,
        .show = {.top = TOP_DEFAULT}};
    int status = 0;

    if (words == NULL)
        return cmd_no_memory();
    profile_input_init(&c.input);
    profile_input_init(&c.old_input);
    if (cmd_take_all(call, &c, take_word, &status))
        status = check_words(&c, call->command);
    free(c.marks);
    free(c.old_marks);
    mpdata_budget_fini(&c.budget);
    mpdata_toml_fini(&c.toml);
    profile_input_fini(&c.input);
    profile_input_fini(&c.old_input);
    free(words);
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
