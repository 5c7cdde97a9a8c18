/* cmd_events.c -- memprofdata events: what stands in a log of events.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/commands.h"
#include "profdata/cmd/lua_report.h"

static const struct cmd_option options[] = {
    LUA_REPORT_OPTIONS,
    SESSION_OUTPUT_OPTIONS,
};

static int events(struct session *session)
{
    struct lua_report *const r = (struct lua_report *)session;

    return r->is_chosen
               ? lua_report_print(r)
               : cmd_usage(session->command, "--lua-report is missing");
}

static int run(const struct cmd_call *call)
{
    struct lua_report r = {.is_chosen = false};

    return session_run(&r.session, call, events);
}

const struct cmd_command cmd_events = {
    .name = "events",
    .usage = "[OPTION]... LOG",
    .summary = "print what stands in a log of events",
    .details = "Prints the report of a log of LuaJIT's memory profiler "
               "(misc.memprof of Tarantool).",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
