/* cmd_control.c -- memprofdata control: a command to a program that runs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/file.h"
#include "profdata/base/sink.h"
#include "profdata/cmd/commands.h"
#include "profdata/serve/control.h"

#include <string.h>

struct control {
    const char *where;
    const char *output;
    struct mprof_buf line; /* the command and its arguments */
};

static int take_operand(const struct cmd_arg *arg)
{
    struct control *const c = (struct control *)arg->field;

    if (c->where == NULL) {
        c->where = arg->value;
        return 0;
    }
    if (c->line.size != 0)
        mprof_buf_bytes(&c->line, " ", 1);
    mprof_buf_bytes(&c->line, arg->value, strlen(arg->value));
    return 0;
}

static const struct cmd_option options[] = {
    {"output", 'o', "FILE",
     "with dump: write the profile to FILE (-: to the standard output), "
     "whatever the program's own place for profiles is",
     cmd_take_text, offsetof(struct control, output)},
};

static int fail(const struct mprof_diag *diag)
{
    if (diag->text[0] == '\0')
        return cmd_fail(diag);
    cmd_say("%s: %s", diag->file, diag->text);
    return mprof_err_exit(diag->err);
}

static int store_profile(struct mpdata_control *connection, const char *path)
{
    struct mprof_buf bytes;
    struct mprof_diag diag;
    int status = 0;

    mpdata_heapbuf_init(&bytes);
    if (mpdata_control_dump(connection, &bytes, &diag) != MPROF_E_OK)
        status = fail(&diag);
    else if (mpdata_file_write(path, bytes.data, bytes.size, &diag) !=
             MPROF_E_OK)
        status = cmd_fail(&diag);
    mpdata_heapbuf_fini(&bytes);
    return status;
}

/* Prints fields one a line, and other texts as they are. */
static int print_answer(char *answer, bool has_fields)
{
    for (char *s = answer; has_fields && *s != '\0'; s++)
        *s = *s == ' ' ? '\n' : *s;
    if (answer[0] != '\0')
        puts(answer);
    return cmd_finish_output(0);
}

static int execute(const struct control *c, const char *line)
{
    struct mpdata_control connection;
    struct mprof_diag diag;
    int status;

    if (mpdata_control_open(&connection, c->where, &diag) != MPROF_E_OK)
        return fail(&diag);
    if (c->output != NULL)
        status = store_profile(&connection, c->output);
    else if (mpdata_control_ask(&connection, line, &diag) != MPROF_E_OK)
        status = fail(&diag);
    else
        status =
            print_answer(connection.answer, strcmp(line, "status") == 0 ||
                                                strcmp(line, "version") == 0);
    mpdata_control_close(&connection);
    return status;
}

static int check_and_execute(const struct cmd_call *call, struct control *c)
{
    if (c->where == NULL || c->line.size == 0)
        return cmd_usage(call->command,
                         "a process and a command are needed, such as "
                         "1234 status");
    mprof_buf_bytes(&c->line, "", 1);
    if (c->line.failed)
        return cmd_no_memory();
    const char *const line = (const char *)c->line.data;
    if (c->output != NULL && strcmp(line, "dump") != 0)
        return cmd_usage(call->command, "-o goes with dump alone");
    return execute(c, line);
}

static int run(const struct cmd_call *call)
{
    struct control c = {.where = NULL};
    int status = 0;

    mpdata_heapbuf_init(&c.line);
    if (cmd_take_all(call, &c, take_operand, &status))
        status = check_and_execute(call, &c);
    mpdata_heapbuf_fini(&c.line);
    return status;
}

const struct cmd_command cmd_control = {
    .name = "control",
    .usage = "[OPTION]... PID|unix:PATH COMMAND [ARGUMENT]",
    .summary = "send a command to a program that runs",
    .details =
        "Sends a command to a program that was started with "
        "MEMPROF_OPTIONS=control=DIR or control=PATH, and prints the answer. "
        "Commands are version; status; start and stop, which say whether new "
        "blocks are recorded; dump, which has the program write a profile, to "
        "a place of its own or to a new file if one is named, and prints the "
        "file's name; reset, which discards what was recorded; accesses all, "
        "none or 1/N, which changes what counts, and resets; and sample N, "
        "which records one block per N bytes from then on. With -o a dump is "
        "stored here. docs/control.md describes all commands.\n"
        "\n"
        "Example: memprofdata control 1234 dump -o now.raw && memprofdata show "
        "now.raw",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
