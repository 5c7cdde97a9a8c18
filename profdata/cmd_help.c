/* cmd_help.c -- memprofdata help, version.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd.h"
#include "shared/version.h"

static int run_help(const struct cmd_command *command, int argc, char **argv)
{
    const struct cmd_command *topic;

    if (argc < 2) {
        cmd_print_overview(stdout);
        return cmd_finish_output(0);
    }
    topic = cmd_find(argv[1]);
    if (topic == NULL)
        return cmd_usage(NULL, "%s: there is no command %s", command->name,
                         argv[1]);
    cmd_print_help(stdout, topic);
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
    .usage = "[COMMAND]",
    .summary = "describe memprofdata or one of its commands",
    .details = "Describes memprofdata, or one of its commands.",
    .run = run_help};

const struct cmd_command cmd_version = {
    .name = "version",
    .usage = "",
    .summary = "print the version",
    .details = "Prints the version, which is the whole project's.",
    .run = run_version};
