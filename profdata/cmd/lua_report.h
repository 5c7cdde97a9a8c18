/* lua_report.h -- memprofdata events --lua-report: the report of LuaJIT's
 * memory profiler.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/sink.h"
#include "profdata/cmd/session.h"
#include "profdata/events/luajit_report.h"

struct lua_report {
    struct session session;
    struct mpdata_luajit_report_options options;
    struct mprof_buf text; /* while it is written */
    bool is_chosen;        /* --lua-report */
};

#define LUA_REPORT_AT(member) offsetof(struct lua_report, member)

/* Rows of a table of options. */
#define LUA_REPORT_OPTIONS                                                     \
    {"lua-report",                                                             \
     0,                                                                        \
     NULL,                                                                     \
     "of a log of LuaJIT's memory profiler: allocations, reallocations and "   \
     "deallocations by line of the script, which sites they override, and "    \
     "what is alive at the end, as Tarantool's luajit -t m prints them",       \
     cmd_take_flag,                                                            \
     LUA_REPORT_AT(is_chosen)},                                                \
        {"leak-only",   0,                                                     \
         NULL,          "with --lua-report: only what is alive at the end",    \
         cmd_take_flag, LUA_REPORT_AT(options.is_leak_only)},                  \
        {"human-readable",                                                     \
         0,                                                                    \
         NULL,                                                                 \
         "with --lua-report: KiB, MiB and GiB instead of bytes",               \
         cmd_take_flag,                                                        \
         LUA_REPORT_AT(options.is_human_readable)},                            \
    {                                                                          \
        "heap-snap-interval", 0, "SECONDS",                                    \
            "with --lua-report: also what is alive every SECONDS, if the log " \
            "has marks of seconds",                                            \
            cmd_take_positive, LUA_REPORT_AT(options.every_seconds)            \
    }

/* Prints the report of the only operand. Returns the exit status. */
int lua_report_print(struct lua_report *report);
