/* cmd_help.c -- memprofdata help and memprofdata version.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/commands.h"
#include "shared/version.h"

struct help {
    const struct cmd_command *const *all;
    const struct cmd_command *topic; /* NULL: all commands */
    bool is_roff;
    bool is_words;
};

static int take_topic(const struct cmd_arg *arg)
{
    struct help *const help = (struct help *)arg->field;

    help->topic = cmd_find(help->all, arg->value);
    return help->topic != NULL
               ? 0
               : cmd_no_command(help->all, "help: ", arg->value);
}

static const struct cmd_option options[] = {
    {.name = "roff",
     .help = "print the man page of a command, or the list of commands as a "
             "part of one",
     .take = cmd_take_flag,
     .field = offsetof(struct help, is_roff)},
    {.name = "words",
     .help = "print the names of all commands or of a command's options, for "
             "the completion of shells",
     .take = cmd_take_flag,
     .field = offsetof(struct help, is_words)},
};

static void print_topic(const struct help *help)
{
    if (help->is_roff && help->topic != NULL)
        words_print_page(stdout, help->topic);
    else if (help->is_roff)
        words_print_roff(stdout, help->all);
    else if (help->is_words && help->topic != NULL)
        words_print(stdout, help->topic);
    else if (help->is_words)
        words_print_all(stdout, help->all);
    else if (help->topic != NULL)
        cmd_print_help(stdout, help->topic);
    else
        cmd_print_overview(stdout, help->all);
}

static int run_help(const struct cmd_call *call)
{
    struct help help = {.all = call->all};
    int status;

    if (!cmd_take_all(call, &help, take_topic, &status))
        return status;
    print_topic(&help);
    return cmd_finish_output(0);
}

static int refuse_word(const struct cmd_arg *arg)
{
    return cmd_usage(NULL, "%s takes no arguments: %s", arg->command->name,
                     arg->value);
}

static int run_version(const struct cmd_call *call)
{
    int status;

    if (!cmd_take_all(call, NULL, refuse_word, &status))
        return status;
    puts("memprofdata " MPROF_VERSION);
    return cmd_finish_output(0);
}

const struct cmd_command cmd_help = {
    .name = "help",
    .usage = "[OPTION] [COMMAND]",
    .summary = "describe memprofdata or one of its commands",
    .details = "Describes memprofdata, or one of its commands.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run_help};

const struct cmd_command cmd_version = {
    .name = "version",
    .usage = "",
    .summary = "print the version",
    .details = "Prints the version, which is the whole project's.",
    .run = run_version};
