/* cmd_report.c -- memprofdata report: a profile as a page to look at.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/commands.h"
#include "profdata/cmd/profile_output.h"
#include "profdata/report/page.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#define DEFAULT_OUTPUT "report.html"
/* Of xdg-utils; opens a file with what its reader has chosen. */
#define OPENER "xdg-open"

extern char **environ;

struct report {
    struct profile_output profile;
    bool opens;
};

/* -- options --------------------------------------------------------------- */

static int take_output(void *state, const struct cmd_command *command,
                       const struct cmd_option *option, const char *value)
{
    struct report *const r = (struct report *)state;

    (void)command;
    (void)option;
    r->profile.output = value;
    return 0;
}

static int take_open(void *state, const struct cmd_command *command,
                     const struct cmd_option *option, const char *value)
{
    struct report *const r = (struct report *)state;

    (void)command;
    (void)option;
    (void)value;
    r->opens = true;
    return 0;
}

static int take_symbol(void *state, const struct cmd_command *command,
                       const struct cmd_option *option, const char *value)
{
    struct report *const r = (struct report *)state;

    (void)command;
    symbol_options_take(&r->profile.symbols, option, value);
    return 0;
}

static int take_filter(void *state, const struct cmd_command *command,
                       const struct cmd_option *option, const char *value)
{
    struct report *const r = (struct report *)state;

    return filter_options_take(&r->profile.filter, command, option, value);
}

static int take_no_verify(void *state, const struct cmd_command *command,
                          const struct cmd_option *option, const char *value)
{
    struct report *const r = (struct report *)state;

    (void)command;
    (void)option;
    (void)value;
    r->profile.no_verify = true;
    return 0;
}

static int take_input(void *state, const struct cmd_command *command,
                      const struct cmd_option *option, const char *value)
{
    struct report *const r = (struct report *)state;

    (void)command;
    (void)option;
    return profile_output_add(&r->profile, value);
}

static const struct cmd_option options[] = {
    {"output", 'o', "FILE", "where to write (default: " DEFAULT_OUTPUT ")",
     NULL, take_output},
    {"open", 0, NULL, "and show it in the browser, with " OPENER, NULL,
     take_open},
    CMD_FILTER_OPTIONS(take_filter),
    CMD_SYMBOL_OPTIONS(take_symbol),
    {"no-verify", 0, NULL, "read inputs whose checksums do not match", NULL,
     take_no_verify},
};

/* -- the command ----------------------------------------------------------- */

/* Waits for the program that asks the browser, not for the browser. */
static int open_page(const char *path)
{
    char *const words[] = {(char[]){OPENER}, (char *)(uintptr_t)path, NULL};
    pid_t child;
    int status = 0;
    const int error = posix_spawnp(&child, OPENER, NULL, NULL, words, environ);

    if (error == 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
    if (error == 0 && status == 0)
        return 0;
    cmd_say("%s is written, but " OPENER " did not show it%s%s: open it with a "
            "browser",
            path, error != 0 ? ": " : "", error != 0 ? strerror(error) : "");
    return mprof_err_exit(MPROF_E_UNSUPPORTED);
}

static int report_inputs(struct report *r, const struct cmd_command *command)
{
    struct profile_output *const p = &r->profile;
    int status;

    if (!p->has_inputs)
        return cmd_usage(command, "no input files");
    if (r->opens && strcmp(p->output, "-") == 0)
        return cmd_usage(command, "--open needs a file: --output=- is none");
    status = input_options_settle_text(&p->inputs, command, p->output);
    if (status == 0)
        status = profile_output_load(p);
    if (status == 0)
        status = profile_output_write(p, mpdata_page_write);
    return status == 0 && r->opens ? open_page(p->output) : status;
}

static int run(const struct cmd_call *call)
{
    struct report r = {.profile = {.output = DEFAULT_OUTPUT}};
    int status = profile_output_init(&r.profile, call);

    if (status == 0 && cmd_take_all(call, &r, take_input, &status))
        status = report_inputs(&r, call->command);
    profile_output_fini(&r.profile);
    return status;
}

const struct cmd_command cmd_report = {
    .name = "report",
    .usage = "[OPTION]... FILE... [-o FILE]",
    .summary = "write a page to look at, for any browser",
    .details =
        "Reads profiles as show does, several as one, and writes one page "
        "that needs nothing else: no network, no server. It has a summary, "
        "flame graphs of any metric from main() down and from the allocations "
        "up, the tree of calls, tables by function, line, file, module and "
        "type, and each call stack. Its address says what is looked at, so a "
        "view can be sent with the file.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
