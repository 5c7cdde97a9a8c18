/* cmd_show.c -- memprofdata show: prints a profile as text or JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/file.h"
#include "profdata/cmd/commands.h"
#include "profdata/cmd/known_leaks.h"
#include "profdata/cmd/terminal.h"
#include "profdata/cmd/session.h"
#include "profdata/query/histogram.h"
#include "profdata/judge/suppressions.h"
#include "profdata/view/show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TOP_DEFAULT 10
/* Percent. The lower one is that of DHAT's viewer for orders that also filter.
 */
#define THRESHOLD_DEFAULT 1
#define THRESHOLD_FILTERED 0.5
/* Exit statuses: the profile does not record leaks; it contains leaks. */
#define EXIT_NOT_MEASURED 1
#define EXIT_LEAKS 4

struct show {
    struct session session;
    const char *view_option; /* the option that chose the view, or NULL */
    const char *sort_option; /* the option that chose the order, or NULL */
    enum { FORMAT_TEXT, FORMAT_JSON } format; /* --show-format */
    bool no_pager;
    bool has_threshold;     /* --threshold was given */
    bool asks_for_leaks;    /* --leaks was given */
    bool were_leaks_sought; /* the input records leaks, regardless of filters */
    int leaks_status;       /* exit status for --leaks */
    int pager_status;       /* exit status if the pager failed */
    const char *suppressions; /* path of a list */
    struct mpdata_list known_leaks;
    struct cmd_regex pattern; /* of --callers, --callees or --source */
    bool has_failed;          /* out of memory while matching */
    struct mpdata_top_list list;
};

/* -- options --------------------------------------------------------------- */

/* Takes --sort, or an option that is short for a --sort. There may be one. */
static int take_sort(const struct cmd_arg *arg)
{
    struct show *const s = (struct show *)arg->field;
    const char *const name = arg->option->name;
    struct cmd_arg choice = *arg;
    int status = 0;

    if (strcmp(name, "sort") == 0) {
        choice.field = &s->session.show.sort;
        status = cmd_take_choice(&choice);
    }
    if (status == 0 && s->sort_option != NULL &&
        strcmp(s->sort_option, name) != 0)
        return cmd_usage(arg->command, "--%s and --%s cannot be combined",
                         s->sort_option, name);
    s->sort_option = name;
    s->asks_for_leaks |= strcmp(name, "leaks") == 0;
    if (strcmp(name, "at") == 0)
        s->session.show.sort = MPDATA_METRIC_LIVE;
    else if (strcmp(name, "temporary") == 0)
        s->session.show.sort = MPDATA_METRIC_TEMPORARY;
    else if (strcmp(name, "leaks") == 0)
        s->session.show.sort = MPDATA_METRIC_LEAKED;
    return status;
}

/* Takes a moment. For profiles that are no logs, "exit" and "peak" are short
 * for a --sort. */
static int take_at(const struct cmd_arg *arg)
{
    struct show *const s = (struct show *)arg->field;

    if (strcmp(arg->value, "exit") == 0)
        return take_sort(arg);
    s->session.choice.at = arg->value;
    s->session.may_be_no_log = strcmp(arg->value, "peak") == 0;
    return 0;
}

/* Views by the option that chooses them; without one, SHOW_LIST. */
static const struct {
    const char *name;
    enum show_view view;
} views[] = {{"by", SHOW_LIST},          {"tree", SHOW_TREE},
             {"callers", SHOW_CALLERS},  {"callees", SHOW_CALLEES},
             {"list", SHOW_SOURCE},      {"histogram", SHOW_HISTOGRAM},
             {"events", SHOW_EVENTS},    {"copies", SHOW_COPIES},
             {"sizes", SHOW_SIZES},      {"lifetimes", SHOW_LIFETIMES},
             {"freed-by", SHOW_ENDS},    {"ends", SHOW_ENDS},
             {"timeline", SHOW_TIMELINE}};

/* Takes an option that chooses the view. There may be one. */
static int take_view(const struct cmd_arg *arg)
{
    struct show *const s = (struct show *)arg->field;
    const char *const name = arg->option->name;
    size_t i = 0;

    if (s->view_option != NULL && strcmp(s->view_option, name) == 0)
        return cmd_usage(arg->command, "--%s is given twice", name);
    if (s->view_option != NULL)
        return cmd_usage(arg->command, "--%s and --%s cannot be combined",
                         s->view_option, name);
    s->view_option = name;
    while (strcmp(name, views[i].name) != 0)
        i++;
    s->session.show.view = views[i].view;
    return 0;
}

static int take_by(const struct cmd_arg *arg)
{
    struct show *const s = (struct show *)arg->field;
    struct cmd_arg choice = *arg;

    choice.field = &s->session.show.by;
    int status = cmd_take_choice(&choice);
    s->session.is_of_pools |= s->session.show.by == MPDATA_BY_POOL;
    return status == 0 ? take_view(arg) : status;
}

static bool matches_pattern(void *context, const char *name)
{
    struct show *const s = context;

    return filter_options_fits(&s->pattern, name, &s->has_failed);
}

/* Takes a view whose value is a pattern of functions. */
static int take_functions(const struct cmd_arg *arg)
{
    struct show *const s = (struct show *)arg->field;
    struct cmd_arg pattern = *arg;
    const int status = take_view(arg);

    pattern.field = &s->pattern;
    s->session.show.pattern = arg->value;
    s->session.show.matcher = (struct mpdata_name_matcher){matches_pattern, s};
    return status == 0 ? filter_options_regex(&pattern) : status;
}

static int take_threshold(const struct cmd_arg *arg)
{
    struct show *const s = (struct show *)arg->field;
    char *end;

    s->has_threshold = true;
    s->session.show.threshold = strtod(arg->value, &end);
    return arg->value[0] >= '0' && arg->value[0] <= '9' && end[0] == '\0' &&
                   s->session.show.threshold <= 100
               ? 0
               : cmd_usage(arg->command, "--%s=%s: not a number from 0 to 100",
                           arg->option->name, arg->value);
}

static int take_element(const struct cmd_arg *arg)
{
    struct show *const s = (struct show *)arg->field;

    s->session.show.has_element = true;
    if (cmd_bytes(arg->value, UINT32_MAX, &s->session.show.element_bytes) &&
        s->session.show.element_bytes % MPDATA_HISTOGRAM_CELL_BYTES == 0)
        return 0;
    return cmd_usage(arg->command,
                     "--%s=%s: accesses are counted for 8 bytes each, so this "
                     "must be a multiple of 8",
                     arg->option->name, arg->value);
}

#define AT(member) offsetof(struct show, member)

static const struct cmd_option options[] = {
    {"top", 0, "N", "show N call stacks, functions ... (default: 10)",
     cmd_take_count, SESSION_AT(show.top)},
    {"sort", 0, "KEY:" MPDATA_METRIC_NAMES,
     MPDATA_METRIC_NAMES "(default: bytes, if known)", take_sort, 0},
    {"at", 0, "TIME",
     SESSION_AT_HELP
     ". Of other profiles: exit sorts by the bytes that were "
     "live at the program's exit (--sort=live), peak by those that were live "
     "at its peak, if recorded (--sort=peak)",
     take_at, 0},
    SESSION_WINDOW_OPTION,
    {"temporary", 0, NULL,
     "sort by the blocks that were freed before their thread allocated "
     "another: --sort=temporary",
     take_sort, 0},
    {"leaks", 0, NULL,
     "sort by leaked bytes (--sort=leaked), if the program was checked for "
     "leaks; the exit status is 4 if there are leaks, 1 if it was not checked",
     take_sort, 0},
    {"suppressions", 0, "FILE",
     "for --leaks: ignore leaks that match FILE, which has lines "
     "\"leak:PATTERN\" as for LeakSanitizer; patterns are names of functions, "
     "source files, programs and libraries",
     cmd_take_text, AT(suppressions)},
    {"by", 0, "WHAT:" MPDATA_BY_WORDS,
     "stack (default), function, line, file or binary (program or library; raw "
     "profiles only): what each allocated itself and with its callees; or "
     "type: of the allocated objects; or thread: the name of the allocating "
     "thread, if the program ran with MEMPROF_OPTIONS=per_thread=1; or pool: "
     "of the program's own allocators",
     take_by, 0},
    {"tree", 0, NULL,
     "the call tree, outermost function first, without calls below --threshold",
     take_view, 0},
    {"callers", 0, "REGEX",
     "the callers of the functions whose name matches REGEX (extended; any "
     "part of the name), and what was allocated through them",
     take_functions, 0},
    {"callees", 0, "REGEX",
     "the callees of such functions, and what was allocated through them",
     take_functions, 0},
    {"list", 0, "REGEX",
     "the source of such functions, each line with what it allocates itself "
     "and with its callees",
     take_functions, 0},
    {"histogram", 0, NULL,
     "the accesses to the blocks of the first call stacks, by offset in the "
     "block",
     take_view, 0},
    {"element", 0, "BYTES",
     "for --histogram: size of an array element (64, 1K; default: the size of "
     "its type; 0: no arrays)",
     take_element, 0},
    {"sizes", 0, NULL,
     "the distribution of the block sizes of each call stack, by powers of two",
     take_view, 0},
    {"lifetimes", 0, NULL, "the same of lifetimes", take_view, 0},
    {"freed-by", 0, NULL,
     "the call stacks that replaced the blocks by realloc and, if recorded "
     "with the runtime's option free_sites=1, those that freed them",
     take_view, 0},
    {"ends", 0, NULL, NULL, take_view, 0},
    {"timeline", 0, NULL,
     "the live bytes over time, with the phases that the program named",
     take_view, 0},
    {"events", 0, NULL,
     "the events that the program reported with memprof_event(): each name "
     "with its call stacks",
     take_view, 0},
    {"copies", 0, NULL,
     "the call stacks that copied most by memcpy, strcpy and similar "
     "functions, if the program ran with MEMPROF_OPTIONS=copies=1",
     take_view, 0},
    {"pools", 0, NULL,
     "show the blocks of the program's own allocators, reported with "
     "memprof_pool_alloc(), instead of the heap's blocks; in all views of "
     "blocks but --by=thread",
     cmd_take_flag, SESSION_AT(is_of_pools)},
    {"threshold", 0, "PERCENT",
     "hide calls of the tree with a smaller share of the total (default: 1; "
     "with --filter 0.5)",
     take_threshold, 0},
    {"details", 0, NULL, "every metric for each call of the tree",
     cmd_take_flag, SESSION_AT(show.details)},
    SESSION_STACKS_OPTION,
    {"json", 0, NULL,
     "print all rows (or as many as --top says) as JSON, with every metric "
     "that the profile has",
     cmd_take_flag, SESSION_AT(is_json)},
    SESSION_WRAPPERS_OPTION,
    SESSION_HIDE_OPTION,
    SESSION_FILTER_OPTIONS,
    SESSION_SYMBOL_OPTIONS,
    SESSION_OUTPUT_OPTIONS,
    {"no-pager", 0, NULL,
     "do not pipe output that is longer than the terminal through "
     "$MEMPROF_PAGER, $PAGER or less",
     cmd_take_flag, AT(no_pager)},
    SESSION_VERIFY_OPTION,
    {"no-checksum", 0, NULL, NULL, cmd_take_flag, SESSION_AT(no_verify)},
    {"show-format", 0, "FORMAT:text json", NULL, cmd_take_choice, AT(format)},
    {"topn", 0, "N", NULL, cmd_take_count, SESSION_AT(show.top)},
    {"text", 0, NULL, NULL, NULL, 0},
};

/* -- loading --------------------------------------------------------------- */

/* Finds out whether the input records leaks. Call it before the filters remove
 * call stacks: the remaining ones may not tell. The filters by binary and
 * thread ran before; they counted blocks that were checked for leaks. */
static int see_whether_sought(struct show *s)
{
    bool held[MPDATA_METRIC_COUNT];

    if (mpdata_metrics_held(session_profile(&s->session, SESSION_NEW), held) !=
        MPROF_E_OK)
        return cmd_no_memory();
    s->were_leaks_sought = s->session.filter.raw.leak_checked_blocks != 0 ||
                           held[MPDATA_METRIC_LEAKED];
    return 0;
}

/* --at=peak of a profile that is no log. */
static int sort_by_peak(struct show *s)
{
    if (s->session.choice.at == NULL || s->session.choice.is_found)
        return 0;
    if (s->sort_option != NULL)
        return cmd_usage(s->session.command, "--at and --%s cannot be combined",
                         s->sort_option);
    s->session.show.sort = MPDATA_METRIC_PEAK;
    return 0;
}

static int load(struct show *s)
{
    struct session_profile *const p = &s->session.profiles[SESSION_NEW];

    p->load.needs_binaries = s->session.show.by == MPDATA_BY_BINARY;
    /* Suppressions also match names of binaries, if these are known. */
    p->load.keeps_binaries = p->load.needs_binaries || s->asks_for_leaks;
    int status = session_read(&s->session, p);
    if (status == 0)
        status = sort_by_peak(s);
    if (status == 0 && s->asks_for_leaks && s->session.show.is_filtered)
        status = see_whether_sought(s);
    return status == 0 ? session_filter(&s->session, p) : status;
}

/* -- leaks ----------------------------------------------------------------- */

static void judge_leaks(struct show *s)
{
    if (s->list.held[MPDATA_METRIC_LEAKED])
        s->leaks_status = s->list.totals.LeakedCount != 0 ? EXIT_LEAKS : 0;
    else
        s->leaks_status = s->were_leaks_sought ? 0 : EXIT_NOT_MEASURED;
}

/* Removes leaks that match the list of the user, then those that match the
 * lists of the programs. */
static enum mprof_err leave_out_known(struct show *s)
{
    struct show_options *const o = &s->session.show;
    struct mpdata_profile **const profile =
        &s->session.profiles[SESSION_NEW].content.profile;
    enum mprof_err err = MPROF_E_OK;

    if (s->suppressions != NULL)
        err = known_leaks_leave_out(&s->known_leaks, UINT64_MAX, profile,
                                    &s->session.demangler, &o->suppressed_bytes,
                                    &o->suppressed_blocks);
    return err == MPROF_E_OK && s->asks_for_leaks
               ? known_leaks_leave_out_own(profile, &s->session.demangler,
                                           &o->suppressed_bytes,
                                           &o->suppressed_blocks)
               : err;
}

/* -- printing -------------------------------------------------------------- */

static enum mprof_err print(struct session *session, FILE *out)
{
    struct show *const s = (struct show *)session;
    struct pager pager = {.pid = 0};

    /* Only stdout gets a pager: the style was chosen for a terminal. */
    if (!s->no_pager && out == stdout)
        terminal_pager_start(&pager);
    enum mprof_err err = (session->is_json ? show_json : show_text)(
        out, session_profile(session, SESSION_NEW), &s->list, &session->show);
    if (s->has_failed)
        err = MPROF_E_NOMEM;
    s->pager_status = terminal_pager_finish(&pager);
    return err;
}

/* Does the view hide allocation wrappers? Not by type, thread or pool (no
 * frames), not by binary (a wrapper may be in another binary than its caller),
 * and not for functions that the user named. */
static bool hides_wrappers(const struct show_options *o)
{
    return o->view == SHOW_TREE ||
           (o->view == SHOW_LIST && o->by >= MPDATA_BY_FUNCTION &&
            o->by <= MPDATA_BY_FILE);
}

/* Without --sort, a profile without sizes of blocks is ranked by their number.
 */
static enum mprof_err rank(struct show *s, uint64_t max)
{
    const struct mpdata_profile *const profile =
        session_profile(&s->session, SESSION_NEW);
    enum mpdata_metric *const sort = &s->session.show.sort;
    enum mprof_err err = mpdata_top_list_make(&s->list, profile, *sort, max);

    if (err != MPROF_E_OK || *sort != MPDATA_METRIC_BYTES ||
        s->sort_option != NULL || s->list.held[*sort])
        return err;
    *sort = MPDATA_METRIC_BLOCKS;
    mpdata_top_list_fini(&s->list);
    return mpdata_top_list_make(&s->list, profile, *sort, max);
}

static int make_list(struct show *s)
{
    struct show_options *const o = &s->session.show;
    struct session_profile *const p = &s->session.profiles[SESSION_NEW];
    /* Views after SHOW_HISTOGRAM skip call stacks without data, so they get
     * all. */
    const uint64_t max = o->view >= SHOW_HISTOGRAM ? UINT32_MAX : o->top;

    int status = leave_out_known(s) == MPROF_E_OK ? 0 : cmd_no_memory();

    if (status == 0 && !mpdata_by_is_name(o->by))
        status = session_hide(&s->session, p, hides_wrappers(o));
    if (status != 0)
        return status;
    if (rank(s, max) != MPROF_E_OK)
        return cmd_no_memory();
    o->is_of_pools = s->session.is_of_pools;
    if (o->is_of_pools)
        s->list.held[MPDATA_METRIC_ACCESSES] = false;
    if (s->asks_for_leaks)
        judge_leaks(s);
    return 0;
}

static bool is_tree(enum show_view view)
{
    return view == SHOW_TREE || view == SHOW_CALLERS || view == SHOW_CALLEES;
}

/* Is the view about threads, events or copies? */
static bool is_of_other_parts(const struct show_options *o)
{
    return o->view == SHOW_EVENTS || o->view == SHOW_COPIES ||
           (o->view == SHOW_LIST && o->by == MPDATA_BY_THREAD);
}

/* Refuses options that the view does not use. */
static int check(const struct show *s)
{
    const struct cmd_command *const command = s->session.command;
    const enum show_view view = s->session.show.view;

    if (s->suppressions != NULL && !s->asks_for_leaks)
        return cmd_usage(command, "--suppressions is for --leaks");
    if (s->session.show.has_element && view != SHOW_HISTOGRAM)
        return cmd_usage(command, "--element is for --histogram");
    if (s->session.is_of_pools && is_of_other_parts(&s->session.show))
        return cmd_usage(command,
                         "--pools and --%s cannot be combined: only blocks are "
                         "recorded for pools",
                         s->view_option);
    if ((view == SHOW_EVENTS || view == SHOW_COPIES) && s->sort_option != NULL)
        return cmd_usage(command, "--%s and --%s cannot be combined",
                         s->sort_option, s->view_option);
    if (!is_tree(view) && (s->has_threshold || s->session.show.details))
        return cmd_usage(command, "--%s is for --tree, --callers and --callees",
                         s->has_threshold ? "threshold" : "details");
    return 0;
}

static void choose_defaults(struct show *s)
{
    struct session *const session = &s->session;
    const enum show_view view = session->show.view;

    session->is_json |= s->format == FORMAT_JSON;
    session->show.is_filtered = filter_options_given(&session->filter) != NULL;
    session->shown = view == SHOW_EVENTS   ? "events"
                     : view == SHOW_COPIES ? "copies"
                                           : NULL;
    /* JSON, read by programs, has no threshold. */
    if (!s->has_threshold && !session->is_json)
        session->show.threshold = session->filter.metric_count != 0
                                      ? THRESHOLD_FILTERED
                                      : THRESHOLD_DEFAULT;
}

static int show(struct session *session)
{
    struct show *const s = (struct show *)session;
    int status = session_take_inputs(session);

    if (status == 0)
        status = check(s);
    choose_defaults(s);
    if (status == 0 && s->suppressions != NULL)
        status = cmd_read_list(&s->known_leaks, s->suppressions,
                               mpdata_suppressions_read, "\"leak:PATTERN\"");
    if (status == 0)
        status = load(s);
    if (status == 0)
        status = make_list(s);
    if (status == 0)
        status = session_print(session, print, NULL);
    if (status == 0)
        status = s->pager_status;
    return status == 0 ? s->leaks_status : status;
}

static int run(const struct cmd_call *call)
{
    struct show s = {.view_option = NULL};
    const int status = session_run(&s.session, call, show);

    mpdata_top_list_fini(&s.list);
    filter_options_free_regex(&s.pattern);
    mpdata_lines_fini(&s.known_leaks);
    return status;
}

const struct cmd_command cmd_show = {
    .name = "show",
    .usage = "[OPTION]... FILE...",
    .summary = "show what programs allocated, and where",
    .details =
        "Shows the contents of raw or indexed profiles: a summary, then the "
        "call stacks that allocated most, each with how its blocks were used. "
        "Several files are merged first, and --function, --binary and --thread "
        "select call stacks as they do for merge. FILE "
        "may be a directory, - or @LIST as for merge.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
