/* filter_options.c -- the options that select call stacks by regular
 * expressions and conditions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/filter_options.h"
#include "profdata/base/build_id.h"
#include "profdata/base/diag.h"
#include "profdata/base/guid.h"
#include "profdata/base/units.h"
#include "profdata/base/vec.h"
#include "profdata/query/names.h"
#include "profdata/query/frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int filter_options_regex(const struct cmd_arg *arg)
{
    struct cmd_regex *const regex = (struct cmd_regex *)arg->field;
    char why[256];

    if (regex->text != NULL)
        return cmd_usage(arg->command, "--%s is given twice",
                         arg->option->name);
    int error = regcomp(&regex->regex, arg->value, REG_EXTENDED | REG_NOSUB);
    if (error == REG_ESPACE)
        return cmd_no_memory();
    if (error != 0) {
        regerror(error, &regex->regex, why, sizeof(why));
        return cmd_usage(arg->command, "--%s=%s: %s", arg->option->name,
                         arg->value, why);
    }
    regex->text = arg->value;
    return 0;
}

void filter_options_free_regex(struct cmd_regex *regex)
{
    if (regex->text != NULL)
        regfree(&regex->regex);
}

/* Option names by regular expression. */
static const char *const regex_names[CMD_FILTER_COUNT] = {
    [CMD_FILTER_BINARY] = "binary",
    [CMD_FILTER_EXCLUDE_BINARY] = "exclude-binary",
    [CMD_FILTER_THREAD] = "thread",
    [CMD_FILTER_EXCLUDE_THREAD] = "exclude-thread",
    [CMD_FILTER_FUNCTION] = "function",
    [CMD_FILTER_EXCLUDE_FUNCTION] = "exclude-function",
    [CMD_FILTER_FILE] = "file",
    [CMD_FILTER_EXCLUDE_FILE] = "exclude-file",
    [CMD_FILTER_TYPE] = "type",
    [CMD_FILTER_EXCLUDE_TYPE] = "exclude-type",
    [CMD_FILTER_FOCUS] = "focus",
    [CMD_FILTER_IGNORE] = "ignore",
    [CMD_FILTER_HIDE] = "hide"};

static bool is_given(const struct cmd_filter *filter,
                     enum cmd_filter_regex regex)
{
    return filter->regexes[regex].text != NULL;
}

int filter_options_condition(const struct cmd_arg *arg)
{
    struct cmd_filter *const filter = (struct cmd_filter *)arg->field;
    const size_t left = CMD_METRIC_FILTERS_MAX - filter->metric_count;
    const size_t count = mpdata_metric_filter_parse(
        arg->value, false, &filter->metrics[filter->metric_count], left);

    if (left == 0)
        return cmd_usage(arg->command, "--%s has more than %d conditions",
                         arg->option->name, CMD_METRIC_FILTERS_MAX);
    filter->metric_count += count;
    return count != 0
               ? 0
               : cmd_usage(
                     arg->command,
                     "--%s=%s: not METRIC or METRIC/METRIC, one of < <= "
                     "= != >= >, and a number, like bytes>=64K, or "
                     "several with | between; metrics are" MPDATA_METRIC_WORDS,
                     arg->option->name, arg->value);
}

const char *filter_options_given(const struct cmd_filter *filter)
{
    for (int i = 0; i < CMD_FILTER_HIDE; i++) {
        if (is_given(filter, i))
            return regex_names[i];
    }
    return filter->metric_count != 0 ? "filter" : NULL;
}

/* When out of memory, glibc's regexec() may return REG_NOMATCH; only errno
 * tells the difference. */
bool filter_options_fits(const struct cmd_regex *regex, const char *text,
                         bool *has_failed)
{
    errno = 0;
    int result = regexec(&regex->regex, text, 0, NULL, 0);
    if (result != 0 && (result != REG_NOMATCH || errno == ENOMEM))
        *has_failed = true;
    return result == 0;
}

/* Is the option given, and does it match? */
static bool matches(struct cmd_filter *filter, enum cmd_filter_regex regex,
                    const char *text)
{
    return is_given(filter, regex) &&
           filter_options_fits(&filter->regexes[regex], text,
                               &filter->has_failed);
}

/* Is a name kept by an option and its opposite? */
static bool keeps_name(struct cmd_filter *filter, enum cmd_filter_regex wanted,
                       enum cmd_filter_regex unwanted, const char *text)
{
    return (!is_given(filter, wanted) || matches(filter, wanted, text)) &&
           !matches(filter, unwanted, text);
}

/* LLVM's files contain only hashes of function names. Then the text must be the
 * exact name, and is compared by its hash. */
static bool fits_function(struct cmd_filter *filter,
                          enum cmd_filter_regex regex,
                          const struct mpdata_str *name, uint64_t guid)
{
    const char *const text = filter->regexes[regex].text;

    return name->size != 0
               ? matches(filter, regex, name->bytes)
               : text != NULL && mpdata_guid(text, strlen(text)) == guid;
}

/* The name as people read it fits, too. */
static bool fits_shown(struct cmd_filter *filter, enum cmd_filter_regex regex,
                       const struct mpdata_str *name, uint64_t guid)
{
    if (fits_function(filter, regex, name, guid))
        return true;
    if (!is_given(filter, regex) || name->size == 0)
        return false;
    char *shown =
        filter->demangler->demangle(filter->demangler->context, name->bytes);
    bool is_fit = shown != NULL && matches(filter, regex, shown);
    free(shown);
    return is_fit;
}

static uint8_t ask_function(void *context, const struct mpdata_str *name,
                            uint64_t guid)
{
    struct cmd_filter *const filter = context;
    uint8_t bits = 0;

    if (fits_function(filter, CMD_FILTER_FUNCTION, name, guid))
        bits |= MPDATA_PRUNE_WANTED_FUNCTION;
    if (fits_shown(filter, CMD_FILTER_FOCUS, name, guid))
        bits |= MPDATA_PRUNE_FOCUSED;
    if (fits_function(filter, CMD_FILTER_EXCLUDE_FUNCTION, name, guid) ||
        fits_shown(filter, CMD_FILTER_IGNORE, name, guid))
        bits |= MPDATA_PRUNE_UNWANTED;
    return bits;
}

static uint8_t ask_file(void *context, const char *path)
{
    struct cmd_filter *const filter = context;
    uint8_t bits = 0;

    if (matches(filter, CMD_FILTER_FILE, path))
        bits |= MPDATA_PRUNE_WANTED_FILE;
    if (matches(filter, CMD_FILTER_FOCUS, path))
        bits |= MPDATA_PRUNE_FOCUSED;
    if (matches(filter, CMD_FILTER_EXCLUDE_FILE, path) ||
        matches(filter, CMD_FILTER_IGNORE, path))
        bits |= MPDATA_PRUNE_UNWANTED;
    return bits;
}

static uint8_t hide_function(void *context, const struct mpdata_str *name,
                             uint64_t guid)
{
    struct cmd_filter *const filter = context;
    uint8_t bits = 0;

    if (fits_shown(filter, CMD_FILTER_HIDE, name, guid)) {
        filter->has_hidden = true;
        bits |= MPDATA_PRUNE_HIDDEN;
    }
    if (is_given(filter, CMD_FILTER_HIDE) && mpdata_profile_is_kind(name))
        bits |= MPDATA_PRUNE_HIDDEN;
    return bits;
}

static uint8_t hide_file(void *context, const char *path)
{
    struct cmd_filter *const filter = context;

    if (!matches(filter, CMD_FILTER_HIDE, path))
        return 0;
    filter->has_hidden = true;
    return MPDATA_PRUNE_HIDDEN;
}

static bool asks_for_types(const struct cmd_filter *filter)
{
    return is_given(filter, CMD_FILTER_TYPE) ||
           is_given(filter, CMD_FILTER_EXCLUDE_TYPE);
}

enum { TYPE_UNKNOWN, TYPE_KEPT, TYPE_GONE };

/* Is a call stack of this type kept? Of an unknown type (0): only without
 * --type. */
static bool fits_type(struct cmd_filter *filter, mpdata_string type,
                      const struct mpdata_str *name)
{
    return type == 0 ? !is_given(filter, CMD_FILTER_TYPE)
                     : keeps_name(filter, CMD_FILTER_TYPE,
                                  CMD_FILTER_EXCLUDE_TYPE, name->bytes);
}

/* Evaluates each type once and caches the result in filter->types. */
bool filter_options_keeps_type(struct cmd_filter *filter,
                               const struct mpdata_view *view, mpdata_ref leaf)
{
    const mpdata_string type = mpdata_types_of(view, leaf);

    if (!asks_for_types(filter))
        return true;
    if (filter->types == NULL)
        filter->types = mpdata_vec_array(view->string_count, 1);
    if (filter->types == NULL) {
        filter->has_failed = true;
        return false;
    }
    if (filter->types[type] == TYPE_UNKNOWN)
        filter->types[type] = fits_type(filter, type, &view->strings[type])
                                  ? TYPE_KEPT
                                  : TYPE_GONE;
    return filter->types[type] == TYPE_KEPT;
}

void filter_options_forget_types(struct cmd_filter *filter)
{
    free(filter->types);
    filter->types = NULL;
}

static bool keeps(void *context, const struct mpdata_view *view, uint32_t i)
{
    struct cmd_filter *const filter = context;

    return mpdata_metric_filter_fits_all(filter->metrics, filter->metric_count,
                                         view, i) &&
           filter_options_keeps_type(filter, view, view->contexts[i].node);
}

static void setup_prune(struct cmd_filter *filter, struct mpdata_prune *prune)
{
    prune->context = filter;
    prune->function = ask_function;
    prune->file = ask_file;
    if (is_given(filter, CMD_FILTER_FUNCTION))
        prune->needed |= MPDATA_PRUNE_WANTED_FUNCTION;
    if (is_given(filter, CMD_FILTER_FILE))
        prune->needed |= MPDATA_PRUNE_WANTED_FILE;
    if (is_given(filter, CMD_FILTER_FOCUS))
        prune->needed |= MPDATA_PRUNE_FOCUSED;
    if (filter->metric_count != 0 || asks_for_types(filter))
        prune->keeps = keeps;
}

enum mprof_err filter_options_check_types(const struct cmd_filter *filter,
                                          const struct mpdata_view *view,
                                          struct mprof_diag *diag)
{
    const enum cmd_filter_regex regex = is_given(filter, CMD_FILTER_TYPE)
                                            ? CMD_FILTER_TYPE
                                            : CMD_FILTER_EXCLUDE_TYPE;

    if (!asks_for_types(filter))
        return MPROF_E_OK;
    for (uint32_t i = 0; i < view->frame_count; i++) {
        if (view->frames[i].type != 0)
            return MPROF_E_OK;
    }
    return mpdata_diag_text(diag, MPROF_E_UNSUPPORTED,
                            "--%s=%s: the profile does not record types",
                            regex_names[regex], filter->regexes[regex].text);
}

/* Does the profile have the data that the filters need? */
static enum mprof_err check(const struct cmd_filter *filter,
                            const struct mpdata_profile *profile,
                            struct mprof_diag *diag)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    bool held[MPDATA_METRIC_COUNT];

    if (view.context_count == 0)
        return MPROF_E_OK;
    if (filter->metric_count == 0)
        return filter_options_check_types(filter, &view, diag);
    if (mpdata_metrics_held(profile, held) != MPROF_E_OK)
        return mprof_err_plain(diag, MPROF_E_NOMEM);
    for (size_t i = 0; i < filter->metric_count; i++) {
        enum mpdata_metric missing;

        if (!mpdata_metric_filter_is_held(&filter->metrics[i], held, &missing))
            return mpdata_diag_text(
                diag, MPROF_E_UNSUPPORTED, "--filter=%s: not measured: %s%s",
                filter->metrics[i].text, mpdata_metrics[missing].title,
                mpdata_metrics_how(missing));
    }
    return filter_options_check_types(filter, &view, diag);
}

/* Files of LLVM's runtime identify binaries by build id only, so paths come
 * from --profiled-binary. */
static bool fits_binary(struct cmd_filter *filter, enum cmd_filter_regex regex,
                        const struct mpdata_raw_module *module)
{
    char id[MPDATA_BUILD_ID_TEXT_BYTES];
    const struct mpdata_binary_file *file =
        module->build_id.size != 0
            ? mpdata_binaries_find(&filter->named, module->build_id.bytes,
                                   module->build_id.size)
            : NULL;
    const char *path = module->path.size != 0 ? module->path.bytes : "";

    if (file != NULL)
        path = file->path;
    mpdata_build_id_text(module->build_id.bytes, module->build_id.size, id);
    return matches(filter, regex, path) || matches(filter, regex, id);
}

static bool matches_binary(void *context,
                           const struct mpdata_raw_module *module)
{
    return fits_binary(context, CMD_FILTER_BINARY, module);
}

static bool excludes_binary(void *context,
                            const struct mpdata_raw_module *module)
{
    return fits_binary(context, CMD_FILTER_EXCLUDE_BINARY, module);
}

static bool matches_thread(void *context, const struct mpdata_str *name)
{
    return keeps_name(context, CMD_FILTER_THREAD, CMD_FILTER_EXCLUDE_THREAD,
                      name->bytes);
}

/* Is any filter given that applies to raw profiles? */
static bool asks_raw(const struct cmd_filter *filter)
{
    for (int i = 0; i < CMD_FILTER_RAW_COUNT; i++) {
        if (is_given(filter, i))
            return true;
    }
    return false;
}

int filter_options_setup(struct cmd_filter *filter,
                         const struct cmd_words *binaries,
                         struct mpdata_load_context *load,
                         struct mpdata_prune *prune)
{
    setup_prune(filter, prune);
    if (!asks_raw(filter))
        return 0;
    filter->raw.context = filter;
    load->filter = &filter->raw;
    if (is_given(filter, CMD_FILTER_THREAD) ||
        is_given(filter, CMD_FILTER_EXCLUDE_THREAD))
        filter->raw.matches_thread = matches_thread;
    if (is_given(filter, CMD_FILTER_BINARY))
        filter->raw.matches = matches_binary;
    if (is_given(filter, CMD_FILTER_EXCLUDE_BINARY))
        filter->raw.excludes = excludes_binary;
    for (size_t i = 0; i < binaries->count; i++) {
        struct mprof_diag diag;

        if (mpdata_binaries_add_given(&filter->named, binaries->words[i],
                                      &diag) != MPROF_E_OK)
            return cmd_fail(&diag);
    }
    return 0;
}

static void say(struct cmd_filter *filter, const struct mpdata_left_out *row)
{
    const char *const whose = filter->whose != NULL ? filter->whose : "";
    char text[MPDATA_LEFT_OUT_TEXT_BYTES];

    mpdata_left_out_text(row, text, sizeof(text));
    cmd_say("%s%s", whose, text);
    filter->has_left_out |= row->gone_contexts != 0;
    if (filter->lines == NULL)
        return;
    mprof_buf_bytes(filter->lines, whose, strlen(whose));
    mprof_buf_bytes(filter->lines, text, strlen(text));
    mprof_buf_bytes(filter->lines, "\n", 1);
}

/* Appends the names of the given options among the regular expressions [from,
 * to). */
static void name_given(const struct cmd_filter *filter, int from, int to,
                       struct mpdata_left_out *row)
{
    char option[32];

    for (int i = from; i < to; i++) {
        if (!is_given(filter, i))
            continue;
        snprintf(option, sizeof(option), "--%s", regex_names[i]);
        mpdata_left_out_name(row, option);
    }
}

/* Prints what the filters of raw profiles removed since the last call, and
 * records it in `profile` unless it is NULL. */
static void say_raw(struct cmd_filter *filter, struct mpdata_profile *profile)
{
    struct mpdata_raw_filter *const raw = &filter->raw;
    struct mpdata_left_out row = {.gone_contexts = raw->gone.AllocCount,
                                  .contexts = raw->contexts,
                                  .gone_bytes = raw->gone.TotalSize,
                                  .bytes = raw->bytes};

    name_given(filter, 0, CMD_FILTER_RAW_COUNT, &row);
    if (row.by[0] == '\0')
        return;
    row.is_at_most = mpdata_left_out_is_at_most(&row, &raw->gone,
                                                mprof_max_u64(raw->dumps, 1));
    row.uncounted = filter->shown;
    say(filter, &row);
    if (profile != NULL)
        mpdata_prune_record(profile, row.by, &raw->gone);
    raw->gone = (struct mprof_mib){.AllocCount = 0};
    raw->dumps = raw->contexts = raw->bytes = 0;
}

/* Appends the names of all options that prune the profile. */
static void name_pruning(const struct cmd_filter *filter,
                         const struct mpdata_prune *prune,
                         struct mpdata_left_out *row)
{
    name_given(filter, CMD_FILTER_RAW_COUNT, CMD_FILTER_HIDE, row);
    if (filter->metric_count != 0)
        mpdata_left_out_name(row, "--filter");
    if (prune->bytes_min != 0)
        mpdata_left_out_name(row, "--min-bytes");
    if (prune->contexts_max != 0)
        mpdata_left_out_name(row, "--max-contexts");
}

void filter_options_loaded(struct cmd_filter *filter,
                           const struct mpdata_profile *profile)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    struct mpdata_left_out row;

    if (mpdata_left_out_by_merge(&view, &row)) {
        row.uncounted = filter->shown;
        say(filter, &row);
    }
    say_raw(filter, NULL);
}

void filter_options_loaded_to_write(struct cmd_filter *filter,
                                    struct mpdata_profile *profile)
{
    say_raw(filter, profile);
    filter->is_written = true;
}

/* Prints what pruning removed. With --pools, the contexts are blocks of pools.
 */
static void say_pruned(struct cmd_filter *filter,
                       const struct mpdata_prune *how,
                       const struct mpdata_pruned *pruned,
                       struct mpdata_left_out *row)
{
    row->gone_contexts = pruned->gone_contexts;
    row->contexts = pruned->contexts;
    row->gone_bytes = pruned->gone_bytes;
    row->bytes = pruned->bytes;
    if (pruned->cut_stacks != 0)
        cmd_say("cut %s call stacks",
                mpdata_units_count(pruned->cut_stacks).text);
    if (row->by[0] == '\0')
        return;
    row->uncounted = how->of_tagged == 0 ? filter->shown : NULL;
    say(filter, row);
}

enum mprof_err filter_options_prune(struct cmd_filter *filter,
                                    const struct mpdata_prune *prune,
                                    struct mpdata_profile **profile,
                                    struct mprof_diag *diag)
{
    struct mpdata_prune how = *prune;
    struct mpdata_left_out row = {.gone_contexts = 0};
    struct mpdata_pruned pruned;

    name_pruning(filter, prune, &row);
    if (row.by[0] == '\0' && prune->depth_max == 0)
        return MPROF_E_OK;
    enum mprof_err err = check(filter, *profile, diag);
    if (err != MPROF_E_OK)
        return err;
    how.by = filter->is_written ? row.by : NULL;
    err = mpdata_prune_profile(profile, &how, &pruned);
    filter_options_forget_types(filter);
    if (err != MPROF_E_OK || filter->has_failed)
        return mprof_err_plain(diag, MPROF_E_NOMEM);
    say_pruned(filter, &how, &pruned, &row);
    return MPROF_E_OK;
}

enum mprof_err filter_options_hide(struct cmd_filter *filter,
                                   bool hides_wrappers,
                                   struct mpdata_profile **profile,
                                   uint32_t *wrapped)
{
    struct mpdata_prune how = {.context = filter,
                               .function = hide_function,
                               .file = hide_file,
                               .hides = true};
    struct mpdata_pruned pruned;
    struct mpdata_frame_names *names = NULL;
    mpdata_ref *ends = NULL;
    bool *starts = NULL;
    enum mprof_err err = MPROF_E_OK;

    *wrapped = 0;
    if (hides_wrappers) {
        ends = mpdata_wrappers_ends(*profile, filter->demangler, wrapped);
        names = mpdata_frame_names_new(*profile, filter->demangler);
        starts = names != NULL ? mpdata_starts(*profile, names) : NULL;
        if (ends == NULL || starts == NULL)
            err = MPROF_E_NOMEM;
    }
    if (*wrapped != 0)
        how.ends = ends;
    how.starts = starts;
    if (err == MPROF_E_OK && hides_wrappers && !filter->joins_wrapped)
        err = mpdata_prune_hide(*profile, &how);
    else if (err == MPROF_E_OK &&
             (hides_wrappers || is_given(filter, CMD_FILTER_HIDE)))
        err = mpdata_prune_profile(profile, &how, &pruned);
    mpdata_frame_names_free(names);
    free(ends);
    free(starts);
    if (is_given(filter, CMD_FILTER_HIDE) && !filter->has_hidden)
        cmd_say("--hide: no function and no source file of the profile "
                "matches");
    return filter->has_failed ? MPROF_E_NOMEM : err;
}

void filter_options_fini(struct cmd_filter *filter)
{
    for (int i = 0; i < CMD_FILTER_COUNT; i++)
        filter_options_free_regex(&filter->regexes[i]);
    filter_options_forget_types(filter);
    mpdata_binaries_fini(&filter->named);
}
