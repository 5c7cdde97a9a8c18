/* cmd_export.c -- memprofdata export: a profile in the format of another tool.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/commands.h"
#include "profdata/base/output.h"
#include "profdata/cmd/input_options.h"
#include "profdata/cmd/symbol_options.h"
#include "profdata/export/formats.h"
#include "profdata/load/load_all.h"
#include "profdata/model/content.h"
#include "profdata/view/show.h"

#include <stdlib.h>
#include <string.h>

struct export
{
    const struct mpdata_format *format;
    const char *output;
    enum mpdata_metric metric;
    bool has_metric; /* it was chosen */
    bool lists;
    bool no_verify;
    bool no_symbols;
    bool has_inputs; /* named, though a directory may be empty */
    struct cmd_symbols symbols;
    struct mpdata_inputs inputs;
    struct mpdata_input input; /* the one that was read last */
    struct mpdata_load_context load;
    struct mpdata_content content;
    bool held[MPDATA_METRIC_COUNT]; /* by the profile */
};

/* What another command writes. */
static const struct {
    const char *name;
    const char *help;
    const char *command;
} elsewhere[] = {
    {"yaml", "LLVM's text of memory profiles, which llvm-profdata reads",
     "memprofdata merge --yaml"},
};

/* -- options --------------------------------------------------------------- */

static int take_format(void *state, const struct cmd_command *command,
                       const struct cmd_option *option, const char *value)
{
    struct export *const e = (struct export *)state;

    for (size_t i = 0; i < MPROF_ARRAY_LEN(elsewhere); i++) {
        if (strcmp(elsewhere[i].name, value) == 0)
            return cmd_usage(command, "--%s=%s: %s writes it", option->name,
                             value, elsewhere[i].command);
    }
    e->format = mpdata_formats_find(value);
    return e->format != NULL ? 0
                             : cmd_usage(command,
                                         "--%s=%s: no such format; --list "
                                         "names them",
                                         option->name, value);
}

static int take_metric(void *state, const struct cmd_command *command,
                       const struct cmd_option *option, const char *value)
{
    struct export *const e = (struct export *)state;

    e->has_metric = true;
    return mpdata_metrics_find(value, &e->metric)
               ? 0
               : cmd_usage(command, "--%s=%s: there are " MPDATA_METRIC_NAMES,
                           option->name, value);
}

static int take_list(void *state, const struct cmd_command *command,
                     const struct cmd_option *option, const char *value)
{
    struct export *const e = (struct export *)state;

    (void)command;
    (void)option;
    (void)value;
    e->lists = true;
    return 0;
}

static int take_output(void *state, const struct cmd_command *command,
                       const struct cmd_option *option, const char *value)
{
    struct export *const e = (struct export *)state;

    (void)command;
    (void)option;
    e->output = value;
    return 0;
}

static int take_symbol(void *state, const struct cmd_command *command,
                       const struct cmd_option *option, const char *value)
{
    struct export *const e = (struct export *)state;

    (void)command;
    symbol_options_take(&e->symbols, option, value);
    return 0;
}

static int take_no_verify(void *state, const struct cmd_command *command,
                          const struct cmd_option *option, const char *value)
{
    struct export *const e = (struct export *)state;

    (void)command;
    (void)option;
    (void)value;
    e->no_verify = true;
    return 0;
}

static int take_no_symbols(void *state, const struct cmd_command *command,
                           const struct cmd_option *option, const char *value)
{
    struct export *const e = (struct export *)state;

    (void)command;
    (void)option;
    (void)value;
    e->no_symbols = true;
    return 0;
}

static int take_input(void *state, const struct cmd_command *command,
                      const struct cmd_option *option, const char *value)
{
    struct export *const e = (struct export *)state;
    struct mprof_diag diag;

    (void)command;
    (void)option;
    e->has_inputs = true;
    return mpdata_inputs_add(&e->inputs, value, 1, &diag) == MPROF_E_OK
               ? 0
               : cmd_fail(&diag);
}

static const struct cmd_option options[] = {
    {"format", 0, "FORMAT:" MPDATA_FORMAT_NAMES,
     "one of those that --list names", NULL, take_format},
    {"list", 0, NULL, "name the formats, and what reads them", NULL, take_list},
    {"output", 'o', "FILE", "where to write (default: standard output)", NULL,
     take_output},
    {"metric", 0, "KEY:" MPDATA_METRIC_NAMES,
     "what folded writes, and pprof, speedscope and firefox show "
     "first: " MPDATA_METRIC_NAMES "(default: bytes)",
     NULL, take_metric},
    CMD_SYMBOL_OPTIONS(take_symbol),
    {"no-symbols", 0, NULL,
     "leave the addresses of raw profiles as they are, for readers that find "
     "names themselves",
     NULL, take_no_symbols},
    {"no-verify", 0, NULL, "read inputs whose checksums do not match", NULL,
     take_no_verify},
};

/* -- writing --------------------------------------------------------------- */

/* Does the profile hold what the format is about? Else that is said. */
static bool holds_needed(const struct export *e)
{
    const enum mpdata_metric needs = e->format->needs;

    if (needs == MPDATA_METRIC_NONE || e->held[needs])
        return true;
    cmd_say("--format=%s is about %s, which the profile does not hold",
            e->format->name, mpdata_metrics[needs].title);
    return false;
}

static enum mprof_err write_format(struct export *e, struct mpdata_output *out)
{
    const struct mpdata_demangler demangler =
        symbol_options_demangler(&e->load);
    struct mpdata_sink sink = mpdata_output_sink(out);
    struct mpdata_export what = {
        .profile = e->content.profile,
        .names = mpdata_frame_names_new(e->content.profile, &demangler),
        .held = e->held,
        .metric = e->metric,
        .warn = e->load.warn};
    enum mprof_err err = MPROF_E_NOMEM;

    if (what.names != NULL)
        err = e->format->write(&what, &sink);
    if (err == MPROF_E_OK &&
        (sink.failed || mpdata_frame_names_failed(what.names)))
        err = MPROF_E_NOMEM;
    mpdata_frame_names_free(what.names);
    return err;
}

static enum mprof_err write_all(struct export *e, struct mprof_diag *diag)
{
    struct mpdata_output out;
    enum mprof_err err;

    mpdata_output_init(&out, e->output);
    err = write_format(e, &out);
    if (err == MPROF_E_OK && mpdata_output_is_empty(&out))
        cmd_say("the profile has nothing of --metric=%s%s, so what is written "
                "is empty",
                mpdata_metrics[e->metric].name,
                e->held[e->metric] ? "" : ", which was not measured");
    err = err == MPROF_E_OK ? mpdata_output_finish(&out, diag)
                            : mpdata_output_fail(&out, err, diag);
    mpdata_output_fini(&out);
    return err;
}

static int export_all(struct export *e)
{
    struct cmd_warned warned = {.sums = {.kind = NULL}};
    const struct mpdata_diag_warn warn = {.fn = cmd_warn, .context = &warned};
    struct mprof_diag diag;
    enum mprof_err err = MPROF_E_NOMEM;
    int status = symbol_options_setup(&e->symbols, &e->load);

    e->load.warn = &warn;
    e->load.content = &e->content;
    e->load.is_heap_only = true;
    e->load.no_symbols = e->no_symbols;
    if (mpdata_content_init(&e->content) != MPROF_E_OK)
        status = cmd_no_memory();
    if (status == 0) {
        err = mpdata_load_all(&e->load, &e->inputs, !e->no_verify, &e->input,
                              &diag);
        cmd_say_replaced(e->load.dumps.replaced);
        if (err == MPROF_E_OK)
            err = mprof_err_fail(
                &diag, mpdata_metrics_held(e->content.profile, e->held), NULL,
                MPROF_DIAG_NO_OFFSET);
        if (err == MPROF_E_OK)
            input_options_say(&e->inputs, e->output);
        if (err == MPROF_E_OK && !holds_needed(e))
            status = mprof_err_exit(MPROF_E_UNSUPPORTED);
        else if (err == MPROF_E_OK)
            err = write_all(e, &diag);
        if (err != MPROF_E_OK)
            status = cmd_fail_inputs(&diag);
    }
    mpdata_symbolize_fini(&e->load);
    mpdata_content_fini(&e->content);
    cmd_warned_fini(&warned);
    return status;
}

/* -- the command ----------------------------------------------------------- */

static int print_list(void)
{
    for (const struct mpdata_format *f = mpdata_formats; f->name != NULL; f++)
        printf("%-12s%s%s%s%s\n", f->name, f->help,
               f->needs != MPDATA_METRIC_NONE ? " (needs " : "",
               f->needs != MPDATA_METRIC_NONE ? mpdata_metrics[f->needs].title
                                              : "",
               f->needs != MPDATA_METRIC_NONE ? ")" : "");
    for (size_t i = 0; i < MPROF_ARRAY_LEN(elsewhere); i++)
        printf("%-12s%s (%s writes it)\n", elsewhere[i].name, elsewhere[i].help,
               elsewhere[i].command);
    return cmd_finish_output(0);
}

static int export_inputs(struct export *e, const struct cmd_command *command)
{
    int status;

    if (e->lists)
        return print_list();
    if (e->format == NULL)
        return cmd_usage(command, "--format is missing; --list names them");
    if (e->has_metric && !e->format->has_chosen)
        return cmd_usage(command, "--metric=%s: %s has all of its metrics",
                         mpdata_metrics[e->metric].name, e->format->name);
    if (!e->has_inputs)
        return cmd_usage(command, "no input files");
    status = input_options_settle_text(&e->inputs, command, e->output);
    return status == 0 ? export_all(e) : status;
}

static int run(const struct cmd_call *call)
{
    const char **words =
        (const char **)calloc(2 * (size_t)call->argc, sizeof(*words));
    struct export e = {
        .symbols = {.binaries = words, .dirs = words + call->argc},
        .output = "-"};
    int status = 0;

    if (words == NULL)
        return cmd_no_memory();
    mpdata_inputs_init(&e.inputs);
    if (cmd_take_all(call, &e, take_input, &status))
        status = export_inputs(&e, call->command);
    mpdata_inputs_free_one(&e.input);
    mpdata_inputs_fini(&e.inputs);
    free(words);
    return status;
}

#define FORMAT_DETAILS(name, needs, has_chosen, help) "\n\n" #name ": " help "."

const struct cmd_command cmd_export = {
    .name = "export",
    .usage = "--format=FORMAT [OPTION]... FILE... [-o FILE]",
    .summary = "write a profile in the format of another tool",
    .details =
        "Reads profiles as show does, several as one, and writes what the "
        "format has room for; what a profile does not hold is left out, never "
        "written as zero. The formats:" MPDATA_FORMATS(FORMAT_DETAILS),
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
