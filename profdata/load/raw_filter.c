/* raw_filter.c -- which call stacks of a raw profile are wanted.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/raw_filter.h"
#include "profdata/base/diag.h"
#include "profdata/base/vec.h"

#include <stdlib.h>

/* For each module: does it fit? */
static uint8_t *ask_modules(const struct mpdata_raw *raw,
                            const struct mpdata_raw_filter *filter)
{
    uint8_t *matches = mpdata_vec_array(raw->module_count, 1);

    for (uint32_t i = 0; matches != NULL && i < raw->module_count; i++)
        matches[i] = filter->matches(filter->context, &raw->modules[i]);
    return matches;
}

/* For each node + 1: is there such a module on the way to the root? Parents
 * come first. */
static uint8_t *find_nodes(const struct mpdata_raw *raw, const uint8_t *matches)
{
    uint8_t *has = mpdata_vec_array((size_t)raw->node_count + 1, 1);

    for (uint32_t i = 0; has != NULL && i < raw->node_count; i++) {
        const struct mpdata_raw_node *node = &raw->nodes[i];
        const mpdata_ref module = raw->frames[node->frame].module;

        has[i + 1] =
            has[node->parent] || (module != 0 && matches[module - 1] != 0);
    }
    return has;
}

enum { UNKNOWN, WANTED, UNWANTED };

/* For each string: is it the name of a wanted thread? Asked once a name. */
static uint8_t *ask_threads(const struct mpdata_raw *raw,
                            const struct mpdata_raw_filter *filter)
{
    uint8_t *matches = mpdata_vec_array(raw->string_count, 1);

    for (uint32_t i = 0; matches != NULL && i < raw->context_count; i++) {
        const uint32_t thread = raw->contexts[i].thread;

        if (matches[thread] == UNKNOWN)
            matches[thread] = filter->matches_thread(filter->context,
                                                     &raw->string_table[thread])
                                  ? WANTED
                                  : UNWANTED;
    }
    return matches;
}

/* has and threads: NULL where any will do. */
static void keep_contexts(struct mpdata_raw *raw,
                          struct mpdata_raw_filter *filter, const uint8_t *has,
                          const uint8_t *threads)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < raw->context_count; i++) {
        const struct mpdata_raw_context *context = &raw->contexts[i];
        const uint64_t bytes = mpdata_raw_mib(raw, i).TotalSize;

        const bool is_first = !mpdata_raw_is_second(raw, i);

        filter->contexts += is_first;
        filter->bytes = mprof_add_sat_u64(filter->bytes, bytes);
        if ((has == NULL || has[context->node]) &&
            (threads == NULL || threads[context->thread] == WANTED)) {
            raw->contexts[kept++] = *context;
            continue;
        }
        filter->gone_contexts += is_first;
        filter->gone_bytes = mprof_add_sat_u64(filter->gone_bytes, bytes);
    }
    raw->context_count = kept;
}

static enum mprof_err fail_threads(struct mprof_diag *diag)
{
    return mpdata_diag_fail(
        diag, MPROF_E_UNSUPPORTED, NULL, MPROF_DIAG_NO_OFFSET,
        "it does not say which thread allocated; run the "
        "program with MEMPROF_OPTIONS=per_thread=1, and choose "
        "when raw profiles are merged");
}

enum mprof_err mpdata_raw_filter_refuse(const struct mpdata_raw_filter *filter,
                                        const char *what,
                                        struct mprof_diag *diag)
{
    if (filter->matches_thread != NULL)
        return fail_threads(diag);
    return mpdata_diag_fail(
        diag, MPROF_E_UNSUPPORTED, NULL, MPROF_DIAG_NO_OFFSET,
        "%s does not say which binary a frame is in; choose "
        "when raw profiles are merged",
        what);
}

enum mprof_err mpdata_raw_filter(struct mpdata_raw *raw,
                                 struct mpdata_raw_filter *filter,
                                 struct mprof_diag *diag)
{
    const bool by_module = filter->matches != NULL;
    const bool by_thread = filter->matches_thread != NULL;
    uint8_t *matches = NULL;
    uint8_t *has = NULL;
    uint8_t *threads = NULL;
    enum mprof_err err = MPROF_E_OK;

    if (by_thread && !raw->has_threads)
        return fail_threads(diag);
    if (by_module)
        matches = ask_modules(raw, filter);
    if (matches != NULL)
        has = find_nodes(raw, matches);
    if (by_thread)
        threads = ask_threads(raw, filter);
    if (by_module == (has != NULL) && by_thread == (threads != NULL))
        keep_contexts(raw, filter, has, threads);
    else
        err = mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
    free(threads);
    free(has);
    free(matches);
    return err;
}
