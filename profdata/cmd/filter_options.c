/* filter_options.c -- the regular expressions that choose call stacks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/filter_options.h"
#include "profdata/base/build_id.h"
#include "profdata/base/diag.h"
#include "profdata/base/guid.h"
#include "profdata/base/units.h"

#include <errno.h>
#include <string.h>

int filter_options_regex(struct cmd_regex *regex,
                         const struct cmd_command *command,
                         const struct cmd_option *option, const char *value)
{
    char why[256];
    int error;

    if (regex->text != NULL)
        return cmd_usage(command, "--%s is given twice", option->name);
    error = regcomp(&regex->regex, value, REG_EXTENDED | REG_NOSUB);
    if (error == REG_ESPACE)
        return cmd_no_memory();
    if (error != 0) {
        regerror(error, &regex->regex, why, sizeof(why));
        return cmd_usage(command, "--%s=%s: %s", option->name, value, why);
    }
    regex->text = value;
    return 0;
}

void filter_options_free_regex(struct cmd_regex *regex)
{
    if (regex->text != NULL)
        regfree(&regex->regex);
}

/* By the name of its option. */
static struct cmd_regex *regex_of(struct cmd_filter *filter, const char *name)
{
    const struct {
        const char *name;
        struct cmd_regex *regex;
    } rows[] = {{"function", &filter->function},
                {"binary", &filter->binary},
                {"thread", &filter->thread},
                {"file", &filter->file},
                {"exclude-function", &filter->exclude_function},
                {"exclude-file", &filter->exclude_file},
                {"exclude-binary", &filter->exclude_binary},
                {"exclude-thread", &filter->exclude_thread}};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(rows); i++) {
        if (strcmp(name, rows[i].name) == 0)
            return rows[i].regex;
    }
    return NULL;
}

static int take_metric(struct cmd_filter *filter,
                       const struct cmd_command *command,
                       const struct cmd_option *option, const char *value)
{
    const size_t left = CMD_METRIC_FILTERS_MAX - filter->metric_count;
    const size_t count = mpdata_metric_filter_parse(
        value, &filter->metrics[filter->metric_count], left);

    if (left == 0)
        return cmd_usage(command, "--%s has more than %d conditions",
                         option->name, CMD_METRIC_FILTERS_MAX);
    filter->metric_count += count;
    return count != 0
               ? 0
               : cmd_usage(
                     command,
                     "--%s=%s: not METRIC or METRIC/METRIC, one of < <= "
                     "= != >= >, and a number, like bytes>=64K, or "
                     "several with | between; metrics are" MPDATA_METRIC_WORDS,
                     option->name, value);
}

int filter_options_take(struct cmd_filter *filter,
                        const struct cmd_command *command,
                        const struct cmd_option *option, const char *value)
{
    struct cmd_regex *const regex = regex_of(filter, option->name);

    return regex != NULL ? filter_options_regex(regex, command, option, value)
                         : take_metric(filter, command, option, value);
}

const char *filter_options_given(const struct cmd_filter *filter)
{
    return filter->function.text != NULL           ? "function"
           : filter->binary.text != NULL           ? "binary"
           : filter->thread.text != NULL           ? "thread"
           : filter->file.text != NULL             ? "file"
           : filter->exclude_function.text != NULL ? "exclude-function"
           : filter->exclude_file.text != NULL     ? "exclude-file"
           : filter->exclude_binary.text != NULL   ? "exclude-binary"
           : filter->exclude_thread.text != NULL   ? "exclude-thread"
           : filter->metric_count != 0             ? "filter"
                                                   : NULL;
}

/* glibc's regexec() may say that there is no match where there was no memory;
 * what it leaves in errno tells. */
bool filter_options_fits(const struct cmd_regex *regex, const char *text,
                         bool *has_failed)
{
    int result;

    errno = 0;
    result = regexec(&regex->regex, text, 0, NULL, 0);
    if (result != 0 && (result != REG_NOMATCH || errno == ENOMEM))
        *has_failed = true;
    return result == 0;
}

static bool matches(struct cmd_filter *filter, const struct cmd_regex *regex,
                    const char *text)
{
    return filter_options_fits(regex, text, &filter->has_failed);
}

/* LLVM's files know no names, only what a name hashes to. */
static bool fits_function(struct cmd_filter *filter,
                          const struct cmd_regex *regex,
                          const struct mpdata_str *name, uint64_t guid)
{
    if (name->size == 0)
        return mpdata_guid(regex->text, strlen(regex->text)) == guid;
    return matches(filter, regex, name->bytes);
}

static bool matches_function(void *context, const struct mpdata_str *name,
                             uint64_t guid)
{
    struct cmd_filter *const filter = (struct cmd_filter *)context;

    return fits_function(filter, &filter->function, name, guid);
}

static bool excludes_function(void *context, const struct mpdata_str *name,
                              uint64_t guid)
{
    struct cmd_filter *const filter = (struct cmd_filter *)context;

    return fits_function(filter, &filter->exclude_function, name, guid);
}

static bool matches_file(void *context, const char *path)
{
    struct cmd_filter *const filter = (struct cmd_filter *)context;

    return matches(filter, &filter->file, path);
}

static bool excludes_file(void *context, const char *path)
{
    struct cmd_filter *const filter = (struct cmd_filter *)context;

    return matches(filter, &filter->exclude_file, path);
}

static bool keeps_mib(void *context, const struct mprof_mib *mib,
                      uint32_t flags)
{
    const struct cmd_filter *const filter = (const struct cmd_filter *)context;

    return mpdata_metric_filter_fits_all(filter->metrics, filter->metric_count,
                                         mib, flags);
}

static void setup_prune(struct cmd_filter *filter, struct mpdata_prune *prune)
{
    prune->context = filter;
    if (filter->function.text != NULL)
        prune->wanted.function = matches_function;
    if (filter->file.text != NULL)
        prune->wanted.file = matches_file;
    if (filter->exclude_function.text != NULL)
        prune->unwanted.function = excludes_function;
    if (filter->exclude_file.text != NULL)
        prune->unwanted.file = excludes_file;
    if (filter->metric_count != 0)
        prune->keeps = keeps_mib;
}

enum mprof_err filter_options_check(const struct cmd_filter *filter,
                                    const struct mpdata_profile *profile,
                                    struct mprof_diag *diag)
{
    bool held[MPDATA_METRIC_COUNT];

    if (filter->metric_count == 0 ||
        mpdata_profile_view(profile).context_count == 0)
        return MPROF_E_OK;
    if (mpdata_metrics_held(profile, held) != MPROF_E_OK)
        return mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
    for (size_t i = 0; i < filter->metric_count; i++) {
        enum mpdata_metric missing;

        if (!mpdata_metric_filter_is_held(&filter->metrics[i], held, &missing))
            return mpdata_diag_fail(
                diag, MPROF_E_UNSUPPORTED, NULL, MPROF_DIAG_NO_OFFSET,
                "--filter=%s: it was not measured: %s", filter->metrics[i].text,
                mpdata_metrics[missing].title);
    }
    return MPROF_E_OK;
}

bool filter_options_prunes(const struct mpdata_prune *prune)
{
    return prune->wanted.function != NULL || prune->wanted.file != NULL ||
           prune->unwanted.function != NULL || prune->unwanted.file != NULL ||
           prune->keeps != NULL;
}

/* Files of LLVM's know modules by build id, so their path is what
 * --profiled-binary says. */
static bool fits_binary(struct cmd_filter *filter,
                        const struct cmd_regex *regex,
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
    struct cmd_filter *const filter = (struct cmd_filter *)context;

    return fits_binary(filter, &filter->binary, module);
}

static bool excludes_binary(void *context,
                            const struct mpdata_raw_module *module)
{
    struct cmd_filter *const filter = (struct cmd_filter *)context;

    return fits_binary(filter, &filter->exclude_binary, module);
}

static bool matches_thread(void *context, const struct mpdata_str *name)
{
    struct cmd_filter *const filter = (struct cmd_filter *)context;

    return (filter->thread.text == NULL ||
            matches(filter, &filter->thread, name->bytes)) &&
           (filter->exclude_thread.text == NULL ||
            !matches(filter, &filter->exclude_thread, name->bytes));
}

/* Of those that only raw profiles answer, how many were given. */
static int count_raw(const struct cmd_filter *filter)
{
    return (filter->binary.text != NULL) + (filter->thread.text != NULL) +
           (filter->exclude_binary.text != NULL) +
           (filter->exclude_thread.text != NULL);
}

int filter_options_setup(struct cmd_filter *filter,
                         const struct cmd_symbols *symbols,
                         struct mpdata_load_context *load,
                         struct mpdata_prune *prune)
{
    setup_prune(filter, prune);
    if (count_raw(filter) == 0)
        return 0;
    filter->raw.context = filter;
    load->filter = &filter->raw;
    if (filter->thread.text != NULL || filter->exclude_thread.text != NULL)
        filter->raw.matches_thread = matches_thread;
    if (filter->binary.text != NULL)
        filter->raw.matches = matches_binary;
    if (filter->exclude_binary.text != NULL)
        filter->raw.excludes = excludes_binary;
    for (size_t i = 0; i < symbols->binary_count; i++) {
        struct mprof_diag diag;

        if (mpdata_binaries_add_given(&filter->named, symbols->binaries[i],
                                      &diag) != MPROF_E_OK)
            return cmd_fail(&diag);
    }
    return 0;
}

void filter_options_say_gone(const char *what, uint64_t gone, uint64_t all,
                             uint64_t gone_bytes, uint64_t all_bytes)
{
    char texts[4][MPDATA_UNIT_BYTES];

    cmd_say("%s %s of %s call stacks, with %s of %s bytes", what,
            mpdata_units_count(gone, texts[0], sizeof(texts[0])),
            mpdata_units_count(all, texts[1], sizeof(texts[1])),
            mpdata_units_count(gone_bytes, texts[2], sizeof(texts[2])),
            mpdata_units_count(all_bytes, texts[3], sizeof(texts[3])));
}

void filter_options_say(const struct cmd_filter *filter)
{
    const struct mpdata_raw_filter *raw = &filter->raw;
    const int given = count_raw(filter);

    if (given == 0)
        return;
    filter_options_say_gone(
        given == 2 && filter->binary.text != NULL && filter->thread.text != NULL
            ? "--binary and --thread left out"
        : given != 1                          ? "the filters left out"
        : filter->thread.text != NULL         ? "--thread left out"
        : filter->binary.text != NULL         ? "--binary left out"
        : filter->exclude_thread.text != NULL ? "--exclude-thread left out"
                                              : "--exclude-binary left out",
        raw->gone_contexts, raw->contexts, raw->gone_bytes, raw->bytes);
}

void filter_options_say_pruned(const struct cmd_filter *filter,
                               const struct mpdata_pruned *pruned)
{
    const int given =
        (filter->function.text != NULL) + (filter->file.text != NULL) +
        (filter->exclude_function.text != NULL) +
        (filter->exclude_file.text != NULL) + (filter->metric_count != 0);

    filter_options_say_gone(
        given != 1                              ? "the filters left out"
        : filter->function.text != NULL         ? "--function left out"
        : filter->file.text != NULL             ? "--file left out"
        : filter->exclude_function.text != NULL ? "--exclude-function left out"
        : filter->exclude_file.text != NULL     ? "--exclude-file left out"
                                                : "--filter left out",
        pruned->gone_contexts, pruned->contexts, pruned->gone_bytes,
        pruned->bytes);
}

void filter_options_fini(struct cmd_filter *filter)
{
    filter_options_free_regex(&filter->function);
    filter_options_free_regex(&filter->binary);
    filter_options_free_regex(&filter->thread);
    filter_options_free_regex(&filter->file);
    filter_options_free_regex(&filter->exclude_function);
    filter_options_free_regex(&filter->exclude_file);
    filter_options_free_regex(&filter->exclude_binary);
    filter_options_free_regex(&filter->exclude_thread);
    mpdata_binaries_fini(&filter->named);
}
