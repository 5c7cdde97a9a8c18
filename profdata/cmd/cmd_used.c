/* cmd_used.c -- memprofdata used: what compilations used of a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/commands.h"
#include "profdata/base/file.h"
#include "profdata/base/output.h"
#include "profdata/cmd/terminal.h"
#include "profdata/view/used.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TOP_DEFAULT 10

struct used {
    const char *output;
    enum terminal_color color;
    bool is_json;
    struct used_options view;
    const char **inputs; /* count of them */
    uint32_t count;
    struct mpdata_use_log log;
};

/* -- options --------------------------------------------------------------- */

static int take_input(void *state, const struct cmd_command *command,
                      const struct cmd_option *option, const char *value)
{
    struct used *const u = (struct used *)state;

    (void)command;
    (void)option;
    u->inputs[u->count++] = value;
    return 0;
}

#define AT(member) offsetof(struct used, member)

static const struct cmd_option options[] = {
    {"top", 0, "N",
     "show N modules and N functions (default: 10, with --json all)",
     cmd_take_count, AT(view.top)},
    {"json", 0, NULL, "print JSON", cmd_take_flag, AT(is_json)},
    {"output", 'o', "FILE", "print to FILE", cmd_take_text, AT(output)},
    {"color", 0, "WHEN:auto always never", TERMINAL_COLOR_HELP, cmd_take_choice,
     AT(color)},
};

/* -- printing -------------------------------------------------------------- */

static enum mprof_err print_text(void *context, FILE *out,
                                 struct mprof_diag *diag)
{
    struct used *const u = (struct used *)context;

    terminal_set_style(&u->view.show, u->color, out);
    return mprof_err_fail(diag, used_text(out, &u->log, &u->view), NULL,
                          MPROF_DIAG_NO_OFFSET);
}

static enum mprof_err print_json(struct used *u, struct mprof_diag *diag)
{
    struct mpdata_output out;
    struct mpdata_sink sink;
    enum mprof_err err;

    mpdata_output_init(&out, u->output != NULL ? u->output : "-");
    sink = mpdata_output_sink(&out);
    err = used_json(&sink, &u->log, &u->view);
    err = err == MPROF_E_OK ? mpdata_output_finish(&out, diag)
                            : mpdata_output_fail(&out, err, diag);
    mpdata_output_fini(&out);
    return err;
}

static int print(struct used *u)
{
    const bool is_file =
        u->output != NULL && !mpdata_file_is_standard(u->output);
    struct mprof_diag diag;
    enum mprof_err err;

    if (u->view.top == CMD_TOP_UNSET)
        u->view.top = u->is_json ? UINT32_MAX : TOP_DEFAULT;
    err = u->is_json ? print_json(u, &diag)
                     : terminal_print(u->output, print_text, u, &diag);
    if (err != MPROF_E_OK)
        return cmd_fail(&diag);
    return is_file || u->is_json ? 0 : cmd_finish_output(0);
}

/* -- the command ----------------------------------------------------------- */

static int read_log(struct used *u, const char *path)
{
    struct mpdata_file file;
    struct mprof_diag diag;
    enum mprof_err err = mpdata_file_open_input(&file, path, NULL, &diag);

    if (err != MPROF_E_OK)
        return cmd_fail(&diag);
    err = mpdata_use_log_read(&u->log, (const char *)file.data, file.size);
    mpdata_file_close(&file);
    if (err == MPROF_E_OK && u->log.cut_line != 0)
        cmd_say("%s:%" PRIu64 ": the log ends within this line; the lines "
                "above count, the rest of its module is missing",
                path, u->log.cut_line);
    if (err == MPROF_E_OK)
        return 0;
    if (err == MPROF_E_NOMEM)
        return cmd_no_memory();
    cmd_say("%s:%" PRIu64 ": %s", path, u->log.bad_line,
            err == MPROF_E_VERSION
                ? "this version of the log is not supported"
                : "not a line of a log of -mllvm -memprof-use-log");
    return mprof_err_exit(err);
}

static int read_logs(struct used *u, const struct cmd_command *command)
{
    int status = 0;

    if (u->count == 0)
        return cmd_usage(command, "no input files");
    for (uint32_t i = 0; i < u->count; i++) {
        if (u->output != NULL && strcmp(u->output, u->inputs[i]) == 0 &&
            !mpdata_file_is_standard(u->output))
            return cmd_usage(command, "%s is an input and the output",
                             u->output);
    }
    for (uint32_t i = 0; status == 0 && i < u->count; i++)
        status = read_log(u, u->inputs[i]);
    if (status == 0 && mpdata_use_log_finish(&u->log) != MPROF_E_OK)
        status = cmd_no_memory();
    return status == 0 ? print(u) : status;
}

static int run(const struct cmd_call *call)
{
    struct used u = {
        .color = TERMINAL_AUTO,
        .view = {.top = CMD_TOP_UNSET},
        .inputs = (const char **)calloc((size_t)call->argc, sizeof(*u.inputs))};
    int status = 0;

    if (u.inputs == NULL)
        return cmd_no_memory();
    mpdata_use_log_init(&u.log);
    if (cmd_take_all(call, &u, take_input, &status))
        status = read_logs(&u, call->command);
    mpdata_use_log_fini(&u.log);
    free(u.inputs);
    return status;
}

const struct cmd_command cmd_used = {
    .name = "used",
    .usage = "[OPTION]... LOG...",
    .summary = "say how much of a profile compilations used",
    .details =
        "Adds up what compilations with -fprofile-use=FILE wrote with -mllvm "
        "-memprof-use-log=LOG: how many functions of the profile were found "
        "as they were, in other lines, changed or not at all, which "
        "allocation calls got a hint, and how many bytes they allocated while "
        "the profile was made; of all and of each module. A module that was "
        "compiled again counts as it was compiled last.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
