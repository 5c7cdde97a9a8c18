/* lua_report.c -- memprofdata events --lua-report.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/lua_report.h"
#include "profdata/base/file.h"
#include "profdata/events/luajit_log.h"
#include "profdata/load/parse.h"

static enum mprof_err write(struct session *session, struct mpdata_sink *sink)
{
    const struct mprof_buf *const text = &((struct lua_report *)session)->text;

    mpdata_sink_bytes(sink, (const char *)text->data, text->size);
    return MPROF_E_OK;
}

static enum mprof_err make(struct lua_report *r, const char *path,
                           struct mprof_diag *diag)
{
    struct mpdata_sink sink = mpdata_sink_to_buf(&r->text);
    struct mpdata_file file;
    enum mprof_err err = mpdata_parse_open(&file, path, diag);

    if (err == MPROF_E_OK && !mpdata_luajit_log_is(file.data, file.size))
        err = mpdata_diag_text(diag, MPROF_E_UNSUPPORTED,
                               "it is not a log of LuaJIT's memory profiler");
    if (err == MPROF_E_OK)
        err = mpdata_luajit_report(file.data, file.size, &r->options, &sink,
                                   &r->session.warn, path, diag);
    mpdata_file_close(&file);
    if (err == MPROF_E_OK && sink.failed)
        err = mprof_err_plain(diag, MPROF_E_NOMEM);
    return err;
}

int lua_report_print(struct lua_report *r)
{
    struct session *const session = &r->session;
    struct mprof_diag diag;
    int status;

    if (session->word_count != 1)
        return cmd_usage(session->command, "--lua-report reads one log");
    mpdata_heapbuf_init(&r->text);
    if (make(r, session->words[0], &diag) == MPROF_E_OK) {
        status = session_write(session, write);
    } else {
        diag.file = session->words[0];
        status = cmd_fail(&diag);
    }
    mpdata_heapbuf_fini(&r->text);
    return status;
}
