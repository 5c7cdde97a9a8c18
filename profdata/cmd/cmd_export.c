/* cmd_export.c -- memprofdata export: a profile in the format of another tool.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/commands.h"
#include "profdata/cmd/profile_output.h"

#include <string.h>

struct export
{
    struct profile_output profile;
    const struct mpdata_format *format;
    enum mpdata_metric metric; /* MPDATA_METRIC_COUNT: none was chosen */
    bool lists;
};

/* -- options --------------------------------------------------------------- */

static int take_format(void *state, const struct cmd_command *command,
                       const struct cmd_option *option, const char *value)
{
    struct export *const e = (struct export *)state;

    e->format = mpdata_formats_find(value);
    return e->format != NULL ? 0
                             : cmd_usage(command,
                                         "--%s=%s: no such format; --list "
                                         "names them",
                                         option->name, value);
}

static int take_input(void *state, const struct cmd_command *command,
                      const struct cmd_option *option, const char *value)
{
    struct export *const e = (struct export *)state;

    (void)command;
    (void)option;
    return profile_output_add(&e->profile, value);
}

#define AT(member) offsetof(struct export, member)

static const struct cmd_option options[] = {
    {"format", 0, "FORMAT:" MPDATA_FORMAT_NAMES,
     "one of those that --list names", take_format, 0},
    {"list", 0, NULL, "name the formats, and what reads them", cmd_take_flag,
     AT(lists)},
    {"output", 'o', "FILE", "where to write (default: standard output)",
     cmd_take_text, AT(profile.output)},
    {"metric", 0, "KEY:" MPDATA_METRIC_NAMES,
     "what folded writes, and pprof, speedscope and firefox show "
     "first: " MPDATA_METRIC_NAMES "(default: bytes)",
     cmd_take_choice, AT(metric)},
    CMD_FILTER_OPTIONS(AT(profile.filter)),
    CMD_SYMBOL_OPTIONS(AT(profile.symbols)),
    {"no-symbols", 0, NULL,
     "leave the addresses of raw profiles as they are, for readers that find "
     "names themselves",
     cmd_take_flag, AT(profile.no_symbols)},
    {"no-verify", 0, NULL, "read inputs whose checksums do not match",
     cmd_take_flag, AT(profile.no_verify)},
};

/* -- writing --------------------------------------------------------------- */

/* Of what a format needs, a name; NULL where each profile holds it. */
static const char *needed_title(const struct mpdata_format *format)
{
    switch (format->part) {
    case MPROF_PART_COPY:
        return "copies";
    case MPROF_PART_EVENT:
        return "events";
    default:
        return format->needs != MPDATA_METRIC_NONE
                   ? mpdata_metrics[format->needs].title
                   : NULL;
    }
}

static bool holds_part(const struct mpdata_profile *profile, uint32_t kind)
{
    const struct mpdata_view view = mpdata_profile_view(profile);

    for (uint32_t i = 0; i < view.part_count; i++) {
        if (view.parts[i].kind == kind)
            return true;
    }
    return kind == MPROF_PART_NONE;
}

/* Does the profile hold what the format is about? Else that is said. */
static bool holds_needed(const struct export *e)
{
    const enum mpdata_metric needs = e->format->needs;

    if ((needs == MPDATA_METRIC_NONE || e->profile.held[needs]) &&
        holds_part(e->profile.content.profile, e->format->part))
        return true;
    cmd_say("--format=%s is about %s, which the profile does not hold",
            e->format->name, needed_title(e->format));
    return false;
}

/* By merge; what is left out now was said. */
static void say_left_out(const struct mpdata_left_out_list *list)
{
    char text[MPDATA_LEFT_OUT_TEXT_BYTES];

    for (uint32_t i = 0; i < list->count; i++) {
        if (list->rows[i].is_by_merge)
            cmd_say("%s",
                    mpdata_left_out_text(&list->rows[i], text, sizeof(text)));
    }
}

static int export_all(struct export *e)
{
    int status = profile_output_load(&e->profile);

    if (status == 0)
        say_left_out(&e->profile.filter.left_out);
    if (status == 0 && !holds_needed(e))
        status = mprof_err_exit(MPROF_E_UNSUPPORTED);
    return status == 0 ? profile_output_write(&e->profile, e->format->write)
                       : status;
}

/* -- the command ----------------------------------------------------------- */

static void print_format(const struct mpdata_format *format)
{
    const char *const needed = needed_title(format);

    printf("%-12s%s%s%s%s\n", format->name, format->help,
           needed != NULL ? " (needs " : "", needed != NULL ? needed : "",
           needed != NULL ? ")" : "");
}

static int print_list(void)
{
    for (const struct mpdata_format *f = mpdata_formats; f->name != NULL; f++)
        print_format(f);
    return cmd_finish_output(0);
}

static int export_inputs(struct export *e, const struct cmd_command *command)
{
    int status;

    if (e->lists)
        return print_list();
    if (e->format == NULL)
        return cmd_usage(command, "--format is missing; --list names them");
    if (e->metric != MPDATA_METRIC_COUNT && !e->format->has_chosen)
        return cmd_usage(command, "--metric=%s: %s has all of its metrics",
                         mpdata_metrics[e->metric].name, e->format->name);
    if (e->metric != MPDATA_METRIC_COUNT)
        e->profile.metric = e->metric;
    if (!e->profile.has_inputs)
        return cmd_usage(command, "no input files");
    status = input_options_settle_text(&e->profile.inputs, command,
                                       e->profile.output);
    return status == 0 ? export_all(e) : status;
}

static int run(const struct cmd_call *call)
{
    struct export e = {.profile = {.output = "-"},
                       .metric = MPDATA_METRIC_COUNT};
    int status = profile_output_init(&e.profile, call);

    if (status == 0 && cmd_take_all(call, &e, take_input, &status))
        status = export_inputs(&e, call->command);
    profile_output_fini(&e.profile);
    return status;
}

#define FORMAT_DETAILS(id, name, needs, part, has_chosen, help) \
    "\n\n" name ": " help "."

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
