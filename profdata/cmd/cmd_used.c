/* cmd_used.c -- memprofdata usage: what compilations used of a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/file.h"
#include "profdata/cmd/commands.h"
#include "profdata/cmd/session.h"
#include "profdata/view/views.h"

#include <inttypes.h>

struct used {
    struct session session;
    struct mpdata_use_log log;
};

static const struct cmd_option options[] = {
    {"top", 0, "N",
     "show N modules and N functions (default: 10, with --json all)",
     cmd_take_count, SESSION_AT(show.top)},
    SESSION_JSON_OPTION,
    SESSION_OUTPUT_OPTIONS,
};

static enum mprof_err print_text(struct session *session, FILE *out)
{
    return used_text(out, &((struct used *)session)->log, &session->show);
}

static enum mprof_err print_json(struct session *session,
                                 struct mpdata_sink *sink)
{
    return used_json(sink, &((struct used *)session)->log, &session->show);
}

static int read_log(struct used *u, const char *path)
{
    struct mpdata_file file;
    struct mprof_diag diag;
    enum mprof_err err =
        mpdata_file_open_input(&file, path, mpdata_lines_is_binary, &diag);

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

static int used(struct session *session)
{
    struct used *const u = (struct used *)session;
    int status = session_take_inputs(session);

    for (uint32_t i = 0; status == 0 && i < session->word_count; i++)
        status = read_log(u, session->words[i]);
    if (status == 0 && mpdata_use_log_finish(&u->log) != MPROF_E_OK)
        status = cmd_no_memory();
    if (status == 0) /* for the demangler */
        status = session_open(session, &session->profiles[SESSION_NEW]);
    return status == 0 ? session_print(session, print_text, print_json)
                       : status;
}

static int run(const struct cmd_call *call)
{
    struct used u = {.session = {.word_count = 0}};

    mpdata_use_log_init(&u.log);
    int status = session_run(&u.session, call, used);
    mpdata_use_log_fini(&u.log);
    return status;
}

const struct cmd_command cmd_used = {
    .name = "usage",
    .usage = "[OPTION]... LOG...",
    .summary = "print how much of a profile compilations used",
    .details =
        "Sums up the logs that compilations with -fprofile-use=FILE wrote with "
        "-mllvm -memprof-use-log=LOG: how many functions of the profile were "
        "found unchanged, on other lines, changed or not at all, which "
        "allocation calls got a hint, and how many bytes these calls allocated "
        "in the profile; in total and for each module. If a module was "
        "compiled several times, the last compilation counts.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
