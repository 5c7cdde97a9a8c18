/* cmd_diff.c -- memprofdata diff: what two profiles differ in.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/commands.h"
#include "profdata/base/file.h"
#include "profdata/base/output.h"
#include "profdata/cmd/profile_input.h"
#include "profdata/cmd/terminal.h"
#include "profdata/view/diff.h"

#include <stdlib.h>
#include <string.h>

#define TOP_DEFAULT 10

struct diff {
    const char *output;
    enum terminal_color color;
    bool is_json;
    bool no_verify;
    struct cmd_symbols symbols;
    struct cmd_filter filter;
    struct mpdata_diff_options how;
    struct diff_options view;
    uint32_t words; /* profiles that were named */
    struct profile_input inputs[MPDATA_DIFF_SIDES];
    struct mpdata_diff diff;
    struct mpdata_demangler demangler;
};

/* -- options --------------------------------------------------------------- */

static int take_input(void *state, const struct cmd_command *command,
                      const struct cmd_option *option, const char *value)
{
    struct diff *const d = (struct diff *)state;

    (void)option;
    if (d->words == MPDATA_DIFF_SIDES)
        return cmd_usage(command, "there are two profiles already; merge makes "
                                  "one of several, @LIST and a directory stand "
                                  "for several, too");
    d->view.names[d->words] = value;
    return profile_input_add(&d->inputs[d->words++], value);
}

#define AT(member) offsetof(struct diff, member)

static const struct cmd_option options[] = {
    {"top", 0, "N",
     "show N call stacks, functions ... (default: 10, with --json all)",
     cmd_take_count, AT(view.top)},
    {"sort", 0, "KEY:" MPDATA_METRIC_NAMES,
     MPDATA_METRIC_NAMES "(default: bytes): what is compared, most changed "
                         "first",
     cmd_take_choice, AT(how.metric)},
    {"metric", 0, "KEY:" MPDATA_METRIC_NAMES, "the same as --sort",
     cmd_take_choice, AT(how.metric)},
    {"by", 0, "WHAT:stack function line file module type thread pool",
     "stack (default), function, line, file, module (program or library; of "
     "raw profiles), type of what is allocated, thread or pool",
     cmd_take_choice, AT(how.by)},
    {"absolute", 0, NULL,
     "compare sums, even of different numbers of runs; else those are compared "
     "by what one run has",
     cmd_take_flag, AT(how.is_absolute)},
    {"json", 0, NULL, "print JSON", cmd_take_flag, AT(is_json)},
    {"full-stacks", 0, NULL, "every frame, with whole names and paths",
     cmd_take_flag, AT(view.show.full_stacks)},
    CMD_FILTER_OPTIONS(AT(filter)),
    CMD_SYMBOL_OPTIONS(AT(symbols)),
    {"output", 'o', "FILE", "print to FILE", cmd_take_text, AT(output)},
    {"color", 0, "WHEN:auto always never", TERMINAL_COLOR_HELP, cmd_take_choice,
     AT(color)},
    {"no-verify", 0, NULL, "read inputs whose checksums do not match",
     cmd_take_flag, AT(no_verify)},
};

/* -- printing -------------------------------------------------------------- */

static enum mprof_err print_text(void *context, FILE *out,
                                 struct mprof_diag *diag)
{
    struct diff *const d = (struct diff *)context;
    enum mprof_err err;

    terminal_set_style(&d->view.show, d->color, out);
    err = diff_text(out, &d->diff, &d->view, &d->demangler);
    return err == MPROF_E_OK
               ? err
               : mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
}

static enum mprof_err print_json(struct diff *d, struct mprof_diag *diag)
{
    struct mpdata_output out;
    struct mpdata_sink sink;
    enum mprof_err err;

    mpdata_output_init(&out, d->output != NULL ? d->output : "-");
    sink = mpdata_output_sink(&out);
    err = diff_json(&sink, &d->diff, &d->view, &d->demangler);
    err = err == MPROF_E_OK ? mpdata_output_finish(&out, diag)
                            : mpdata_output_fail(&out, err, diag);
    mpdata_output_fini(&out);
    return err;
}

static int print(struct diff *d)
{
    const bool is_file =
        d->output != NULL && !mpdata_file_is_standard(d->output);
    struct mprof_diag diag;
    enum mprof_err err;

    if (d->view.top == CMD_TOP_UNSET)
        d->view.top = d->is_json ? UINT32_MAX : TOP_DEFAULT;
    err = d->is_json ? print_json(d, &diag)
                     : terminal_print(d->output, print_text, d, &diag);
    if (err != MPROF_E_OK)
        return cmd_fail(&diag);
    return is_file || d->is_json ? 0 : cmd_finish_output(0);
}

static int compare(struct diff *d)
{
    const struct mpdata_profile *const profiles[] = {
        d->inputs[MPDATA_DIFF_OLD].content.profile,
        d->inputs[MPDATA_DIFF_NEW].content.profile};
    int status;

    d->demangler = symbol_options_demangler(&d->inputs[MPDATA_DIFF_NEW].load);
    d->how.demangler = &d->demangler;
    status = mpdata_diff_make(&d->diff, profiles, &d->how) == MPROF_E_OK
                 ? print(d)
                 : cmd_no_memory();
    mpdata_diff_fini(&d->diff);
    return status;
}

static int diff_inputs(struct diff *d)
{
    struct cmd_warned warned = {.sums = {.kind = NULL}};
    const struct mpdata_diag_warn warn = {.fn = cmd_warn, .context = &warned};
    int status = 0;

    d->filter.is_said = !d->is_json;
    for (int side = 0; status == 0 && side < MPDATA_DIFF_SIDES; side++) {
        struct profile_input *const input = &d->inputs[side];

        input->load.needs_binaries = d->how.by == MPDATA_PAIRING_BY_MODULE;
        input->load.keeps_binaries = input->load.needs_binaries;
        input->is_of_pools = d->how.by == MPDATA_PAIRING_BY_POOL;
        status = profile_input_load(&d->inputs[side], &d->symbols, &d->filter,
                                    !d->no_verify, &warn);
        d->view.left_out[side] = &input->left_out;
    }
    if (status == 0)
        status = compare(d);
    cmd_warned_fini(&warned);
    return status;
}

/* An input is not to be lost to the output. */
static bool is_output_input(const struct diff *d)
{
    const bool is_file =
        d->output != NULL && !mpdata_file_is_standard(d->output);

    for (int side = 0; is_file && side < MPDATA_DIFF_SIDES; side++) {
        if (mpdata_inputs_is_named(&d->inputs[side].inputs, d->output))
            return true;
    }
    return false;
}

static int run(const struct cmd_call *call)
{
    const char **words =
        (const char **)calloc(2 * (size_t)call->argc, sizeof(*words));
    struct diff d = {.symbols = {.binaries = words, .dirs = words + call->argc},
                     .color = TERMINAL_AUTO,
                     .view = {.top = CMD_TOP_UNSET}};
    int status = 0;

    if (words == NULL)
        return cmd_no_memory();
    for (int side = 0; side < MPDATA_DIFF_SIDES; side++)
        profile_input_init(&d.inputs[side]);
    if (cmd_take_all(call, &d, take_input, &status)) {
        if (d.words != MPDATA_DIFF_SIDES)
            status = cmd_usage(call->command, "two profiles are needed");
        else if (d.inputs[MPDATA_DIFF_OLD].inputs.has_standard &&
                 d.inputs[MPDATA_DIFF_NEW].inputs.has_standard)
            status = cmd_usage(call->command, "standard input is named twice");
        else if (is_output_input(&d))
            status = cmd_usage(call->command, "%s is an input and the output",
                               d.output);
        else
            status = diff_inputs(&d);
    }
    filter_options_fini(&d.filter);
    for (int side = 0; side < MPDATA_DIFF_SIDES; side++)
        profile_input_fini(&d.inputs[side]);
    free(words);
    return status;
}

const struct cmd_command cmd_diff = {
    .name = "diff",
    .usage = "[OPTION]... OLD NEW",
    .summary = "show what two profiles differ in",
    .details =
        "Shows what is new, gone, more or less in NEW: totals of both, then "
        "the call stacks that changed most. Call stacks are found again by "
        "functions and by the place of calls in them, so a program may have "
        "been built anew in between, and its lines may have moved. What one of "
        "the profiles did not measure is not compared. OLD and NEW may each be "
        "a file, a directory, - or @LIST as for show.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
