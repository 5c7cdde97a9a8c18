/* cmd_help.c -- memprofdata help, version.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/cmd.h"
#include "shared/version.h"

enum { OPTION_ROFF, OPTION_WORDS };

static const struct cmd_option options[] = {
    [OPTION_ROFF] = {.name = "roff",
                     .help = "print all of it as part of a man page"},
    [OPTION_WORDS] = {.name = "words",
                      .help = "print names only, for shells that complete "
                              "words: of the commands, or of a command's "
                              "options"},
};

static void print_topic(const struct cmd_command *topic, bool roff, bool words)
{
    if (roff)
        words_print_roff(stdout);
    else if (words)
        words_print(stdout, topic);
    else if (topic != NULL)
        cmd_print_help(stdout, topic);
    else
        cmd_print_overview(stdout);
}

static int run_help(const struct cmd_command *command, int argc, char **argv)
{
    struct cmd_parser parser = {.command = command, .argc = argc, .argv = argv};
    const struct cmd_command *topic = NULL;
    struct cmd_word word;
    bool given[MPROF_ARRAY_LEN(options)] = {false};
    bool failed = false;
    bool helped = false;

    while (cmd_parse(&parser, &word, &failed, &helped)) {
        if (word.option >= 0) {
            given[word.option] = true;
            continue;
        }
        topic = cmd_find(word.value);
        if (topic == NULL)
            return cmd_usage(NULL, "%s: there is no command %s", command->name,
                             word.value);
    }
    if (failed)
        return CMD_EXIT_USAGE;
    if (!helped)
        print_topic(topic, given[OPTION_ROFF], given[OPTION_WORDS]);
    return cmd_finish_output(0);
}

static int run_version(const struct cmd_command *command, int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return cmd_usage(NULL, "%s takes no arguments", command->name);
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
