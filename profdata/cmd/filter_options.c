/* filter_options.c -- the regular expressions that choose call stacks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/filter_options.h"
#include "profdata/base/build_id.h"
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

int filter_options_take(struct cmd_filter *filter,
                        const struct cmd_command *command,
                        const struct cmd_option *option, const char *value)
{
    struct cmd_regex *const regex =
        strcmp(option->name, "function") == 0 ? &filter->function
        : strcmp(option->name, "binary") == 0 ? &filter->binary
                                              : &filter->thread;

    return filter_options_regex(regex, command, option, value);
}

const char *filter_options_given(const struct cmd_filter *filter)
{
    return filter->function.text != NULL ? "function"
           : filter->binary.text != NULL ? "binary"
           : filter->thread.text != NULL ? "thread"
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

/* --function: LLVM's files know no names, only what a name hashes to. */
static bool matches_function(void *context, const struct mpdata_str *name,
                             uint64_t guid)
{
    struct cmd_filter *const filter = (struct cmd_filter *)context;
    const char *const text = filter->function.text;

    if (name->size == 0)
        return mpdata_guid(text, strlen(text)) == guid;
    return matches(filter, &filter->function, name->bytes);
}

/* Files of LLVM's know modules by build id, so their path is what
 * --profiled-binary says. */
static bool matches_binary(void *context,
                           const struct mpdata_raw_module *module)
{
    struct cmd_filter *const filter = (struct cmd_filter *)context;
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
    return matches(filter, &filter->binary, path) ||
           matches(filter, &filter->binary, id);
}

static bool matches_thread(void *context, const struct mpdata_str *name)
{
    struct cmd_filter *const filter = (struct cmd_filter *)context;

    return matches(filter, &filter->thread, name->bytes);
}

int filter_options_setup(struct cmd_filter *filter,
                         const struct cmd_symbols *symbols,
                         struct mpdata_load_context *load,
                         struct mpdata_prune *prune)
{
    if (filter->function.text != NULL) {
        prune->function = matches_function;
        prune->context = filter;
    }
    if (filter->binary.text == NULL && filter->thread.text == NULL)
        return 0;
    filter->raw.context = filter;
    load->filter = &filter->raw;
    if (filter->thread.text != NULL)
        filter->raw.matches_thread = matches_thread;
    if (filter->binary.text == NULL)
        return 0;
    filter->raw.matches = matches_binary;
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

    if (filter->binary.text == NULL && filter->thread.text == NULL)
        return;
    filter_options_say_gone(
        filter->thread.text == NULL   ? "--binary left out"
        : filter->binary.text == NULL ? "--thread left out"
                                      : "--binary and --thread left out",
        raw->gone_contexts, raw->contexts, raw->gone_bytes, raw->bytes);
}

void filter_options_fini(struct cmd_filter *filter)
{
    filter_options_free_regex(&filter->function);
    filter_options_free_regex(&filter->binary);
    filter_options_free_regex(&filter->thread);
    mpdata_binaries_fini(&filter->named);
}
