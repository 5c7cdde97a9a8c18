/* cmd_show.c -- memprofdata show: a profile for people.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/file.h"
#include "profdata/cmd/commands.h"
#include "profdata/cmd/filter_options.h"
#include "profdata/cmd/input_options.h"
#include "profdata/cmd/known_leaks.h"
#include "profdata/cmd/pager.h"
#include "profdata/cmd/profile_input.h"
#include "profdata/cmd/symbol_options.h"
#include "profdata/cmd/terminal.h"
#include "profdata/load/load_all.h"
#include "profdata/model/content.h"
#include "profdata/query/histogram.h"
#include "profdata/judge/suppressions.h"
#include "profdata/view/show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TOP_DEFAULT 10
/* Percent. DHAT's viewer asks for less where a condition goes with the order,
 * too. */
#define THRESHOLD_DEFAULT 1
#define THRESHOLD_FILTERED 0.5
/* An input that says nothing of leaks, and one that has some. */
#define EXIT_NOT_MEASURED 1
#define EXIT_LEAKS 4

struct show {
    const char *output;
    enum terminal_color color;
    const char *view_option; /* the name of the one that says what is shown */
    const char *sort_option; /* and by what */
    struct cmd_symbols symbols;
    struct mpdata_inputs inputs;
    struct mpdata_input input; /* the one that is read, or was last */
    bool has_inputs;           /* named, though a directory may be empty */
    bool is_json;
    bool no_pager;
    bool has_threshold; /* --threshold was given */
    bool no_verify;
    bool asks_for_leaks;      /* --leaks */
    bool were_leaks_sought;   /* in what was read, filters aside */
    int leaks_status;         /* what that ends with */
    const char *suppressions; /* a file */
    struct mpdata_suppressions known_leaks;
    struct show_options options;
    struct cmd_filter filter;
    struct cmd_regex pattern;  /* of the functions that a view is about */
    bool has_failed;           /* to match it */
    struct mpdata_prune prune; /* --function */
    struct mpdata_load_context load;
    struct mpdata_content content;
    struct pager pager;
};

/* -- options --------------------------------------------------------------- */

/* --at and --temporary are other names of a --sort. */
static int check_sort(struct show *s, const struct cmd_command *command,
                      const struct cmd_option *option)
{
    if (s->sort_option != NULL && strcmp(s->sort_option, option->name) != 0)
        return cmd_usage(command, "--%s and --%s cannot be combined",
                         s->sort_option, option->name);
    s->sort_option = option->name;
    return 0;
}

static int take_sort(void *state, const struct cmd_command *command,
                     const struct cmd_option *option, const char *value)
{
    struct show *const s = (struct show *)state;

    const int status =
        cmd_take_choice(&s->options.sort, command, option, value);

    return status == 0 ? check_sort(s, command, option) : status;
}

/* An option that says what is shown says it alone. */
static int take_view(struct show *s, const struct cmd_command *command,
                     const struct cmd_option *option, enum show_view view)
{
    if (s->view_option != NULL && strcmp(s->view_option, option->name) == 0)
        return cmd_usage(command, "--%s is given twice", option->name);
    if (s->view_option != NULL)
        return cmd_usage(command, "--%s and --%s cannot be combined",
                         s->view_option, option->name);
    s->view_option = option->name;
    s->options.view = view;
    return 0;
}

static int take_by(void *state, const struct cmd_command *command,
                   const struct cmd_option *option, const char *value)
{
    struct show *const s = (struct show *)state;

    const int status = cmd_take_choice(&s->options.by, command, option, value);

    s->options.is_of_pools |= s->options.by == SHOW_BY_POOL;
    return status == 0 ? take_view(s, command, option, SHOW_LIST) : status;
}

static bool matches_pattern(void *context, const char *name)
{
    struct show *const s = (struct show *)context;

    return filter_options_fits(&s->pattern, name, &s->has_failed);
}

/* Views of the functions that a pattern fits. */
static int take_functions(void *state, const struct cmd_command *command,
                          const struct cmd_option *option, const char *value)
{
    struct show *const s = (struct show *)state;
    const enum show_view view =
        strcmp(option->name, "callers") == 0   ? SHOW_CALLERS
        : strcmp(option->name, "callees") == 0 ? SHOW_CALLEES
                                               : SHOW_SOURCE;
    const int status = take_view(s, command, option, view);

    if (status != 0)
        return status;
    s->options.pattern = value;
    s->options.matcher = (struct mpdata_name_matcher){matches_pattern, s};
    return filter_options_regex(&s->pattern, command, option, value);
}

static int take_threshold(void *state, const struct cmd_command *command,
                          const struct cmd_option *option, const char *value)
{
    struct show *const s = (struct show *)state;
    char *end;

    s->has_threshold = true;
    s->options.threshold = strtod(value, &end);
    return value[0] >= '0' && value[0] <= '9' && end[0] == '\0' &&
                   s->options.threshold <= 100
               ? 0
               : cmd_usage(command, "--%s=%s: not a number from 0 to 100",
                           option->name, value);
}

/* A view that is called as its option. */
static int take_named_view(void *state, const struct cmd_command *command,
                           const struct cmd_option *option, const char *value)
{
    static const struct {
        const char *name;
        enum show_view view;
    } views[] = {{"tree", SHOW_TREE},     {"histogram", SHOW_HISTOGRAM},
                 {"events", SHOW_EVENTS}, {"copies", SHOW_COPIES},
                 {"sizes", SHOW_SIZES},   {"lifetimes", SHOW_LIFETIMES},
                 {"ends", SHOW_ENDS},     {"timeline", SHOW_TIMELINE}};
    size_t i = 0;

    (void)value;
    while (strcmp(option->name, views[i].name) != 0)
        i++;
    return take_view((struct show *)state, command, option, views[i].view);
}

static int take_element(void *state, const struct cmd_command *command,
                        const struct cmd_option *option, const char *value)
{
    struct show *const s = (struct show *)state;

    s->options.has_element = true;
    if (cmd_bytes(value, UINT32_MAX, &s->options.element_bytes) &&
        s->options.element_bytes % MPDATA_HISTOGRAM_CELL_BYTES == 0)
        return 0;
    return cmd_usage(command,
                     "--%s=%s: accesses are counted for 8 bytes each, so this "
                     "must be a multiple of 8",
                     option->name, value);
}

static int take_at(void *state, const struct cmd_command *command,
                   const struct cmd_option *option, const char *value)
{
    struct show *const s = (struct show *)state;

    unsigned at = 0;
    const int status = cmd_take_choice(&at, command, option, value);

    s->options.sort = at == 0 ? MPDATA_METRIC_LIVE : MPDATA_METRIC_PEAK;
    return status == 0 ? check_sort(s, command, option) : status;
}

static int take_temporary(void *state, const struct cmd_command *command,
                          const struct cmd_option *option, const char *value)
{
    struct show *const s = (struct show *)state;

    (void)value;
    s->options.sort = MPDATA_METRIC_TEMPORARY;
    return check_sort(s, command, option);
}

static int take_leaks(void *state, const struct cmd_command *command,
                      const struct cmd_option *option, const char *value)
{
    struct show *const s = (struct show *)state;

    (void)value;
    s->asks_for_leaks = true;
    s->options.sort = MPDATA_METRIC_LEAKED;
    return check_sort(s, command, option);
}

static int take_format(void *state, const struct cmd_command *command,
                       const struct cmd_option *option, const char *value)
{
    struct show *const s = (struct show *)state;

    if (strcmp(value, "text") != 0 && strcmp(value, "json") != 0)
        return cmd_usage(command, "--%s=%s: expected text or json",
                         option->name, value);
    s->is_json = strcmp(value, "json") == 0;
    return 0;
}

static int take_input(void *state, const struct cmd_command *command,
                      const struct cmd_option *option, const char *value)
{
    struct show *const s = (struct show *)state;
    struct mprof_diag diag;

    (void)command;
    (void)option;
    s->has_inputs = true;
    return mpdata_inputs_add(&s->inputs, value, 1, &diag) == MPROF_E_OK
               ? 0
               : cmd_fail(&diag);
}

#define AT(member) offsetof(struct show, member)

static const struct cmd_option options[] = {
    {"top", 0, "N", "show N call stacks, functions ... (default: 10)",
     cmd_take_count, AT(options.top)},
    {"sort", 0, "KEY:" MPDATA_METRIC_NAMES,
     MPDATA_METRIC_NAMES "(default: bytes)", take_sort, 0},
    {"at", 0, "WHEN:exit peak",
     "by the bytes that lived at the program's exit (--sort=live) or, where "
     "that was recorded, at its peak (--sort=peak)",
     take_at, 0},
    {"temporary", 0, NULL,
     "by the blocks that were freed before their thread allocated another: "
     "--sort=temporary",
     take_temporary, 0},
    {"leaks", 0, NULL,
     "by the bytes that leaked (--sort=leaked), where leaks were looked for; "
     "the exit status is 4 where there are some, 1 where that is not known",
     take_leaks, 0},
    {"suppressions", 0, "FILE",
     "for --leaks: lines \"leak:PATTERN\", as LeakSanitizer has them, of "
     "functions, source files, programs and libraries whose leaks are left out",
     cmd_take_text, AT(suppressions)},
    {"by", 0, "WHAT:stack function line file module type thread pool",
     "stack (default), function, line, file or module (program or library; of "
     "raw profiles only): what each allocated itself, and with what it called; "
     "or type: of what is allocated; or thread: by the name of the thread that "
     "allocated, where the program ran with MEMPROF_OPTIONS=per_thread=1; or "
     "pool: of the program's own allocators",
     take_by, 0},
    {"tree", 0, NULL,
     "the call tree, outermost function first, without what has too little of "
     "what is sorted by",
     take_named_view, 0},
    {"callers", 0, "REGEX",
     "who calls the functions whose name REGEX fits (any part of it; "
     "extended), and for how much",
     take_functions, 0},
    {"callees", 0, "REGEX",
     "what these functions call, and how much that allocates", take_functions,
     0},
    {"list", 0, "REGEX",
     "their source, each line with what it allocates itself and with what it "
     "calls",
     take_functions, 0},
    {"histogram", 0, NULL,
     "where the blocks of the first call stacks were accessed, by offset",
     take_named_view, 0},
    {"element", 0, "BYTES",
     "for --histogram: elements of arrays have so many bytes (64, 1K), by "
     "default those "
     "of their type; 0: none are arrays",
     take_element, 0},
    {"sizes", 0, NULL,
     "how the sizes of the blocks of each call stack are spread, by powers of "
     "two",
     take_named_view, 0},
    {"lifetimes", 0, NULL, "the same of how long they lived", take_named_view,
     0},
    {"ends", 0, NULL,
     "which call stacks replaced the blocks by realloc, and, recorded with the "
     "runtime's option free_sites=1, freed them",
     take_named_view, 0},
    {"timeline", 0, NULL,
     "what lived over time, with the phases that the program named",
     take_named_view, 0},
    {"events", 0, NULL,
     "what the program said by memprof_event(): each name with its call stacks",
     take_named_view, 0},
    {"copies", 0, NULL,
     "which call stacks copied most by memcpy, strcpy and their kin, where the "
     "program ran with MEMPROF_OPTIONS=copies=1",
     take_named_view, 0},
    {"pools", 0, NULL,
     "in place of the heap's blocks those that the program's own allocators "
     "gave out, as it said by memprof_pool_alloc(), in any view of blocks but "
     "by thread",
     cmd_take_flag, AT(options.is_of_pools)},
    {"threshold", 0, "PERCENT",
     "how much of the whole a call of the tree must have to be shown (default: "
     "1; with --filter 0.5)",
     take_threshold, 0},
    {"details", 0, NULL, "what each call of the tree has of every metric",
     cmd_take_flag, AT(options.details)},
    {"full-stacks", 0, NULL, "every frame, with whole names and paths",
     cmd_take_flag, AT(options.full_stacks)},
    {"json", 0, NULL,
     "all rows of what is shown as JSON (or as many as --top says), with every "
     "metric that the profile holds",
     cmd_take_flag, AT(is_json)},
    CMD_FILTER_OPTIONS(AT(filter)),
    CMD_SYMBOL_OPTIONS(AT(symbols)),
    {"output", 'o', "FILE", "print to FILE", cmd_take_text, AT(output)},
    {"color", 0, "WHEN:auto always never", TERMINAL_COLOR_HELP, cmd_take_choice,
     AT(color)},
    {"no-pager", 0, NULL,
     "do not show what is longer than the terminal through $MEMPROF_PAGER, "
     "$PAGER or less",
     cmd_take_flag, AT(no_pager)},
    {"no-verify", 0, NULL, "read inputs whose checksums do not match",
     cmd_take_flag, AT(no_verify)},
    {"no-checksum", 0, NULL, NULL, cmd_take_flag, AT(no_verify)},
    {"show-format", 0, "FORMAT", NULL, take_format, 0},
    {"topn", 0, "N", NULL, cmd_take_count, AT(options.top)},
    {"text", 0, NULL, NULL, NULL, 0},
};

/* -- printing -------------------------------------------------------------- */

/* Leaves out what the options say, and says what that is. */
static enum mprof_err filter_profile(struct show *s, struct mprof_diag *diag)
{
    enum mprof_err err = MPROF_E_OK;

    if (s->filter.has_failed)
        return mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
    cmd_say_replaced(s->load.dumps.replaced);
    input_options_say(&s->inputs, s->output);
    s->filter.shown = s->options.is_of_pools           ? "pools"
                      : s->options.view == SHOW_EVENTS ? "events"
                      : s->options.view == SHOW_COPIES ? "copies"
                                                       : NULL;
    filter_options_loaded(&s->filter, s->content.profile);
    if (s->options.is_of_pools)
        err = profile_input_choose_pools(&s->content.profile, &s->prune);
    return err == MPROF_E_OK
               ? filter_options_prune(&s->filter, &s->prune,
                                      &s->content.profile, diag)
               : mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
}

static void judge_leaks(struct show *s, const struct mpdata_top_list *list)
{
    if (list->held[MPDATA_METRIC_LEAKED])
        s->leaks_status = list->totals.LeakedCount != 0 ? EXIT_LEAKS : 0;
    else
        s->leaks_status = s->were_leaks_sought ? 0 : EXIT_NOT_MEASURED;
}

/* Before call stacks are left out, but for those of other binaries or threads:
 * of what stays, if anything does, the profile may not tell. */
static enum mprof_err see_whether_sought(struct show *s)
{
    bool held[MPDATA_METRIC_COUNT];
    const enum mprof_err err = mpdata_metrics_held(s->content.profile, held);

    s->were_leaks_sought = s->filter.raw.leak_checked_blocks != 0 ||
                           (err == MPROF_E_OK && held[MPDATA_METRIC_LEAKED]);
    return err;
}

/* Width and colour were chosen for the terminal. */
static void start_pager(struct show *s, FILE *out)
{
    if (!s->no_pager && out == stdout)
        pager_start(&s->pager);
}

static enum mprof_err print(void *context, FILE *out, struct mprof_diag *diag)
{
    struct show *const s = (struct show *)context;
    const struct mpdata_demangler demangler =
        symbol_options_demangler(&s->load);
    /* Those without a histogram or details are passed over. */
    const uint64_t max =
        s->options.view >= SHOW_HISTOGRAM ? UINT32_MAX : s->options.top;
    struct mpdata_top_list list;
    enum mprof_err err =
        mpdata_load_all(&s->load, &s->inputs, !s->no_verify, &s->input, diag);

    if (err != MPROF_E_OK)
        return err;
    terminal_set_style(&s->options, s->color, out);
    if (s->asks_for_leaks && s->options.is_filtered)
        err = mprof_err_fail(diag, see_whether_sought(s), NULL,
                             MPROF_DIAG_NO_OFFSET);
    if (err == MPROF_E_OK)
        err = filter_profile(s, diag);
    if (err == MPROF_E_OK && s->suppressions != NULL)
        err = mprof_err_fail(
            diag,
            known_leaks_leave_out(&s->known_leaks, &s->content.profile,
                                  &demangler, &s->options.suppressed_bytes,
                                  &s->options.suppressed_blocks),
            NULL, MPROF_DIAG_NO_OFFSET);
    if (err == MPROF_E_OK && s->asks_for_leaks)
        err = mprof_err_fail(
            diag,
            known_leaks_leave_out_own(&s->content.profile, &demangler,
                                      &s->options.suppressed_bytes,
                                      &s->options.suppressed_blocks),
            NULL, MPROF_DIAG_NO_OFFSET);
    if (err != MPROF_E_OK)
        return err;
    err = mpdata_top_list_make(&list, s->content.profile, s->options.sort, max);
    if (s->options.is_of_pools)
        list.held[MPDATA_METRIC_ACCESSES] = false;
    if (err == MPROF_E_OK && s->asks_for_leaks)
        judge_leaks(s, &list);
    if (err == MPROF_E_OK)
        start_pager(s, out);
    if (err == MPROF_E_OK)
        err = (s->is_json ? show_json : show_text)(
            out, s->content.profile, &list, &s->options, &demangler);
    if (err == MPROF_E_OK && s->has_failed)
        err = MPROF_E_NOMEM;
    mpdata_top_list_fini(&list);
    return err == MPROF_E_OK
               ? err
               : mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
}

static int read_suppressions(struct show *s)
{
    struct mprof_diag diag;
    struct mpdata_file file;
    enum mprof_err err =
        mpdata_file_open_input(&file, s->suppressions, NULL, &diag);

    if (err != MPROF_E_OK)
        return cmd_fail(&diag);
    err = mpdata_suppressions_read(&s->known_leaks, (const char *)file.data,
                                   file.size);
    mpdata_file_close(&file);
    if (err != MPROF_E_VALUE)
        return err == MPROF_E_OK ? 0 : cmd_no_memory();
    cmd_say("%s:%" PRIu32 ": not \"leak:PATTERN\"", s->suppressions,
            s->known_leaks.bad_line);
    return CMD_EXIT_USAGE;
}

static int print_all(struct show *s)
{
    const bool is_file =
        s->output != NULL && !mpdata_file_is_standard(s->output);
    struct mprof_diag diag;
    enum mprof_err err;
    int status;

    status = symbol_options_setup(&s->symbols, &s->load);
    if (status == 0 && s->suppressions != NULL)
        status = read_suppressions(s);
    s->filter.is_said = !s->is_json;
    if (status == 0)
        status =
            filter_options_setup(&s->filter, &s->symbols, &s->load, &s->prune);
    if (status != 0)
        return status;
    err = terminal_print(s->output, print, s, &diag);
    status = err == MPROF_E_OK ? s->leaks_status : cmd_fail_inputs(&diag);
    if (s->pager.pid != 0)
        return pager_finish(&s->pager, status);
    return is_file ? status : cmd_finish_output(status);
}

static int show(struct show *s)
{
    struct cmd_warned warned = {.sums = {.kind = NULL}};
    const struct mpdata_diag_warn warn = {.fn = cmd_warn, .context = &warned};
    int status;

    s->load.warn = &warn;
    s->load.content = &s->content;
    s->load.is_heap_only = true;
    s->load.needs_binaries = s->options.by == SHOW_BY_MODULE;
    /* Patterns fit the names of modules too, where they are known. */
    s->load.keeps_binaries = s->load.needs_binaries || s->asks_for_leaks;
    status = mpdata_content_init(&s->content) == MPROF_E_OK ? print_all(s)
                                                            : cmd_no_memory();
    mpdata_symbolize_fini(&s->load);
    mpdata_content_fini(&s->content);
    cmd_warned_fini(&warned);
    return status;
}

static bool is_tree(enum show_view view)
{
    return view == SHOW_TREE || view == SHOW_CALLERS || view == SHOW_CALLEES;
}

/* Of threads, events or copies. */
static bool is_of_other_parts(const struct show_options *o)
{
    return o->view == SHOW_EVENTS || o->view == SHOW_COPIES ||
           (o->view == SHOW_LIST && o->by == SHOW_BY_THREAD);
}

/* An option that the view has no use for. */
static int check_view(const struct show *s, const struct cmd_command *command)
{
    const enum show_view view = s->options.view;

    if (s->suppressions != NULL && !s->asks_for_leaks)
        return cmd_usage(command, "--suppressions is for --leaks");
    if (s->options.has_element && view != SHOW_HISTOGRAM)
        return cmd_usage(command, "--element is for --histogram");
    if (s->options.is_of_pools && is_of_other_parts(&s->options))
        return cmd_usage(command,
                         "--%s is not of pools: the program says nothing of "
                         "them but their blocks",
                         s->view_option);
    if ((view == SHOW_EVENTS || view == SHOW_COPIES) && s->sort_option != NULL)
        return cmd_usage(command, "--%s is of what was allocated, not of --%s",
                         s->sort_option, s->view_option);
    if (is_tree(view))
        return 0;
    return s->has_threshold || s->options.details
               ? cmd_usage(command,
                           "--%s is for --tree, --callers and --callees",
                           s->has_threshold ? "threshold" : "details")
               : 0;
}

static int check(const struct show *s, const struct cmd_command *command)
{
    const int status = check_view(s, command);

    if (status != 0)
        return status;
    return s->has_inputs ? 0 : cmd_usage(command, "no input files");
}

/* For programs, all. */
static void choose_threshold(struct show *s)
{
    if (s->has_threshold || s->is_json)
        return;
    s->options.threshold =
        s->filter.metric_count != 0 ? THRESHOLD_FILTERED : THRESHOLD_DEFAULT;
}

static int run(const struct cmd_call *call)
{
    const char **words =
        (const char **)calloc(2 * (size_t)call->argc, sizeof(*words));
    struct show s = {.symbols = {.binaries = words, .dirs = words + call->argc},
                     .color = TERMINAL_AUTO,
                     .options = {.top = CMD_TOP_UNSET}};
    int status = 0;

    if (words == NULL)
        return cmd_no_memory();
    s.options.left_out = &s.filter.left_out;
    mpdata_inputs_init(&s.inputs);
    if (cmd_take_all(call, &s, take_input, &status)) {
        s.options.is_filtered = filter_options_given(&s.filter) != NULL;
        if (s.has_inputs)
            status =
                input_options_settle_text(&s.inputs, call->command, s.output);
        if (status == 0)
            status = check(&s, call->command);
        if (s.options.top == CMD_TOP_UNSET)
            s.options.top = s.is_json ? UINT32_MAX : TOP_DEFAULT;
        choose_threshold(&s);
        if (status == 0)
            status = show(&s);
    }
    filter_options_fini(&s.filter);
    filter_options_free_regex(&s.pattern);
    mpdata_suppressions_fini(&s.known_leaks);
    mpdata_inputs_free_one(&s.input);
    mpdata_inputs_fini(&s.inputs);
    free(words);
    return status;
}

const struct cmd_command cmd_show = {
    .name = "show",
    .usage = "[OPTION]... FILE...",
    .summary = "show what programs allocated, and where",
    .details =
        "Shows what raw or indexed profiles hold: a summary, then the call "
        "stacks that allocated most, each with how its blocks were used. "
        "Several files are shown as one, as merge would make it, and "
        "--function, "
        "--binary and --thread choose call stacks as they do for merge. FILE "
        "may be a directory, - or @LIST as for merge.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
