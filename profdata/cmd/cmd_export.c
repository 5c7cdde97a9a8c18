/* cmd_export.c -- memprofdata export: writes a profile in the format of another
 * tool.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/commands.h"
#include "profdata/cmd/session.h"
#include "profdata/export/formats.h"
#include "profdata/model/transforms.h"

#include <inttypes.h>
#include <string.h>

struct export
{
    struct session session;
    const struct mpdata_format *format;
    enum mpdata_metric metric; /* MPDATA_METRIC_COUNT: not given */
    const char *base;
    bool lists;
    bool no_symbols;
    /* Metrics that the profile has; set after loading. */
    bool held[MPDATA_METRIC_COUNT];
};

/* -- options --------------------------------------------------------------- */

static int take_format(const struct cmd_arg *arg)
{
    struct export *const e = (struct export *)arg->field;

    e->format = mpdata_formats_find(arg->value);
    return e->format != NULL
               ? 0
               : cmd_usage(arg->command,
                           "--%s=%s: unknown format; --list prints the formats",
                           arg->option->name, arg->value);
}

#define AT(member) offsetof(struct export, member)

static const struct cmd_option options[] = {
    {"format", 0, "FORMAT:" MPDATA_FORMAT_NAMES,
     "the format to write; --list prints the formats", take_format, 0},
    {"list", 0, NULL, "print the formats and the programs that read them",
     cmd_take_flag, AT(lists)},
    {"output", 'o', "FILE", "output file (default: standard output)",
     cmd_take_text, SESSION_AT(output)},
    {"metric", 0, "KEY:" MPDATA_METRIC_NAMES,
     "the metric that folded writes, and that pprof, speedscope and firefox "
     "show first: " MPDATA_METRIC_NAMES "(default: bytes, if known)",
     cmd_take_choice, AT(metric)},
    {"base", 0, "FILE",
     "write what came after FILE, an earlier profile of the same run: sums of "
     "blocks, bytes and accesses, and how much live memory grew",
     cmd_take_text, AT(base)},
    {"pools", 0, NULL,
     "write mapped memory and the blocks of the program's own allocators "
     "instead of the heap's blocks, as show --pools has them",
     cmd_take_flag, SESSION_AT(is_of_pools)},
    SESSION_MOMENT_OPTIONS,
    SESSION_FILTER_OPTIONS,
    SESSION_SYMBOL_OPTIONS,
    {"no-symbols", 0, NULL,
     "keep the addresses of raw profiles, for readers that find names "
     "themselves",
     cmd_take_flag, AT(no_symbols)},
    SESSION_VERIFY_OPTION,
};

/* -- writing --------------------------------------------------------------- */

/* Returns the name of what a format requires of a profile; NULL: nothing. */
static const char *needed_title(const struct mpdata_format *format)
{
    switch (format->part) {
    case MPROF_TAG_COPY:
        return "copies";
    case MPROF_TAG_EVENT:
        return "events";
    default:
        return format->needs != MPDATA_METRIC_NONE
                   ? mpdata_metrics[format->needs].title
                   : NULL;
    }
}

static bool holds_part(const struct mpdata_profile *profile, uint32_t kind)
{
    const struct mpdata_view view = mpdata_profile_view(profile);

    for (uint32_t i = 0; i < view.tagged_count; i++) {
        if (view.tagged_rows[i].kind == kind)
            return true;
    }
    return kind == MPROF_TAG_NONE;
}

/* Does the profile have what the format requires? Prints a message if not. */
static bool holds_needed(const struct export *e)
{
    const enum mpdata_metric needs = e->format->needs;

    if ((needs == MPDATA_METRIC_NONE || e->held[needs]) &&
        holds_part(session_profile(&e->session, SESSION_NEW), e->format->part))
        return true;
    cmd_say("--format=%s needs %s, which the profile does not have",
            e->format->name, needed_title(e->format));
    return false;
}

/* May the profile hold the run as it was at the dump, or later? Dumps without a
 * number do not say which run they are of. */
static bool may_hold(const struct mpdata_view *view,
                     const struct mpdata_run *dump)
{
    bool is_held = dump->dump == 0;

    for (uint32_t i = 0; i < view->run_count && !is_held; i++) {
        const struct mpdata_run *const run = &view->runs[i];

        is_held = run->run_id == dump->run_id && run->count >= dump->count &&
                  (run->epoch > dump->epoch ||
                   (run->epoch == dump->epoch && run->dump >= dump->dump) ||
                   run->dump == MPDATA_RAW_DUMP_OF_LOG ||
                   dump->dump == MPDATA_RAW_DUMP_OF_LOG);
    }
    return is_held;
}

/* Checks that the profile contains --base. Returns 0, or an exit status after a
 * message. */
static int check_base(const struct export *e)
{
    const struct mpdata_view now =
        mpdata_profile_view(session_profile(&e->session, SESSION_NEW));
    const struct mpdata_view old =
        mpdata_profile_view(session_profile(&e->session, SESSION_OLD));

    for (uint32_t i = 0; i < old.run_count; i++) {
        if (may_hold(&now, &old.runs[i]))
            continue;
        cmd_say("%s is not an earlier profile of the same run: the other one "
                "does not include what it has of process %" PRIu64,
                e->base, old.runs[i].pid);
        return mprof_err_exit(MPROF_E_UNSUPPORTED);
    }
    return 0;
}

/* Replaces the loaded profile by its difference from --base. */
static int subtract(struct export *e)
{
    struct session_profile *const old = &e->session.profiles[SESSION_OLD];
    struct mpdata_content *const now =
        &e->session.profiles[SESSION_NEW].content;
    int status = session_add(old, e->base, 1);

    old->load.no_symbols = e->no_symbols;
    if (status == 0)
        status = session_load(&e->session, old);
    if (status == 0)
        status = check_base(e);
    if (status != 0)
        return status;
    struct mpdata_profile *const rest =
        mpdata_subtract(now->profile, old->content.profile);
    if (rest == NULL)
        return cmd_no_memory();
    mpdata_profile_free(now->profile);
    now->profile = rest;
    return 0;
}

static int load(struct export *e)
{
    struct session_profile *const p = &e->session.profiles[SESSION_NEW];

    p->load.no_symbols = e->no_symbols;
    int status = session_load(&e->session, p);
    if (status == 0 && e->base != NULL)
        status = subtract(e);
    if (status != 0)
        return status;
    if (mpdata_metrics_held(p->content.profile, e->held) != MPROF_E_OK)
        return cmd_no_memory();
    if (e->session.is_of_pools)
        e->held[MPDATA_METRIC_ACCESSES] = false;
    if (e->metric == MPDATA_METRIC_COUNT)
        e->metric = e->held[MPDATA_METRIC_BYTES] ? MPDATA_METRIC_BYTES
                                                 : MPDATA_METRIC_BLOCKS;
    if (!holds_needed(e))
        return mprof_err_exit(MPROF_E_UNSUPPORTED);
    return session_say_limits(p->content.profile, "");
}

static enum mprof_err write(struct session *session, struct mpdata_sink *sink)
{
    struct export *const e = (struct export *)session;
    const struct session_profile *const p = &session->profiles[SESSION_NEW];
    struct mpdata_export what = {.profile = p->content.profile,
                                 .old = session_profile(session, SESSION_OLD),
                                 .names = mpdata_frame_names_new(
                                     p->content.profile, &session->demangler),
                                 .held = e->held,
                                 .metric = e->metric,
                                 .warn = p->load.warn};
    enum mprof_err err = MPROF_E_NOMEM;

    if (what.names != NULL)
        err = e->format->write(&what, sink);
    if (err == MPROF_E_OK && mpdata_frame_names_failed(what.names))
        err = MPROF_E_NOMEM;
    if (err == MPROF_E_OK && !sink->is_used)
        cmd_say("the profile has nothing of --metric=%s%s, so what is written "
                "is empty",
                mpdata_metrics[e->metric].name,
                e->held[e->metric] ? "" : ", which was not measured");
    mpdata_frame_names_free(what.names);
    return err;
}

/* -- the command ----------------------------------------------------------- */

static void print_format(const struct mpdata_format *format)
{
    const char *const needed = needed_title(format);

    printf("%-12s%s%s%s%s\n", format->name, format->help,
           needed != NULL ? " (needs " : "", needed != NULL ? needed : "",
           needed != NULL ? ")" : "");
}

static int print_list(void)
{
    for (const struct mpdata_format *f = mpdata_formats; f->name != NULL; f++)
        print_format(f);
    return cmd_finish_output(0);
}

static int export(struct session *session)
{
    struct export *const e = (struct export *)session;
    const struct cmd_command *const command = session->command;

    if (e->lists)
        return print_list();
    if (e->format == NULL)
        return cmd_usage(command,
                         "--format is missing; --list prints the formats");
    if (e->metric != MPDATA_METRIC_COUNT && !e->format->has_chosen)
        return cmd_usage(command, "--metric=%s: %s has all of its metrics",
                         mpdata_metrics[e->metric].name, e->format->name);
    int status = session_take_inputs(session);
    if (status == 0)
        status = load(e);
    return status == 0 ? session_write(session, write) : status;
}

static int run(const struct cmd_call *call)
{
    struct export e = {.metric = MPDATA_METRIC_COUNT};

    return session_run(&e.session, call, export);
}

#define FORMAT_DETAILS(id, name, needs, part, has_chosen, help) \
    "\n\n" name ": " help "."

const struct cmd_command cmd_export = {
    .name = "export",
    .usage = "--format=FORMAT [OPTION]... FILE... [-o FILE]",
    .summary = "write a profile in the format of another tool",
    .details =
        "Reads profiles as show does, merges them, and writes everything that "
        "the format can express. Values that a profile does not have are "
        "omitted, never written as zero. The formats:" MPDATA_FORMATS(
            FORMAT_DETAILS),
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
