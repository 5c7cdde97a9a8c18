/* merge_filter.c -- the regular expressions that choose call stacks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/build_id.h"
#include "profdata/base/guid.h"
#include "profdata/cmd/merge.h"

#include <errno.h>
#include <string.h>

enum mprof_err merge_filter_compile(struct merge_regex *regex, const char *text,
                                    char *why, size_t size)
{
    const int error = regcomp(&regex->regex, text, REG_EXTENDED | REG_NOSUB);

    if (error == REG_ESPACE)
        return MPROF_E_NOMEM;
    if (error != 0) {
        regerror(error, &regex->regex, why, size);
        return MPROF_E_VALUE;
    }
    regex->text = text;
    return MPROF_E_OK;
}

/* Without memory no text matches, and filter->has_failed says so. glibc's
 * regexec() then may say that there is no match; what it leaves in errno
 * tells. */
static bool matches(struct merge_filter *filter,
                    const struct merge_regex *regex, const char *text)
{
    int result;

    errno = 0;
    result = regexec(&regex->regex, text, 0, NULL, 0);
    if (result != 0 && (result != REG_NOMATCH || errno == ENOMEM))
        filter->has_failed = true;
    return result == 0;
}

/* --function: LLVM's files know no names, only what a name hashes to. */
static bool matches_function(void *context, const struct mpdata_str *name,
                             uint64_t guid)
{
    struct merge_filter *const filter = (struct merge_filter *)context;
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
    struct merge_filter *const filter = (struct merge_filter *)context;
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
    struct merge_filter *const filter = (struct merge_filter *)context;

    return matches(filter, &filter->thread, name->bytes);
}

int merge_filter_setup(struct merge *m)
{
    struct merge_filter *const filter = &m->filter;

    if (filter->function.text != NULL) {
        m->prune.function = matches_function;
        m->prune.context = filter;
    }
    if (filter->binary.text == NULL && filter->thread.text == NULL)
        return 0;
    filter->raw.context = filter;
    m->load.filter = &filter->raw;
    if (filter->thread.text != NULL)
        filter->raw.matches_thread = matches_thread;
    if (filter->binary.text == NULL)
        return 0;
    filter->raw.matches = matches_binary;
    for (size_t i = 0; i < m->symbols.binary_count; i++) {
        struct mprof_diag diag;

        if (mpdata_binaries_add_given(&filter->named, m->symbols.binaries[i],
                                      &diag) != MPROF_E_OK)
            return cmd_fail(&diag);
    }
    return 0;
}

void merge_filter_fini(struct merge_filter *filter)
{
    if (filter->function.text != NULL)
        regfree(&filter->function.regex);
    if (filter->binary.text != NULL)
        regfree(&filter->binary.regex);
    if (filter->thread.text != NULL)
        regfree(&filter->thread.regex);
    mpdata_binaries_fini(&filter->named);
}
