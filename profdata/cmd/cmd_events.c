/* cmd_events.c -- memprofdata events: what stands in a log of events.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/commands.h"
#include "profdata/cmd/log_json.h"
#include "profdata/cmd/log_list.h"
#include "profdata/cmd/log_summary.h"
#include "profdata/cmd/log_tail.h"
#include "profdata/cmd/lua_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TOP_DEFAULT 100

struct every {
    uint64_t ns;   /* 0: not given */
    bool is_count; /* a number without a unit: of events */
};

struct events {
    struct lua_report lua; /* begins with the session */
    struct every every;
    struct mpdata_file file;
    struct mpdata_event_stats stats;
    struct log_list list;
};

/* -- options --------------------------------------------------------------- */

static int take_every(const struct cmd_arg *arg)
{
    static const struct {
        const char *text;
        double ns;
    } units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"min", 6e10}, {"", 1}};
    struct every *const every = arg->field;
    char *end;
    const double number = strtod(arg->value, &end);

    for (size_t i = 0; i < MPROF_ARRAY_LEN(units); i++) {
        if (strcmp(end, units[i].text) == 0 && arg->value[0] >= '0' &&
            arg->value[0] <= '9' && number * units[i].ns >= 1 &&
            number * units[i].ns < 1e18) {
            every->ns = (uint64_t)(number * units[i].ns);
            every->is_count = units[i].text[0] == '\0';
            return 0;
        }
    }
    return cmd_usage(arg->command,
                     "--every=%s: not a time like 1s, 20ms, 500us or 2min",
                     arg->value);
}

#define AT(member) offsetof(struct events, member)

static const struct cmd_option options[] = {
    {"every", 0, "TIME",
     "print what was alive every TIME (1s, 20ms; of a log without times every "
     "so many events), and what was allocated and freed in between",
     take_every, AT(every)},
    {"list", 0, NULL,
     "print single events in the order of time, with their call stacks: the "
     "first ones, as many as --top says, of those that the next options leave",
     cmd_take_flag, AT(list.is_chosen)},
    {"follow", 0, "ADDRESS",
     "the same of the blocks that contained an address (0x7f001234), or of the "
     "one that did at a moment (0x7f001234@1.5s)",
     cmd_take_text, AT(list.follow)},
    {"tail", 0, NULL,
     "print single events while the log grows: the last ones that are there, "
     "as many as --top says, then all that come, until the log ends or no "
     "program has the file open for writing; LOG may be a pipe or -",
     cmd_take_flag, AT(list.is_tail)},
    {"thread", 0, "NUMBER", "with --list: of this thread", cmd_take_positive,
     AT(list.thread)},
    {"kind", 0, "KIND:all alloc free realloc event",
     "with --list: of this kind", cmd_take_choice, AT(list.kind)},
    {"at", 0, "TIME",
     "show the heap at a moment: short for memprofdata show --at=TIME, with "
     "all options of show",
     NULL, 0},
    {"window", 0, "TIME,TIME",
     "show what was allocated in a window and was alive at its end: short for "
     "memprofdata show --window=TIME,TIME, with all options of show; with "
     "--list, only events in the window",
     cmd_take_text, SESSION_AT(choice.window)},
    {"top", 0, "N", "print N events, threads and marks (default: 100)",
     cmd_take_count, SESSION_AT(show.top)},
    SESSION_STACKS_OPTION,
    SESSION_STACK_OPTIONS,
    {"json", 0, NULL, "print JSON, with all threads and marks", cmd_take_flag,
     SESSION_AT(is_json)},
    LUA_REPORT_OPTIONS,
    SESSION_SYMBOL_OPTIONS,
    SESSION_OUTPUT_OPTIONS,
};

/* -- the command ----------------------------------------------------------- */

static bool is_list(const struct events *e)
{
    return e->list.is_chosen || e->list.is_tail || e->list.follow != NULL;
}

static enum mprof_err print_text(struct session *session, FILE *out)
{
    const struct events *const e = (struct events *)session;

    if (is_list(e))
        return log_list_text(&e->list, out);
    return log_summary_text(&e->stats, e->every.ns, session->show.top, out);
}

static enum mprof_err print_json(struct session *session,
                                 struct mpdata_sink *sink)
{
    const struct events *const e = (struct events *)session;

    if (is_list(e))
        return log_list_json(&e->list, sink);
    return log_json_summary(&e->stats, e->every.ns, sink);
}

static enum mprof_err read_stats(struct events *e, struct mprof_diag *diag)
{
    const enum mprof_err err = mpdata_event_stats_read(
        &e->stats, e->file.data, e->file.size, e->every.ns, diag);

    return err == MPROF_E_LIMIT
               ? mpdata_diag_text(diag, MPROF_E_USAGE,
                                  "--every makes more than %u rows of this log",
                                  MPDATA_EVENT_STEPS_MAX)
               : err;
}

static int list(struct events *e)
{
    struct session *const session = &e->lua.session;
    int status = session_take_inputs(session);

    if (status == 0)
        status = log_list_find(&e->list, session, &e->file);
    return status == 0 ? session_print(session, print_text, print_json)
                       : status;
}

static int tail(struct events *e)
{
    const int status = session_take_inputs(&e->lua.session);

    return status == 0 ? log_tail_print(&e->list, &e->lua.session) : status;
}

static int check(const struct events *e)
{
    const struct cmd_command *const command = e->lua.session.command;
    const struct log_list *const l = &e->list;
    const char *const filter =
        l->thread != 0 ? "thread"
        : l->kind != LOG_LIST_ALL
            ? "kind"
            : filter_options_given(&e->lua.session.filter);

    if (is_list(e) && e->every.ns != 0)
        return cmd_usage(command, "--every and --%s cannot be combined",
                         l->follow != NULL ? "follow" : "list");
    if (l->is_tail &&
        (e->lua.session.is_json || e->lua.session.choice.window != NULL ||
         !mpdata_file_is_standard(e->lua.session.output) ||
         (l->follow != NULL && strchr(l->follow, '@') != NULL)))
        return cmd_usage(command,
                         "--tail prints lines to standard output as they come, "
                         "without --json, --output, --window and @TIME");
    if (!is_list(e) && filter != NULL)
        return cmd_usage(command, "--%s is for --list, --follow and --tail",
                         filter);
    return 0;
}

/* What a log of another tool does not have cannot be asked for. */
static int check_log(const struct events *e)
{
    const struct mpdata_log_traits traits =
        mpdata_foreign_log_traits(e->file.data, e->file.size);
    const struct cmd_command *const command = e->lua.session.command;
    const struct cmd_filter *const filter = &e->lua.session.filter;
    const bool is_count = traits.unit != NULL;

    if (e->every.ns != 0 && is_count && !e->every.is_count)
        return cmd_usage(command,
                         "the log has no times: --every=1000 is every 1,000 "
                         "%ss",
                         traits.unit);
    if (e->every.is_count && !is_count)
        return cmd_usage(command,
                         "--every=%" PRIu64
                         ": not a time like 1s, 20ms, 500us or 2min",
                         e->every.ns);
    if (e->list.thread != 0 && !traits.has_threads)
        return cmd_usage(command, "--thread: the log has no threads");
    if (e->list.follow != NULL && !traits.has_addresses)
        return cmd_usage(command, "--follow: the log has no addresses");
    if (e->list.kind > LOG_LIST_ALLOC && !traits.has_ends)
        return cmd_usage(command,
                         "--kind: the log does not tell which objects ended");
    for (size_t i = 0; traits.title != NULL && i < filter->metric_count; i++) {
        if (filter->metrics[i].metric != MPDATA_METRIC_BYTES ||
            filter->metrics[i].is_ratio)
            return cmd_usage(command,
                             "--filter=%s: of another tool's log only bytes "
                             "can be asked for",
                             filter->metrics[i].text);
    }
    return 0;
}

static int summarize(struct events *e)
{
    struct session *const session = &e->lua.session;
    struct mprof_diag diag;
    int status = check(e);

    if (status != 0)
        return status;
    if (session->word_count != 1)
        return cmd_usage(session->command, session->word_count == 0
                                               ? "no log is named"
                                               : "name one log");
    if (e->list.is_tail)
        return tail(e);
    enum mprof_err err =
        log_summary_open(&e->file, session->words[0], true, &diag);
    if (err == MPROF_E_OK) {
        status = check_log(e);
        if (status != 0)
            return status;
    }
    if (err == MPROF_E_OK && is_list(e))
        return list(e);
    if (err == MPROF_E_OK)
        err = read_stats(e, &diag);
    if (err != MPROF_E_OK) {
        diag.file = session->words[0];
        return cmd_fail(&diag);
    }
    log_summary_warn(&session->warn, session->words[0], &e->stats.rest);
    return session_print(session, print_text, print_json);
}

static int events(struct session *session)
{
    struct events *const e = (struct events *)session;
    const struct mpdata_luajit_report_options *const lua = &e->lua.options;

    if (!e->lua.is_chosen && (lua->is_leak_only || lua->is_human_readable ||
                              lua->every_seconds != 0))
        return cmd_usage(session->command,
                         "--leak-only, --human-readable and "
                         "--heap-snap-interval are of --lua-report");
    if (e->lua.is_chosen && (e->every.ns != 0 || session->is_json))
        return cmd_usage(session->command,
                         "--lua-report has no --every and no --json");
    return e->lua.is_chosen ? lua_report_print(&e->lua) : summarize(e);
}

/* --at and --window are views of show, if they do not bound a list. */
static bool is_of_show(const struct cmd_call *call)
{
    bool is_moment = false;

    for (int i = 1; i < call->argc && strcmp(call->argv[i], "--") != 0; i++) {
        const char *word = call->argv[i];

        if (word[0] != '-')
            continue;
        word += word[1] == '-' ? 2 : 1;
        if (strcmp(word, "at") == 0 || strncmp(word, "at=", 3) == 0 ||
            strcmp(word, "window") == 0 || strncmp(word, "window=", 7) == 0)
            is_moment = true;
        if (strcmp(word, "list") == 0 || strcmp(word, "tail") == 0 ||
            strncmp(word, "follow", 6) == 0)
            return false;
    }
    return is_moment;
}

static int run(const struct cmd_call *call)
{
    struct events e = {.lua.session.show.top = TOP_DEFAULT};
    struct cmd_call shown = *call;

    shown.command = &cmd_show;
    if (is_of_show(call))
        return cmd_show.run(&shown);
    int status = session_run(&e.lua.session, call, events);
    mpdata_event_stats_fini(&e.stats);
    log_list_fini(&e.list);
    mpdata_file_close(&e.file);
    return status;
}

const struct cmd_command cmd_events = {
    .name = "events",
    .usage = "[OPTION]... LOG",
    .summary = "print what stands in a log of events",
    .details =
        "Prints sums over a log that a program wrote with "
        "MEMPROF_OPTIONS=log=FILE: rates, the fullest moments, the heap over "
        "time, sizes, threads, phases and marks. --at and --window print the "
        "heap at a moment as show does. Options that choose call stacks, types "
        "or blocks are for --list, --follow and --tail. Logs of LuaJIT's "
        "memory "
        "profiler (misc.memprof of Tarantool) and of Mono's profilers are read "
        "as far as they tell; the former have a report of their own. All "
        "commands that read profiles read logs, too.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
